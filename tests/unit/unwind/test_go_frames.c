/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules for the functions of Go programs. Each test makes Go's table, and some code. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "support/go_writer.h"

#define NO_FRAME FRAME_BYTES(2, 64)
/* no frame for 4 bytes of code, 24 bytes of frame for 20, and no frame for 4 */
#define FRAME_24 FRAME_BYTES(2, 4, 48, 20, 47, 4)
/* the frame grows by 8 at byte 1, and by 16 at byte 8 */
#define PUSH_AND_16 FRAME_BYTES(2, 1, 16, 7, 32, 40, 31, 1, 15, 1)

#define START 0x1100u
#define ENTRY "1000 end - - -", "1040 gap - - -"	/* rows of the entry point */

struct program {
	const char *name;
	struct writer_program frames;
	uint8_t flags;
	struct writer_program code;
	uint16_t machine;
	uint32_t format;
};

/* Makes the table of an image with one function of 64 bytes at START. */
static struct fixture table_of(struct program program)
{
	struct go_writer go = { .format = program.format ? program.format : GO_1_18,
				.text_vaddr = 0x1000 };
	const struct elf_writer_options options = { .machine = program.machine };
	struct fixture f = { 0 };
	uint8_t nops[START - 0x1000], *bytes;
	size_t size_bytes;

	memset(nops, 0x90, sizeof(nops));
	elf_writer_put_bytes(&go.text, nops, sizeof(nops));
	if (program.code.size_bytes)
		elf_writer_put_bytes(&go.text, program.code.bytes, program.code.size_bytes);
	go_writer_function(&go, program.name, START, program.frames, program.flags);
	go_writer_end(&go, START + 64);
	bytes = go_writer_image(&go, &options, &size_bytes);
	assert_int_equal(unwind_table_build_bytes(bytes, size_bytes, "go", &f.table, NULL), 0);
	free(bytes);
	return f;
}

#define ASSERT_RULES(p, ...)						\
	do {								\
		struct fixture made = table_of((struct program)p);	\
									\
		ASSERT_ROWS(&made, ENTRY, __VA_ARGS__);			\
		fixture_fini(&made);					\
	} while (0)
/* Further arguments are designated. */
#define PROGRAM(called, sizes, ...) \
	{ \
		.name = (called), .frames = sizes, __VA_ARGS__ \
	}

static void rules_follow_the_frame_sizes(void **state)
{
	static const uint32_t formats[] = { GO_1_2, GO_1_16, GO_1_18, GO_1_20 };

	for (size_t i = 0; i < 4; i++)
		ASSERT_RULES(PROGRAM("main.f", FRAME_24, .format = formats[i]),
			     "1100 cfa sp+8 - cfa-8", "1104 cfa sp+32 cfa-16 cfa-8",
			     "1118 cfa sp+8 - cfa-8", "111c gap - - -");
}

static void rules_of_aarch64(void **state)
{
	ASSERT_RULES(PROGRAM("main.f", FRAME_BYTES(2, 4, 64, 16, 32, 4, 95, 4),
			     .machine = EM_AARCH64),
		     "1100 cfa sp+0 - -", "1104 cfa sp+32 cfa-40 cfa-32",
		     "1114 cfa sp+48 cfa-40 cfa-32", "1118 cfa sp+0 - -", "111c gap - - -");
}

/* Assembly saves fp only if its code does so. */
static void assembly_may_not_save_fp(void **state)
{
	ASSERT_RULES(PROGRAM("main.f", FRAME_24, .flags = GO_ASSEMBLY), "1100 cfa sp+8 - cfa-8",
		     "1104 cfa sp+32 - cfa-8", "1118 cfa sp+8 - cfa-8", "111c gap - - -");
	/* sub $24, %rsp; mov %rbp, 16(%rsp); lea 16(%rsp), %rbp */
	ASSERT_RULES(PROGRAM("main.f", FRAME_24, .flags = GO_ASSEMBLY,
			     .code = FRAME_BYTES(0x48, 0x83, 0xec, 24, 0x48, 0x89, 0x6c, 0x24, 16,
						 0x48, 0x8d, 0x6c, 0x24, 16)),
		     "1100 cfa sp+8 - cfa-8", "1104 cfa sp+32 cfa-16 cfa-8",
		     "1118 cfa sp+8 - cfa-8", "111c gap - - -");
	/* push %rbp; mov %rsp, %rbp */
	ASSERT_RULES(PROGRAM("main.f", PUSH_AND_16, .flags = GO_ASSEMBLY,
			     .code = FRAME_BYTES(0x55, 0x48, 0x89, 0xe5)),
		     "1100 cfa sp+8 - cfa-8", "1101 cfa sp+16 cfa-16 cfa-8",
		     "1108 cfa sp+32 cfa-16 cfa-8", "1130 cfa sp+16 cfa-16 cfa-8",
		     "1131 cfa sp+8 - cfa-8", "1132 gap - - -");
	/* push %rbx */
	ASSERT_RULES(PROGRAM("main.f", FRAME_BYTES(2, 1, 16, 63), .flags = GO_ASSEMBLY,
			     .code = FRAME_BYTES(0x53)),
		     "1100 cfa sp+8 - cfa-8", "1101 cfa sp+16 - cfa-8", "1140 gap - - -");
}

static void stacks_end_at_the_outermost_functions(void **state)
{
	static const char *const names[] = { "runtime.goexit", "runtime.mstart", "runtime.rt0_go" };

	ASSERT_RULES(PROGRAM("main.f", FRAME_24, .flags = GO_OUTERMOST), "1100 end - - -",
		     "1140 gap - - -");
	for (size_t i = 0; i < 3; i++)
		ASSERT_RULES(PROGRAM(names[i], NO_FRAME, .format = GO_1_16), "1100 end - - -",
			     "1140 gap - - -");
}

/* After runtime.mcall has switched, it pushes a word on the other stack. */
static void stacks_end_where_the_scheduler_begins(void **state)
{
	ASSERT_RULES(PROGRAM("runtime.mcall", FRAME_BYTES(2, 40, 16, 20, 15, 4),
			     .flags = GO_SWITCHES_STACK),
		     "1100 cfa sp+8 - cfa-8", "1128 end - - -", "113c cfa sp+8 - cfa-8",
		     "1140 gap - - -");
}

static void code_that_loses_its_stack_is_unsupported(void **state)
{
	static const char *const names[] = { "gogo", "runtime.gogo", "runtime.morestack" };

	for (size_t i = 0; i < 3; i++)
		ASSERT_RULES(PROGRAM(names[i], NO_FRAME, .flags = GO_SWITCHES_STACK | GO_ASSEMBLY),
			     "1100 unsupported - - -", "1140 gap - - -");
	ASSERT_RULES(PROGRAM("main.f", FRAME_BYTES(2, 4, 15, 60)), "1100 cfa sp+8 - cfa-8",
		     "1104 unsupported - - -", "1140 gap - - -");	/* -8 bytes */
}

/* fp leads back, except in the prologue and in the epilogue. */
static void switches_are_undone_by_fp(void **state)
{
	/* sub $24, %rsp; mov %rbp, 16(%rsp); lea 16(%rsp), %rbp; ... ; add $24, %rsp; ret */
	ASSERT_RULES(PROGRAM("runtime.nanotime1", FRAME_BYTES(2, 4, 48, 26, 47, 1),
			     .flags = GO_SWITCHES_STACK | GO_ASSEMBLY,
			     .code = FRAME_BYTES(0x48, 0x83, 0xec, 24, 0x48, 0x89, 0x6c, 0x24, 16,
						 0x48, 0x8d, 0x6c, 0x24, 16, 0x90, 0x90, 0x90, 0x90,
						 0x90, 0x90, 0x90, 0x48, 0x8b, 0x6c, 0x24, 16, 0x48,
						 0x83, 0xc4, 24, 0xc3)),
		     "1100 cfa sp+8 - cfa-8", "1104 cfa sp+32 - cfa-8",
		     "110e switch fp+16 cfa-16 cfa-8", "111a cfa sp+32 - cfa-8",
		     "111e cfa sp+8 - cfa-8", "111f gap - - -");
	/* push %rbp; mov %rsp, %rbp */
	ASSERT_RULES(PROGRAM("runtime.systemstack", FRAME_BYTES(2, 1, 16, 48, 15, 1),
			     .flags = GO_SWITCHES_STACK | GO_ASSEMBLY,
			     .code = FRAME_BYTES(0x55, 0x48, 0x89, 0xe5)),
		     "1100 cfa sp+8 - cfa-8", "1101 cfa sp+16 - cfa-8",
		     "1104 switch fp+16 cfa-16 cfa-8", "1131 cfa sp+8 - cfa-8", "1132 gap - - -");
	ASSERT_RULES(PROGRAM("runtime.systemstack", FRAME_BYTES(2, 4, 32, 60),
			     .flags = GO_SWITCHES_STACK | GO_ASSEMBLY, .machine = EM_AARCH64),
		     "1100 cfa sp+0 - -", "1104 switch fp+24 cfa-24 cfa-16", "1140 gap - - -");
}

/* A function that switches stacks without a frame hides its caller. Old programs have no flags. */
static void a_switch_without_a_frame_passes_the_caller(void **state)
{
	ASSERT_RULES(PROGRAM("main.f", NO_FRAME, .flags = GO_SWITCHES_STACK | GO_ASSEMBLY),
		     "1100 switch-past fp+16 cfa-16 cfa-8", "1140 gap - - -");
	ASSERT_RULES(PROGRAM("runtime.systemstack", NO_FRAME, .format = GO_1_2),
		     "1100 switch-past fp+16 cfa-16 cfa-8", "1140 gap - - -");
	ASSERT_RULES(PROGRAM("runtime.nanotime1", NO_FRAME, .flags = GO_ASSEMBLY),
		     "1100 cfa sp+8 - cfa-8", "1140 gap - - -");
	ASSERT_RULES(PROGRAM("main.f", NO_FRAME, .flags = GO_SWITCHES_STACK, .machine = EM_AARCH64),
		     "1100 unsupported - - -", "1140 gap - - -");
}

/* The handler has a frame like any function, and returns to code that no call precedes. */
static void signals_lead_to_the_interrupted_code(void **state)
{
	ASSERT_RULES(PROGRAM("runtime.sigtramp", FRAME_24, .flags = GO_OUTERMOST | GO_ASSEMBLY),
		     "1100 cfa sp+8 - cfa-8", "1104 cfa sp+32 - cfa-8", "1118 cfa sp+8 - cfa-8",
		     "111c gap - - -");
	ASSERT_RULES(PROGRAM("runtime.sigreturn__sigaction", NO_FRAME, .flags = GO_ASSEMBLY),
		     "10ff at *sp+160 sp+120 sp+168 signal", "1140 gap - - -");
}

static void a_thread_begins_without_a_caller(void **state)
{
	ASSERT_RULES(PROGRAM("runtime.clone", NO_FRAME, .flags = GO_SWITCHES_STACK | GO_ASSEMBLY),
		     "1100 cfa sp+8 - cfa-8 clones", "1140 gap - - -");
}

static void damaged_functions_have_no_rules(void **state)
{
	struct fixture f = table_of((struct program)PROGRAM("main.f", FRAME_BYTES(2, 4, 48)));

	assert_int_equal(f.table.damaged_count, 1);
	ASSERT_ROWS(&f, ENTRY);
	fixture_fini(&f);
	/* functions without frame sizes are not Go's */
	f = table_of((struct program){ .name = "main.f" });
	assert_int_equal(f.table.damaged_count, 0);
	ASSERT_ROWS(&f, ENTRY);
	fixture_fini(&f);
}

/* Adds functions at 0x1100 and 0x1140 to Go's table, and builds the table of the image. */
static struct fixture table_with(struct frame_writer *frames, uint64_t flags)
{
	struct go_writer go = { .format = GO_1_18, .text_vaddr = 0x1000 };
	const struct writer_section section = {
		.name = frames->is_debug ? ".debug_frame" : ".eh_frame",
		.type = SHT_PROGBITS,
		.flags = flags,
		.vaddr = frames->vaddr,
		.content = frames->bytes,
	};
	struct fixture f = { 0 };
	struct elf_writer writer;
	uint8_t *bytes;
	size_t size_bytes;

	elf_writer_init(&writer, &(struct elf_writer_options){ 0 });
	(void)elf_writer_text(&writer, ".text", 0x1000, 0x1000);
	(void)elf_writer_section(&writer, &section, NULL, 0);
	go_writer_function(&go, "main.f", 0x1100, NO_FRAME, 0);
	go_writer_function(&go, "main.g", 0x1140, NO_FRAME, 0);
	go_writer_end(&go, 0x1180);
	go_writer_section(&go, &writer);
	bytes = elf_writer_finish(&writer, &size_bytes);
	assert_int_equal(unwind_table_build_bytes(bytes, size_bytes, "go", &f.table, NULL), 0);
	free(bytes);
	return f;
}

/* C code keeps the rules of its records. For Go code, Go's table decides. */
static void records_describe_what_is_not_go(void **state)
{
	struct frame_writer frames = { .vaddr = 0x4000 };
	size_t cie = frame_writer_cie(&frames, &(struct writer_cie){ 0 });
	struct fixture f;

	frame_writer_fde(&frames, cie, 0x1080, 0x40, FRAME_BYTES(0x0e, 16));
	frame_writer_fde(&frames, cie, 0x1140, 0x40, FRAME_BYTES(0x0e, 48));
	f = table_with(&frames, SHF_ALLOC);
	ASSERT_ROWS(&f, ENTRY, "1080 cfa sp+16 - cfa-8", "10c0 gap - - -", "1100 cfa sp+8 - cfa-8",
		    "1180 gap - - -");
	fixture_fini(&f);
}

/* Go's linker compresses .debug_frame. */
static void debug_frame_is_not_needed(void **state)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct frame_writer frames = { .is_debug = true };
		size_t cie = frame_writer_cie(&frames, &(struct writer_cie){ 0 });
		struct fixture f;

		frame_writer_fde(&frames, cie, 0x1080, 0x40, FRAME_BYTES(0x0e, 16));
		f = table_with(&frames, i ? SHF_COMPRESSED : 0);
		ASSERT_ROWS(&f, ENTRY, "1100 cfa sp+8 - cfa-8", "1180 gap - - -");
		fixture_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_follow_the_frame_sizes),
		cmocka_unit_test(rules_of_aarch64),
		cmocka_unit_test(assembly_may_not_save_fp),
		cmocka_unit_test(stacks_end_at_the_outermost_functions),
		cmocka_unit_test(stacks_end_where_the_scheduler_begins),
		cmocka_unit_test(code_that_loses_its_stack_is_unsupported),
		cmocka_unit_test(switches_are_undone_by_fp),
		cmocka_unit_test(a_switch_without_a_frame_passes_the_caller),
		cmocka_unit_test(signals_lead_to_the_interrupted_code),
		cmocka_unit_test(a_thread_begins_without_a_caller),
		cmocka_unit_test(damaged_functions_have_no_rules),
		cmocka_unit_test(records_describe_what_is_not_go),
		cmocka_unit_test(debug_frame_is_not_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
