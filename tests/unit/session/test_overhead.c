/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sampling rate that stays within a limit, before the start and from second to second. */
#include "support/test.h"

#include "base/clock.h"
#include "session/overhead.h"

#define CPUS 4

static struct overhead one_percent(uint64_t asked_hz)
{
	return (struct overhead){
		.limit = 0.01,
		.interrupt_ns = 10000,
		.cpu_count = CPUS,
		.asked_hz = asked_hz,
	};
}

/* Advances by one second, in which the collector has used @permille more of all CPUs. */
static bool step(struct overhead *overhead, uint64_t permille)
{
	return overhead_step(overhead, overhead->last_ns + NS_PER_SEC,
			     overhead->last_cpu_ns + permille * CPUS * NS_PER_MSEC);
}

static void test_begin(void **state)
{
	struct overhead overhead = one_percent(10000);

	assert_int_equal(overhead_begin(&overhead), 1000);
	overhead = one_percent(999);
	assert_int_equal(overhead_begin(&overhead), 999);
	overhead = one_percent(10000);
	overhead.interrupt_ns = 0;		/* unknown, so only the collector is counted */
	assert_int_equal(overhead_begin(&overhead), 10000);
	overhead.interrupt_ns = 100000000;
	assert_int_equal(overhead_begin(&overhead), OVERHEAD_RATE_MIN_HZ);
	overhead = one_percent(3);
	overhead.interrupt_ns = 100000000;
	assert_int_equal(overhead_begin(&overhead), 3);
}

static void test_falls_with_the_collector(void **state)
{
	struct overhead overhead = one_percent(800);

	assert_int_equal(overhead_begin(&overhead), 800);
	overhead_start(&overhead, 5 * NS_PER_SEC, 123);
	assert_false(step(&overhead, 2));	/* 0.8 % + 0.2 % */
	assert_float_equal(overhead.collector, 0.002, 1e-9);
	assert_true(step(&overhead, 8));	/* 1.6 % */
	assert_int_equal(overhead.rate_hz, 450);
	assert_false(step(&overhead, 5));	/* 0.45 % + 0.5 %: more than the target */
	assert_float_equal(overhead.collector, 0.005, 1e-9);
	assert_true(step(&overhead, 6));
	assert_int_equal(overhead.rate_hz, 385);
}

static void test_rises_by_a_quarter_or_not_at_all(void **state)
{
	struct overhead overhead = one_percent(900);

	(void)overhead_begin(&overhead);
	overhead_start(&overhead, 0, 0);
	assert_true(step(&overhead, 9));	/* 1.8 % */
	assert_int_equal(overhead.rate_hz, 450);
	assert_false(step(&overhead, 4));	/* 0.85 %: 529 Hz would meet the target */
	assert_true(step(&overhead, 1));	/* 0.55 %: 818 Hz */
	assert_int_equal(overhead.rate_hz, 818);
	/* 900 Hz would fit, but that is less than a quarter more */
	assert_false(step(&overhead, 0));
	assert_true(step(&overhead, 40));
	assert_true(step(&overhead, 0));
	assert_int_equal(overhead.rate_hz, 900);	/* the requested rate, not 1000 */
}

static void test_once_a_second(void **state)
{
	struct overhead overhead = one_percent(1000);

	(void)overhead_begin(&overhead);
	overhead_start(&overhead, NS_PER_SEC, 0);
	assert_false(overhead_step(&overhead, NS_PER_SEC + OVERHEAD_STEP_NS - 1, NS_PER_SEC));
	assert_false(overhead_step(&overhead, 0, NS_PER_SEC));
	assert_int_equal(overhead.last_ns, NS_PER_SEC);
	/* over two seconds */
	assert_true(overhead_step(&overhead, 3 * NS_PER_SEC, NS_PER_SEC));
	assert_float_equal(overhead.collector, 0.125, 1e-9);
}

static void test_never_below_the_least(void **state)
{
	struct overhead overhead = one_percent(1000);

	(void)overhead_begin(&overhead);
	overhead_start(&overhead, 0, 0);
	for (int i = 0; i < 20; i++)
		(void)step(&overhead, 200);
	assert_int_equal(overhead.rate_hz, OVERHEAD_RATE_MIN_HZ);
	assert_true(overhead.collector > overhead.limit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_falls_with_the_collector),
		cmocka_unit_test(test_rises_by_a_quarter_or_not_at_all),
		cmocka_unit_test(test_once_a_second),
		cmocka_unit_test(test_never_below_the_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
