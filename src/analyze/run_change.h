/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_change.h - is a change of an amount per run more than chance?
 *
 * An amount is what a row took in a whole run of a command, for example its CPU time. An amount is
 * compared, and not a share, because the shares of all other functions become smaller if one
 * function becomes slower. Two runs of the same program differ for two reasons:
 *
 *	sampling	Only the ticks are seen. A count of ticks varies like a Poisson count. If
 *			the count varies more than that from one block of time to the next (because
 *			the ticks and a loop of the program are in step), it varies from run to run
 *			as much. run_design() measures this. Phases of the program do not count,
 *			because a program that does the same work has the same phases.
 *	the machine	The same work takes a different time in each run: the clock of the CPU,
 *			caches, memory layout and other programs differ. One run does not tell how
 *			much, so the constants below are assumptions. docs/decisions.md has the
 *			measurements on which they are based.
 *
 * A slower machine makes all functions slower, so a row is compared twice: with no change, and with
 * the change of everything else in the run. Its p-value is the larger of the two. The second
 * comparison trusts the rest of the run as far as it was measured. A run that consists of one
 * function has no rest, and so only a large change of this function is more than chance. The rest
 * is never believed to have changed by more than a factor of RUN_MACHINE_MAX because of the
 * machine. Otherwise two slower functions would excuse each other.
 *
 * The functions here never allocate memory, never fail and keep no state.
 */
#ifndef ASSAY_ANALYZE_RUN_CHANGE_H
#define ASSAY_ANALYZE_RUN_CHANGE_H

#include <stddef.h>

/* relative standard deviation of the same work from run to run */
#define RUN_SPREAD 0.08
#define RUN_SPREAD_KERNEL 0.30
/* standard deviation of any row, as a part of the whole run: time moves between functions */
#define RUN_SPREAD_WHOLE 0.003
#define RUN_MACHINE_MAX 1.25

struct run_amount {
	double amount;
	double kernel;		/* the part of the amount that was spent in the kernel */
	double whole;		/* the amount of the whole run */
	/* variance by sampling, divided by the amount: what one sample stands for, times design */
	double unit;
	/* relative variance of the count by which the amount was divided; 0: not divided */
	double relative;
};

/* Returns what is left of @whole without @part. */
struct run_amount run_rest(const struct run_amount *whole, const struct run_amount *part);

/*
 * Returns by how much more a series of blocks varies than Poisson counts do, at least 1. Only
 * differences between neighboring blocks count. @unit is what a sample stands for, in the unit of
 * @parts. Blocks whose whole is 0 are outside of the run.
 */
double run_design(const double *parts, const double *wholes, size_t block_count, double unit);

/*
 * The comparison of after - factor * before with a limit. @rests are everything else in both runs.
 * If @rests is NULL, the amounts are compared only with no change.
 */
struct run_comparison {
	const struct run_amount *rows;	/* before, after */
	const struct run_amount *rests;
	double factor, limit;
};

/*
 * Return p-values: the probability of a change at least as large if there was none beyond the
 * limit; one-sided and two-sided.
 */
double run_p_above(const struct run_comparison *comparison);
double run_p_below(const struct run_comparison *comparison);
double run_p(const struct run_comparison *comparison);

/* Returns half the width of the 95 % interval of after - before. */
double run_half_width(const struct run_amount *rows);

#endif
