/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decisions about events before they are opened, within what the kernel permits. */
#include "support/test.h"

#include <unistd.h>

#include "capture/sources.h"

static struct event_plan plan_with(struct capture_options options)
{
	struct event_plan plan;
	struct err err = { 0 };

	if (event_plan_make(&plan, &options, &err) < 0) {
		event_plan_fini(&plan);
		print_message("%s\n", err.text);
		skip();
	}
	return plan;
}

static struct event_plan plan_of(const char *events, enum target_kind target)
{
	return plan_with((struct capture_options){
		.target = target,
		.ids = (uint32_t[]){ (uint32_t)getpid() },
		.id_count = 1,
		.events = events,
		.frequency_hz = 99,
	});
}

/*
 * The kernel counts up to a period only if the records need not contain the period. So the field is
 * requested only for a period of 1.
 */
static void test_period_is_not_asked_back(void **state)
{
	for (uint64_t period = 1; period <= 3; period++) {
		struct event_plan plan = plan_with((struct capture_options){
			.target = TARGET_SYSTEM, .events = "page-faults", .period = period });

		assert_int_equal(plan.sampled[0].attr.sample_period, period);
		assert_int_equal((plan.sampled[0].attr.sample_type & PERF_SAMPLE_PERIOD) != 0,
				 period == 1);
		event_plan_fini(&plan);
	}
}

/* Idle ticks are counted, unless the event excludes them or the user left them out. */
static void test_idle(void **state)
{
	struct event_plan plan = plan_of("cpu-clock,cpu-clock:I", TARGET_SYSTEM);

	assert_false(plan.sampled[0].attr.exclude_idle);
	assert_true(plan.sampled[1].attr.exclude_idle);
	event_plan_fini(&plan);
	plan = plan_of("cpu-clock", TARGET_PROCESSES);
	assert_int_equal(plan.sampled[0].attr.exclude_idle, !plan.per_task);
	event_plan_fini(&plan);
}

static void test_points(void **state)
{
	struct event_plan plan = { .sampled_count = 2 };

	plan.sampled[0].attr.type = PERF_TYPE_SOFTWARE;
	plan.sampled[1].attr.type = PERF_TYPE_BREAKPOINT;
	assert_false(event_plan_has_points(&plan));
	plan.sampled[1].attr.type = PERF_TYPE_TRACEPOINT;
	assert_true(event_plan_has_points(&plan));
	assert_false(event_plan_is_point(&plan, 0));
	assert_true(event_plan_is_point(&plan, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_period_is_not_asked_back),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
