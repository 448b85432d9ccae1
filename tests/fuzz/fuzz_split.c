/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostile units whose tree is not in the linked file: skeletons, .dwo files, .dwp indexes.
 *
 * An input is one file that holds both, as -gsplit-dwarf=single leaves them: the sections of the
 * linked file, and those of a .dwo or, with a .debug_cu_index, of a .dwp. The seeds describe the
 * function from 0x1000 to 0x1100 with one function inlined into it from 0x1020 to 0x1040, as a .dwo
 * in versions 5 and 4, and as a .dwp in both versions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_split.h"
#include "dwarf/dwarf_tree.h"
#include "fuzz.h"
#include "support/elf_writer.h"

#define START 0x1000
#define DWO_ID UINT64_C(0x1122334455667789)
#define VADDRS 64
#define UNITS_MAX 16	/* units that are read from an input */
#define STEPS (UINT64_C(1) << 20)
#define MEMORY_BYTES (UINT64_C(16) << 20)

#define check(true_or_bug)   \
	do {                     \
		if (!(true_or_bug)) \
			abort(); \
	} while (0)

struct found {
	/* number of readable trees; number of queries inside inlined code */
	size_t trees, inlined;
	bool named;
};

static void look(const struct dwarf_cu *cu, struct found *found)
{
	struct dwarf_query queries[VADDRS] = { 0 };
	struct dwarf_queries all = { .at = queries, .count = VADDRS };
	struct dwarf_tree tree = { 0 };
	char text[DWARF_TEXT_MAX];

	for (size_t i = 0; i < VADDRS; i++)
		queries[i].vaddr = START - 8 + 8 * i;
	check(vec_push(&tree.nodes) != NULL);
	found->trees += dwarf_tree_read(cu, &all, &tree) == 0;
	for (size_t i = 0; i < VADDRS; i++) {
		check(queries[i].node < tree.nodes.count);
		found->inlined += tree.nodes.at[queries[i].node].inlined;
	}
	for (uint32_t i = 1; i < tree.nodes.count; i++) {
		check(tree.nodes.at[i].parent < i);
		if (dwarf_tree_name(cu, &tree.nodes.at[i], text) < 0)
			continue;
		check(memchr(text, '\0', sizeof(text)) != NULL);
		found->named = found->named || strcmp(text, "inner") == 0;
	}
	dwarf_tree_fini(&tree);
}

static void join(struct dwarf_file *linked, struct dwarf_file *split, struct found *found)
{
	(void)dwarf_units_read(linked);
	for (size_t i = 0; i < linked->units.count && i < UNITS_MAX; i++) {
		struct dwarf_cu skeleton, cu;

		if (dwarf_cu_open(linked, &linked->units.at[i], true, &skeleton) < 0)
			continue;
		if (dwarf_split_open(split, &skeleton, &cu) == 0) {
			look(&cu, found);
			dwarf_cu_close(&cu);
		}
		dwarf_cu_close(&skeleton);
	}
}

static struct found resolve(const uint8_t *bytes, size_t size_bytes)
{
	const struct elf_source source = { .fd = -1, .bytes = bytes, .size_bytes = size_bytes };
	struct dwarf_budget budget = { .steps = STEPS, .memory_bytes = MEMORY_BYTES };
	struct dwarf_file linked, split;
	struct found found = { 0 };

	if (dwarf_file_init(&linked, &source, -1, false, &budget) == 0) {
		if (dwarf_file_init(&split, &source, -1, true, &budget) == 0)
			join(&linked, &split, &found);
		dwarf_file_fini(&split);
	}
	dwarf_file_fini(&linked);
	check(budget.memory_bytes == MEMORY_BYTES);
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	(void)resolve(bytes, size_bytes);
	return 0;
}

/* ---- seeds ---- */

struct seed {
	struct elf_writer writer;
	bool is_new;		/* version 5 */
	bool is_packed;		/* writes a .dwp */
};

static void put(struct writer_bytes *bytes, uint64_t value, size_t size_bytes)
{
	for (size_t i = 0; i < size_bytes; i++, value >>= 8)
		elf_writer_put_bytes(bytes, &(uint8_t){ (uint8_t)value }, 1);
}

static void put_uleb(struct writer_bytes *bytes, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put(bytes, value | 0x80, 1);
	put(bytes, value, 1);
}

static void put_text(struct writer_bytes *bytes, const char *text)
{
	elf_writer_put_bytes(bytes, text, strlen(text) + 1);
}

/* Code, tag, children flag; then attribute and form pairs up to a 0. */
static void put_abbrev(struct writer_bytes *bytes, const uint16_t *words)
{
	size_t count = 3;

	while (words[count])
		count += 2;
	for (size_t i = 0; i < count; i++)
		put_uleb(bytes, words[i]);
	put(bytes, 0, 2);
}

static void add(struct seed *seed, const char *name, struct writer_bytes *content)
{
	const struct writer_section section = { .name = name, .type = SHT_PROGBITS };

	(void)elf_writer_section(&seed->writer, &section, content->data.at, content->data.count);
	vec_free(&content->data);
}

/* Adds a section that begins with its length, which is known now. */
static void add_long(struct seed *seed, const char *name, struct writer_bytes *content)
{
	uint32_t length = (uint32_t)content->data.count - 4;

	memcpy(content->data.at, &length, sizeof(length));
	add(seed, name, content);
}

static void put_unit(const struct seed *seed, struct writer_bytes *info, unsigned int type)
{
	put(info, 0, 4);
	put(info, seed->is_new ? 5 : 4, 2);
	if (seed->is_new) {
		put(info, type | 8u << 8, 2);
		put(info, 0, 4);
		put(info, DWO_ID, 8);
	} else {
		put(info, 0, 4);
		put(info, 8, 1);
	}
}

static void add_linked(struct seed *seed)
{
	static const uint16_t unit[] = { 1,
					 DW_TAG_skeleton_unit,
					 0,
					 DW_AT_low_pc,
					 DW_FORM_addr,
					 DW_AT_high_pc,
					 DW_FORM_data4,
					 DW_AT_dwo_name,
					 DW_FORM_string,
					 DW_AT_addr_base,
					 DW_FORM_sec_offset,
					 0 };
	static const uint16_t old[] = { 1,
					DW_TAG_compile_unit,
					0,
					DW_AT_low_pc,
					DW_FORM_addr,
					DW_AT_high_pc,
					DW_FORM_data4,
					DW_AT_GNU_dwo_name,
					DW_FORM_string,
					DW_AT_GNU_addr_base,
					DW_FORM_sec_offset,
					DW_AT_GNU_dwo_id,
					DW_FORM_data8,
					0 };
	struct writer_bytes info = { 0 }, abbrev = { 0 }, addr = { 0 };

	put_abbrev(&abbrev, seed->is_new ? unit : old);
	put(&abbrev, 0, 1);
	put_unit(seed, &info, DW_UT_skeleton);
	put(&info, 1, 1);
	put(&info, START, 8);
	put(&info, 0x100, 4);
	put_text(&info, "a.dwo");
	put(&info, seed->is_new ? 8 : 0, 4);
	if (!seed->is_new)
		put(&info, DWO_ID, 8);
	if (seed->is_new) {
		put(&addr, 0, 4);
		put(&addr, 5 | 8 << 16, 4);
	}
	put(&addr, START, 8);
	put(&addr, START + 0x20, 8);
	add(seed, ".debug_abbrev", &abbrev);
	add_long(seed, ".debug_info", &info);
	if (seed->is_new)
		add_long(seed, ".debug_addr", &addr);
	else
		add(seed, ".debug_addr", &addr);
}

static void add_split_abbrevs(struct seed *seed)
{
	uint16_t text = seed->is_new ? DW_FORM_strx1 : DW_FORM_GNU_str_index;
	uint16_t addr = seed->is_new ? DW_FORM_addrx : DW_FORM_GNU_addr_index;
	const uint16_t unit[] = { 1, DW_TAG_compile_unit, 1, 0 };
	const uint16_t old_unit[] = {
		1, DW_TAG_compile_unit, 1, DW_AT_GNU_dwo_id, DW_FORM_data8, 0
	};
	const uint16_t abstract[] = { 2, DW_TAG_subprogram, 0, DW_AT_name, text, 0 };
	const uint16_t function[] = { 3,
				      DW_TAG_subprogram,
				      1,
				      DW_AT_name,
				      text,
				      DW_AT_low_pc,
				      addr,
				      DW_AT_high_pc,
				      DW_FORM_data4,
				      0 };
	const uint16_t inlined[] = { 4,
				     DW_TAG_inlined_subroutine,
				     0,
				     DW_AT_abstract_origin,
				     DW_FORM_ref4,
				     DW_AT_call_line,
				     DW_FORM_data1,
				     DW_AT_ranges,
				     DW_FORM_rnglistx,
				     0 };
	const uint16_t old_inlined[] = { 4,
					 DW_TAG_inlined_subroutine,
					 0,
					 DW_AT_abstract_origin,
					 DW_FORM_ref4,
					 DW_AT_call_line,
					 DW_FORM_data1,
					 DW_AT_low_pc,
					 addr,
					 DW_AT_high_pc,
					 DW_FORM_data4,
					 0 };
	struct writer_bytes abbrev = { 0 };

	put_abbrev(&abbrev, seed->is_new ? unit : old_unit);
	put_abbrev(&abbrev, abstract);
	put_abbrev(&abbrev, function);
	put_abbrev(&abbrev, seed->is_new ? inlined : old_inlined);
	put(&abbrev, 0, 1);
	add(seed, ".debug_abbrev.dwo", &abbrev);
}

static void add_split_info(struct seed *seed)
{
	struct writer_bytes info = { 0 };
	uint32_t abstract;

	put_unit(seed, &info, DW_UT_split_compile);
	put(&info, 1, 1);
	if (!seed->is_new)
		put(&info, DWO_ID, 8);
	abstract = (uint32_t)info.data.count;
	put(&info, 2, 1);
	put(&info, 0, 1);		/* "inner" */
	put(&info, 3, 1);
	put(&info, 1, 1);		/* "outer" */
	put(&info, 0, 1);
	put(&info, 0x100, 4);
	put(&info, 4, 1);
	put(&info, abstract, 4);
	put(&info, 77, 1);
	if (seed->is_new) {
		put(&info, 0, 1);
	} else {
		put(&info, 1, 1);
		put(&info, 0x20, 4);
	}
	/* end of the function's children, then end of the unit's children */
	put(&info, 0, 2);
	add_long(seed, ".debug_info.dwo", &info);
}

static void add_split_tables(struct seed *seed)
{
	struct writer_bytes text = { 0 }, offsets = { 0 }, ranges = { 0 };

	put_text(&text, "inner");
	put_text(&text, "outer");
	add(seed, ".debug_str.dwo", &text);
	if (seed->is_new) {
		put(&offsets, 0, 4);
		put(&offsets, 5, 4);
	}
	put(&offsets, 0, 4);
	put(&offsets, sizeof("inner"), 4);
	if (seed->is_new)
		add_long(seed, ".debug_str_offsets.dwo", &offsets);
	else
		add(seed, ".debug_str_offsets.dwo", &offsets);
	if (!seed->is_new)
		return;
	put(&ranges, 0, 4);
	put(&ranges, 5 | 8 << 16, 4);
	put(&ranges, 1, 4);
	put(&ranges, 4, 4);
	put(&ranges, DW_RLE_startx_length | 1 << 8 | 0x20 << 16, 3);
	put(&ranges, DW_RLE_end_of_list, 1);
	add_long(seed, ".debug_rnglists.dwo", &ranges);
}

/*
 * Two slots, of which the last bit of the id selects the second; one row that has all the columns.
 */
static void add_index(struct seed *seed)
{
	const uint32_t columns[] = { DW_SECT_INFO, DW_SECT_ABBREV, DW_SECT_STR_OFFSETS,
				     DW_SECT_RNGLISTS };
	size_t count = seed->is_new ? 4 : 3;
	struct writer_bytes index = { 0 };

	put(&index, seed->is_new ? 5 : 2, 4);
	put(&index, count, 4);
	put(&index, 1, 4);
	put(&index, 2, 4);
	put(&index, 0, 8);
	put(&index, DWO_ID, 8);
	put(&index, 0, 4);
	put(&index, 1, 4);
	for (size_t i = 0; i < count; i++)
		put(&index, columns[i], 4);
	for (size_t i = 0; i < 2 * count; i++)	/* their offsets, then their sizes */
		put(&index, i < count ? 0 : 0x40, 4);
	add(seed, ".debug_cu_index", &index);
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	struct seed seed = { .is_new = i & 1, .is_packed = i & 2 };
	struct found found;

	if (i > 3)
		return -1;
	elf_writer_init(&seed.writer, &(struct elf_writer_options){ .machine = EM_X86_64 });
	(void)elf_writer_text(&seed.writer, ".text", START, 0x100);
	add_linked(&seed);
	add_split_abbrevs(&seed);
	add_split_info(&seed);
	add_split_tables(&seed);
	if (seed.is_packed)
		add_index(&seed);
	*ret_bytes = elf_writer_finish(&seed.writer, ret_size_bytes);
	found = resolve(*ret_bytes, *ret_size_bytes);
	check(found.trees == 1 && found.inlined == 0x20 / 8 && found.named);
	return 0;
}
