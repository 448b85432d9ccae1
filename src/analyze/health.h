/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health.h - how complete the data of a profile is
 *
 * Counts how the stack walks ended, how the sampled functions got their names, and which images
 * have no names. Everything is counted in samples, so a bad stack seen a thousand times counts a
 * thousand times. walks.h shows in which images walks of user stacks were cut short.
 */
#ifndef ASSAY_ANALYZE_HEALTH_H
#define ASSAY_ANALYZE_HEALTH_H

#include "analyze/group.h"
#include "analyze/leaf.h"
#include "analyze/walks.h"

struct health {
	uint8_t event;
	uint64_t samples;
	struct count busy;		/* samples that are not idle */
	uint64_t stack_ends[STACK_END_COUNT];
	/* by enum quality: number of samples whose function has this quality */
	uint64_t qualities[QUALITY_COUNT];
	struct group_table unresolved;		/* samples with QUALITY_NONE, by image */
	struct walks walks;			/* for all events, not affected by filters */
};

/* The resources that the profiler itself used. */
struct own_cost {
	bool known;
	/* CPU time in seconds: record_s for recording, names_s for finding symbol names */
	double record_s, names_s;
	double wall_s;			/* recorded wall-clock seconds */
	/* CPU time for recording in % of one CPU; 0 if wall_s is 0 */
	double percent;
};

struct own_cost health_own_cost(const struct model *model);

/* Examines the samples of one event. Returns 0 or -ENOMEM. Call health_fini() in both cases. */
int health_make(const struct profile *profile, uint8_t event, struct health *ret_health);
void health_fini(struct health *health);

#endif
