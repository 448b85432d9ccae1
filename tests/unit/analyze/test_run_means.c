/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks which changes of means over several runs are more than chance. */
#include "tests/support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyze/run_means.h"

#define FUNCTIONS 8
#define RUNS 3

static void assert_near(double have, double want)
{
	if (!(fabs(have - want) < 1e-9))
		fail_msg("%.12g is not %.12g", have, want);
}

/* Welch's t and its degrees of freedom, computed by hand: variances 1 and 4, three runs each. */
static void test_welch(void **state)
{
	const struct run_value runs[] = { { 9, 0 },  { 10, 0 }, { 11, 0 },
					  { 18, 0 }, { 20, 0 }, { 22, 0 } };
	struct run_mean means[2];
	struct change change;

	run_means(runs, (const size_t[]){ 3, 3 }, means);
	change = run_means_change(means, 1, NULL);
	assert_near(change.value, 10);
	assert_near(change.variance, 5.0 / 3);
	assert_near(change.freedom, 25.0 / 9 / (1.0 / 18 + 16.0 / 18));
	change = run_means_change(means, 2, NULL);
	assert_near(change.value, 0);
	assert_near(change.variance, 8.0 / 3);
}

/* Runs that happen to be equal still vary by sampling. */
static void test_floor(void **state)
{
	const struct run_value runs[] = { { 5, 0.3 }, { 5, 0.3 }, { 6, 0.6 }, { 6, 0.6 } };
	struct run_mean means[2];

	run_means(runs, (const size_t[]){ 2, 2 }, means);
	assert_near(run_means_change(means, 1, NULL).variance, 0.45);
}

/* A side of one run varies as the other side does. */
static void test_one_run(void **state)
{
	const struct run_value runs[] = { { 4, 0.1 }, { 9, 0 }, { 10, 0 }, { 11, 0 } };
	struct run_mean means[2];
	struct change change;

	run_means(runs, (const size_t[]){ 1, 3 }, means);
	change = run_means_change(means, 1, NULL);
	assert_near(change.variance, 1 + 1.0 / 3);
	assert_near(change.freedom, 2);
	run_means(runs + 1, (const size_t[]){ 1, 1 }, means);
	assert_true(isinf(run_means_change(means, 1, NULL).variance));
	assert_near(change_p(&(struct change){ 1, INFINITY, 1 }, 0), 1);
}

/* A rest that is known well is a drift; one that is not known, or absent, is hardly any. */
static void test_drift(void **state)
{
	const struct run_mean known[] = { { 10, 1e-9, 2 }, { 11, 1e-9, 2 } };
	const struct run_mean unknown[] = { { 10, 1e6, 2 }, { 11, 1e6, 2 } };
	const struct run_mean absent[] = { { 0, 0, 2 }, { 0, 0, 2 } };
	const struct run_mean slow[] = { { 10, 1e-9, 2 }, { 30, 1e-9, 2 } };

	assert_true(fabs(run_means_drift(known).factor - 1.1) < 1e-4);
	assert_true(fabs(run_means_drift(unknown).factor - 1) < 1e-4);
	assert_near(run_means_drift(absent).factor, 1);
	assert_near(run_means_drift(absent).variance, RUN_DRIFT * RUN_DRIFT);
	assert_near(run_means_drift(slow).factor, 1.25);
}

/* ---- many comparisons ---- */

static double uniform(void)
{
	return (rand() + 0.5) / ((double)RAND_MAX + 1);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Compares three runs with three runs of which function 0 takes @factor of its time. */
static void compare(double factor, bool accused[static FUNCTIONS])
{
	struct run_value runs[FUNCTIONS][2 * RUNS], rests[2 * RUNS];
	double wholes[2 * RUNS] = { 0 }, ps[FUNCTIONS], adjusted[FUNCTIONS];
	struct run_mean means[2], others[2];
	size_t order[FUNCTIONS];

	for (int run = 0; run < 2 * RUNS; run++)
		for (int i = 0; i < FUNCTIONS; i++) {
			double truth = (run < RUNS || i ? 1 : factor) * exp(0.01 * normal());

			runs[i][run] = (struct run_value){ truth + sqrt(1e-4) * normal(), 1e-4 };
			wholes[run] += runs[i][run].value;
		}
	for (int i = 0; i < FUNCTIONS; i++) {
		struct run_drift drift;
		struct change plain, drifted;

		for (int run = 0; run < 2 * RUNS; run++)
			rests[run] = (struct run_value){ wholes[run] - runs[i][run].value,
							 1e-4 * (FUNCTIONS - 1) };
		run_means(runs[i], (const size_t[]){ RUNS, RUNS }, means);
		run_means(rests, (const size_t[]){ RUNS, RUNS }, others);
		drift = run_means_drift(others);
		plain = run_means_change(means, 1, NULL);
		drifted = run_means_change(means, 1, &drift);
		ps[i] = fmax(change_p(&plain, 0), change_p(&drifted, 0));
	}
	holm_adjust(ps, order, FUNCTIONS, adjusted);
	for (int i = 0; i < FUNCTIONS; i++)
		accused[i] = adjusted[i] < 0.05;
}

/*
 * Runs that vary by 1.4 %. The generator always starts from the same number, so the result is
 * always the same.
 */
static void test_power(void **state)
{
	bool accused[FUNCTIONS];
	int chance = 0, found = 0;

	srand(1);
	for (int i = 0; i < 1000; i++) {
		compare(1, accused);
		for (int j = 0; j < FUNCTIONS; j++)
			if (accused[j]) {
				chance++;
				break;
			}
		compare(1.2, accused);
		found += accused[0];
	}
	if (chance > 50 || found < 900)
		fail_msg("%d and %d of 1000", chance, found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_welch),	cmocka_unit_test(test_floor),
		cmocka_unit_test(test_one_run), cmocka_unit_test(test_drift),
		cmocka_unit_test(test_power),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
