/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Combining the rows of functions into the table of an image. */
#include "fixture.h"

#include <errno.h>

#define NOTHING FRAME_BYTES(0)
#define SP16 FRAME_BYTES(0x0e, 16)
#define PUSH_AT_4 FRAME_BYTES(0x44, 0x0e, 16)

static size_t plain_cie(struct fixture *f)
{
	return frame_writer_cie(&f->frames, &(struct writer_cie){ 0 });
}

/* Records come in any order. Adjacent rows with the same rule become one row. */
static void functions_are_put_in_order(void **state)
{
	struct fixture f = begin();
	size_t cie = plain_cie(&f);

	frame_writer_fde(&f.frames, cie, 0x1100, 0x20, PUSH_AT_4);
	frame_writer_fde(&f.frames, cie, 0x1080, 0x40, NOTHING);
	frame_writer_fde(&f.frames, cie, 0x10c0, 0x10, NOTHING);
	finish(&f, NULL);
	assert_int_equal(f.table.base_vaddr, 0x1000);	/* the entry point */
	ASSERT_ROWS(&f, "1000 end - - -", "1040 gap - - -", "1080 cfa sp+8 - cfa-8",
		    "10d0 gap - - -", "1100 cfa sp+8 - cfa-8", "1104 cfa sp+16 - cfa-8",
		    "1120 gap - - -");
	assert_int_equal(f.table.rows.capacity, f.table.rows.count);
	assert_int_equal(f.table.rules.count, 5);
	fixture_fini(&f);
}

static void addresses_find_their_rule(void **state)
{
	struct fixture f = begin();

	frame_writer_fde(&f.frames, plain_cie(&f), 0x1000, 0x20, PUSH_AT_4);
	finish(&f, NULL);
	assert_int_equal(unwind_table_find(&f.table, 0)->kind, UNWIND_GAP);
	assert_int_equal(unwind_table_find(&f.table, 0xfff)->kind, UNWIND_GAP);
	assert_int_equal(unwind_table_find(&f.table, 0x1000)->cfa_offset, 8);
	assert_int_equal(unwind_table_find(&f.table, 0x1003)->cfa_offset, 8);
	assert_int_equal(unwind_table_find(&f.table, 0x1004)->cfa_offset, 16);
	assert_int_equal(unwind_table_find(&f.table, 0x101f)->cfa_offset, 16);
	assert_int_equal(unwind_table_find(&f.table, 0x1020)->kind, UNWIND_GAP);
	assert_int_equal(unwind_table_find(&f.table, 0x1000 + (UINT64_C(1) << 32))->kind,
			 UNWIND_GAP);
	assert_int_equal(unwind_table_find(&f.table, UINT64_MAX)->kind, UNWIND_GAP);
	fixture_fini(&f);
	assert_int_equal(unwind_table_find(&(struct unwind_table){ 0 }, 0)->kind, UNWIND_GAP);
}

static void the_nearest_beginning_counts(void **state)
{
	struct fixture f = begin();
	size_t cie = plain_cie(&f);

	frame_writer_fde(&f.frames, cie, 0x1000, 0x40, NOTHING);
	frame_writer_fde(&f.frames, cie, 0x1010, 0x10, SP16);	/* inside that function */
	frame_writer_fde(&f.frames, cie, 0x1100, 0x40, NOTHING);
	/* the function's second half, and more */
	frame_writer_fde(&f.frames, cie, 0x1120, 0x40, SP16);
	frame_writer_fde(&f.frames, cie, 0x1200, 0x40, NOTHING);
	/* the same start again, with another rule */
	frame_writer_fde(&f.frames, cie, 0x1200, 0x20, SP16);
	finish(&f, NULL);
	ASSERT_ROWS(&f, "1000 cfa sp+8 - cfa-8", "1010 cfa sp+16 - cfa-8", "1020 gap - - -",
		    "1100 cfa sp+8 - cfa-8", "1120 cfa sp+16 - cfa-8", "1160 gap - - -",
		    "1200 cfa sp+16 - cfa-8", "1220 gap - - -");
	fixture_fini(&f);
}

static void what_is_no_code_is_left_out(void **state)
{
	struct fixture f = begin();
	size_t cie = plain_cie(&f);

	frame_writer_fde(&f.frames, cie, 0x0f00, 0x200, SP16);
	frame_writer_fde(&f.frames, cie, 0x1000, 0x20, NOTHING);
	frame_writer_fde(&f.frames, cie, 0x1040, 0, SP16);
	frame_writer_fde(&f.frames, cie, 0x3000, 0x20, SP16);
	finish(&f, NULL);
	ASSERT_ROWS(&f, "1000 cfa sp+8 - cfa-8", "1020 gap - - -");
	assert_int_equal(f.table.fde_count, 1);
	assert_int_equal(f.table.damaged_count, 0);
	fixture_fini(&f);
}

/* The record of a program's entry is ignored, because the entry has no caller. */
static void entries_have_no_caller(void **state)
{
	struct elf_writer_options program = { .type = ET_EXEC, .entry_vaddr = 0x1010 };

	for (unsigned int i = 0; i < 2; i++) {
		struct fixture f = begin();
		size_t cie = plain_cie(&f);

		program.type = i ? ET_EXEC : ET_DYN;
		frame_writer_fde(&f.frames, cie, 0x1000, 0x10, NOTHING);
		frame_writer_fde(&f.frames, cie, 0x1010, 0x10, NOTHING);
		finish(&f, &program);
		assert_int_equal(unwind_table_find(&f.table, 0x100f)->kind, UNWIND_CFA);
		assert_int_equal(unwind_table_find(&f.table, 0x1010)->kind,
				 i ? UNWIND_END : UNWIND_CFA);
		fixture_fini(&f);
	}
}

static void entries_without_records_end_at_the_next(void **state)
{
	struct elf_writer_options options = { .entry_vaddr = 0x1010 };
	struct fixture f = begin();
	size_t cie = plain_cie(&f);

	frame_writer_fde(&f.frames, cie, 0x1000, 0x10, NOTHING);
	frame_writer_fde(&f.frames, cie, 0x1030, 0x10, NOTHING);
	finish(&f, &options);
	ASSERT_ROWS(&f, "1000 cfa sp+8 - cfa-8", "1010 end - - -", "1030 cfa sp+8 - cfa-8",
		    "1040 gap - - -");
	fixture_fini(&f);
}

/* No call comes from alignment padding. Other gaps may be code without records. */
static void padding_has_no_caller(void **state)
{
	struct fixture f = begin();
	size_t cie = plain_cie(&f);

	frame_writer_fde(&f.frames, cie, 0x1000, 0x11, NOTHING);
	frame_writer_fde(&f.frames, cie, 0x1020, 0x10, NOTHING);
	frame_writer_fde(&f.frames, cie, 0x1040, 0x10, SP16);	/* after a gap of 16 bytes */
	frame_writer_fde(&f.frames, cie, 0x1050, 0x0f, NOTHING);	/* after no gap */
	frame_writer_fde(&f.frames, cie, 0x1060, 0x1f, NOTHING);
	/* not at an aligned address */
	frame_writer_fde(&f.frames, cie, 0x1088, 0x10, NOTHING);
	finish(&f, NULL);
	ASSERT_ROWS(&f, "1000 cfa sp+8 - cfa-8", "1011 padding - - -", "1020 cfa sp+8 - cfa-8",
		    "1030 gap - - -", "1040 cfa sp+16 - cfa-8", "1050 cfa sp+8 - cfa-8",
		    "105f padding - - -", "1060 cfa sp+8 - cfa-8", "107f gap - - -",
		    "1088 cfa sp+8 - cfa-8", "1098 gap - - -");
	fixture_fini(&f);
}

static void debug_frame_and_files_without_sections(void **state)
{
	struct elf_writer_options bare = { .no_sections = true };
	struct fixture f = { .frames.is_debug = true };

	frame_writer_fde(&f.frames, plain_cie(&f), 0x1000, 0x20, PUSH_AT_4);
	finish(&f, NULL);
	assert_int_equal(unwind_table_find(&f.table, 0x1004)->cfa_offset, 16);
	fixture_fini(&f);

	f = begin();
	frame_writer_fde(&f.frames, plain_cie(&f), 0x1000, 0x20, PUSH_AT_4);
	elf_writer_put_bytes(&f.frames.bytes, NULL, 4);
	finish(&f, &bare);
	assert_int_equal(unwind_table_find(&f.table, 0x1004)->cfa_offset, 16);
	assert_int_equal(f.table.damaged_count, 0);
	fixture_fini(&f);
}

#define SUB 0x48, 0x83, 0xec, 8
#define ADD_RET 0x48, 0x83, 0xc4, 8, 0xc3
#define GMON_START 0x48, 0x8b, 5, 1, 2, 3, 4, 0x48, 0x85, 0xc0, 0x74, 2, 0xff, 0xd0

/* Makes a library with @code at 0x2000, whose only record covers [0x1000, 0x1010). */
static struct fixture with_code(uint16_t machine, const char *section, struct writer_program code)
{
	const struct elf_writer_options options = { .machine = machine };
	const struct writer_section without_records = {
		.name = section,
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_EXECINSTR,
		.vaddr = 0x2000,
	};
	struct fixture f = begin();
	struct elf_writer writer;
	size_t size_bytes;
	uint8_t *bytes;

	elf_writer_init(&writer, &options);
	(void)elf_writer_text(&writer, ".text", 0x1000, 0x100);
	(void)elf_writer_section(&writer, &without_records, code.bytes, code.size_bytes);
	elf_writer_fde(&writer, 0x4000, 0x1000, 0x10);
	bytes = elf_writer_finish(&writer, &size_bytes);
	assert_int_equal(unwind_table_build_bytes(bytes, size_bytes, section, &f.table, NULL), 0);
	free(bytes);
	return f;
}

static struct fixture with_init(uint16_t machine, struct writer_program code)
{
	return with_code(machine, ".init", code);
}

static void init_code_has_rows(void **state)
{
	struct fixture f = with_init(EM_X86_64, FRAME_BYTES(SUB, GMON_START, ADD_RET));

	assert_int_equal(unwind_table_find(&f.table, 0x1fff)->kind, UNWIND_GAP);
	assert_int_equal(unwind_table_find(&f.table, 0x2000)->cfa_offset, 8);
	assert_int_equal(unwind_table_find(&f.table, 0x2003)->ra_offset, -8);
	assert_int_equal(unwind_table_find(&f.table, 0x2004)->cfa_offset, 16);
	assert_int_equal(unwind_table_find(&f.table, 0x2015)->cfa_offset, 16);
	assert_int_equal(unwind_table_find(&f.table, 0x2016)->cfa_offset, 8);
	assert_int_equal(unwind_table_find(&f.table, 0x2016)->kind, UNWIND_CFA);
	assert_int_equal(unwind_table_find(&f.table, 0x2017)->kind, UNWIND_GAP);
	fixture_fini(&f);
	f = with_init(EM_X86_64, FRAME_BYTES(0xf3, 0x0f, 0x1e, 0xfa, SUB, ADD_RET));
	assert_int_equal(unwind_table_find(&f.table, 0x2004)->cfa_offset, 8);
	assert_int_equal(unwind_table_find(&f.table, 0x2008)->cfa_offset, 16);
	assert_int_equal(unwind_table_find(&f.table, 0x200c)->cfa_offset, 8);
	fixture_fini(&f);
}

static void other_init_code_is_a_gap(void **state)
{
	const struct writer_program others[] = {
		FRAME_BYTES(SUB),
		FRAME_BYTES(SUB, 0x90, ADD_RET),
		FRAME_BYTES(SUB, ADD_RET, 0x90),
		FRAME_BYTES(SUB, 0x48, 0x8b, 5, 1, 2),
		FRAME_BYTES(ADD_RET),
		FRAME_BYTES(SUB, GMON_START, GMON_START, GMON_START, GMON_START, ADD_RET),
	};

	for (size_t i = 0; i <= sizeof(others) / sizeof(*others); i++) {
		struct fixture f = i ? with_init(EM_X86_64, others[i - 1])
				     : with_init(EM_AARCH64, FRAME_BYTES(SUB, ADD_RET));

		assert_int_equal(unwind_table_find(&f.table, 0x2000)->kind, UNWIND_GAP);
		fixture_fini(&f);
	}
}

#define NOP 0x1f, 0x20, 0x03, 0xd5
#define BTI_C 0x5f, 0x24, 0x03, 0xd5
#define STP 0xf0, 0x7b, 0xbf, 0xa9
#define MOV_SIGRETURN 0x68, 0x11, 0x80, 0xd2
#define SVC 0x01, 0, 0, 0xd4

/*
 * The interrupted code's caller is found with x30 of the signal frame. The trampoline is looked up
 * by the byte before it.
 */
static void arm_signals_return_to_what_they_interrupted(void **state)
{
	struct fixture f = with_code(EM_AARCH64, ".text.vdso",
				     FRAME_BYTES(NOP, NOP, MOV_SIGRETURN, SVC, NOP));
	const struct unwind_rule *rule = unwind_table_find(&f.table, 0x2007);

	assert_int_equal(unwind_table_find(&f.table, 0x2006)->kind, UNWIND_GAP);
	assert_int_equal(rule->kind, UNWIND_CFA_AT);
	assert_int_equal(rule->flags, UNWIND_SIGNAL | UNWIND_SIGNAL_LINK);
	assert_int_equal(rule->fp_offset, 544);
	assert_int_equal(rule->cfa_offset, 560);
	assert_int_equal(rule->ra_offset, 568);
	assert_ptr_equal(unwind_table_find(&f.table, 0x200f), rule);
	assert_int_equal(unwind_table_find(&f.table, 0x2010)->kind, UNWIND_GAP);
	fixture_fini(&f);
	f = with_code(EM_AARCH64, ".text.vdso", FRAME_BYTES(NOP, MOV_SIGRETURN, NOP, SVC));
	assert_int_equal(unwind_table_find(&f.table, 0x2004)->kind, UNWIND_GAP);
	fixture_fini(&f);
	f = with_code(EM_X86_64, ".text.vdso", FRAME_BYTES(NOP, MOV_SIGRETURN, SVC));
	assert_int_equal(unwind_table_find(&f.table, 0x2004)->kind, UNWIND_GAP);
	fixture_fini(&f);
}

static void arm_stubs_have_no_frame(void **state)
{
	const uint8_t entries[] = { STP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP };
	const uint8_t with_bti[] = { BTI_C, STP, NOP, NOP, NOP, NOP, NOP, NOP };

	for (uint64_t at = 0; at < 2; at++) {
		struct fixture f = with_code(
			EM_AARCH64, ".plt",
			at ? (struct writer_program){ with_bti, sizeof(with_bti) }
			   : (struct writer_program){ entries, sizeof(entries) });
		const struct unwind_rule *entry = unwind_table_find(&f.table, 0x2000 + 4 * at);
		const struct unwind_rule *pushed = unwind_table_find(&f.table, 0x2004 + 4 * at);

		assert_int_equal(entry->kind, UNWIND_CFA);
		assert_int_equal(entry->ra_base, UNWIND_BASE_NONE);
		assert_int_equal(entry->cfa_offset, 0);
		assert_int_equal(pushed->ra_base, UNWIND_BASE_CFA);
		assert_int_equal(pushed->ra_offset, -8);
		assert_int_equal(pushed->cfa_offset, 16);
		assert_ptr_equal(unwind_table_find(&f.table, 0x201f), pushed);
		if (at == 0)
			assert_ptr_equal(unwind_table_find(&f.table, 0x202f), entry);
		assert_int_equal(unwind_table_find(&f.table, 0x2030)->kind, UNWIND_GAP);
		fixture_fini(&f);
	}
}

#define CALL_AND_TEST 0x0f, 5, 0x48, 0x85, 0xc0
#define OVER_RET 0x74, 1, 0xc3

/* Makes a function that ends at 0x1100, then @code, and then a frame that has no caller. */
static struct fixture with_clone(uint16_t machine, struct writer_program code,
				 struct writer_program after)
{
	const struct elf_writer_options options = { .machine = machine };
	const struct writer_section gap = {
		.name = ".text.gap",
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_EXECINSTR,
		.vaddr = 0x3100,
	};
	struct writer_section frames = {
		.name = ".eh_frame", .type = SHT_PROGBITS, .flags = SHF_ALLOC, .vaddr = 0x5000
	};
	struct fixture f = { .frames.vaddr = 0x5000 };
	size_t cie = plain_cie(&f), size_bytes;
	struct elf_writer writer;
	uint8_t *bytes;

	frame_writer_fde(&f.frames, cie, 0x3000, 0x100, NOTHING);
	frame_writer_fde(&f.frames, cie, 0x3100 + code.size_bytes, 0x10, after);
	frames.content = f.frames.bytes;
	elf_writer_init(&writer, &options);
	(void)elf_writer_text(&writer, ".text", 0x3000, 0x100);
	(void)elf_writer_section(&writer, &gap, code.bytes, code.size_bytes);
	(void)elf_writer_text(&writer, ".text.after", 0x3100 + code.size_bytes, 0x100);
	(void)elf_writer_section(&writer, &frames, NULL, 0);
	f.frames.bytes = (struct writer_bytes){ 0 };
	bytes = elf_writer_finish(&writer, &size_bytes);
	assert_int_equal(unwind_table_build_bytes(bytes, size_bytes, "clone", &f.table, NULL), 0);
	free(bytes);
	return f;
}

#define NO_CALLER FRAME_BYTES(0x07, 16)

static void clone_goes_on_behind_its_record(void **state)
{
	const struct writer_program codes[] = {
		FRAME_BYTES(CALL_AND_TEST, 0x7c, 0x13, OVER_RET),
		FRAME_BYTES(CALL_AND_TEST, 0x0f, 0x8c, 1, 2, 3, 4, OVER_RET),
	};

	for (size_t i = 0; i < 2; i++) {
		struct fixture f = with_clone(EM_X86_64, codes[i], NO_CALLER);
		const struct unwind_rule *rule = unwind_table_find(&f.table, 0x3100);

		assert_int_equal(unwind_table_find(&f.table, 0x30ff)->flags, 0);
		assert_int_equal(rule->kind, UNWIND_CFA);
		assert_int_equal(rule->cfa_offset, 8);
		assert_int_equal(rule->flags, UNWIND_CLONES);
		assert_ptr_equal(unwind_table_find(&f.table, 0x30ff + codes[i].size_bytes), rule);
		assert_int_equal(unwind_table_find(&f.table, 0x3100 + codes[i].size_bytes)->kind,
				 UNWIND_END);
		fixture_fini(&f);
	}
}

static void other_code_behind_a_record_says_nothing(void **state)
{
	const struct writer_program good = FRAME_BYTES(CALL_AND_TEST, 0x7c, 0x13, OVER_RET);
	const struct writer_program others[] = {
		FRAME_BYTES(CALL_AND_TEST, 0x7d, 0x13, OVER_RET),
		FRAME_BYTES(CALL_AND_TEST, 0x7c, 0x13, 0x74, 2, 0xc3),
		FRAME_BYTES(CALL_AND_TEST, 0x7c, 0x13, OVER_RET, 0x90),
		FRAME_BYTES(0x90, 5, 0x48, 0x85, 0xc0, 0x7c, 0x13, OVER_RET),
		FRAME_BYTES(CALL_AND_TEST, 0x0f, 0x8d, 1, 2, 3, 4, OVER_RET),
	};
	struct fixture f = with_clone(EM_X86_64, good, NOTHING);

	assert_int_equal(unwind_table_find(&f.table, 0x3100)->kind, UNWIND_GAP);
	fixture_fini(&f);
	f = with_clone(EM_AARCH64, good, NO_CALLER);
	assert_int_equal(unwind_table_find(&f.table, 0x3100)->kind, UNWIND_GAP);
	fixture_fini(&f);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		f = with_clone(EM_X86_64, others[i], NO_CALLER);
		assert_int_equal(unwind_table_find(&f.table, 0x3100)->kind, UNWIND_GAP);
		fixture_fini(&f);
	}
}

/*
 * There are more rules than rows can refer to. The excess rows become unsupported and are counted.
 */
static void rules_are_limited(void **state)
{
	struct fixture f = begin();
	size_t cie = plain_cie(&f), rounds = UNWIND_RULES_MAX + 100;
	struct writer_bytes program = { 0 };

	for (size_t i = 0; i < rounds; i++) {
		uint8_t step[] = { 0x41, 0x0e, (uint8_t)(i | 0x80), (uint8_t)(i >> 7 | 0x80),
				   (uint8_t)(i >> 14) };

		elf_writer_put_bytes(&program, step, sizeof(step));
	}
	frame_writer_fde(&f.frames, cie, 0x1000, 0x20000,
			 (struct writer_program){ program.data.at, program.data.count });
	finish(&f, NULL);
	assert_int_equal(f.table.rules.count, UNWIND_RULES_MAX);
	/* the gap and the unsupported rule take two; the first row's rule occurs again */
	assert_int_equal(f.table.unsupported_rows, rounds - (UNWIND_RULES_MAX - 2));
	assert_int_equal(unwind_table_find(&f.table, 0x1000 + rounds)->kind, UNWIND_UNSUPPORTED);
	assert_int_equal(unwind_table_find(&f.table, 0x1000 + 0x8000)->cfa_offset, 0x7fff);
	vec_free(&program.data);
	fixture_fini(&f);
}

static void images_that_describe_nothing(void **state)
{
	struct elf_writer_options options = { .entry_vaddr = 1 };
	struct fixture f = begin();

	finish(&f, &options);
	assert_int_equal(f.table.rows.count, 0);
	assert_int_equal(unwind_table_find(&f.table, 0x1000)->kind, UNWIND_GAP);
	fixture_fini(&f);
}

static void records_behind_damage_are_lost_and_counted(void **state)
{
	struct fixture f = begin();
	size_t cie = plain_cie(&f);

	frame_writer_fde(&f.frames, cie, 0x1000, 0x20, NOTHING);
	elf_writer_put_bytes(&f.frames.bytes, "\0\0\0\x7f", 4);
	frame_writer_fde(&f.frames, cie, 0x1020, 0x20, NOTHING);
	finish(&f, NULL);
	ASSERT_ROWS(&f, "1000 cfa sp+8 - cfa-8", "1020 gap - - -");
	assert_int_equal(f.table.damaged_count, 1);
	fixture_fini(&f);
}

static void other_machines_are_refused(void **state)
{
	static const struct elf_writer_options others[] = {
		{ .machine = EM_386, .is_elf32 = true },
		{ .machine = EM_X86_64, .is_elf32 = true },
		{ .machine = EM_S390, .swapped = true },
		{ .machine = EM_RISCV },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct frame_writer frames = { .vaddr = 0x4000 };
		struct unwind_table table;
		struct err err = { 0 };
		size_t size_bytes;
		uint8_t *bytes = frame_writer_image(&frames, &others[i], &size_bytes);

		assert_int_equal(unwind_table_build_bytes(bytes, size_bytes, "other", &table, &err),
				 -ENOEXEC);
		assert_non_null(strstr(err.text, "other"));
		unwind_table_fini(&table);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_put_in_order),
		cmocka_unit_test(addresses_find_their_rule),
		cmocka_unit_test(the_nearest_beginning_counts),
		cmocka_unit_test(what_is_no_code_is_left_out),
		cmocka_unit_test(entries_have_no_caller),
		cmocka_unit_test(entries_without_records_end_at_the_next),
		cmocka_unit_test(padding_has_no_caller),
		cmocka_unit_test(debug_frame_and_files_without_sections),
		cmocka_unit_test(init_code_has_rows),
		cmocka_unit_test(other_init_code_is_a_gap),
		cmocka_unit_test(arm_signals_return_to_what_they_interrupted),
		cmocka_unit_test(arm_stubs_have_no_frame),
		cmocka_unit_test(clone_goes_on_behind_its_record),
		cmocka_unit_test(other_code_behind_a_record_says_nothing),
		cmocka_unit_test(rules_are_limited),
		cmocka_unit_test(images_that_describe_nothing),
		cmocka_unit_test(records_behind_damage_are_lost_and_counted),
		cmocka_unit_test(other_machines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
