/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - what changed from one recording to another
 *
 *	struct diff_side sides[2] = { { recording, &model, &filter }, ... };	before, after
 *	diff_make(sides, &options, &diff, &err);
 *
 * Each row is one function, image, etc., or one whole path of functions. Rows are matched by name
 * (diff_names.h). A row has a value before and a value after:
 *
 *	DIFF_PER_RUN	its amount in the whole run: its CPU time, the time of its waits, or a
 *			number of events. The default if both recordings are of a command.
 *	DIFF_PER_EVENT	this amount divided by the number of events of another kind in the recording
 *	DIFF_PER_SHARE	its share of the samples (of the weight, if count.h says so). The default
 *			for all other recordings.
 *	DIFF_PER_SECOND	its CPU time per second of wall clock: 1 is one CPU all the time
 *
 * Idle time is left out unless the filter selects contexts or rows are grouped by context.
 * run_change.h tests whether a change of an amount is more than chance, and significance.h whether
 * a change of a share or a rate is. With several recordings on a side, the values are means over
 * the recordings, and run_means.h tests all changes. A row is tested if it has at least
 * INTERVAL_FEW samples on both sides together. All smaller rows are added up and tested as one row.
 * The p-values of all these tests are corrected for the number of tests (Holm). The 95 % interval
 * of a row is not corrected. So the interval of a row can exclude 0 although the corrected test
 * finds no significant change. By chance alone, this happens to one row in twenty.
 *
 * Memory: DIFF_BLOCKS numbers for each tested row and each condition, and the hits of both
 * recordings.
 */
#ifndef ASSAY_ANALYZE_DIFF_H
#define ASSAY_ANALYZE_DIFF_H

#include "analyze/diff_condition.h"
#include "analyze/diff_names.h"
#include "analyze/group.h"
#include "analyze/run_change.h"
#include "analyze/run_means.h"
#include "analyze/significance.h"
#include "store/recording.h"

/* maximum probability that a diff reports any change that is not real */
#define DIFF_ALPHA 0.05
/* most recordings on one side */
#define DIFF_RUNS_MAX 100

enum diff_which { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };
/* As an event: the calls that the filters select (span_index.h). */
#define DIFF_CALL "call"

enum diff_per {
	DIFF_PER_DEFAULT,
	DIFF_PER_RUN,
	DIFF_PER_SHARE,
	DIFF_PER_SECOND,
	DIFF_PER_EVENT,
};
/* what values are measured in */
enum diff_unit {
	DIFF_SHARE,
	DIFF_CPUS,
	DIFF_SECONDS,
	DIFF_EVENTS,
	DIFF_SECONDS_PER_EVENT,
	DIFF_EVENTS_PER_EVENT,
};
enum diff_verdict { DIFF_SIGNIFICANT, DIFF_WITHIN_NOISE };

/* One recording of a side. */
struct diff_side {
	struct recording *recording;	/* must already be loaded into the model */
	struct model *model;
	const struct filter *filter;	/* NULL: everything */
};

struct diff_options {
	enum dimension by[GROUP_KEYS_MAX];
	size_t by_count;
	/* number of recordings on each side; 0 is the same as 1 */
	size_t run_counts[DIFF_SIDES];
	bool by_stack;			/* rows are whole paths; dimensions are not used */
	/*
	 * treat inlined functions as functions, also in paths. An inlined call and a normal call of
	 * a function have the same name, so no change is reported if only the inlining changed.
	 */
	bool inlined;
	enum diff_per per;
	/* DIFF_PER_EVENT: name of the event, or DIFF_CALL; borrowed */
	const char *per_event;
	const struct diff_condition *conditions;
	size_t condition_count;		/* at most DIFF_CONDITIONS_MAX */
};

/* The value of a row on both sides, and how significant its change is. */
struct diff_figures {
	uint64_t samples[DIFF_SIDES];
	struct ratio ratios[DIFF_SIDES];	/* DIFF_SHARE and DIFF_CPUS */
	struct run_amount amounts[DIFF_SIDES];	/* all other units */
	/* the value of each recording, those of before first; borrowed from the diff */
	const struct run_value *runs;
	double value[DIFF_SIDES];
	/* interval of value[after] - value[before]; may be infinite */
	double low, high;
	double p, p_adjusted;
	enum diff_verdict verdict;
};

struct diff_row {
	uint32_t key[GROUP_KEYS_MAX];	/* one name id per dimension, or one path id */
	size_t series;			/* used only while the diff is made */
	struct diff_figures figures;
};

/* The totals of one side, added up over its recordings. Each row is a part of them. */
struct diff_whole {
	uint64_t samples;		/* samples in the table */
	double seconds;			/* wall-clock time */
	/* number of CPUs of the larger machine, on both sides; DIFF_CPUS values are scaled by it */
	double cpus;
	struct run_amount amount;	/* sum of all rows; only for amounts of one recording */
	double divisor;			/* DIFF_PER_EVENT: number of these events; otherwise 1 */
	uint64_t idle_samples;		/* left out of the table */
};

/* The result of one condition. */
struct diff_judgement {
	struct diff_figures figures;
	/* p-value for the null hypothesis that the condition does not hold */
	double p;
	bool holds;			/* false if no function matches the expression */
	bool matched;			/* a function in the samples of at least one side matches */
};

struct diff {
	/* copy of the options; `per` is never DIFF_PER_DEFAULT; the caller owns the conditions */
	struct diff_options options;
	enum diff_unit unit;
	struct diff_names names;
	uint32_t event;			/* name id of the event that is compared */
	struct diff_whole wholes[DIFF_SIDES];
	/*
	 * the tested rows: first the significant rows, largest change first; then all other rows,
	 * largest value first
	 */
	VEC(struct diff_row) rows;
	/*
	 * all rows together, unless values are shares. If the kernel measured the CPU time of both
	 * commands, and no part of them was left out, the values are these times and not estimates.
	 */
	struct diff_figures total;
	bool total_is_measured;
	struct run_value *run_values;	/* to which the figures point */
	/* sums of all rows of each recording, as sampled; only for amounts */
	const struct run_value *whole_runs;
	bool is_cpu_time;		/* values are CPU time */
	struct diff_figures rest;	/* all rows that were not tested, added up */
	size_t rest_count;
	struct diff_judgement judgements[DIFF_CONDITIONS_MAX];
};

/*
 * @sides are all recordings of the first side, followed by those of the second.
 *
 * Returns 0, -ENOMEM, or the error of reading a recording. Returns -EINVAL if the sides cannot be
 * compared: the second recording does not have the event of the first, DIFF_PER_SECOND is used with
 * an event that is not CPU time, DIFF_PER_RUN with a recording that is not of a whole run of a
 * command, or DIFF_PER_EVENT with an event that a recording does not have. Call diff_fini() in all
 * cases.
 */
int diff_make(const struct diff_side sides[static DIFF_SIDES], const struct diff_options *options,
	      struct diff *ret_diff, struct err *err);
void diff_fini(struct diff *diff);

/* Returns what DIFF_PER_DEFAULT stands for: DIFF_PER_RUN or DIFF_PER_SHARE. */
enum diff_per diff_default_per(const struct diff_side *sides, size_t count);

/* Returns true if a side has several recordings, so that the values are means. */
static inline bool diff_has_runs(const struct diff *diff)
{
	return diff->options.run_counts[DIFF_BEFORE] > 1 ||
	       diff->options.run_counts[DIFF_AFTER] > 1;
}

/* Returns true if values in this unit are amounts, which run_change.h compares. */
static inline bool diff_unit_is_amount(enum diff_unit unit)
{
	return unit != DIFF_SHARE && unit != DIFF_CPUS;
}

/*
 * Returns -EINVAL, with the reason in @err, if one of the dimensions cannot be compared: its values
 * differ from run to run, or it is BY_EVENT (a diff compares one event only). Returns 0 otherwise.
 */
int diff_check_dimensions(const enum dimension *by, size_t by_count, struct err *err);

#endif
