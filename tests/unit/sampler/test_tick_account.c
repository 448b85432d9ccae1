/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounting of ticks that never reached the sampler, without a kernel. */
#include "support/test.h"

#include "sampler/tick_account.h"

#define PERIOD_NS 1000
#define TIMER 0xffff888000001000
#define OTHER 0xffff888000002000

static void fire(struct tick_clock *clock, uint64_t expires_ns)
{
	tick_clock_fired(clock, expires_ns, PERIOD_NS, false);
}

/* The first tick identifies the timer. */
static struct tick_clock known_clock(void)
{
	struct tick_clock clock = { 0 };

	tick_clock_reached(&clock, TIMER, 4000);
	assert_int_equal(clock.timer, TIMER);
	assert_int_equal(tick_clock_skipped(&clock, 1), 0);
	return clock;
}

static void test_skipped(void **state)
{
	struct tick_clock clock = known_clock();

	for (uint64_t k = 1; k <= 10; k++) {
		fire(&clock, 4000 + k * PERIOD_NS);
		if (k % 3 != 0)
			tick_clock_reached(&clock, TIMER, 4000);
	}
	assert_int_equal(tick_clock_skipped(&clock, 8), 3);
	assert_int_equal(clock.overrun + clock.overrun_idle + clock.unseen, 0);
}

/* If the clock is read while it runs, the counters are newer than the clock. */
static void test_never_negative(void **state)
{
	struct tick_clock clock = known_clock();

	fire(&clock, 5000);
	assert_int_equal(tick_clock_skipped(&clock, 3), 0);
}

/* The first tick that is seen may come several periods late. */
static void test_first_is_late(void **state)
{
	struct tick_clock clock = known_clock();

	fire(&clock, 9000);
	assert_int_equal(clock.overrun, 4);
}

static void test_overrun(void **state)
{
	struct tick_clock clock = known_clock();

	fire(&clock, 5000);
	fire(&clock, 6000);
	fire(&clock, 10000);
	assert_int_equal(clock.overrun, 3);
	tick_clock_fired(&clock, 11000, PERIOD_NS, true);
	tick_clock_fired(&clock, 18000, PERIOD_NS, false);
	fire(&clock, 20000);
	assert_int_equal(clock.overrun_idle, 6);
	assert_int_equal(clock.overrun, 4);
	assert_int_equal(clock.fired, 7);
}

/* The timer was disabled and enabled, or has another period. No tick was due in between. */
static void test_started_anew(void **state)
{
	struct tick_clock clock = known_clock();

	fire(&clock, 5000);
	fire(&clock, 99001);
	tick_clock_fired(&clock, 99551, 500, false);
	tick_clock_fired(&clock, 100051, 500, false);
	tick_clock_fired(&clock, 101051, 500, false);
	assert_int_equal(clock.overrun, 1);
	tick_clock_fired(&clock, 50, 50, false);
	assert_int_equal(clock.overrun, 1);
}

static void test_period_not_known(void **state)
{
	struct tick_clock clock = known_clock();

	tick_clock_fired(&clock, 5000, 0, false);
	tick_clock_fired(&clock, 15000, 0, false);
	assert_int_equal(clock.overrun, 0);
	assert_int_equal(clock.fired, 3);
}

static void test_idle_left_out(void **state)
{
	struct tick_clock clock = known_clock();

	fire(&clock, 5000);
	clock.left_out++;
	fire(&clock, 6000);
	assert_int_equal(tick_clock_skipped(&clock, 1), 1);
	assert_int_equal(tick_clock_skipped(&clock, 2), 0);
}

/*
 * In the idle task, where some virtual CPUs do not run the sampler, a missing tick is not a loss.
 */
static void test_silent_in_idle(void **state)
{
	struct tick_clock clock = known_clock();

	tick_clock_fired(&clock, 5000, 1000, true);
	assert_int_equal(tick_clock_skipped(&clock, 1), 0);
	tick_clock_fired(&clock, 6000, 1000, true);
	tick_clock_reached(&clock, clock.timer, 6000);
	tick_clock_fired(&clock, 7000, 1000, false);
	assert_int_equal(clock.silent, 1);
	assert_int_equal(tick_clock_skipped(&clock, 2), 1);
}

/* One expiry was not seen, and another timer is in its place. No tick is lost or invented. */
static void test_unseen_expiry(void **state)
{
	struct tick_clock clock = known_clock();

	fire(&clock, 5000);
	tick_clock_reached(&clock, TIMER, 4000);
	tick_clock_reached(&clock, OTHER, 4000);
	fire(&clock, 7000);
	tick_clock_reached(&clock, TIMER, 4000);
	assert_int_equal(clock.timer, TIMER);
	assert_int_equal(clock.overrun, 0);
	assert_int_equal(clock.unseen, 1);
	assert_int_equal(tick_clock_skipped(&clock, 4), 0);
}

/* The CPU went offline and came back with another event. */
static void test_new_timer(void **state)
{
	struct tick_clock clock = known_clock();

	tick_clock_reached(&clock, OTHER, 4000);
	assert_int_equal(clock.timer, TIMER);
	tick_clock_reached(&clock, OTHER, 4000);
	assert_int_equal(clock.timer, OTHER);
	assert_int_equal(tick_clock_skipped(&clock, 3), 0);
}

static uint64_t outcome(const struct wire_counters *counters, const struct missed_ticks *missed,
			const char *name)
{
	struct tick_outcome outcomes[TICK_OUTCOMES_MAX];
	size_t count = tick_account_list(counters, missed, outcomes);

	for (size_t i = 0; i < count; i++)
		if (strcmp(outcomes[i].name, name) == 0)
			return outcomes[i].count;
	fail_msg("no outcome '%s'", name);
	return 0;
}

static void test_lists_what_became_of_ticks(void **state)
{
	struct wire_counters counters = { .ticks = 90 };
	struct missed_ticks missed = {
		.is_known = true, .skipped = 5, .left_out = 1, .overrun = 2, .overrun_idle = 3
	};

	counters.reasons[WIRE_END_SENT] = 80;
	counters.reasons[WIRE_END_IDLE] = 10;
	assert_int_equal(outcome(&counters, &missed, "due"), 101);
	assert_int_equal(outcome(&counters, &missed, "ticks"), 90);
	assert_int_equal(outcome(&counters, &missed, "sent"), 80);
	assert_int_equal(outcome(&counters, &missed, "idle"), 10);
	assert_int_equal(outcome(&counters, &missed, "skipped"), 5);
	assert_int_equal(outcome(&counters, &missed, "left-out"), 1);
	assert_int_equal(outcome(&counters, &missed, "silent"), 0);
	assert_int_equal(outcome(&counters, &missed, "overrun"), 2);
	assert_int_equal(outcome(&counters, &missed, "overrun-idle"), 3);
	missed = (struct missed_ticks){ 0 };
	assert_int_equal(outcome(&counters, &missed, "due"), 0);
}

static void test_counts_replace_each_other(void **state)
{
	struct model model;

	assert_int_equal(model_init(&model), 0);
	model_tick_set(&model, 0, 1, "skipped", 0);
	assert_int_equal(model.ticks.rows.count, 0);
	model_tick_set(&model, 0, 1, "skipped", 3);
	model_tick_set(&model, 0, 2, "skipped", 4);
	model_tick_set(&model, 0, 1, "sent", 5);
	model_tick_set(&model, 0, 1, "skipped", 0);
	assert_int_equal(model.ticks.rows.count, 3);
	assert_int_equal(model.ticks.rows.at[0].count, 0);
	assert_int_equal(model.ticks.rows.at[1].count, 4);
	assert_string_equal(model_string(&model, model.ticks.rows.at[2].outcome), "sent");
	model_fini(&model);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_skipped),
		cmocka_unit_test(test_never_negative),
		cmocka_unit_test(test_first_is_late),
		cmocka_unit_test(test_overrun),
		cmocka_unit_test(test_started_anew),
		cmocka_unit_test(test_period_not_known),
		cmocka_unit_test(test_idle_left_out),
		cmocka_unit_test(test_silent_in_idle),
		cmocka_unit_test(test_unseen_expiry),
		cmocka_unit_test(test_new_timer),
		cmocka_unit_test(test_lists_what_became_of_ticks),
		cmocka_unit_test(test_counts_replace_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
