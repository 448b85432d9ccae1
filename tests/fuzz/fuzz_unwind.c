/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables of an image made from the input's bytes, and walks over stacks that the bytes make
 * up. The promises of a table are checked: rows are in order, rules exist, walks end.
 */
#include <string.h>

#include "fuzz.h"
#include "support/frame_writer.h"
#include "support/go_writer.h"
#include "unwind/walk.h"

#define BIAS UINT64_C(0x555500000000)
#define STACK_ADDR UINT64_C(0x7fff00000000)
#define FRAMES_MAX 64
#define WALKS 16

struct stack {
	uint64_t words[256];
	uint64_t random;
};

static uint64_t next_random(struct stack *stack)
{
	stack->random ^= stack->random << 13;
	stack->random ^= stack->random >> 7;
	stack->random ^= stack->random << 17;
	return stack->random;
}

/* Returns a word that looks like a return address or like an address of the stack. */
static uint64_t likely_word(struct stack *stack)
{
	uint64_t random = next_random(stack);

	if (random & 1)
		return BIAS + 0x1000 + random / 2 % 0x2000;
	return STACK_ADDR + random / 2 % (sizeof(stack->words) + 64);
}

static bool image_at(void *context, uint64_t addr, struct unwind_image *ret_image)
{
	*ret_image = (struct unwind_image){ .table = context, .bias = BIAS };
	return addr >= BIAS;
}

static void check_table(const struct unwind_table *table)
{
	for (size_t i = 0; i < table->rows.count; i++) {
		const struct unwind_row *row = &table->rows.at[i];

		if (row->rule >= table->rules.count ||
		    (i > 0 && (row->offset <= row[-1].offset || row->rule == row[-1].rule)) ||
		    unwind_table_find(table, table->base_vaddr + row->offset) !=
			    &table->rules.at[row->rule])
			abort();
	}
}

static void walk_some(struct unwind_table *table, uint64_t seed)
{
	struct stack stack = { .random = seed | 1 };
	uint64_t frames[FRAMES_MAX];
	struct unwind_walk walk = {
		.memory = { (const uint8_t *)stack.words, STACK_ADDR, sizeof(stack.words) },
		.image = image_at,
		.context = table,
		.frames = frames,
		.frames_max = FRAMES_MAX,
	};

	for (size_t i = 0; i < sizeof(stack.words) / sizeof(*stack.words); i++)
		stack.words[i] = likely_word(&stack);
	for (unsigned int i = 0; i < WALKS; i++) {
		struct unwind_regs regs = {
			.ip = BIAS + 0x1000 + next_random(&stack) % 0x2000,
			.sp = likely_word(&stack),
			.fp = likely_word(&stack),
			.extra = likely_word(&stack),
			.link = likely_word(&stack),
			.kept = likely_word(&stack),
			.has_extra = i & 1,
			.exact = 1,
		};
		size_t count = 0;
		enum unwind_stop stop = unwind_walk(&walk, regs, &count);

		if (count == 0 || count > FRAMES_MAX || stop == UNWIND_STOP_NOT)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	struct unwind_table table;

	if (unwind_table_build_bytes(bytes, size_bytes, "fuzz", &table, NULL) == 0) {
		check_table(&table);
		walk_some(&table, size_bytes);
	}
	unwind_table_fini(&table);
	return 0;
}

/*
 * Functions with a prologue and epilogue, remembered states, a realigned stack, a PLT, and
 * registers in expressions.
 */
static void put_functions(struct frame_writer *frames, size_t cie)
{
	frame_writer_fde(frames, cie, 0x1000, 0x100,
			 FRAME_BYTES(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x30, 0x0a, 0x0c,
				     7, 8, 0x41, 0x0b, 0x03, 0x40, 0, 0x0c, 7, 8));
	frame_writer_fde(frames, cie, 0x1100, 0x100,
			 FRAME_BYTES(0x45, 0x0c, 10, 0, 0x48, 0x10, 6, 2, 0x76, 0, 0x45, 0x0f, 3,
				     0x76, 0x78, 0x06, 0x50, 0x0c, 7, 8));
	frame_writer_fde(frames, cie, 0x1200, 0x100,
			 FRAME_BYTES(0x0e, 16, 0x46, 0x0e, 24, 0x4a, 0x0f, 11, 0x77, 8, 0x80, 0,
				     0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
	frame_writer_fde(frames, cie, 0x2300, 0x100,
			 FRAME_BYTES(0x41, 0x0e, 32, 0x83, 4, 0x43, 0x0d, 3, 0x60, 0x0c, 7, 8,
				     0xc3));
	frame_writer_fde(frames, cie, 0x1300, 0x1000,
			 FRAME_BYTES(0x07, 16, 0x42, 0xd0, 0x2e, 16, 0x2f, 6, 2, 0x04, 1, 0, 0, 0,
				     0x11, 6, 0x7e, 0x2d, 0x41, 0x14, 6, 1, 0x41, 0x09, 6, 3));
}

/* A Go program: frames of all kinds, and the functions that get special rules. */
static void put_go_program(uint32_t format, uint16_t machine, uint8_t **ret_bytes,
			   size_t *ret_size_bytes)
{
	static const uint8_t code[] = { 0x48, 0x83, 0xec, 24,	0x48, 0x89, 0x6c,
					0x24, 16,   0x48, 0x8d, 0x6c, 0x24, 16 };
	static const char *const names[] = {
		"main.f",	  "runtime.mcall",     "runtime.systemstack",
		"runtime.goexit", "runtime.sigreturn", "gogo",
		"runtime.clone",  "runtime.sigtramp"
	};
	struct go_writer go = { .format = format,
				.text_vaddr = 0x1000,
				.code_unit = machine == EM_AARCH64 ? 4 : 1 };

	elf_writer_put_bytes(&go.text, code, sizeof(code));
	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++)
		go_writer_function(&go, names[i], 0x1000 + UINT64_C(0x100) * i,
				   FRAME_BYTES(2, 4, 48, 20, 32, 4, 79, 4), (uint8_t)i);
	go_writer_end(&go, 0x1900);
	*ret_bytes = go_writer_image(&go, &(struct elf_writer_options){ .machine = machine },
				     ret_size_bytes);
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static const struct elf_writer_options options[] = {
		{ .machine = EM_X86_64 },
		{ .machine = EM_AARCH64 },
		{ .machine = EM_X86_64, .type = ET_EXEC, .entry_vaddr = 0x1100 },
		{ .machine = EM_X86_64, .no_sections = true },
		{ .machine = EM_X86_64 },
	};
	struct frame_writer frames = { .vaddr = 0x4000, .is_debug = i == 4, .is_dwarf64 = i == 4 };
	static const uint32_t go_formats[] = { GO_1_18, GO_1_20, GO_1_16, GO_1_2 };
	size_t cie, signal, go = i - sizeof(options) / sizeof(*options);

	if (i >= sizeof(options) / sizeof(*options)) {
		if (go >= sizeof(go_formats) / sizeof(*go_formats))
			return -1;
		put_go_program(go_formats[go], go == 1 ? EM_AARCH64 : EM_X86_64, ret_bytes,
			       ret_size_bytes);
		return 0;
	}
	cie = frame_writer_cie(&frames, &(struct writer_cie){ .ra_register = i == 1 ? 30 : 16 });
	put_functions(&frames, cie);
	signal = frame_writer_cie(
		&frames, &(struct writer_cie){ .augmentation = frames.is_debug ? "" : "zRS" });
	frame_writer_fde(&frames, signal, 0x1280, 0x40,
			 FRAME_BYTES(0x0f, 4, 0x77, 0xa0, 1, 0x06, 0x10, 6, 3, 0x77, 0xf8, 0, 0x10,
				     16, 3, 0x77, 0xa8, 1));
	elf_writer_put_bytes(&frames.bytes, NULL, 4);
	*ret_bytes = frame_writer_image(&frames, &options[i], ret_size_bytes);
	return 0;
}
