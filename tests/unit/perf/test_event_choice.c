/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event that is chosen if none is named, on all kinds of machines. */
#include "support/test.h"

#include <errno.h>

#include "perf/event_choice.h"

struct machine {
	int answer;		/* result of opening cycles for sampling */
	unsigned int asked;
};

static int opens(void *context, const struct event_spec *spec)
{
	struct machine *machine = context;

	machine->asked++;
	assert_string_equal(spec->name, "cycles");
	assert_int_equal(spec->attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(spec->attr.config, PERF_COUNT_HW_CPU_CYCLES);
	return machine->answer;
}

static struct event_choice choice_of(bool wants_clock, struct machine *machine)
{
	struct event_choice choice;

	assert_int_equal(event_choose(wants_clock, opens, machine, &choice), 0);
	assert_int_equal(choice.spec.attr.sample_period, 0);
	return choice;
}

static void test_counter(void **state)
{
	struct machine machine = { .answer = 0 };
	struct event_choice choice = choice_of(false, &machine);

	assert_string_equal(choice.spec.name, "cycles");
	assert_int_equal(choice.spec.attr.type, PERF_TYPE_HARDWARE);
	assert_false(choice.spec.is_time);
	assert_string_equal(choice.why, "cycles (a hardware counter of this machine)");
	assert_int_equal(machine.asked, 1);
}

static void assert_clock(int answer, const char *why)
{
	struct machine machine = { .answer = answer };
	struct event_choice choice = choice_of(false, &machine);

	assert_string_equal(choice.spec.name, "cpu-clock");
	assert_int_equal(choice.spec.attr.type, PERF_TYPE_SOFTWARE);
	assert_true(choice.spec.is_time);
	assert_memory_equal(choice.why, "cpu-clock (", strlen("cpu-clock ("));
	if (!strstr(choice.why, why))
		fail_msg("%s: %s", why, choice.why);
}

static void test_no_counter(void **state)
{
	assert_clock(-ENOENT, "PMU is not available");
	assert_clock(-EOPNOTSUPP, "no interrupts");
	assert_clock(-EBUSY, "another program");
	assert_clock(-EACCES, "Permission denied");
	assert_clock(-EINVAL, "Invalid argument");
}

/* Waits need a clock event, whatever else the machine has. */
static void test_clock_wanted(void **state)
{
	struct machine machine = { .answer = 0 };
	struct event_choice choice = choice_of(true, &machine);

	assert_string_equal(choice.spec.name, "cpu-clock");
	assert_true(choice.spec.is_time);
	assert_non_null(strstr(choice.why, "waits"));
	assert_int_equal(machine.asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counter),
		cmocka_unit_test(test_no_counter),
		cmocka_unit_test(test_clock_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
