/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - adds up samples into a profile
 *
 * This is the inner loop of every report. It does not depend on where samples come from:
 * profile_read() feeds it the blocks of a recording, a test feeds it its own samples.
 *
 *	tally_init(&tally, model, &options, late_threshold_ns, &profile);
 *	tally_batch(&tally, batch);	... in time order
 *	tally_fini(&tally);		the profile stays valid
 *
 * Nearly all the time would be spent in two cache misses per sample, one for its leaf and one for
 * its slot. So both are prefetched. Leaves are prefetched by looking ahead in the batch. For slots,
 * TALLY_WAITING hits are held back before they are counted. No hit is held back between batches.
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
	struct profile *profile;	/* being filled; borrowed */
	struct match match;
	struct slots slots;		/* index of hits by everything that makes them distinct */
	struct tally_wait {		/* held back until their slots are in the cache */
		struct hit hit;
		uint64_t hash;
	} waiting[TALLY_WAITING];
	size_t waiting_count;
	struct leaf *leaves;		/* by stack id */
	struct tally_thread {
		bool self;		/* belongs to the profiler's process */
		bool kernel;		/* the idle task or a kernel thread */
	} * threads; /* by id */
	const uint32_t *stack_classes;	/* from the options */
	bool by_weight[256];		/* by event, see count.h */
	bool by_address, by_cpu;
};

/* Returns 0 or -ENOMEM. Call tally_fini() and profile_fini() in both cases. */
int tally_init(struct tally *tally, const struct model *model,
	       const struct profile_options *options, int64_t late_threshold_ns,
	       struct profile *ret_profile);
int tally_batch(struct tally *tally, const struct sample_batch *batch);
void tally_fini(struct tally *tally);

/*
 * Returns the lateness that 99 % of @late_ns do not exceed, or LATE_THRESHOLD_DEFAULT_NS if there
 * are fewer than a hundred values. Sorts the array.
 */
int64_t late_threshold(int32_t *late_ns, size_t count);

#endif
