/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Totals of spans: histograms, sums, and how many are slow. */
#include "support/test.h"

#include <math.h>

#include "model/model.h"

static struct span_total total_of(const struct span_bucket *buckets, size_t count)
{
	struct span_total total = { 0 };

	for (size_t i = 0; i < count; i++) {
		assert_int_equal(span_total_add_bucket(&total, &buckets[i]), 0);
		total.count += buckets[i].count;
	}
	return total;
}

static void events_have_names_and_kinds(void **state)
{
	struct model model;
	uint32_t call, joined;

	assert_int_equal(model_init(&model), 0);
	call = span_event_add(&model, SPAN_FUNCTION, "libc:malloc");
	joined = span_event_add(&model, SPAN_JOINED, "block-io");
	assert_int_equal(joined, call + 1);
	assert_string_equal(model_string(&model, model.events.at[call].name), "span:libc:malloc");
	assert_string_equal(span_event_name(&model, call), "libc:malloc");
	assert_true(event_is_call(&model.events.at[call]));
	assert_true(event_is_span(&model.events.at[joined]));
	assert_false(event_is_call(&model.events.at[joined]));
	assert_null(span_event_name(&model, joined + 1));
	model.events.at[call].type = 1;
	assert_null(span_event_name(&model, call));
	model_fini(&model);
}

static void a_model_has_room_for_256_events(void **state)
{
	struct model model;

	assert_int_equal(model_init(&model), 0);
	while (model.events.count < 256)
		assert_int_not_equal(span_event_add(&model, SPAN_FUNCTION, "f"), SPAN_NO_EVENT);
	assert_int_equal(span_event_add(&model, SPAN_FUNCTION, "f"), SPAN_NO_EVENT);
	assert_int_equal(model.events.count, 256);
	model_fini(&model);
}

static void buckets_stay_in_order(void **state)
{
	static const struct span_bucket buckets[] = {
		{ 64, 72, 5 },
		{ 8, 9, 1 },
		{ 16, 18, 2 },
		{ 64, 72, 3 },
	};
	struct span_total total = total_of(buckets, 4);

	assert_int_equal(total.buckets.count, 3);
	assert_int_equal(total.buckets.at[0].from_ns, 8);
	assert_int_equal(total.buckets.at[1].from_ns, 16);
	assert_int_equal(total.buckets.at[2].from_ns, 64);
	assert_int_equal(total.buckets.at[2].count, 8);
	span_total_fini(&total);
}

static void runs_add_up(void **state)
{
	static const struct span_bucket first[] = { { 8, 9, 4 } }, second[] = { { 16, 18, 6 } };
	struct span_total sum = { 0 };
	struct span_total runs[] = { total_of(first, 1), total_of(second, 1) };

	runs[0].ns = 33, runs[0].least_ns = 8, runs[0].most_ns = 9, runs[0].slow_ns = 9;
	runs[1].ns = 100, runs[1].least_ns = 16, runs[1].most_ns = 17, runs[1].slow_ns = 17;
	runs[0].open = 2, runs[1].unsent = 3;
	for (int i = 0; i < 2; i++)
		assert_int_equal(span_total_add(&sum, &runs[i]), 0);
	assert_int_equal(sum.count, 10);
	assert_int_equal(sum.ns, 133);
	assert_int_equal(sum.least_ns, 8);
	assert_int_equal(sum.most_ns, 17);
	assert_int_equal(sum.slow_ns, 17);
	assert_int_equal(sum.open, 2);
	assert_int_equal(sum.unsent, 3);
	assert_int_equal(sum.buckets.count, 2);
	/* a run without spans says nothing about the least */
	assert_int_equal(span_total_add(&sum, &(struct span_total){ 0 }), 0);
	assert_int_equal(sum.least_ns, 8);
	for (int i = 0; i < 2; i++)
		span_total_fini(&runs[i]);
	span_total_fini(&sum);
}

static void slow_spans_are_counted(void **state)
{
	static const struct span_bucket buckets[] = { { 100, 200, 7 },
						      { 200, 300, 4 },
						      { 1000, 1100, 1 } };
	struct span_total total = total_of(buckets, 3);

	assert_true(span_total_slow(&total) == 0);
	total.slow_ns = 200;
	assert_true(fabs(span_total_slow(&total) - 5) < 1e-9);
	total.slow_ns = 250;
	assert_true(fabs(span_total_slow(&total) - 3) < 1e-9);
	/* the durations in buckets lack the probes, the limit has them */
	total.inside_ns = 50;
	assert_true(fabs(span_total_slow(&total) - 5) < 1e-9);
	total.slow_ns = 5000;
	assert_true(span_total_slow(&total) == 0);
	total.slow_ns = 10;
	assert_true(fabs(span_total_slow(&total) - 12) < 1e-9);
	span_total_fini(&total);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_have_names_and_kinds),
		cmocka_unit_test(a_model_has_room_for_256_events),
		cmocka_unit_test(buckets_stay_in_order),
		cmocka_unit_test(runs_add_up),
		cmocka_unit_test(slow_spans_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
