/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - what changed from one recording to another
 *
 *	struct diff_side sides[2] = { { recording, &model, &filter }, ... };	before, after
 *	diff_make(sides, &options, &diff, &err);
 *
 * Each row is one function, image, ... or one whole path of functions, matched by names
 * (diff_names.h), with its value before and after:
 *
 *	DIFF_PER_SAMPLE	its share of the samples (of the weight, where count.h says so)
 *	DIFF_PER_WALL	its CPU time for each second of wall clock: 1 is one CPU all the time
 *
 * Idle time is left out unless the filter or a dimension asks for contexts.  Whether a change is
 * more than chance: significance.h.  All rows of at least INTERVAL_FEW samples on both sides
 * together are tested, and Holm's correction is over all of them; the smaller ones are tested
 * together, as one row.  The 95 % interval of a row is for that row alone, so that it may leave out
 * 0 where the row is within noise: one in twenty does by chance.
 *
 * Memory: RATIO_BLOCKS numbers for each tested row, beside the hits of one recording at a time.
 */
#ifndef ASSAY_ANALYZE_DIFF_H
#define ASSAY_ANALYZE_DIFF_H

#include "analyze/diff_condition.h"
#include "analyze/diff_names.h"
#include "analyze/group.h"
#include "analyze/significance.h"
#include "store/recording.h"

#define DIFF_ALPHA 0.05		/* the chance of any false change in a comparison */

enum diff_which { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };
enum diff_per { DIFF_PER_SAMPLE, DIFF_PER_WALL };
enum diff_verdict { DIFF_SIGNIFICANT, DIFF_WITHIN_NOISE };

struct diff_side {
	struct recording *recording;	/* loaded into the model */
	struct model *model;
	const struct filter *filter;	/* NULL: everything */
};

struct diff_options {
	enum dimension by[GROUP_KEYS_MAX];
	size_t by_count;
	bool by_stack;			/* whole paths instead of dimensions */
	bool inlined;			/* functions and paths with what was inlined: by name, so
					   that it is no change whether something is */
	enum diff_per per;
	const struct diff_condition *conditions;
	size_t condition_count;		/* at most DIFF_CONDITIONS_MAX */
};

/* Something's value on both sides and what is to be thought of the change. */
struct diff_figures {
	uint64_t samples[DIFF_SIDES];
	struct ratio ratios[DIFF_SIDES];
	struct change change;		/* of the ratios */
	double value[DIFF_SIDES];
	double low, high;		/* of value[after] - value[before]; may be infinite */
	double p, p_adjusted;
	enum diff_verdict verdict;
};

struct diff_row {
	uint32_t key[GROUP_KEYS_MAX];	/* names by dimension, or one path */
	size_t series;			/* while it is made */
	struct diff_figures figures;
};

/* What the rows of one side are parts of. */
struct diff_whole {
	uint64_t samples;		/* that the table is about */
	double seconds;			/* wall clock */
	double cpus;			/* that were recorded: scale of DIFF_PER_WALL */
	uint64_t idle_samples;		/* left out */
};

/* One condition, judged. */
struct diff_judgement {
	struct diff_figures figures;
	double p;			/* that it does not hold */
	bool holds;			/* never where nothing matches */
	bool matched;			/* any function of either side */
};

struct diff {
	struct diff_options options;	/* as given; conditions are the caller's */
	struct diff_names names;
	uint32_t event;			/* name */
	struct diff_whole wholes[DIFF_SIDES];
	VEC(struct diff_row) rows;	/* tested: significant ones first, by size of change, then
					   by value */
	struct diff_figures rest;	/* all others */
	size_t rest_count;
	struct diff_judgement judgements[DIFF_CONDITIONS_MAX];
};

/*
 * -EINVAL where the two cannot be compared (no samples of a common event, --per wall of what is no
 * CPU time), -ENOMEM, or what reading returned; diff_fini() after any.
 */
int diff_make(const struct diff_side sides[static DIFF_SIDES], const struct diff_options *options,
	      struct diff *ret_diff, struct err *err);
void diff_fini(struct diff *diff);

/* -EINVAL, with why, for dimensions whose values differ from run to run. */
int diff_check_dimensions(const enum dimension *by, size_t by_count, struct err *err);

#endif
