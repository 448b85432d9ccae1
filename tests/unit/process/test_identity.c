/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether two readings are of the same process and the same program. */
#include "support/test.h"

#include <unistd.h>

#include "base/clock.h"
#include "process/identity.h"
#include "process/time_shift.h"

static const struct identity scanned = { 5 * NS_PER_SEC, 700, 0x400000, 0x7ffd00001000 };
static const struct identity forked = { .start_ns = 5 * NS_PER_SEC + 3 };

static enum identity_match compare(struct identity known, struct identity shown)
{
	return identity_compare(&known, &shown);
}

static void test_process_by_its_ticks(void **state)
{
	struct identity shown = scanned;

	assert_int_equal(compare(scanned, shown), IDENTITY_SAME);
	shown.start_ns += NS_PER_SEC;	/* the machine was suspended; the ticks are more reliable */
	assert_int_equal(compare(scanned, shown), IDENTITY_SAME);
	shown.start_ticks++;
	assert_int_equal(compare(scanned, shown), IDENTITY_OTHER_PROCESS);
}

/*
 * The fork is recorded after the process's start, and /proc rounds the start down to a tick. A
 * successor starts later.
 */
static void test_process_by_its_fork(void **state)
{
	struct identity shown = scanned;

	shown.start_ns = forked.start_ns - 10 * NS_PER_MSEC;
	assert_int_equal(compare(forked, shown), IDENTITY_UNCLEAR);
	shown.start_ns = forked.start_ns;
	assert_int_equal(compare(forked, shown), IDENTITY_UNCLEAR);
	shown.start_ns = forked.start_ns + 1;
	assert_int_equal(compare(forked, shown), IDENTITY_OTHER_PROCESS);
	assert_int_equal(compare((struct identity){ 0 }, shown), IDENTITY_UNCLEAR);
}

static void test_program_by_its_places(void **state)
{
	struct identity shown = scanned;

	shown.start_stack += 16;
	assert_int_equal(compare(scanned, shown), IDENTITY_OTHER_PROGRAM);
	shown.start_ticks = 701;
	assert_int_equal(compare(scanned, shown), IDENTITY_OTHER_PROCESS);
	shown = scanned;
	shown.start_code += 4096;
	assert_int_equal(compare(scanned, shown), IDENTITY_OTHER_PROGRAM);
	shown.start_code = 0;
	shown.start_stack = 0;		/* the process is exiting, or may not be read */
	assert_int_equal(compare(scanned, shown), IDENTITY_UNCLEAR);
	assert_int_equal(compare(shown, scanned), IDENTITY_UNCLEAR);
}

/* The owner that the sampler reports must match /proc. During exec() there is no program. */
static void test_owner(void **state)
{
	struct record_owner owner = {
		.start_ns = 5 * NS_PER_SEC,
		.start_boot_ns = 7 * NS_PER_SEC + 9999999,
		.start_code = 0x400000,
		.start_stack = 0x7ffd00001000,
	};
	struct identity told = identity_of_owner(&owner, 0);

	assert_int_equal(told.start_ticks, proc_ticks(7 * NS_PER_SEC));
	assert_int_equal(proc_ticks(NS_PER_SEC), sysconf(_SC_CLK_TCK));
	assert_int_equal(told.start_stack, owner.start_stack);
	owner.start_code = 0;
	told = identity_of_owner(&owner, 0);
	assert_int_equal(told.start_stack, 0);
	assert_int_equal(told.start_ns, owner.start_ns);
}

/*
 * The time namespace shifts the times in /proc for this process, but not those from BPF programs.
 */
static void test_shifted_clocks(void **state)
{
	const struct record_owner owner = { .start_ns = 5 * NS_PER_SEC,
					    .start_boot_ns = 7 * NS_PER_SEC };
	struct time_shift shift = time_shift_parse("monotonic           0         0\n"
						   "boottime       86400 500000000\n");

	assert_int_equal(shift.monotonic_ns, 0);
	assert_int_equal(identity_of_owner(&owner, shift.boot_ns).start_ticks,
			 proc_ticks(86407 * NS_PER_SEC + NS_PER_SEC / 2));
	shift = time_shift_parse("monotonic          -3         250000000\nboottime -5 0\n");
	assert_true(shift.monotonic_ns == INT64_C(-2750000000));
	assert_int_equal(identity_of_owner(&owner, shift.boot_ns).start_ticks,
			 proc_ticks(2 * NS_PER_SEC));
	assert_int_equal(time_shift_parse("").boot_ns, 0);
	assert_int_equal(time_shift_parse("boottime one 1\n").boot_ns, 0);
}

static void test_unchanged(void **state)
{
	struct proc_task before = { "a", 'R', false, 1, 10, 1, 2, 3 }, after = before;

	after.state = 'S';
	after.parent_tgid = 2;
	after.start_ns = 11;		/* computed from clocks that advance */
	assert_true(identity_is_unchanged(&before, &after));
	after.comm[0] = 'b';
	assert_false(identity_is_unchanged(&before, &after));
	after = before;
	after.start_stack++;
	assert_false(identity_is_unchanged(&before, &after));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process_by_its_ticks),
		cmocka_unit_test(test_process_by_its_fork),
		cmocka_unit_test(test_program_by_its_places),
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_shifted_clocks),
		cmocka_unit_test(test_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
