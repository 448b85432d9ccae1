/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - adds samples up into a profile
 *
 * The inner loop of every report, kept apart from where samples come from: profile_read()
 * feeds it the blocks of a recording, a test its own samples.
 *
 *	tally_init(&tally, model, &options, late_threshold_ns, &profile);
 *	tally_batch(&tally, batch);	... in time order
 *	tally_fini(&tally);		the profile stays
 *
 * Nearly all its time would be cache misses, one for the leaf and one for the slot of each
 * sample, so both are fetched ahead: leaves by looking forward in the batch, slots by letting
 * TALLY_WAITING hits wait.  None waits between batches.
 */
#ifndef ASSAY_ANALYZE_TALLY_H
#define ASSAY_ANALYZE_TALLY_H

#include "analyze/leaf.h"
#include "analyze/match.h"
#include "analyze/profile.h"
#include "analyze/slots.h"

#define LATE_THRESHOLD_DEFAULT_NS 25000
#define TALLY_WAITING 16

struct tally {
	const struct model *model;
	struct profile *profile;	/* being filled; not owned */
	struct match match;
	struct slots slots;		/* hits by their identity */
	struct tally_wait {		/* to be counted, once their slots are in the cache */
		struct hit hit;
		uint64_t hash;
	} waiting[TALLY_WAITING];
	size_t waiting_count;
	struct leaf *leaves;		/* by stack id */
	struct tally_thread {
		bool self;		/* belongs to the profiler */
		bool kernel;		/* the idle task or a kernel thread */
	} * threads; /* by id */
	const uint32_t *stack_classes;	/* of the options */
	bool by_weight[256];		/* by event: count.h */
	bool by_address, by_cpu;
};

/* 0 or -ENOMEM; tally_fini() and profile_fini() after either. */
int tally_init(struct tally *tally, const struct model *model,
	       const struct profile_options *options, int64_t late_threshold_ns,
	       struct profile *ret_profile);
int tally_batch(struct tally *tally, const struct sample_batch *batch);
void tally_fini(struct tally *tally);

/*
 * The lateness that 99 % of @late_ns stay within, or LATE_THRESHOLD_DEFAULT_NS when they are
 * fewer than a hundred.  Sorts the array.
 */
int64_t late_threshold(int32_t *late_ns, size_t count);

#endif
