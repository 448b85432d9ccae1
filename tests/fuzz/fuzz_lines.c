/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of hostile files: units, trees, ranges, line programs, texts.
 *
 * The seeds describe one function from 0x1000 to 0x1100, in another file, with one function inlined
 * into it from 0x1020 to 0x1040, as DWARF versions 4 and 5 write it, and once with an abstract
 * origin that refers to itself.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/debug_inlined.h"
#include "dwarf/debug_lines.h"
#include "dwarf/debug_parameters.h"
#include "dwarf/dwarf_names.h"
#include "fuzz.h"
#include "support/elf_writer.h"

#define START 0x1000
#define VADDRS 64

#define check(true_or_bug)   \
	do {                     \
		if (!(true_or_bug)) \
			abort(); \
	} while (0)

static uint32_t take_text(void *context, const char *text)
{
	/* strlen() reads up to the terminator, which must exist */
	return (uint32_t)strlen(text) + 1;
}

static int take_chain(void *context, size_t index, const struct debug_frame *frames, size_t count)
{
	size_t *chains = context;

	check(index < VADDRS && count >= 1 && count <= DEBUG_FRAMES_MAX);
	check(frames[count - 1].name < UINT32_MAX);
	++*chains;
	return 0;
}

static size_t resolve(const uint8_t *bytes, size_t size_bytes)
{
	size_t chains = 0;
	const struct debug_lines_sink sink = { &chains, take_text, take_text, take_chain };
	struct debug_lines_health health;
	uint64_t vaddrs[VADDRS];

	for (size_t i = 0; i < VADDRS; i++)
		vaddrs[i] = START - 8 + 8 * i;
	(void)debug_lines_from_bytes(bytes, size_bytes, vaddrs, VADDRS, &sink, &health);
	check(chains <= VADDRS);
	return chains;
}

static void take_parameter(void *context, const struct debug_parameter *parameter)
{
	size_t *parameters = context;

	check(parameter->passed != PASSED_IN_REGISTER || parameter->number < 8);
	check(strlen(parameter->name) < 4096);
	check(++*parameters <= DEBUG_PARAMETERS_MAX);
}

static bool want(void *context, const char *function)
{
	check(strlen(function) < 4096);
	return true;
}

static int take_into(void *context, const char *function)
{
	size_t *functions = context;

	check(strlen(function) < 4096);
	++*functions;
	return 0;
}

/* Returns into how many functions something was inlined. */
static size_t find_inlined(const uint8_t *bytes, size_t size_bytes)
{
	size_t functions = 0;
	const struct debug_inlined_sink sink = { &functions, want, take_into };

	(void)debug_inlined_from_bytes(bytes, size_bytes, &sink);
	return functions;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	size_t parameters = 0;

	(void)resolve(bytes, size_bytes);
	(void)debug_parameters_from_bytes(bytes, size_bytes, EM_X86_64, START, take_parameter,
					  &parameters);
	(void)find_inlined(bytes, size_bytes);
	return 0;
}

/* ---- seeds ---- */

struct seed {
	struct elf_writer writer;
	struct writer_bytes info, abbrev, line, ranges, line_str;
	bool is_new;		/* version 5 */
	bool is_cyclic;
};

static void put(struct seed *seed, struct writer_bytes *bytes, uint64_t value, size_t size_bytes)
{
	elf_writer_put(&seed->writer, bytes, value, size_bytes);
}

static void put_text(struct writer_bytes *bytes, const char *text)
{
	elf_writer_put_bytes(bytes, text, strlen(text) + 1);
}

/* Code, tag, children flag; then pairs up to a 0. All numbers are below 128. */
static void put_abbrev(struct seed *seed, const uint8_t *bytes)
{
	size_t count = 3;

	while (bytes[count] || bytes[count + 1])
		count += 2;
	elf_writer_put_bytes(&seed->abbrev, bytes, count + 2);
}

static void put_abbrevs(struct seed *seed)
{
	const uint8_t unit[] = { 1,
				 DW_TAG_compile_unit,
				 1,
				 DW_AT_name,
				 DW_FORM_string,
				 DW_AT_comp_dir,
				 DW_FORM_string,
				 DW_AT_stmt_list,
				 DW_FORM_sec_offset,
				 DW_AT_low_pc,
				 DW_FORM_addr,
				 DW_AT_ranges,
				 DW_FORM_sec_offset,
				 0,
				 0 };
	const uint8_t abstract[] = { 2, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, 0, 0 };
	const uint8_t cyclic[] = { 2, DW_TAG_subprogram, 0, DW_AT_abstract_origin, DW_FORM_ref4, 0,
				   0 };
	const uint8_t function[] = { 3,
				     DW_TAG_subprogram,
				     1,
				     DW_AT_name,
				     DW_FORM_string,
				     DW_AT_low_pc,
				     DW_FORM_addr,
				     DW_AT_high_pc,
				     DW_FORM_data4,
				     0,
				     0 };
	const uint8_t inlined[] = { 4,
				    DW_TAG_inlined_subroutine,
				    0,
				    DW_AT_abstract_origin,
				    DW_FORM_ref4,
				    DW_AT_low_pc,
				    DW_FORM_addr,
				    DW_AT_high_pc,
				    DW_FORM_data4,
				    DW_AT_call_file,
				    DW_FORM_data1,
				    DW_AT_call_line,
				    DW_FORM_udata,
				    0,
				    0 };

	put_abbrev(seed, unit);
	put_abbrev(seed, seed->is_cyclic ? cyclic : abstract);
	put_abbrev(seed, function);
	put_abbrev(seed, inlined);
	put(seed, &seed->abbrev, 0, 1);
}

/* A section begins with its length, which is known only at the end. */
static void end_length(struct writer_bytes *bytes)
{
	uint32_t length = (uint32_t)bytes->data.count - 4;

	memcpy(bytes->data.at, &length, sizeof(length));
}

static void put_info(struct seed *seed)
{
	struct writer_bytes *info = &seed->info;
	uint32_t abstract;

	put(seed, info, 0, 4);
	put(seed, info, seed->is_new ? 5 : 4, 2);
	if (seed->is_new)
		put(seed, info, DW_UT_compile | 8 << 8, 2);
	put(seed, info, 0, 4);
	if (!seed->is_new)
		put(seed, info, 8, 1);
	put(seed, info, 1, 1);
	put_text(info, "a.c");
	put_text(info, "/src");
	put(seed, info, 0, 4);
	put(seed, info, START, 8);
	put(seed, info, seed->is_new ? 12 : 0, 4);
	abstract = (uint32_t)info->data.count;
	put(seed, info, 2, 1);
	if (seed->is_cyclic)
		put(seed, info, abstract, 4);
	else
		put_text(info, "inner");
	put(seed, info, 3, 1);
	put_text(info, "outer");
	put(seed, info, START, 8);
	put(seed, info, 0x100, 4);
	put(seed, info, 4, 1);
	put(seed, info, abstract, 4);
	put(seed, info, START + 0x20, 8);
	put(seed, info, 0x20, 4);
	put(seed, info, 1, 1);
	put(seed, info, 77, 1);
	/* end of the function's children, then end of the unit's children */
	put(seed, info, 0, 2);
	end_length(info);
}

static void put_ranges(struct seed *seed)
{
	struct writer_bytes *ranges = &seed->ranges;

	if (seed->is_new) {
		put(seed, ranges, 0, 4);
		put(seed, ranges, 5 | 8 << 16, 4);
		put(seed, ranges, 0, 4);
		put(seed, ranges, DW_RLE_offset_pair, 1);
		put(seed, ranges, 0, 1);
		put(seed, ranges, 0x280, 2);	/* 0x100 as LEB128 */
		put(seed, ranges, DW_RLE_end_of_list, 1);
		end_length(ranges);
		return;
	}
	put(seed, ranges, 0, 8);
	put(seed, ranges, 0x100, 8);
	put(seed, ranges, 0, 8);
	put(seed, ranges, 0, 8);
}

static void put_files(struct seed *seed)
{
	struct writer_bytes *line = &seed->line;

	if (!seed->is_new) {
		elf_writer_put_bytes(line, "inc\0\0a.c\0\0\0\0b.h\0\1\0\0", 20);
		put(seed, line, 0, 1);
		return;
	}
	put_text(&seed->line_str, "/src");
	put_text(&seed->line_str, "a.c");
	put(seed, line, 1 | DW_LNCT_path << 8 | DW_FORM_line_strp << 16 | 1 << 24, 4);
	put(seed, line, 0, 4);
	put(seed, line, 2 | DW_LNCT_path << 8 | DW_FORM_line_strp << 16, 3);
	put(seed, line, DW_LNCT_directory_index | DW_FORM_udata << 8 | 2 << 16, 3);
	for (int i = 0; i < 2; i++) {
		put(seed, line, 5, 4);
		put(seed, line, 0, 1);
	}
}

static void put_program(struct seed *seed)
{
	struct writer_bytes *line = &seed->line;

	elf_writer_put_bytes(line, "\0\x09\x02", 3);	/* set address */
	put(seed, line, START, 8);
	for (int i = 0; i < 15; i++) {
		put(seed, line, DW_LNS_advance_pc | 0x10 << 8, 2);
		put(seed, line, DW_LNS_advance_line | (uint64_t)(1 + i % 3) << 8, 2);
		put(seed, line, 20 + 13 * (uint64_t)i, 1);	/* a special opcode */
	}
	put(seed, line, DW_LNS_advance_pc | 0x10 << 8, 2);
	elf_writer_put_bytes(line, "\0\x01\x01", 3);	/* end of sequence */
}

static void put_line(struct seed *seed)
{
	struct writer_bytes *line = &seed->line;
	size_t at;
	uint32_t length;

	put(seed, line, 0, 4);
	put(seed, line, seed->is_new ? 5 : 4, 2);
	if (seed->is_new)
		put(seed, line, 8, 2);
	at = line->data.count;
	put(seed, line, 0, 4);
	elf_writer_put_bytes(line, "\1\1\1\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1", 18);
	put_files(seed);
	length = (uint32_t)(line->data.count - at - 4);
	memcpy(line->data.at + at, &length, sizeof(length));
	put_program(seed);
	end_length(line);
}

static void add(struct seed *seed, const char *name, struct writer_bytes *content)
{
	const struct writer_section section = { .name = name, .type = SHT_PROGBITS };

	if (content->data.count)
		(void)elf_writer_section(&seed->writer, &section, content->data.at,
					 content->data.count);
	vec_free(&content->data);
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	struct seed seed = { .is_new = i == 1, .is_cyclic = i == 2 };

	if (i > 2)
		return -1;
	elf_writer_init(&seed.writer, &(struct elf_writer_options){ .machine = EM_X86_64 });
	(void)elf_writer_text(&seed.writer, ".text", START, 0x100);
	put_abbrevs(&seed);
	put_info(&seed);
	put_ranges(&seed);
	put_line(&seed);
	add(&seed, ".debug_abbrev", &seed.abbrev);
	add(&seed, ".debug_info", &seed.info);
	add(&seed, seed.is_new ? ".debug_rnglists" : ".debug_ranges", &seed.ranges);
	add(&seed, ".debug_line", &seed.line);
	add(&seed, ".debug_line_str", &seed.line_str);
	*ret_bytes = elf_writer_finish(&seed.writer, ret_size_bytes);
	check(resolve(*ret_bytes, *ret_size_bytes) == 0x100 / 8);
	check(find_inlined(*ret_bytes, *ret_size_bytes) == !seed.is_cyclic);
	return 0;
}
