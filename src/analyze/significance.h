/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * significance.h - is a change between two recordings more than chance?
 *
 * A ratio is a sum of parts divided by a sum of wholes: for example, the samples of a function
 * divided by all samples, or the function's CPU time divided by the available time. The samples of
 * a run are not independent. A program runs in phases, so a function that was sampled now is likely
 * to be sampled again a moment later. The binomial formula treats the samples as independent, and
 * therefore reports changes that did not happen. So the unit of observation is not a sample, but a
 * block of time that contains the samples of all threads and CPUs. Each recording is divided into
 * RATIO_BLOCKS blocks:
 *
 *	share		p = sum x / sum n, over the blocks' parts x and wholes n
 *	clustered	B / (B - 1) * sum (x - p n)^2 / (sum n)^2, the variance of a ratio of
 *			totals of B blocks (Cochran 1977, 6.3 and 10.3; Kish 1965, 6.3)
 *	binomial	p (1 - p) / samples, with the number of equal samples (count.h)
 *	design effect	clustered / binomial, taken as at least 1 (Kish 1965, 8.2)
 *
 * Neighboring blocks are still correlated if phases last longer than a block. The clustered
 * variance is therefore computed for blocks, for pairs and for groups of four neighboring blocks.
 * The largest of the three variances is used. Its degrees of freedom are the number of blocks minus
 * 1, or the number of pairs minus 1 for both pairs and groups of four. The method was tested with
 * simulated runs (test_significance.c). If phases took up to 1/80 of the run on average, at most 5
 * % of the comparisons reported any change that did not happen. In runs of 20,000 samples whose
 * phases took 1/200 of the run, 95 % of the comparisons found a change of 2 points. The method
 * cannot handle longer phases: they make the recordings differ, and this difference is reported as
 * a change.
 *
 * A change is tested by Student's t with the degrees of freedom of Welch (1947) and Satterthwaite
 * (1946). The variance of a change is the larger of two estimates: one from the two measured
 * shares, and one from the share that both recordings would have if nothing had changed. The second
 * estimate is needed because a measured share of 0 has a variance of 0. If there are many tests,
 * holm_adjust() limits the probability that even one of them reports a change that did not happen
 * (Holm 1979).
 *
 * The intervals of one recording (interval.h) answer another question: what share of the time of
 * this one run did a function take? For this question the phases are given and not chance. Only the
 * positions of the ticks are chance, and their effect on the share is binomial.
 *
 * The functions here never allocate memory, never fail and keep no state.
 */
#ifndef ASSAY_ANALYZE_SIGNIFICANCE_H
#define ASSAY_ANALYZE_SIGNIFICANCE_H

#include <stddef.h>

#define RATIO_BLOCKS 64

struct ratio_series {
	const double *parts;	/* the part of each block, in the same unit as the wholes */
	const double *wholes;
	size_t block_count;	/* empty blocks are allowed */
	/*
	 * number of samples in all blocks together. If the samples have different weights: number
	 * of samples of equal weight that would be as precise (count.h).
	 */
	double samples;
};

struct ratio {
	double share;		/* 0 if the whole is empty */
	double samples;
	double clustered;	/* the clustered variance; INFINITY with fewer than two blocks */
	double freedom;		/* degrees of freedom of the variance */
};

struct ratio ratio_of(const struct ratio_series *series);

struct change {
	double value;		/* after - factor * before */
	double variance;	/* INFINITY: unknown */
	double freedom;
};

/* Returns @after - @factor * @before with its variance. A @factor of 1 gives the difference. */
struct change change_of(const struct ratio *before, const struct ratio *after, double factor);

/*
 * Returns the two-sided p-value, in [0, 1]: the probability of measuring a value at least as far
 * from @limit as that of @change if the true value were @limit.
 */
double change_p(const struct change *change, double limit);

/*
 * Returns the one-sided p-value: the probability of measuring a value at least as large as that of
 * @change if the true value were @limit. So the result is small if @change is above @limit by more
 * than chance explains.
 */
double change_p_above(const struct change *change, double limit);

/*
 * Returns half the width of the interval that is centered on the value and contains the true value
 * with probability @confidence.
 */
double change_half_width(const struct change *change, double confidence);

/*
 * Student's t distribution. student_tail() returns the probability of a value above @t.
 * student_quantile() returns the t for which this probability is @tail (at most 1/2).
 */
double student_tail(double t, double freedom);
double student_quantile(double tail, double freedom);

/*
 * Corrects @ps, the p-values of @count tests. @order is scratch space for @count indices; on return
 * the indices are sorted by p. Writes to @ret_adjusted the p-values corrected for the number of
 * tests. If all tests with a corrected p-value below 0.05 are reported as significant, the
 * probability of even one false report is at most 5 %.
 */
void holm_adjust(const double *ps, size_t *order, size_t count, double *ret_adjusted);

#endif
