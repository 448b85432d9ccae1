/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the text marks figures that were not counted everywhere or not all of the time. */
#include "tests/support/test.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

#include "present/stat.h"

static const struct counter_kind kinds[] = {
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
	{ .type = PERF_TYPE_MAX, .is_time = true },
};
static const char *const names[] = { "page-faults", "elapsed-time" };

/* Checks the sum of three places in one run; @last is the reading of the last place. */
static void assert_shown(struct counter_reading last, const char *expected)
{
	struct counter_reading readings[] = {
		{ .value = 1200, .enabled_ns = 50, .running_ns = 50 },
		{ .absent = true },
		last,
	};
	struct counter_table table = {
		.kinds = kinds, .kind_count = 2, .event_count = 1, .place_count = 1
	};
	struct stat_show show = { .table = &table, .events = names };
	char *shown = NULL;
	size_t size;
	FILE *out = open_memstream(&shown, &size);

	assert_int_equal(counter_table_add(&table, readings, 3, (const double[]){ 1e9 }), 0);
	assert_int_equal(stat_as_text(&show, out), 0);
	(void)fclose(out);
	assert_string_equal(shown, expected);
	free(shown);
	counter_table_fini(&table);
}

static void test_everywhere(void **state)
{
	assert_shown((struct counter_reading){ .value = 34, .enabled_ns = 50, .running_ns = 50 },
		     "       count  event         \n"
		     "       1,234  page-faults   \n"
		     "  1.000000 s  elapsed-time  \n");
}

static void test_failed(void **state)
{
	assert_shown((struct counter_reading){ .failed = true },
		     "       count  event         counted  \n"
		     "       1,200  page-faults   in part  \n"
		     "  1.000000 s  elapsed-time           \n"
		     "in part: the event was not counted everywhere it was requested\n");
}

static void test_scaled(void **state)
{
	assert_shown(
		(struct counter_reading){ .value = 20, .enabled_ns = 50, .running_ns = 25 },
		"       count  event         counted  \n"
		"      ~1,240  page-faults   75.0%    \n"
		"  1.000000 s  elapsed-time           \n"
		"~: estimated for the whole time, because the event was counted only part of the "
		"time\n");
}

static void test_never_its_turn(void **state)
{
	assert_shown(
		(struct counter_reading){ .enabled_ns = 50 },
		"       count  event         counted          \n"
		"      ~1,200  page-faults   50.0% (in part)  \n"
		"  1.000000 s  elapsed-time                   \n"
		"~: estimated for the whole time, because the event was counted only part of the "
		"time\n"
		"in part: the event was not counted everywhere it was requested\n");
}

/* A count is multiplied by the driver's scale and printed in the driver's unit. */
static void test_units(void **state)
{
	static const struct counter_kind joules[] = {
		{ .type = 20, .config = 2, .unit = { "Joules", 0x1p-32 } },
		{ .type = PERF_TYPE_MAX, .is_time = true },
	};
	struct counter_reading reading = { UINT64_C(5) << 31, 10, 10, false, false };
	struct counter_table table = {
		.kinds = joules, .kind_count = 2, .event_count = 1, .place_count = 1
	};
	char figure[STAT_FIGURE_MAX];

	assert_int_equal(counter_table_add(&table, &reading, 1, (const double[]){ 1e9 }), 0);
	stat_figure(counter_table_value(&table, 0, 0, 0)->value, counter_kind_unit(&joules[0]),
		    figure);
	assert_string_equal(figure, "2.500 Joules");
	stat_figure(123456.7, "MiB", figure);
	assert_string_equal(figure, "123457 MiB");
	counter_table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everywhere), cmocka_unit_test(test_failed),
		cmocka_unit_test(test_scaled),	   cmocka_unit_test(test_never_its_turn),
		cmocka_unit_test(test_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
