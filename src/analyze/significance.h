/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * significance.h - is a change between two recordings more than chance?
 *
 * A ratio is a sum of parts over a sum of wholes: samples of a function over all samples, or its
 * CPU time over the available time. The samples of a run are not independent. A program runs in
 * phases, so a function that was sampled now is likely to be sampled again a moment later. The
 * binomial formula treats each sample as independent and therefore reports changes that did not
 * happen. So the unit of observation is a block of time, of all threads and CPUs together. A
 * recording has RATIO_BLOCKS blocks:
 *
 *	share		p = sum x / sum n, over the blocks' parts x and wholes n
 *	clustered	B / (B - 1) * sum (x - p n)^2 / (sum n)^2, the variance of a ratio of
 *			totals of B blocks (Cochran 1977, 6.3 and 10.3; Kish 1965, 6.3)
 *	binomial	p (1 - p) / samples, with the number of equal samples (count.h)
 *	design effect	clustered / binomial, taken as at least 1 (Kish 1965, 8.2)
 *
 * Neighboring blocks are still correlated if phases last longer than a block. The clustered
 * variance is therefore computed for blocks, for pairs and for groups of four neighboring blocks.
 * The largest of the three is used, with the degrees of freedom of that many blocks or pairs. In
 * simulated runs whose phases took up to 1/80 of the run on average, at most 5 % of the comparisons
 * reported any change that did not happen. In runs of 20,000 samples whose phases took 1/200 of the
 * run, 95 % of the comparisons found a change of 2 points (test_significance.c). The method cannot
 * handle longer phases: they are a difference between the recordings, and are reported as one.
 *
 * A change is tested by Student's t with the degrees of freedom of Welch (1947) and Satterthwaite
 * (1946). Its variance is the larger of two: the variance of both shares as measured, and the
 * variance that both shares would have without the change. The second one is needed because a share
 * of 0 has no variance of its own. If there are many tests, holm_adjust() bounds the probability
 * that even one of them reports a change that did not happen (Holm 1979).
 *
 * The intervals of one recording (interval.h) answer another question: what share of the time of
 * this one run did a function take? There the phases are not chance but part of the question. Only
 * the positions of the ticks are chance, and these are binomial.
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
	 * number of samples of equal weight that would be as precise, for all blocks together
	 * (count.h)
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
 * Returns the probability, in [0, 1], that chance alone would produce a value at least as far from
 * @limit, on either side, as @change.
 */
double change_p(const struct change *change, double limit);

/*
 * Like change_p(), but on one side only. The result is small if @change is above @limit by more
 * than chance explains.
 */
double change_p_above(const struct change *change, double limit);

/*
 * Returns half the width of the interval that is centered on the value and contains the true value
 * with probability @confidence.
 */
double change_half_width(const struct change *change, double confidence);

/*
 * Student's t distribution: the probability of more than @t, and the @t with the probability @tail
 * (<= 1/2).
 */
double student_tail(double t, double freedom);
double student_quantile(double tail, double freedom);

/*
 * Corrects @ps, the p-values of @count tests. @order is scratch space for @count indices; on return
 * the indices are sorted by p. @ret_adjusted receives the p-values corrected for the number of
 * tests. If all tests with a corrected value below 0.05 are accepted, the probability that even one
 * of them is wrong is at most 5 %.
 */
void holm_adjust(const double *ps, size_t *order, size_t count, double *ret_adjusted);

#endif
