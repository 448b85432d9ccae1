/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_ratio.h - what two counters say together: instructions per cycle, misses in percent
 *
 * A ratio is shown only where both of its events were counted, and in the same code: the cycles of
 * user code say nothing about the instructions of user code and kernel, nor, as clocks run in both
 * whatever they are asked to, about a frequency.  Events are told by what they count, not by what
 * they were called.
 */
#ifndef ASSAY_ANALYZE_COUNTER_RATIO_H
#define ASSAY_ANALYZE_COUNTER_RATIO_H

#include <stddef.h>

#include "model/counter.h"

enum ratio_unit {
	RATIO_PLAIN,		/* one by the other */
	RATIO_PERCENT,
	RATIO_PER_SECOND,	/* the second is a time */
	RATIO_GHZ,		/* cycles by time */
};

struct counter_ratio {
	const char *name;	/* "instructions-per-cycle", for programs */
	const char *phrase;	/* "per cycle", for people, behind the figure */
	enum ratio_unit unit;
	size_t of, by;		/* indices of the kinds */
};

/*
 * The ratio that is shown with the event at @index, if there is one. @kinds are those counted,
 * @elapsed the index of the time that passed, or @count.
 */
bool counter_ratio_find(const struct counter_kind *kinds, size_t count, size_t index,
			size_t elapsed, struct counter_ratio *ret_ratio);

/* In the ratio's unit; NAN where there is none. */
double counter_ratio_value(const struct counter_ratio *ratio, double of, double by);

#endif
