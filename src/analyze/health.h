/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health.h - how much of a profile is known
 *
 * How the walks behind the stacks ended, how the sampled functions got their names, and which
 * images hide theirs.  All of it counts samples, so that a bad stack seen a thousand times
 * weighs a thousand.  Where the walks of user stacks were cut short: walks.h.
 */
#ifndef ASSAY_ANALYZE_HEALTH_H
#define ASSAY_ANALYZE_HEALTH_H

#include "analyze/group.h"
#include "analyze/leaf.h"
#include "analyze/walks.h"

struct health {
	uint64_t samples;
	uint64_t stack_ends[STACK_END_COUNT];
	uint64_t qualities[QUALITY_COUNT];	/* of the sampled function */
	struct group_table unresolved;		/* by image: samples of QUALITY_NONE */
	struct walks walks;			/* of all events, whatever is filtered */
};

/* What the profiler itself used. */
struct own_cost {
	bool known;
	double record_s, names_s;	/* of CPU time */
	double wall_s;			/* that was recorded */
	double percent;			/* of one CPU, to record; 0 where wall_s is */
};

struct own_cost health_own_cost(const struct model *model);

/* Of the samples of one event. 0 or -ENOMEM; health_fini() after either. */
int health_make(const struct profile *profile, uint8_t event, struct health *ret_health);
void health_fini(struct health *health);

#endif
