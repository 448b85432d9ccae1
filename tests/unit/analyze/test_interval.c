/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/test.h"

#include "analyze/interval.h"

static void assert_interval(uint64_t hits, uint64_t total, double low, double high)
{
	struct interval interval = interval_share(hits, total);

	assert_float_equal(interval.low, low, 0.00006);
	assert_float_equal(interval.high, high, 0.00006);
}

/* Newcombe 1998, Statistics in Medicine 17:857, table I, methods 3 and (few hits) 4. */
static void test_published(void **state)
{
	assert_interval(81, 263, 0.2553, 0.3662);
	assert_interval(15, 148, 0.0624, 0.1605);
	assert_interval(0, 20, 0.0000, 0.2005);
	assert_interval(1, 29, 0.0018, 0.1963);
}

static void test_edges(void **state)
{
	assert_interval(0, 0, 0, 1);
	assert_interval(20, 20, 1 - 0.2005, 1);
	assert_interval(28, 29, 1 - 0.1963, 1 - 0.0018);
	assert_interval(30, 29, interval_share(29, 29).low, 1);
	assert_true(interval_share(UINT64_MAX / 2, UINT64_MAX).low < 0.5);
	assert_true(interval_share(UINT64_MAX / 2, UINT64_MAX).high > 0.4999);
}

/* The interval always holds the observed share and becomes narrower with more samples. */
static void test_shape(void **state)
{
	for (uint64_t total = 1; total < 400; total++)
		for (uint64_t hits = 0; hits <= total; hits++) {
			struct interval few = interval_share(hits, total);
			struct interval many = interval_share(hits * 100, total * 100);
			double share = (double)hits / (double)total;

			assert_true(few.low >= 0 && few.high <= 1);
			assert_true(few.low <= share + 1e-12 && few.high >= share - 1e-12);
			assert_true(many.high - many.low < few.high - few.low);
		}
}

/* The same holds for fractions of a sample, which shares of weight need. */
static void test_parts(void **state)
{
	for (double total = 0.1; total < 50; total *= 1.07)
		for (double share = 0; share <= 1; share += 1.0 / 512) {
			struct interval interval = interval_of(share * total, total);

			assert_true(interval.low >= 0 && interval.high <= 1);
			assert_true(interval.low <= share + 1e-12);
			assert_true(interval.high >= share - 1e-12);
		}
}

static double binomial(uint64_t hits, uint64_t total, double share)
{
	double k = (double)hits, n = (double)total;

	return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) +
		   (n - k) * log1p(-share));
}

static double coverage(double share, uint64_t total)
{
	double covered = 0;

	for (uint64_t hits = 0; hits <= total; hits++) {
		struct interval interval = interval_share(hits, total);

		if (interval.low <= share && share <= interval.high)
			covered += binomial(hits, total, share);
	}
	return covered;
}

/*
 * The coverage is exact, from the sum of the binomial distribution: 95 % on average, and never far
 * below.
 */
static void test_coverage(void **state)
{
	for (uint64_t total = 10; total <= 500; total += 35) {
		double sum = 0;
		int count = 0;

		for (double share = 0.005; share < 0.9999; share += 0.005, count++) {
			double covered = coverage(share, total);

			assert_true(covered > 0.925);
			sum += covered;
		}
		assert_true(sum / count > 0.95 && sum / count < 0.99);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published), cmocka_unit_test(test_edges),
		cmocka_unit_test(test_shape),	  cmocka_unit_test(test_parts),
		cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
