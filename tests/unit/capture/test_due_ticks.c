/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Due ticks from readings of events. Pipes stand for events: read(2) returns what was written. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/due_ticks.h"

#define PERIOD 1000
#define CPU 3

struct fixture {
	struct model model;
	struct event_plan plan;
	struct ticks ticks[SAMPLED_EVENTS_MAX];
	struct due_ticks due;
	struct due_events events;
	int fds[2];	/* what is read, and where readings are written */
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || model_init(&f->model) < 0 || pipe(f->fds) < 0)
		return -1;
	f->plan.sampled_count = 1;
	f->plan.sampled[0].is_time = true;
	f->plan.sampled[0].attr.sample_period = PERIOD;
	f->plan.sample_layout.read_format = PERF_FORMAT_LOST;
	f->due.period[0] = PERIOD;
	f->events = (struct due_events){
		.plan = &f->plan, .fds = f->fds, .fd_count = 1, .ticks = f->ticks, .cpu = CPU
	};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	(void)close(f->fds[0]);
	(void)close(f->fds[1]);
	due_ticks_fini(&f->due);
	model_fini(&f->model);
	free(f);
	return 0;
}

static void settle(struct fixture *f, uint64_t count, uint64_t lost)
{
	const uint64_t reading[] = { count, lost };

	assert_int_equal(write(f->fds[1], reading, sizeof(reading)), sizeof(reading));
	assert_int_equal(due_ticks_settle(&f->due, &f->events), 0);
}

/* Returns the count of an outcome; -1 if there is no such row. */
static int64_t outcome(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->model.ticks.rows.count; i++) {
		const struct tick_count *row = &f->model.ticks.rows.at[i];

		if (row->event == 0 && row->cpu == CPU &&
		    strcmp(model_string(&f->model, row->outcome), name) == 0)
			return (int64_t)row->count;
	}
	return -1;
}

static void test_the_equation(void **state)
{
	struct fixture *f = *state;

	settle(f, 100 * PERIOD + 999, 3);
	f->ticks[0].seen = 90;
	assert_int_equal(due_ticks_store(&f->due, &f->events, &f->model), 6);
	assert_int_equal(outcome(f, "due"), 100);
	assert_int_equal(outcome(f, "sent"), 90);
	assert_int_equal(outcome(f, "ring-full"), 3);
	assert_int_equal(outcome(f, "ticks"), 93);
	assert_int_equal(outcome(f, "missing"), 7);
}

static void test_more_came_than_was_due(void **state)
{
	struct fixture *f = *state;

	settle(f, 5 * PERIOD, 0);
	f->ticks[0].seen = 6;
	assert_int_equal(due_ticks_store(&f->due, &f->events, &f->model), 0);
	assert_int_equal(outcome(f, "missing"), -1);
}

static void test_the_period_changes(void **state)
{
	struct fixture *f = *state;

	settle(f, 10 * PERIOD + 500, 0);
	f->due.period[0] = 2 * PERIOD;
	settle(f, 30 * PERIOD + 500, 0);
	f->ticks[0].seen = 16;
	assert_int_equal(due_ticks_store(&f->due, &f->events, &f->model), 2);
	assert_int_equal(outcome(f, "due"), 20);
	assert_int_equal(outcome(f, "missing"), 4);
}

static void test_counters_are_read_with_the_event(void **state)
{
	struct fixture *f = *state;
	const uint64_t group[] = { 2, 50 * PERIOD, 1, 777, 0 };
	const int fds[] = { f->fds[0], -1 };

	f->plan.counter_count = 1;
	f->plan.sample_layout.read_format |= PERF_FORMAT_GROUP;
	f->events.fds = fds;
	f->events.fd_count = 2;
	assert_int_equal(write(f->fds[1], group, sizeof(group)), sizeof(group));
	assert_int_equal(due_ticks_settle(&f->due, &f->events), 0);
	(void)due_ticks_store(&f->due, &f->events, &f->model);
	assert_int_equal(outcome(f, "due"), 50);
	assert_int_equal(outcome(f, "ring-full"), 1);
}

/* Some virtual CPUs take no samples while they are idle. Idle time is not made of samples. */
static void test_idle_time_explains(void **state)
{
	struct fixture *f = *state;
	struct cpu_ledger *ledger = ledger_cpu(&f->model.ledger, CPU);

	ledger->end_ns = 100 * PERIOD;
	ledger->last_ns[CPU_TIME_IDLE] = 60 * PERIOD;
	settle(f, 100 * PERIOD, 0);
	f->ticks[0].seen = 30;
	f->ticks[0].seen_idle = 5;
	/* 70 are missing, 61 were due while idle and 5 of them came; one change */
	assert_int_equal(due_ticks_store(&f->due, &f->events, &f->model), 70 - 56 - 1);
	assert_int_equal(outcome(f, "missing"), 70);
}

static void test_each_thread_keeps_a_part_of_a_period(void **state)
{
	struct fixture *f = *state;

	f->events.threads = 4;
	settle(f, 100 * PERIOD, 0);
	f->ticks[0].seen = 90;
	assert_int_equal(due_ticks_store(&f->due, &f->events, &f->model), 5);
}

static void test_what_is_not_known(void **state)
{
	struct fixture *f = *state;
	struct event_spec *spec = &f->plan.sampled[0];

	spec->attr.freq = 1;		/* the kernel chooses the periods */
	settle(f, 100 * PERIOD, 0);
	spec->attr.freq = 0;
	spec->attr.exclude_kernel = 1;	/* the clock also counts kernel mode */
	settle(f, 100 * PERIOD, 0);
	assert_int_equal(due_ticks_store(&f->due, &f->events, &f->model), 0);
	spec->attr.exclude_kernel = 0;
	f->plan.in_kernel = true;
	settle(f, 100 * PERIOD, 0);
	assert_int_equal(due_ticks_store(&f->due, &f->events, &f->model), 0);
	assert_int_equal(f->model.ticks.rows.count, 0);

	/* Another event counts only in the modes that it samples. Its missing ticks are no time. */
	f->plan.in_kernel = false;
	spec->attr.exclude_kernel = 1;
	spec->is_time = false;
	f->due.counts.at[0] = 0;
	while (f->due.due[0] < 100)
		settle(f, 100 * PERIOD, 0);
	assert_int_equal(due_ticks_store(&f->due, &f->events, &f->model), 0);
	assert_int_equal(outcome(f, "missing"), 100);
}

static void test_an_event_that_cannot_be_read(void **state)
{
	struct fixture *f = *state;

	(void)close(f->fds[1]);
	assert_int_equal(due_ticks_settle(&f->due, &f->events), 0);
	assert_int_equal(f->due.due[0], 0);
	f->fds[1] = -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_equation, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_more_came_than_was_due, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_period_changes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_counters_are_read_with_the_event, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_idle_time_explains, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_each_thread_keeps_a_part_of_a_period, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_what_is_not_known, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_an_event_that_cannot_be_read, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
