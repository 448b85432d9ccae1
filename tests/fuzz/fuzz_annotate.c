/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Annotation of a function's code: its instructions, blocks and arrows, for any bytes. Input:
 * machine (one byte), address of the code (one byte), the code.
 */
#include <elf.h>
#include <stdlib.h>

#include "analyze/annotate.h"
#include "fuzz.h"

#define PREFIX_BYTES 2
#define HITS 64

static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64 };
static const uint64_t places[] = { 0, 0x1000, UINT32_MAX - 20, UINT64_MAX - 20 };

static void check(bool good)
{
	if (!good)
		abort();
}

static bool name(void *context, uint64_t vaddr, char *text, size_t size_bytes)
{
	memset(text, vaddr % 3 ? 'n' : '%', size_bytes - 1);
	text[size_bytes - 1] = '\0';
	return vaddr % 2;
}

/*
 * The rows must be contiguous, and so must the blocks. Each arrow must lead between existing rows
 * in a lane that exists.
 */
static void check_shape(const struct annotation *a, size_t size_bytes)
{
	size_t rows = a->rows.count, end = 0, at = 0;

	check(rows == a->instructions.list.count);
	for (size_t i = 0; i < rows; i++) {
		check(a->instructions.list.at[i].length > 0);
		check(a->instructions.list.at[i].flow < FLOW_COUNT);
		check(a->rows.at[i].block < a->blocks.count);
		at += a->instructions.list.at[i].length;
	}
	check(at == size_bytes);
	for (size_t i = 0; i < a->blocks.count; i++) {
		check(a->blocks.at[i].first == end && a->blocks.at[i].row_count > 0);
		end += a->blocks.at[i].row_count;
	}
	check(end == rows);
	for (size_t i = 0; i < a->arrows.count; i++)
		check(a->arrows.at[i].from < rows && a->arrows.at[i].to < rows &&
		      a->arrows.at[i].lane <= ANNOTATE_LANES);
}

static void print(const struct annotation *a)
{
	char text[DISASM_TEXT_MAX];
	bool *shown;

	check(annotation_choose(a, 5, &shown) == 0);
	/*
	 * Text for aarch64 comes from LLVM, whose disassembler is not built with fuzzer coverage.
	 */
	for (size_t i = 0; a->input.code->machine != EM_AARCH64 && i < a->rows.count; i++) {
		check(annotation_text(a, i, text, NULL) == 0);
		check(memchr(text, 0, sizeof(text)) != NULL);
	}
	free(shown);
}

static void add_hits(struct model *model, struct profile *profile, uint64_t vaddr)
{
	for (uint64_t i = 0; i < HITS; i++) {
		struct hit *hit = vec_push(&profile->hits);

		check(hit != NULL);
		*hit = (struct hit){ .function = 1,
				     .count.samples = 1 + i % 3,
				     .location = model_location_id(model, 0, vaddr - 4 + i) };
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	const struct group_selection selection = { .contexts = GROUP_CONTEXTS_BUSY };
	struct code code = { .size_bytes = size_bytes - PREFIX_BYTES };
	struct annotation annotation;
	struct model model;
	struct profile profile = { .model = &model };
	struct annotate_input input = {
		.profile = &profile, .selection = &selection, .function = 1, .code = &code
	};

	if (size_bytes <= PREFIX_BYTES)
		return 0;
	code.machine = machines[bytes[0] % 3];
	code.vaddr = places[bytes[1] % 4];
	/* exact size, so that a read past the end is noticed */
	code.bytes = malloc(code.size_bytes);
	check(code.bytes != NULL && model_init(&model) == 0);
	memcpy(code.bytes, bytes + PREFIX_BYTES, code.size_bytes);
	add_hits(&model, &profile, code.vaddr);
	check(disasm_new(code.machine, name, NULL, &input.disasm, NULL) == 0);
	check(annotate(&input, &annotation, NULL) == 0);
	check_shape(&annotation, code.size_bytes);
	print(&annotation);
	annotation_fini(&annotation);
	disasm_free(input.disasm);
	vec_free(&profile.hits);
	model_fini(&model);
	code_fini(&code);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	/*
	 * A loop with a call, rip-relative data, an indirect jump, and bytes that are not an
	 * instruction.
	 */
	static const uint8_t x86[] = {
		0,    1,    0x48, 0x01, 0xd8, 0x75, 0xfb, 0xe8, 0x06, 0x00, 0x00, 0x00, 0x06,
		0x8b, 0x05, 0x0f, 0x00, 0x00, 0x00, 0xeb, 0xed, 0x0f, 0x0b, 0xff, 0xe0, 0xc7,
		0x84, 0xc8, 0x78, 0x56, 0x34, 0x12, 0x0d, 0xf0, 0xad, 0xde, 0x62, 0xf1, 0x7c,
		0x48, 0x10, 0x40, 0x01, 0xf2, 0x66, 0x0f, 0x38, 0x17, 0xc1, 0xc3,
	};
	static const uint8_t arm[] = {
		2,    1,    0x20, 0x00, 0x02, 0x8b, 0xe0, 0xff, 0xff, 0x54, 0x03, 0x00, 0x00, 0x94,
		0x81, 0xff, 0xff, 0xb4, 0x80, 0xff, 0x1f, 0x36, 0xfa, 0xff, 0xff, 0x17, 0xc0, 0x03,
	};
	const uint8_t *seed = i == 2 ? arm : x86;

	if (i >= 4)
		return -1;
	*ret_size_bytes = i == 2 ? sizeof(arm) : sizeof(x86);
	*ret_bytes = malloc(*ret_size_bytes);
	check(*ret_bytes != NULL);
	memcpy(*ret_bytes, seed, *ret_size_bytes);
	if (i == 1)
		(*ret_bytes)[0] = 1;
	if (i == 3)
		(*ret_bytes)[1] = 3;
	return 0;
}
