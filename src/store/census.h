/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * census.h - counts samples by thread and location
 *
 * The counts are updated while a recording is written, because the samples are in memory then. When
 * the recording is finished, store/totals.c uses the counts to find the processes, threads and
 * functions that have enough samples for rows of their own.
 */
#ifndef ASSAY_STORE_CENSUS_H
#define ASSAY_STORE_CENSUS_H

#include "model/model.h"

/*
 * Counts, indexed by the row ids of an array of the model. Rows that were added after the last
 * sample have no element.
 */
struct census_counts {
	VEC(uint64_t) at;
};

/*
 * A writer drops the census when the model has more threads than this (8 MiB of counts), and makes
 * it again from the file at the end.
 */
#define CENSUS_THREADS_MAX (1u << 20)

struct census {
	/* locations: counts each sample at its sampled location, the leaf of its stack */
	struct census_counts threads, locations;
	uint64_t sample_count;	/* of all samples, as model_samples() counts them */
	bool is_whole;		/* true if every sample in the file was counted */
};

void census_fini(struct census *census);

/* Counts the samples of @batch. Returns 0, or -ENOMEM, after which the census is incomplete. */
int census_add(struct census *census, const struct model *model, const struct sample_batch *batch);

/* Adds @count to *@to, which stays at the maximum when it is reached. */
static inline void census_sum(uint64_t *to, uint64_t count)
{
	*to += count < UINT64_MAX - *to ? count : UINT64_MAX - *to;
}

static inline uint64_t census_count(const struct census_counts *counts, size_t row)
{
	return row < counts->at.count ? counts->at.at[row] : 0;
}

/*
 * Returns the sampled location of @stack, which is the location of its leaf. Returns 0 if @stack
 * has no nodes.
 */
static inline uint32_t leaf_location(const struct model *model, uint32_t stack)
{
	return stack < STACK_ROOT_COUNT ? 0 : model->stacks.at[stack].location;
}

#endif
