/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disasm/disasm.h"

#include <elf.h>
#include <stdio.h>

#include "tests/support/test.h"

struct fixture {
	struct disasm *disasm;
	struct instructions instructions;
	const uint8_t *bytes;
	uint64_t vaddr;
};

static bool name_1000(void *context, uint64_t vaddr, char *text, size_t size_bytes)
{
	(void)context;
	if (vaddr < 0x1000 || vaddr >= 0x1100)
		return false;
	(void)snprintf(text, size_bytes, "there+0x%x", (unsigned int)(vaddr - 0x1000));
	return true;
}

static void walk(struct fixture *f, uint16_t machine, const uint8_t *bytes, size_t size_bytes)
{
	f->bytes = bytes;
	f->vaddr = 0x1000;
	assert_int_equal(disasm_new(machine, name_1000, NULL, &f->disasm, NULL), 0);
	assert_int_equal(
		disasm_walk(f->disasm, bytes, size_bytes, f->vaddr, &f->instructions, NULL), 0);
}

static void end(struct fixture *f)
{
	vec_free(&f->instructions.list);
	disasm_free(f->disasm);
}

static void check_row(struct fixture *f, size_t row, enum flow flow, unsigned int length,
		      uint64_t target, const char *want)
{
	const struct instruction *instruction = &f->instructions.list.at[row];
	char text[DISASM_TEXT_MAX];
	struct err err = { 0 };

	assert_int_equal(instruction->flow, flow);
	assert_int_equal(instruction->length, length);
	assert_int_equal(instruction->target, target);
	if (disasm_text(f->disasm, instruction, f->bytes + (instruction->vaddr - f->vaddr), text,
			&err) == -ENOENT) {
		print_message("%s\n", err.text);
		return;
	}
	assert_string_equal(text, want);
}

static void flows_of_x86(void **state)
{
	static const uint8_t bytes[] = {
		0x48, 0x01, 0xd8,			/* 1000 add */
		0x75, 0xfb,				/* 1003 jne 1000 */
		0xe8, 0x06, 0x00, 0x00, 0x00,		/* 1005 call 1010 */
		0x06,					/* 100a not an instruction in 64-bit mode */
		0x8b, 0x05, 0x0f, 0x00, 0x00, 0x00,	/* 100b mov 1020 */
		0xeb, 0xed,				/* 1011 jmp 1000 */
		0x0f, 0x0b,				/* 1013 ud2 */
		0xff, 0xe0,				/* 1015 jmp *rax */
		0xc3,					/* 1017 ret */
		0x48, 0xb8, 0x01,			/* 1018 cut short */
	};
	struct fixture f = { 0 };

	walk(&f, EM_X86_64, bytes, sizeof(bytes));
	check_row(&f, 0, FLOW_NEXT, 3, 0, "add %rbx, %rax");
	check_row(&f, 1, FLOW_BRANCH, 2, 0x1000, "jnz 0x1000 <there+0x0>");
	check_row(&f, 2, FLOW_CALL, 5, 0x1010, "call 0x1010 <there+0x10>");
	check_row(&f, 3, FLOW_BAD, 1, 0, "(bad)");
	check_row(&f, 4, FLOW_NEXT, 6, 0, "mov 0x1020 <there+0x20>, %eax");
	check_row(&f, 5, FLOW_JUMP, 2, 0x1000, "jmp 0x1000 <there+0x0>");
	check_row(&f, 6, FLOW_TRAP, 2, 0, "ud2");
	check_row(&f, 7, FLOW_JUMP, 2, 0, "jmp %rax");
	check_row(&f, 8, FLOW_RETURN, 1, 0, "ret");
	check_row(&f, 9, FLOW_BAD, 1, 0, "(bad)");
	end(&f);
}

static void thirty_two_bits(void **state)
{
	static const uint8_t bytes[] = { 0x06, 0xe9, 0x0a, 0x00, 0x00, 0x00 };
	struct fixture f = { 0 };

	walk(&f, EM_386, bytes, sizeof(bytes));
	check_row(&f, 0, FLOW_NEXT, 1, 0, "push %es");
	check_row(&f, 1, FLOW_JUMP, 5, 0x1010, "jmp 0x1010 <there+0x10>");
	end(&f);
}

static void flows_of_aarch64(void **state)
{
	static const uint8_t bytes[] = {
		0x20, 0x00, 0x02, 0x8b,		/* 1000 add */
		0xe0, 0xff, 0xff, 0x54,		/* 1004 b.eq 1000 */
		0x03, 0x00, 0x00, 0x94,		/* 1008 bl 1014 */
		0x81, 0xff, 0xff, 0xb4,		/* 100c cbz 0ffc */
		0x80, 0xff, 0x1f, 0x36,		/* 1010 tbz 1000 */
		0x00, 0x00, 0x00, 0x90,		/* 1014 adrp 1000 */
		0xfa, 0xff, 0xff, 0x17,		/* 1018 b 1000 */
		0x00, 0x00, 0x1f, 0xd6,		/* 101c br */
		0x00, 0x00, 0x3f, 0xd6,		/* 1020 blr */
		0xc0, 0x03, 0x5f, 0xd6,		/* 1024 ret */
		0x20, 0x00, 0x20, 0xd4,		/* 1028 brk */
		0xc0, 0x03,			/* 102c half a word */
	};
	struct fixture f = { 0 };

	walk(&f, EM_AARCH64, bytes, sizeof(bytes));
	check_row(&f, 0, FLOW_NEXT, 4, 0, "add x0, x1, x2");
	check_row(&f, 1, FLOW_BRANCH, 4, 0x1000, "b.eq 0x1000 <there+0x0>");
	check_row(&f, 2, FLOW_CALL, 4, 0x1014, "bl 0x1014 <there+0x14>");
	check_row(&f, 3, FLOW_BRANCH, 4, 0xffc, "cbz x1, 0xffc");
	check_row(&f, 4, FLOW_BRANCH, 4, 0x1000, "tbz w0, #3, 0x1000 <there+0x0>");
	check_row(&f, 5, FLOW_NEXT, 4, 0, "adrp x0, 0x1000 <there+0x0>");
	check_row(&f, 6, FLOW_JUMP, 4, 0x1000, "b 0x1000 <there+0x0>");
	check_row(&f, 7, FLOW_JUMP, 4, 0, "br x0");
	check_row(&f, 8, FLOW_CALL, 4, 0, "blr x0");
	check_row(&f, 9, FLOW_RETURN, 4, 0, "ret");
	check_row(&f, 10, FLOW_TRAP, 4, 0, "brk #0x1");
	check_row(&f, 11, FLOW_BAD, 1, 0, "(bad)");
	check_row(&f, 12, FLOW_BAD, 1, 0, "(bad)");
	end(&f);
}

/*
 * Data gets a name if two consecutive instructions compute its address from a page and an offset.
 * Pairs that only look like that get no name.
 */
static void data_of_aarch64(void **state)
{
	static const uint8_t bytes[] = {
		0x00, 0x00, 0x00, 0x90,		/* 1000 adrp x0, 1000 */
		0x01, 0x20, 0x00, 0x91,		/* 1004 add x1, x0, #8 */
		0x02, 0x20, 0x00, 0x91,		/* 1008 add x2, x0, #8 */
		0x02, 0x00, 0x00, 0x90,		/* 100c adrp x2, 1000 */
		0x43, 0x08, 0x40, 0xf9,		/* 1010 ldr x3, [x2, #16] */
		0x02, 0x00, 0x00, 0x90,		/* 1014 adrp x2, 1000 */
		0x43, 0x10, 0x00, 0xb9,		/* 1018 str w3, [x2, #16] */
		0x02, 0x00, 0x00, 0x90,		/* 101c adrp x2, 1000 */
		0x01, 0x20, 0x00, 0x91,		/* 1020 add x1, x0, #8 */
		0x02, 0x00, 0x00, 0xb0,		/* 1024 adrp x2, 2000 */
		0x41, 0x20, 0x00, 0x91,		/* 1028 add x1, x2, #8: nothing is there */
		0x00, 0x00, 0x00, 0x90,		/* 102c adrp x0, 1000 */
		0x01, 0x20,			/* 1030 half a word */
	};
	static const uint64_t data[] = { 0, 0x1008, 0, 0, 0x1010, 0, 0x1010, 0, 0, 0, 0x2008, 0 };
	struct fixture f = { 0 };

	walk(&f, EM_AARCH64, bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++)
		assert_int_equal(f.instructions.list.at[i].data, data[i]);
	check_row(&f, 1, FLOW_NEXT, 4, 0, "add x1, x0, #8 <there+0x8>");
	check_row(&f, 2, FLOW_NEXT, 4, 0, "add x2, x0, #8");
	check_row(&f, 4, FLOW_NEXT, 4, 0, "ldr x3, [x2, #16] <there+0x10>");
	check_row(&f, 6, FLOW_NEXT, 4, 0, "str w3, [x2, #16] <there+0x10>");
	check_row(&f, 10, FLOW_NEXT, 4, 0, "add x1, x2, #8");
	end(&f);
}

static void what_is_refused(void **state)
{
	struct disasm *disasm = NULL;
	struct instructions none = { 0 };
	struct err err = { 0 };

	assert_int_equal(disasm_new(EM_S390, NULL, NULL, &disasm, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "22"));
	assert_int_equal(disasm_new(EM_X86_64, NULL, NULL, &disasm, &err), 0);
	assert_int_equal(disasm_walk(disasm, NULL, DISASM_BYTES_MAX + 1, 0, &none, &err), -EFBIG);
	disasm_free(disasm);
	disasm_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_of_x86),	    cmocka_unit_test(thirty_two_bits),
		cmocka_unit_test(flows_of_aarch64), cmocka_unit_test(data_of_aarch64),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
