/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A clock event whose period changes while it samples: the weight of its samples, live. */
#include "support/test.h"

#include <sched.h>

#include "base/clock.h"
#include "capture/sources.h"

#define BEFORE_HZ 1000
#define AFTER_HZ 250

struct weights {
	size_t before, after, wrong;
};

static void spin_ms(uint64_t ms)
{
	uint64_t end_ns = clock_monotonic_ns() + ms * NS_PER_MSEC;

	while (clock_monotonic_ns() < end_ns)
		;
}

static struct weights take(const struct event_plan *plan, struct source *source, uint64_t change_ns)
{
	struct merge merge = { VEC_INIT };
	struct weights weights = { 0 };
	const struct intake_event event = event_plan_intake_event(plan, 0);
	struct stream *stream;

	assert_int_equal(merge_add(&merge, &source->samples), 0);
	for (; (stream = merge_first(&merge)) != NULL; merge_advance(&merge)) {
		const struct perf_record *record = &stream->record;
		bool is_later = record->time_ns >= change_ns;
		uint64_t wanted = NS_PER_SEC / (is_later ? AFTER_HZ : BEFORE_HZ);

		if (record->kind != RECORD_SAMPLE)
			continue;
		weights.wrong += intake_weight(&event, &source->ticks[0], record) != wanted;
		(void)ticks_late(&source->ticks[0], record->time_ns);
		weights.wrong += source->ticks[0].period_ns != wanted;
		weights.before += !is_later;
		weights.after += is_later;
	}
	merge_end(&merge);
	merge_fini(&merge);
	return weights;
}

/* Opens a source on the CPU that the test runs on, because an idle CPU may give no samples. */
static void open_source(const char *events, struct event_plan *plan, struct u64map *ids,
			struct source **ret_source)
{
	const struct capture_options options = {
		.target = TARGET_SYSTEM,
		.events = events,
		.frequency_hz = BEFORE_HZ,
	};
	struct err err = { 0 };
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	(void)sched_setaffinity(0, sizeof(first), &first);

	if (event_plan_make(plan, &options, &err) < 0 ||
	    source_open(plan, 0, ids, ret_source, &err) < 0) {
		print_message("%s\n", err.text);
		skip();
	}
}

static void test_weights_follow_the_period(void **state)
{
	struct event_plan plan;
	struct u64map ids = { 0 };
	struct source *source = NULL;
	struct weights weights;
	uint64_t change_ns;

	open_source("cpu-clock", &plan, &ids, &source);
	assert_true(event_plan_has_rate(&plan, 0));
	assert_int_equal(source_enable(source), 0);
	spin_ms(50);
	assert_int_equal(source_set_rate(source, &plan, AFTER_HZ), 0);
	change_ns = source->ticks[0].next_from_ns;
	spin_ms(200);
	source_disable(source);
	weights = take(&plan, source, change_ns);
	assert_int_equal(weights.wrong, 0);
	assert_true(weights.before && weights.after);
	source_free(source);
	u64map_fini(&ids);
	event_plan_fini(&plan);
}

/* If an event has no rate, the period in the record counts. */
static void test_others_keep_their_period(void **state)
{
	struct perf_record record = { .time_ns = 1, .sample.period = 77 };
	struct event_plan plan = { 0 };
	struct u64map ids = { 0 };
	struct source *source = NULL;
	struct intake_event events[2];

	open_source("page-faults,cpu-clock", &plan, &ids, &source);
	assert_int_equal(source_set_rate(source, &plan, AFTER_HZ), 0);
	events[0] = event_plan_intake_event(&plan, 0);
	events[1] = event_plan_intake_event(&plan, 1);
	assert_int_equal(intake_weight(&events[0], &source->ticks[0], &record), 77);
	record.time_ns = UINT64_MAX;
	assert_int_equal(intake_weight(&events[1], &source->ticks[1], &record),
			 NS_PER_SEC / AFTER_HZ);
	source_free(source);
	u64map_fini(&ids);
	event_plan_fini(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights_follow_the_period),
		cmocka_unit_test(test_others_keep_their_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
