/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - adds up samples into a profile
 *
 * This is the inner loop of every report. It does not depend on where samples come from:
 * profile_read() passes the blocks of a recording to tally_batch(), and a test passes samples of
 * its own.
 *
 *	tally_init(&tally, model, &options, late_threshold_ns, &profile);
 *	tally_batch(&tally, batch);	... in time order
 *	tally_fini(&tally);		the profile stays valid
 *
 * Without prefetching, nearly all the time would be spent in two cache misses per sample: one for
 * the facts about its stack (leaf.h) and one for its slot in the index of hits (slots.h). Leaves
 * are prefetched for samples that are further ahead in the batch. Slots are prefetched by delaying
 * the samples: when the slot of a sample has been prefetched, the sample is stored. When
 * TALLY_WAITING samples are stored, or at the end of the batch, their hits are prefetched and then
 * all stored samples are counted.
 */
#ifndef ASSAY_ANALYZE_TALLY_H
#define ASSAY_ANALYZE_TALLY_H

#include "analyze/leaf.h"
#include "analyze/match.h"
#include "analyze/metric.h"
#include "analyze/profile.h"
#include "analyze/slots.h"

#define LATE_THRESHOLD_DEFAULT_NS 25000
#define TALLY_WAITING 16

struct tally {
	const struct model *model;
	struct profile *profile;	/* being filled; borrowed */
	struct match match;
	struct metric *metric;		/* borrowed; NULL: each event by itself */
	/* index of the profile's hits, by all fields that make hits distinct */
	struct slots slots;
	struct tally_wait {		/* samples that wait until their slots are in the cache */
		struct hit hit;
		uint64_t hash;
	} waiting[TALLY_WAITING];
	size_t waiting_count;
	struct leaf *leaves;		/* by stack id */
	struct tally_thread {
		bool self;		/* belongs to the profiler's process */
		bool kernel;		/* the idle task or a kernel thread */
	} * threads; /* by id */
	const uint32_t *stack_classes;	/* copied from the options */
	bool by_weight[256];		/* by event, see count.h */
	bool measured[256];		/* by event: weights have no sampling error */
	bool is_span[256];		/* by event: late_ns is no lateness (model/span.h) */
	/* by event; NULL: each struct sample is one sample */
	const struct event *counted[256];
	uint8_t states[256];		/* by event: enum thread_state */
	bool by_address, by_cpu, stacks_apart;
	bool by_field;			/* hits are split by any field; else their fields stay 0 */
	/* the fields by which hits are split, and their columns in the samples' counters */
	uint64_t field_masks[FIELD_COUNT];
	size_t field_columns[FIELD_COUNT];
	const uint64_t *counters;	/* of the sample that is being taken; NULL: none */
	size_t counter_count;
};

/* Returns 0 or -ENOMEM. Call tally_fini() and profile_fini() in both cases. */
int tally_init(struct tally *tally, const struct model *model,
	       const struct profile_options *options, int64_t late_threshold_ns,
	       struct profile *ret_profile);
int tally_batch(struct tally *tally, const struct sample_batch *batch);
/* Call this after the last batch. Adds the samples that the metric makes by itself. */
int tally_rest(struct tally *tally);
void tally_fini(struct tally *tally);

/*
 * Returns the lateness that 99 % of @late_ns do not exceed, or LATE_THRESHOLD_DEFAULT_NS if there
 * are fewer than a hundred values. Sorts the array.
 */
int64_t late_threshold(int32_t *late_ns, size_t count);

#endif
