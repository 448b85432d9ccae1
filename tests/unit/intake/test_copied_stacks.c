/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walked copies of stacks that wait for their waits. */
#include "support/test.h"

#include "intake/copied_stacks.h"

static void a_stack_is_found_by_its_number(void **state)
{
	struct copied_stacks copied = { 0 };
	struct copied_stack found = { 0 };

	for (uint32_t i = 1; i <= 100; i++)
		assert_int_equal(copied_stacks_keep(&copied, UINT64_C(1) << 40 | i,
						    &(struct copied_stack){
							    .stack = i,
							    .context = CONTEXT_SYSCALL,
							    .life = i + 1000,
						    }),
				 0);
	assert_true(copied_stacks_find(&copied, UINT64_C(1) << 40 | 42, &found));
	assert_int_equal(found.stack, 42);
	assert_int_equal(found.context, CONTEXT_SYSCALL);
	assert_int_equal(found.life, 1042);
	assert_false(copied_stacks_find(&copied, 42, &found));
	copied_stacks_fini(&copied);
}

/* Waits that are filtered out never ask for their stacks. */
static void stacks_that_nobody_takes_do_not_pile_up(void **state)
{
	struct copied_stacks copied = { 0 };
	struct copied_stack found;

	for (uint32_t i = 1; i <= COPIED_STACKS_MAX + 1; i++)
		assert_int_equal(
			copied_stacks_keep(&copied, i, &(struct copied_stack){ .stack = i }), 0);
	assert_int_equal(copied.list.count, 1);
	assert_false(copied_stacks_find(&copied, 1, &found));
	assert_true(copied_stacks_find(&copied, COPIED_STACKS_MAX + 1, &found));
	copied_stacks_fini(&copied);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_is_found_by_its_number),
		cmocka_unit_test(stacks_that_nobody_takes_do_not_pile_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
