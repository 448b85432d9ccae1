/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks which changes of amounts per run are more than chance. */
#include "tests/support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyze/run_change.h"
#include "analyze/significance.h"

#define PERIOD 0.001		/* seconds that a sample stands for */
#define BLOCKS 64
#define FUNCTIONS 8

static struct run_amount amount(double seconds, double whole)
{
	return (struct run_amount){ .amount = seconds, .whole = whole, .unit = PERIOD };
}

/* p-value of a function that took @before and @after of runs with the given totals */
static double p_of(double before, double whole_before, double after, double whole_after)
{
	const struct run_amount rows[] = { amount(before, whole_before),
					   amount(after, whole_after) };
	const struct run_amount wholes[] = { amount(whole_before, whole_before),
					     amount(whole_after, whole_after) };
	const struct run_amount rests[] = { run_rest(&wholes[0], &rows[0]),
					    run_rest(&wholes[1], &rows[1]) };

	return run_p(&(struct run_comparison){ rows, rests, 1, 0 });
}

/* Three functions of a second each, one of which becomes twice as slow. */
static void test_slower_function(void **state)
{
	assert_true(p_of(1, 3, 2, 4) < 0.001);
	assert_true(p_of(1, 3, 1, 4) > 0.9);
	assert_true(p_of(2, 4, 1, 3) < 0.001);
	assert_true(p_of(0, 3, 1, 4) < 0.001);
	assert_true(p_of(0, 3, 0, 3) == 1);
}

/* If all functions became slower by the same small factor, it was the machine. */
static void test_slower_machine(void **state)
{
	assert_true(p_of(10, 100, 12.3, 123) > 0.5);
	assert_true(p_of(10, 100, 8.1, 81) > 0.5);
	assert_true(p_of(10, 100, 20, 200) < 0.001);
	/* the same change without a change of the rest */
	assert_true(p_of(10, 100, 14.5, 104.5) < 0.01);
	/* a function that is nearly everything may have been slowed down by the machine */
	assert_true(p_of(99, 100, 125, 126) > 0.01);
	assert_true(p_of(99, 100, 200, 201) < 0.001);
}

/* Two slower functions do not excuse each other. */
static void test_two_functions(void **state)
{
	assert_true(p_of(10, 21, 20, 41) < 0.01);
}

/* Few samples, small parts of the run, and the kernel need a larger change. */
static void test_not_enough(void **state)
{
	struct run_amount rows[] = { amount(1, 10), amount(2, 11) };
	const struct run_comparison alone = { rows, NULL, 1, 0 };

	assert_true(p_of(0.003, 3, 0.009, 3) > 0.05);
	assert_true(p_of(0.05, 100, 0.2, 100) > 0.05);
	assert_true(run_p(&alone) < 0.001);
	rows[0].kernel = 1;
	rows[1].kernel = 2;
	assert_true(run_p(&alone) > 0.01);
}

static void test_limits(void **state)
{
	const struct run_amount rows[] = { amount(10, 100), amount(20, 110) };
	const struct run_comparison by_factor = { rows, NULL, 1.2, 0 };
	const struct run_comparison beyond = { rows, NULL, 1, 12 }, within = { rows, NULL, 1, 4 };

	assert_true(run_p_above(&by_factor) < 0.01 && run_p_below(&by_factor) > 0.99);
	assert_true(run_p_above(&beyond) > 0.5);
	assert_true(run_p_above(&within) < 0.01);
}

/* sqrt of 2000 Poisson counts of 1 ms, 8 % of each second, and 0.3 % of each run of 3 s */
static void test_interval(void **state)
{
	const struct run_amount rows[] = { amount(1, 3), amount(1, 3) };
	double variance = 2000 * 1e-6 + 2 * 0.08 * 0.08 + 2 * 0.009 * 0.009;

	if (!(fabs(run_half_width(rows) - 1.959964 * sqrt(variance)) < 1e-9))
		fail_msg("%g", run_half_width(rows));
}

/* Counts that jump from block to block are less exact than Poisson counts; phases are not. */
static void test_design(void **state)
{
	double clumps[BLOCKS], phases[BLOCKS], wholes[BLOCKS];

	for (size_t i = 0; i < BLOCKS; i++) {
		clumps[i] = i % 2 ? 20 : 0;
		phases[i] = i < BLOCKS / 2 ? 20 : 0;
		wholes[i] = 40;
	}
	assert_true(fabs(run_design(clumps, wholes, BLOCKS, 1) - 20) < 1e-9);
	assert_true(run_design(phases, wholes, BLOCKS, 1) == 1);
	/* a sample that stands for more has a larger variance anyway */
	assert_true(fabs(run_design(clumps, wholes, BLOCKS, 10) - 2) < 1e-9);
}

/* ---- error rate ---- */

static double uniform(void)
{
	return ((double)rand() + 1) / ((double)RAND_MAX + 2);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

/* Makes a run in which the machine and each function differ from the usual by some percent. */
static void make_run(struct run_amount run[static FUNCTIONS], struct run_amount *ret_whole)
{
	double machine = exp(0.06 * normal()), whole = 0;

	for (int i = 0; i < FUNCTIONS; i++) {
		double truth = 0.05 * (i + 1) * machine * exp(0.06 * normal());
		double samples = truth / PERIOD + sqrt(truth / PERIOD) * normal();

		run[i] = amount(PERIOD * fmax(round(samples), 0), 0);
		whole += run[i].amount;
	}
	for (int i = 0; i < FUNCTIONS; i++)
		run[i].whole = whole;
	*ret_whole = amount(whole, whole);
}

static bool accuses(void)
{
	struct run_amount runs[2][FUNCTIONS], wholes[2];
	double ps[FUNCTIONS], adjusted[FUNCTIONS];
	size_t order[FUNCTIONS];

	make_run(runs[0], &wholes[0]);
	make_run(runs[1], &wholes[1]);
	for (int i = 0; i < FUNCTIONS; i++) {
		const struct run_amount rows[] = { runs[0][i], runs[1][i] };
		const struct run_amount rests[] = { run_rest(&wholes[0], &rows[0]),
						    run_rest(&wholes[1], &rows[1]) };

		ps[i] = run_p(&(struct run_comparison){ rows, rests, 1, 0 });
	}
	holm_adjust(ps, order, FUNCTIONS, adjusted);
	for (int i = 0; i < FUNCTIONS; i++)
		if (adjusted[i] < 0.05)
			return true;
	return false;
}

/*
 * Runs of the same program, on a machine that varies as much as a noisy one does. The generator
 * always starts from the same number, so the result is always the same.
 */
static void test_same_program(void **state)
{
	int accusing = 0;

	srand(1);
	for (int i = 0; i < 2000; i++)
		accusing += accuses();
	if (accusing > 100)
		fail_msg("%d of 2000", accusing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slower_function), cmocka_unit_test(test_slower_machine),
		cmocka_unit_test(test_two_functions),	cmocka_unit_test(test_not_enough),
		cmocka_unit_test(test_limits),		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_design),		cmocka_unit_test(test_same_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
