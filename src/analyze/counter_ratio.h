/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_ratio.h - ratios of two counters: instructions per cycle, misses in percent
 *
 * A ratio is shown only if both of its events were counted in the same code (user, kernel or both).
 * Cycles of user code cannot be compared with instructions of user and kernel code. Cycles of user
 * code give no frequency either, because a clock counts in user and kernel code whatever was
 * requested. Events are identified by their type and config, not by the name that the user gave.
 */
#ifndef ASSAY_ANALYZE_COUNTER_RATIO_H
#define ASSAY_ANALYZE_COUNTER_RATIO_H

#include <stddef.h>

#include "model/counter.h"

enum ratio_unit {
	RATIO_PLAIN,		/* numerator divided by denominator */
	RATIO_PERCENT,
	RATIO_PER_SECOND,	/* the denominator is a time */
	RATIO_GHZ,		/* cycles divided by time */
};

struct counter_ratio {
	const char *name;	/* for programs: "instructions-per-cycle" */
	const char *phrase;	/* for people, printed after the figure: "per cycle" */
	enum ratio_unit unit;
	size_t of, by;		/* indices of the kinds in the numerator and in the denominator */
};

/*
 * Finds the ratio that is shown with the event @kinds[@index]. Returns false if the event has no
 * ratio. @kinds are the @count kinds that were counted. @elapsed is the index of elapsed time in
 * @kinds, or @count if there is no elapsed time.
 */
bool counter_ratio_find(const struct counter_kind *kinds, size_t count, size_t index,
			size_t elapsed, struct counter_ratio *ret_ratio);

/* Returns @of / @by in the ratio's unit. Returns NAN if @by is not above 0. */
double counter_ratio_value(const struct counter_ratio *ratio, double of, double by);

#endif
