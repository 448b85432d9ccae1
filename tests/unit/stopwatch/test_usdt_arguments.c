/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the arguments of static probes are, as compilers write it. */
#include "support/test.h"

#include <elf.h>
#include <stdlib.h>

#include "stopwatch/usdt_arguments.h"

enum { NUMBER = SPAN_ARGUMENT_NUMBER, REGISTER, MEMORY };

static void check(uint16_t machine, const char *text, struct span_argument wanted)
{
	struct span_place place;

	assert_int_equal(usdt_arguments_parse(text, machine, &place), 1);
	assert_memory_equal(&place.arguments[0], &wanted, sizeof(wanted));
}

static struct span_argument argument(uint8_t kind, int size_bytes, uint8_t base, int64_t number)
{
	return (struct span_argument){ .kind = kind,
				       .size_bytes = (uint8_t)abs(size_bytes),
				       .is_signed = size_bytes < 0,
				       .base = base,
				       .number = number };
}

static struct span_argument indexed(struct span_argument argument, uint8_t index, uint8_t scale)
{
	argument.index = index;
	argument.scale = scale;
	return argument;
}

static void places_of_x86_are_read(void **state)
{
	check(EM_X86_64, "8@%rax", argument(REGISTER, 8, 0, 0));
	check(EM_X86_64, "-4@%edi", argument(REGISTER, -4, 5, 0));
	check(EM_X86_64, "2@%r15w", argument(REGISTER, 2, 15, 0));
	check(EM_X86_64, "-1@%sil", argument(REGISTER, -1, 4, 0));
	check(EM_X86_64, "4@$5", argument(NUMBER, 4, 0, 5));
	check(EM_X86_64, "-8@$-1", argument(NUMBER, -8, 0, -1));
	check(EM_X86_64, "8@(%rbx)", argument(MEMORY, 8, 1, 0));
	check(EM_X86_64, "-4@-24(%rbp)", argument(MEMORY, -4, 6, -24));
	check(EM_X86_64, "8@0x10(%rsp)", argument(MEMORY, 8, 7, 16));
	check(EM_X86_64, "4@8(%rax,%rdx,4)", indexed(argument(MEMORY, 4, 0, 8), 3, 4));
	check(EM_X86_64, "1@(%r8,%r9)", indexed(argument(MEMORY, 1, 8, 0), 9, 1));
}

static void places_of_arm64_are_read(void **state)
{
	check(EM_AARCH64, "8@x0", argument(REGISTER, 8, 0, 0));
	check(EM_AARCH64, "-4@w30", argument(REGISTER, -4, 30, 0));
	check(EM_AARCH64, "8@sp", argument(REGISTER, 8, 31, 0));
	check(EM_AARCH64, "-4@-5", argument(NUMBER, -4, 0, -5));
	check(EM_AARCH64, "8@[sp]", argument(MEMORY, 8, 31, 0));
	check(EM_AARCH64, "8@[x19, 16]", argument(MEMORY, 8, 19, 16));
	check(EM_AARCH64, "8@[x19,#-8]", argument(MEMORY, 8, 19, -8));
}

static void other_places_are_not_understood(void **state)
{
	static const struct {
		uint16_t machine;
		const char *text;
	} others[] = {
		{ EM_X86_64, "8f@%xmm0" },    { EM_X86_64, "8@%xmm0" },
		{ EM_X86_64, "16@%rax" },     { EM_X86_64, "8@counter(%rip)" },
		{ EM_X86_64, "8@(,%rax,8)" }, { EM_X86_64, "8@(%rax,%rdx,3)" },
		{ EM_X86_64, "8@(%rax" },     { EM_X86_64, "8@$" },
		{ EM_X86_64, "8@$1x" },	      { EM_X86_64, "8@" },
		{ EM_X86_64, "@%rax" },	      { EM_X86_64, "%rax" },
		{ EM_X86_64, "8@%" },	      { EM_X86_64, "8@()" },
		{ EM_X86_64, "8@(%rax,)" },   { EM_X86_64, "8@(%rax,%)" },
		{ EM_AARCH64, "8@x31" },      { EM_AARCH64, "8@d0" },
		{ EM_AARCH64, "8@[x0" },      { EM_AARCH64, "8@[x0,x1]" },
		{ EM_AARCH64, "8@[]" },	      { EM_AARCH64, "8@[,]" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct span_place place;

		(void)usdt_arguments_parse(others[i].text, others[i].machine, &place);
		assert_int_equal(place.arguments[0].kind, SPAN_ARGUMENT_NONE);
	}
}

static void all_arguments_are_counted(void **state)
{
	struct span_place place;

	assert_int_equal(usdt_arguments_parse("", EM_X86_64, &place), 0);
	assert_int_equal(usdt_arguments_parse("  ", EM_X86_64, &place), 0);
	assert_int_equal(usdt_arguments_parse("8@%rax 8f@%xmm0 4@$7", EM_X86_64, &place), 3);
	assert_int_equal(place.arguments[0].kind, REGISTER);
	assert_int_equal(place.arguments[1].kind, SPAN_ARGUMENT_NONE);
	assert_int_equal(place.arguments[2].number, 7);
	assert_int_equal(usdt_arguments_parse("4@[sp, 8] 4@x1", EM_AARCH64, &place), 2);
	assert_int_equal(place.arguments[1].kind, REGISTER);
	assert_int_equal(usdt_arguments_parse("1@$0 1@$1 1@$2 1@$3 1@$4 1@$5 1@$6 1@$7", EM_X86_64,
					      &place),
			 8);
	assert_int_equal(place.arguments[5].number, 5);
	/* longer than any that a compiler writes */
	assert_int_equal(usdt_arguments_parse("8@$000000000000000000000000000000000000000000000000"
					      "000000000000000000001 8@$2",
					      EM_X86_64, &place),
			 2);
	assert_int_equal(place.arguments[0].kind, SPAN_ARGUMENT_NONE);
	assert_int_equal(place.arguments[1].number, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_of_x86_are_read),
		cmocka_unit_test(places_of_arm64_are_read),
		cmocka_unit_test(other_places_are_not_understood),
		cmocka_unit_test(all_arguments_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
