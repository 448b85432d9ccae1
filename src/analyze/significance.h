/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * significance.h - is a change between two recordings more than chance?
 *
 * A ratio is a sum of parts over a sum of wholes: samples of a function over all samples, or its
 * CPU time over the time there was.  The samples behind it are not independent: a program runs in
 * phases, and what was sampled now is likely to be sampled again a moment later.  The binomial
 * formula takes each of them for news and finds changes that are none.  So the unit of observation
 * is a block of time, of which a recording has RATIO_BLOCKS, all threads and CPUs together:
 *
 *	share		p = sum x / sum n, over the blocks' parts x and wholes n
 *	clustered	B / (B - 1) * sum (x - p n)^2 / (sum n)^2, the variance of a ratio of
 *			totals of B blocks (Cochran 1977, 6.3 and 10.3; Kish 1965, 6.3)
 *	binomial	p (1 - p) / samples, with as many equal samples as there were (count.h)
 *	design effect	clustered / binomial, never taken for less than 1 (Kish 1965, 8.2)
 *
 * Blocks are alike, too, where phases last longer than they do.  Therefore clustered is worked out
 * for blocks, for pairs and for fours of neighbours, and the largest is used, with the degrees of
 * freedom of that many blocks or pairs.  In simulated runs no more than 5 % of comparisons showed
 * any change that was none where phases took up to an eightieth of the run on average, and 95 %
 * found one of 2 points in 20,000 samples where they took a 200th (test_significance.c).  Longer
 * phases are beyond this: they are a difference between the recordings, and are shown as one.
 *
 * A change is tested by Student's t with the degrees of freedom of Welch (1947) and Satterthwaite
 * (1946).  Its variance is the larger of two: that of both shares as they are, and that of both
 * as they would be without the change, as a share of nothing has no variance of its own.  Of many
 * tests holm_adjust() bounds the chance that even one of them finds what is not there (Holm 1979).
 *
 * The intervals of one recording (interval.h) answer another question, what share of the time of
 * that very run a function took.  Its phases are what is asked for there, not chance, and only
 * where the ticks fell is; this is binomial.
 *
 * Nothing here allocates, fails or keeps anything.
 */
#ifndef ASSAY_ANALYZE_SIGNIFICANCE_H
#define ASSAY_ANALYZE_SIGNIFICANCE_H

#include <stddef.h>

#define RATIO_BLOCKS 64

struct ratio_series {
	const double *parts;	/* of each block, in the unit of the wholes */
	const double *wholes;
	size_t block_count;	/* blocks in which there was nothing may be among them */
	double samples;		/* how many equal ones the sum of wholes stands for */
};

struct ratio {
	double share;		/* 0 of nothing */
	double samples;
	double clustered;	/* variance; INFINITY with less than two blocks */
	double freedom;		/* its degrees of freedom */
};

struct ratio ratio_of(const struct ratio_series *series);

struct change {
	double value;		/* after - factor * before */
	double variance;	/* INFINITY: nothing is known of it */
	double freedom;
};

/* @factor is 1 for a difference; another one asks how far @after is from that many @before. */
struct change change_of(const struct ratio *before, const struct ratio *after, double factor);

/* How likely chance alone would be as far from @limit, or farther, on either side: in [0, 1]. */
double change_p(const struct change *change, double limit);

/* The same on one side: small where @change is above @limit beyond chance. */
double change_p_above(const struct change *change, double limit);

/* Half the width of the interval around the value that holds the truth with @confidence. */
double change_half_width(const struct change *change, double confidence);

/* Student's distribution: the chance of more than @t, and the @t for which it is @tail (<= 1/2). */
double student_tail(double t, double freedom);
double student_quantile(double tail, double freedom);

/*
 * @ps: of @count tests, by index.  @order: their indices, sorted by p here.  @ret_adjusted: each
 * p with all tests taken into account: what is below 0.05 holds at 5 % for all of them together.
 */
void holm_adjust(const double *ps, size_t *order, size_t count, double *ret_adjusted);

#endif
