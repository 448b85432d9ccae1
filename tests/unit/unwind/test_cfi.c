/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame programs, and the rows that they produce. */
#include "fixture.h"
#include "unwind/cfi.h"

/* Instructions, named as in DWARF 5, 7.24. */
#define LOC(n) (0x40 | (n))
#define OFFSET(r, n) 0x80 | (r), (n)
#define RESTORE(r) (0xc0 | (r))
#define DEF_CFA(r, n) 0x0c, (r), (n)
#define DEF_CFA_REGISTER(r) 0x0d, (r)
#define DEF_CFA_OFFSET(n) 0x0e, (n)
#define REMEMBER 0x0a
#define RESTORE_STATE 0x0b
#define RBX 3
#define RDI 5
#define RBP 6
#define RSP 7
#define R10 10
#define RA 16

/* Makes the rows of one function at 0x1000, which is 0x40 bytes long. */
static struct fixture run_as(const struct writer_cie *cie, struct writer_program program,
			     uint16_t machine)
{
	struct fixture f = begin();

	frame_writer_fde(&f.frames, frame_writer_cie(&f.frames, cie), 0x1000, 0x40, program);
	finish(&f, &(struct elf_writer_options){ .machine = machine });
	return f;
}

static struct fixture run(struct writer_program program)
{
	return run_as(&(struct writer_cie){ 0 }, program, EM_X86_64);
}

#define ASSERT_RUN(program, ...)				\
	do {							\
		struct fixture _f = run(program);		\
								\
		ASSERT_ROWS(&_f, __VA_ARGS__, "1040 gap - - -");\
		fixture_fini(&_f);				\
	} while (0)

#define AT_START "1000 cfa sp+8 - cfa-8"

static void a_function_with_a_frame_pointer(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), DEF_CFA_OFFSET(16), OFFSET(RBP, 2), LOC(3),
			       DEF_CFA_REGISTER(RBP), LOC(0x20), DEF_CFA(RSP, 8)),
		   AT_START, "1001 cfa sp+16 cfa-16 cfa-8", "1004 cfa fp+16 cfa-16 cfa-8",
		   "1024 cfa sp+8 cfa-16 cfa-8");
}

static void other_registers_make_no_rows(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), OFFSET(RBX, 2), LOC(1), 0x05, 40, 2, LOC(1), 0x08, RBX,
			       LOC(1), 0x07, RBX, LOC(1), 0x09, RBX, R10, LOC(1), 0x16, RBX, 2, 1,
			       2, LOC(1), 0x2e, 0x20, LOC(1), 0),
		   AT_START);
}

static void all_ways_to_go_on(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), DEF_CFA_OFFSET(16), 0x02, 2, DEF_CFA_OFFSET(24), 0x03, 3, 0,
			       DEF_CFA_OFFSET(32), 0x04, 4, 0, 0, 0, DEF_CFA_OFFSET(40), 0x1d, 5, 0,
			       0, 0, 0, 0, 0, 0, DEF_CFA_OFFSET(48)),
		   AT_START, "1001 cfa sp+16 - cfa-8", "1003 cfa sp+24 - cfa-8",
		   "1006 cfa sp+32 - cfa-8", "100a cfa sp+40 - cfa-8", "100f cfa sp+48 - cfa-8");
}

static void set_loc_is_in_the_encoding_of_the_cie(void **state)
{
	struct fixture f = begin();
	const struct writer_cie cie = { .augmentation = "zR", .encoding = 0x03 };

	frame_writer_raw_fde(&f.frames, frame_writer_cie(&f.frames, &cie),
			     FRAME_BYTES(0, 0x10, 0, 0, 0x40, 0, 0, 0, 0),
			     FRAME_BYTES(0x01, 0x08, 0x10, 0, 0, DEF_CFA_OFFSET(16)));
	finish(&f, NULL);
	ASSERT_ROWS(&f, AT_START, "1008 cfa sp+16 - cfa-8", "1040 gap - - -");
	fixture_fini(&f);
}

static void the_code_alignment_counts(void **state)
{
	struct fixture f = run_as(
		&(struct writer_cie){ .code_align = 4 },
		FRAME_BYTES(LOC(1), DEF_CFA_OFFSET(16), 0x02, 2, DEF_CFA_OFFSET(24)), EM_X86_64);

	ASSERT_ROWS(&f, AT_START, "1004 cfa sp+16 - cfa-8", "100c cfa sp+24 - cfa-8",
		    "1040 gap - - -");
	fixture_fini(&f);
}

static void signed_and_negative_offsets(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), 0x13, 0x7e, LOC(1), 0x12, RBP, 0x7d, LOC(1), 0x11, RBP, 3,
			       LOC(1), 0x2f, RBP, 2),
		   AT_START, "1001 cfa sp+16 - cfa-8", "1002 cfa fp+24 - cfa-8",
		   "1003 cfa fp+24 cfa-24 cfa-8", "1004 cfa fp+24 cfa+16 cfa-8");
}

static void registers_go_back_to_the_state_of_the_cie(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), OFFSET(RBP, 2), LOC(1), RESTORE(RBP), LOC(1), OFFSET(RBP, 3),
			       LOC(1), 0x06, RBP, LOC(1), OFFSET(RBP, 4), LOC(1), 0x08, RBP),
		   AT_START, "1001 cfa sp+8 cfa-16 cfa-8", "1002 cfa sp+8 - cfa-8",
		   "1003 cfa sp+8 cfa-24 cfa-8", "1004 cfa sp+8 - cfa-8",
		   "1005 cfa sp+8 cfa-32 cfa-8", "1006 cfa sp+8 - cfa-8");
}

static void states_are_remembered_with_their_cfa(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), DEF_CFA_OFFSET(16), OFFSET(RBP, 2), REMEMBER, LOC(1),
			       REMEMBER, DEF_CFA_OFFSET(24), LOC(1), DEF_CFA(RBP, 16), LOC(1),
			       RESTORE_STATE, DEF_CFA_OFFSET(32), LOC(1), RESTORE_STATE),
		   AT_START, "1001 cfa sp+16 cfa-16 cfa-8", "1002 cfa sp+24 cfa-16 cfa-8",
		   "1003 cfa fp+16 cfa-16 cfa-8", "1004 cfa sp+32 cfa-16 cfa-8",
		   "1005 cfa sp+16 cfa-16 cfa-8");
}

static void rules_that_come_back_make_no_row(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), DEF_CFA_OFFSET(16), DEF_CFA_OFFSET(8), LOC(1), LOC(1), 0),
		   AT_START);
	ASSERT_RUN(FRAME_BYTES(DEF_CFA_OFFSET(16), LOC(0), DEF_CFA_OFFSET(24)),
		   "1000 cfa sp+24 - cfa-8");
}

static void what_is_behind_the_end_is_not_read(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(0x3f), DEF_CFA_OFFSET(16), LOC(1), DEF_CFA_OFFSET(24)), AT_START,
		   "103f cfa sp+16 - cfa-8");
	ASSERT_RUN(FRAME_BYTES(0x04, 0xff, 0xff, 0xff, 0xff, 0x3f), AT_START);
}

/* main() with an aligned variable, as gcc compiles it. */
static void a_realigned_stack(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(5), DEF_CFA(R10, 0), LOC(8), 0x10, RBP, 2, 0x76, 0, LOC(5), 0x0f,
			       3, 0x76, 0x78, 0x06, LOC(16), DEF_CFA(R10, 0), LOC(5),
			       DEF_CFA(RSP, 8)),
		   AT_START, "1005 cfa extra+0 - cfa-8", "100d cfa extra+0 fp+0 cfa-8",
		   "1012 at *fp-8 fp+0 cfa-8", "1022 cfa extra+0 fp+0 cfa-8",
		   "1027 cfa sp+8 fp+0 cfa-8");
}

/* From __restore_rt of the C library. */
static void a_signal_frame(void **state)
{
	struct fixture f = run_as(&(struct writer_cie){ .augmentation = "zRS" },
				  FRAME_BYTES(0x0f, 4, 0x77, 0xa0, 1, 0x06, 0x10, RBX, 3, 0x77,
					      0x80, 1, 0x10, RBP, 3, 0x77, 0xf8, 0, 0x10, RSP, 3,
					      0x77, 0xa0, 1, 0x10, RA, 3, 0x77, 0xa8, 1),
				  EM_X86_64);

	ASSERT_ROWS(&f, "1000 at *sp+160 sp+120 sp+168 signal", "1040 gap - - -");
	fixture_fini(&f);
}

#define PLT_TAIL(threshold) 0x80, 0, 0x3f, 0x1a, 0x30 + (threshold), 0x2a, 0x33, 0x24, 0x22

static void a_plt(void **state)
{
	struct fixture f = run(FRAME_BYTES(DEF_CFA_OFFSET(16), LOC(6), DEF_CFA_OFFSET(24), LOC(10),
					   0x0f, 11, 0x77, 8, PLT_TAIL(11)));

	ASSERT_ROWS(&f, "1000 cfa sp+16 - cfa-8", "1006 cfa sp+24 - cfa-8", "1010 plt sp+8 - cfa-8",
		    "1040 gap - - -");
	assert_int_equal(unwind_table_find(&f.table, 0x1015)->fp_offset, 11);
	fixture_fini(&f);
}

static void stacks_end_where_the_return_address_is_undefined(void **state)
{
	ASSERT_RUN(FRAME_BYTES(0x07, RA, LOC(4), DEF_CFA_OFFSET(16)), "1000 end - - -");
	ASSERT_RUN(FRAME_BYTES(LOC(4), 0x07, RA, LOC(4), RESTORE(RA)), AT_START, "1004 end - - -",
		   "1008 cfa sp+8 - cfa-8");
}

/* From vfork() of the C library. For a register other than rdi, no rule can express this. */
static void the_return_address_in_rdi(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), DEF_CFA_OFFSET(0), 0x09, RA, RDI, LOC(7), DEF_CFA_OFFSET(8),
			       OFFSET(RA, 1)),
		   AT_START, "1001 cfa sp+0 - -", "1008 cfa sp+8 - cfa-8");
	ASSERT_RUN(FRAME_BYTES(LOC(1), 0x09, RA, R10), AT_START, "1001 unsupported - - -");
	ASSERT_RUN(FRAME_BYTES(LOC(1), 0x09, RBP, RDI), AT_START, "1001 unsupported - - -");
}

static void the_assembly_of_openssl(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), DEF_CFA_REGISTER(0), LOC(1), 0x0f, 6, 0x77, 0x98, 1, 0x06,
			       0x23, 8, LOC(1), OFFSET(RBP, 2)),
		   AT_START, "1001 unsupported - - -", "1002 at *sp+152 - cfa-8 plus-word",
		   "1003 at *sp+152 cfa-16 cfa-8 plus-word");
}

/* From _dl_runtime_resolve_xsavec of the C library. */
static void a_frame_that_is_counted_from_the_kept_register(void **state)
{
	ASSERT_RUN(FRAME_BYTES(DEF_CFA_OFFSET(24), LOC(1), DEF_CFA_OFFSET(32), OFFSET(RBX, 4),
			       LOC(3), DEF_CFA_REGISTER(RBX), LOC(0x20), DEF_CFA_REGISTER(RSP),
			       LOC(4), DEF_CFA_OFFSET(8), RESTORE(RBX)),
		   "1000 cfa sp+24 - cfa-8 kept", "1001 cfa sp+32 - cfa-8 kept:cfa-32",
		   "1004 cfa kept+32 - cfa-8 kept:cfa-32", "1024 cfa sp+32 - cfa-8 kept:cfa-32",
		   "1028 cfa sp+8 - cfa-8 kept");
	ASSERT_RUN(FRAME_BYTES(0x0f, 3, 0x73, 8, 0x06), "1000 at *kept+8 - cfa-8 kept");
}

/* Without the place of the kept register, one rule is enough for all of them. */
static void images_without_such_frames_do_not_say_where_it_is(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), OFFSET(RBX, 2), LOC(1), 0x07, RBX), AT_START);
}

static void where_the_kept_register_is(void **state)
{
	ASSERT_RUN(FRAME_BYTES(DEF_CFA(RBX, 16), LOC(1), 0x07, RBX, LOC(1), 0x08, RBX, LOC(1), 0x09,
			       RBX, R10, LOC(1), 0x09, RBX, RBX, LOC(1), OFFSET(RBX, 0x7f), LOC(1),
			       0x11, RBX, 0x81, 0x7f, LOC(1), 0x05, RBX, 0x80, 1, LOC(1),
			       OFFSET(RBX, 0), LOC(1), 0x10, RBX, 2, 0x77, 8, LOC(1), 0x14, RBX, 2),
		   "1000 cfa kept+16 - cfa-8 kept", "1001 cfa kept+16 - cfa-8",
		   "1002 cfa kept+16 - cfa-8 kept", "1003 cfa kept+16 - cfa-8",
		   "1004 cfa kept+16 - cfa-8 kept", "1005 cfa kept+16 - cfa-8 kept:cfa-1016",
		   "1006 cfa kept+16 - cfa-8 kept:cfa+1016", "1007 cfa kept+16 - cfa-8");
}

static void what_a_rule_cannot_say(void **state)
{
	const struct writer_program programs[] = {
		{ (const uint8_t[]){ DEF_CFA(5, 16) }, 3 },
		{ (const uint8_t[]){ 0x09, RBP, RBX }, 3 },		/* in a register */
		{ (const uint8_t[]){ 0x09, RA, 4 }, 3 },
		{ (const uint8_t[]){ 0x14, RBP, 2 }, 3 },		/* a value */
		{ (const uint8_t[]){ 0x15, RBP, 0x7e }, 3 },
		{ (const uint8_t[]){ 0x16, RBP, 2, 0x77, 8 }, 5 },
		{ (const uint8_t[]){ 0x10, RBP, 3, 0x77, 8, 0x06 }, 6 },	/* a pointer */
		{ (const uint8_t[]){ 0x10, RBP, 2, 0x7a, 8 }, 5 },	/* at r10 */
		{ (const uint8_t[]){ 0x10, RA, 2, 0x73, 8 }, 5 },	/* at rbx */
		{ (const uint8_t[]){ 0x09, RSP, RBX }, 3 },		/* sp is not the CFA */
		{ (const uint8_t[]){ OFFSET(RSP, 2) }, 2 },
		{ (const uint8_t[]){ 0x08, RA }, 2 },
		{ (const uint8_t[]){ 0x0f, 2, 0x75, 8 }, 4 },		/* rdi + 8 */
		{ (const uint8_t[]){ 0x0f, 3, 0x77, 8, 0x19 }, 5 },
		{ (const uint8_t[]){ 0x0f, 4, 0x77, 8, 0x06, 0x06 }, 6 },
		{ (const uint8_t[]){ 0x0f, 5, 0x77, 8, 0x06, 0x23, 16 }, 7 },
		{ (const uint8_t[]){ 0x0f, 0 }, 2 },
		{ (const uint8_t[]){ 0x0f, 3, 0x77, 8, 0x06, DEF_CFA_OFFSET(8) }, 7 },
		{ (const uint8_t[]){ DEF_CFA(RSP, 0x80), 0x80, 0x80, 0x80, 0x08 }, 7 },
		{ (const uint8_t[]){ 0x05, RBP, 0x80, 0x80, 0x80, 0x80, 0x02 }, 7 },
		{ (const uint8_t[]){ 0x0f, 11, 0x77, 8, 0x80, 0, 0x3e, 0x1a, 0x3b, 0x2a, 0x33, 0x24,
				     0x22 },
		  13 },
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct fixture f = run(programs[i]);

		ASSERT_ROWS(&f, "1000 unsupported - - -", "1040 gap - - -");
		assert_int_equal(f.table.unsupported_rows, 1);
		assert_int_equal(f.table.damaged_count, 0);
		fixture_fini(&f);
	}
}

static void expressions_that_say_the_same_as_a_register(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), 0x0f, 2, 0x77, 16, LOC(1), DEF_CFA_OFFSET(24), LOC(1), 0x0f,
			       3, 0x92, RBP, 16, LOC(1), 0x10, RBP, 2, 0x76, 0),
		   AT_START, "1001 cfa sp+16 - cfa-8", "1002 cfa sp+24 - cfa-8",
		   "1003 cfa fp+16 - cfa-8", "1004 cfa fp+16 fp+0 cfa-8");
}

static void aarch64_returns_through_a_register(void **state)
{
	const struct writer_cie cie = {
		.code_align = 4,
		.ra_register = 30,
		.initial = FRAME_BYTES(DEF_CFA(31, 0)),
	};
	struct fixture f = run_as(
		&cie,
		FRAME_BYTES(LOC(1), 0x2d, LOC(1), DEF_CFA_OFFSET(32), OFFSET(29, 4), OFFSET(30, 3),
			    LOC(1), DEF_CFA_REGISTER(29), LOC(4), RESTORE(29), RESTORE(30),
			    DEF_CFA(31, 0), LOC(1), 0x2d, LOC(1), 0x2c, LOC(1), 0x09, 30, 30),
		EM_AARCH64);

	ASSERT_ROWS(&f, "1000 cfa sp+0 - -", "1004 cfa sp+0 - - signed",
		    "1008 cfa sp+32 cfa-32 cfa-24 signed", "100c cfa fp+32 cfa-32 cfa-24 signed",
		    "101c cfa sp+0 - - signed", "1020 cfa sp+0 - -", "1024 cfa sp+0 - - signed",
		    "1040 gap - - -");
	fixture_fini(&f);
}

/* This number has another meaning only on SPARC. */
static void window_save_means_nothing_here(void **state)
{
	ASSERT_RUN(FRAME_BYTES(LOC(1), 0x2d, LOC(1), 0), AT_START);
}

static void damaged_programs_leave_a_gap(void **state)
{
	uint8_t deep[CFI_REMEMBER_MAX + 1];
	const struct writer_program programs[] = {
		{ (const uint8_t[]){ 0x3f }, 1 },
		{ (const uint8_t[]){ LOC(1), RESTORE_STATE }, 2 },
		{ (const uint8_t[]){ LOC(1), DEF_CFA_OFFSET(0x80) }, 3 },
		{ (const uint8_t[]){ 0x0f, 9, 0x77 }, 3 },
		{ deep, sizeof(deep) },
	};

	memset(deep, REMEMBER, sizeof(deep));
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct fixture f = begin();
		size_t cie = frame_writer_cie(&f.frames, &(struct writer_cie){ 0 });

		frame_writer_fde(&f.frames, cie, 0x1000, 0x40, FRAME_BYTES(0));
		frame_writer_fde(&f.frames, cie, 0x1100, 0x40, programs[i]);
		finish(&f, NULL);
		ASSERT_ROWS(&f, AT_START, "1040 gap - - -");
		assert_int_equal(f.table.damaged_count, 1);
		fixture_fini(&f);
	}
}

static void a_cie_may_not_move(void **state)
{
	const struct writer_cie cie = { .initial = FRAME_BYTES(DEF_CFA(RSP, 8), LOC(1)) };
	struct fixture f = run_as(&cie, FRAME_BYTES(0), EM_X86_64);

	ASSERT_ROWS(&f, "1000 end - - -", "1040 gap - - -");	/* the entry is known in any case */
	assert_int_equal(f.table.damaged_count, 1);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_with_a_frame_pointer),
		cmocka_unit_test(other_registers_make_no_rows),
		cmocka_unit_test(all_ways_to_go_on),
		cmocka_unit_test(set_loc_is_in_the_encoding_of_the_cie),
		cmocka_unit_test(the_code_alignment_counts),
		cmocka_unit_test(signed_and_negative_offsets),
		cmocka_unit_test(registers_go_back_to_the_state_of_the_cie),
		cmocka_unit_test(states_are_remembered_with_their_cfa),
		cmocka_unit_test(rules_that_come_back_make_no_row),
		cmocka_unit_test(what_is_behind_the_end_is_not_read),
		cmocka_unit_test(a_realigned_stack),
		cmocka_unit_test(a_signal_frame),
		cmocka_unit_test(a_plt),
		cmocka_unit_test(stacks_end_where_the_return_address_is_undefined),
		cmocka_unit_test(the_return_address_in_rdi),
		cmocka_unit_test(the_assembly_of_openssl),
		cmocka_unit_test(a_frame_that_is_counted_from_the_kept_register),
		cmocka_unit_test(images_without_such_frames_do_not_say_where_it_is),
		cmocka_unit_test(where_the_kept_register_is),
		cmocka_unit_test(what_a_rule_cannot_say),
		cmocka_unit_test(expressions_that_say_the_same_as_a_register),
		cmocka_unit_test(aarch64_returns_through_a_register),
		cmocka_unit_test(window_save_means_nothing_here),
		cmocka_unit_test(damaged_programs_leave_a_gap),
		cmocka_unit_test(a_cie_may_not_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
