/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the distributions against known values, and that the test of a change keeps its error
 * rates.
 */
#include "tests/support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/significance.h"

static void assert_near(double have, double want, double by)
{
	if (!(fabs(have - want) <= by))
		fail_msg("%.12g is not within %g of %.12g", have, by, want);
}

/* ---- distributions ---- */

/* With 1 and 2 degrees of freedom the distribution has a closed form. */
static void test_student_closed_forms(void **state)
{
	for (double t = 0; t < 50; t += 0.37) {
		assert_near(student_tail(t, 1), 0.5 - atan(t) / acos(-1), 1e-12);
		assert_near(student_tail(t, 2), 0.5 - t / sqrt(2 + t * t) / 2, 1e-12);
		assert_near(student_tail(-t, 2), 0.5 + t / sqrt(2 + t * t) / 2, 1e-12);
	}
}

/* From published tables; the last value is that of the normal distribution. */
static void test_student_tables(void **state)
{
	assert_near(student_quantile(0.025, 1), 12.7062, 1e-4);
	assert_near(student_quantile(0.025, 30), 2.0423, 1e-4);
	assert_near(student_quantile(0.005, 60), 2.6603, 1e-4);
	assert_near(student_quantile(0.0005, 120), 3.3735, 1e-4);
	assert_near(student_quantile(0.025, 1e6), 1.959966, 1e-5);
	assert_near(student_tail(student_quantile(1e-9, 17), 17), 1e-9, 1e-13);
}

/* Holm 1979: 0.01 * 4, then 0.02 * 3, then 0.03 * 2 (raised to the one before), then 0.9. */
static void test_holm(void **state)
{
	const double ps[] = { 0.9, 0.02, 0.01, 0.03 };
	double adjusted[4];
	size_t order[4];

	holm_adjust(ps, order, 4, adjusted);
	assert_near(adjusted[2], 0.04, 1e-12);
	assert_near(adjusted[1], 0.06, 1e-12);
	assert_near(adjusted[3], 0.06, 1e-12);
	assert_near(adjusted[0], 0.9, 1e-12);
	assert_int_equal(order[0], 2);
}

/* ---- variance ---- */

/* 4 blocks of 10 with 0, 10, 0, 10 hits: (4 / 3) * 4 * 25 / 1600. The pairs are equal. */
static void test_clustered(void **state)
{
	const double parts[] = { 0, 10, 0, 10 }, wholes[] = { 10, 10, 10, 10 };
	const double grouped[] = { 10, 10, 0, 0 };
	struct ratio ratio = ratio_of(&(struct ratio_series){ parts, wholes, 4, 40 });

	assert_near(ratio.share, 0.5, 0);
	assert_near(ratio.clustered, 4.0 / 3 * 100 / 1600, 1e-12);
	assert_near(ratio.freedom, 3, 0);
	/*
	 * Two blocks of 20 with nothing in common: 2 * 2 * 100 / 1600, with one degree of freedom.
	 */
	ratio = ratio_of(&(struct ratio_series){ grouped, wholes, 4, 40 });
	assert_near(ratio.clustered, 2.0 * 200 / 1600, 1e-12);
	assert_near(ratio.freedom, 1, 0);
}

/*
 * The variance is never less than that of chance alone. Evenly spaced hits are not more certain
 * than others.
 */
static void test_floor(void **state)
{
	double parts[64], wholes[64];
	struct change change;
	struct ratio ratio;

	for (int i = 0; i < 64; i++) {
		parts[i] = 5;
		wholes[i] = 10;
	}
	ratio = ratio_of(&(struct ratio_series){ parts, wholes, 64, 640 });
	assert_near(ratio.clustered, 0, 1e-15);
	change = change_of(&ratio, &ratio, 1);
	assert_near(change.variance, 2 * 0.25 / 640, 1e-12);
	assert_near(change_p(&change, 0), 1, 1e-12);
}

/*
 * 50 hits of 10,000 against 0 of 1,000, where 5 are expected: not significant, because 0 hits have
 * a variance, too.
 */
static void test_nothing_has_a_variance(void **state)
{
	double few[50], none[50] = { 0 }, many[50], some[50];
	struct ratio before, after;
	struct change change;

	for (int i = 0; i < 50; i++) {
		few[i] = 1;
		many[i] = 200;
		some[i] = 20;
	}
	before = ratio_of(&(struct ratio_series){ few, many, 50, 10000 });
	after = ratio_of(&(struct ratio_series){ none, some, 50, 1000 });
	change = change_of(&before, &after, 1);
	assert_true(change_p(&change, 0) > 0.01 && change_p(&change, 0) < 0.05);
}

static void test_unknown(void **state)
{
	const double part = 10, whole = 100;
	struct ratio one = ratio_of(&(struct ratio_series){ &part, &whole, 1, 100 });
	struct change change = change_of(&one, &one, 1);

	assert_near(change_p(&change, 0), 1, 0);
	assert_near(change_p_above(&change, -1), 1, 0);
	assert_true(isinf(change_half_width(&change, 0.95)));
	one = ratio_of(&(struct ratio_series){ &part, &whole, 0, 0 });
	change = change_of(&one, &one, 1);
	assert_near(change_p(&change, 0), 1, 0);
}

/* ---- error rates ---- */

/*
 * A program of 60 functions and 4 kinds of phases, which differ in the functions they call. Phases
 * have the given average number of samples and follow each other at random.
 */
#define FUNCTIONS 60
#define KINDS 4
#define PLANTED 9

struct program {
	double shares[KINDS][FUNCTIONS];
	double phase_samples;
	double planted;		/* share of samples that go to PLANTED instead */
	uint64_t seed;
};

struct run {
	double parts[FUNCTIONS][RATIO_BLOCKS], wholes[RATIO_BLOCKS];
	double samples[FUNCTIONS];
	struct ratio ratios[FUNCTIONS];
};

/* SplitMix64 */
static double uniform(uint64_t *seed)
{
	uint64_t bits = *seed += UINT64_C(0x9e3779b97f4a7c15);

	bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((bits ^ bits >> 31) >> 11) * 0x1p-53;
}

static void make_program(struct program *program)
{
	for (int kind = 0; kind < KINDS; kind++) {
		double sum = 0;

		for (int i = 0; i < FUNCTIONS; i++) {
			program->shares[kind][i] = (i % KINDS == kind ? 3.0 : 0.5) / (i + 1);
			sum += program->shares[kind][i];
		}
		for (int i = 0; i < FUNCTIONS; i++)
			program->shares[kind][i] /= sum;
	}
}

static int draw(struct program *program, int kind)
{
	double at = uniform(&program->seed);
	int i = 0;

	if (uniform(&program->seed) < program->planted)
		return PLANTED;
	while (i + 1 < FUNCTIONS && at >= program->shares[kind][i])
		at -= program->shares[kind][i++];
	return i;
}

static void sample(struct program *program, int count, struct run *run)
{
	double left = 0;
	int kind = 0;

	memset(run, 0, sizeof(*run));
	for (int i = 0; i < count; i++, left--) {
		int block = i * RATIO_BLOCKS / count, function;

		if (left <= 0) {
			kind = (int)(uniform(&program->seed) * KINDS);
			left = -program->phase_samples * log1p(-uniform(&program->seed));
		}
		function = draw(program, kind);
		run->parts[function][block]++;
		run->wholes[block]++;
		run->samples[function]++;
	}
	for (int i = 0; i < FUNCTIONS; i++)
		run->ratios[i] = ratio_of(
			&(struct ratio_series){ run->parts[i], run->wholes, RATIO_BLOCKS, count });
}

/*
 * Compares as analyze/diff.c does. Returns whether any change is significant; @ret_planted returns
 * whether that of PLANTED is.
 */
static bool compare(const struct run *before, const struct run *after, bool *ret_planted)
{
	double ps[FUNCTIONS], adjusted[FUNCTIONS];
	size_t order[FUNCTIONS], count = 0;
	int functions[FUNCTIONS];
	bool any = false;

	*ret_planted = false;
	for (int i = 0; i < FUNCTIONS; i++) {
		struct change change = change_of(&before->ratios[i], &after->ratios[i], 1);

		if (before->samples[i] + after->samples[i] < 10)
			continue;
		functions[count] = i;
		ps[count++] = change_p(&change, 0);
	}
	holm_adjust(ps, order, count, adjusted);
	for (size_t i = 0; i < count; i++) {
		any = any || adjusted[i] < 0.05;
		*ret_planted = *ret_planted || (functions[i] == PLANTED && adjusted[i] < 0.05);
	}
	return any;
}

struct outcome {
	int any, planted;	/* numbers of comparisons */
};

static struct outcome simulate(int comparisons, int samples, double phase_samples, double planted)
{
	struct program program = { .phase_samples = phase_samples };
	static struct run before, after;
	struct outcome outcome = { 0 };

	make_program(&program);
	for (int i = 0; i < comparisons; i++) {
		bool found;

		program.seed = (uint64_t)i * 7919 + 1;
		program.planted = 0;
		sample(&program, samples, &before);
		program.planted = planted;
		sample(&program, samples, &after);
		outcome.any += compare(&before, &after, &found);
		outcome.planted += found;
	}
	print_message("phases of %g samples, %d comparisons of 2 x %d samples: %.1f %% with any "
		      "change, %.1f %% with the planted one\n",
		      phase_samples, comparisons, samples, 100.0 * outcome.any / comparisons,
		      100.0 * outcome.planted / comparisons);
	return outcome;
}

/*
 * Compares two halves of one run of 20,000 samples. Phases range from none to an eightieth of a
 * half.
 */
static void test_false_changes(void **state)
{
	assert_in_range(simulate(600, 10000, 1, 0).any, 0, 30);
	assert_in_range(simulate(600, 10000, 20, 0).any, 0, 30);
	assert_in_range(simulate(600, 10000, 100, 0).any, 0, 30);
	assert_in_range(simulate(600, 10000, 125, 0).any, 0, 30);
}

static void test_planted_changes(void **state)
{
	assert_in_range(simulate(300, 20000, 1, 0.02).planted, 285, 300);
	assert_in_range(simulate(300, 20000, 20, 0.02).planted, 285, 300);
	assert_in_range(simulate(300, 20000, 100, 0.02).planted, 285, 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student_closed_forms),
		cmocka_unit_test(test_student_tables),
		cmocka_unit_test(test_holm),
		cmocka_unit_test(test_clustered),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_nothing_has_a_variance),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_false_changes),
		cmocka_unit_test(test_planted_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
