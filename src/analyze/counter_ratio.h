/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_ratio.h - ratios of two counters: instructions per cycle, misses in percent
 *
 * A ratio is shown only if both of its events were counted, and in the same code. Cycles of user
 * code cannot be compared with instructions of user and kernel code. Cycles of user code give no
 * frequency either, because a clock counts in user and kernel code whatever it was asked for.
 * Events are identified by what they count, not by the name that the user gave.
 */
#ifndef ASSAY_ANALYZE_COUNTER_RATIO_H
#define ASSAY_ANALYZE_COUNTER_RATIO_H

#include <stddef.h>

#include "model/counter.h"

enum ratio_unit {
	RATIO_PLAIN,		/* one divided by the other */
	RATIO_PERCENT,
	RATIO_PER_SECOND,	/* the second one is a time */
	RATIO_GHZ,		/* cycles divided by time */
};

struct counter_ratio {
	const char *name;	/* for programs: "instructions-per-cycle" */
	const char *phrase;	/* for people, printed after the figure: "per cycle" */
	enum ratio_unit unit;
	size_t of, by;		/* indices of the kinds in the numerator and in the denominator */
};

/*
 * Finds the ratio that is shown with the event at @index. Returns false if there is none. @kinds
 * are the kinds that were counted. @elapsed is the index of the elapsed time, or @count if there is
 * none.
 */
bool counter_ratio_find(const struct counter_kind *kinds, size_t count, size_t index,
			size_t elapsed, struct counter_ratio *ret_ratio);

/* Returns the value in the ratio's unit, or NAN if there is none. */
double counter_ratio_value(const struct counter_ratio *ratio, double of, double by);

#endif
