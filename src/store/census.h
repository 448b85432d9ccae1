/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * census.h - how many samples are of each process, thread and place in the code
 *
 * Kept while a recording is written, where the samples are at hand, for the totals at its end.
 */
#ifndef ASSAY_STORE_CENSUS_H
#define ASSAY_STORE_CENSUS_H

#include "model/model.h"

/* By row of the model; rows that came after the last sample have no element. */
struct census_counts {
	VEC(uint64_t) at;
};

struct census {
	struct census_counts processes, threads, locations;	/* location: of the sampled code */
	uint64_t sample_count;
	bool is_whole;		/* counts every sample that the file has */
};

void census_fini(struct census *census);

/* 0 or -ENOMEM, and part of it is counted then. */
int census_add(struct census *census, const struct model *model, const struct sample_batch *batch);

static inline uint64_t census_count(const struct census_counts *counts, size_t row)
{
	return row < counts->at.count ? counts->at.at[row] : 0;
}

/* The sampled place of a stack; 0: it has none. */
static inline uint32_t leaf_location(const struct model *model, uint32_t stack)
{
	return stack < STACK_ROOT_COUNT ? 0 : model->stacks.at[stack].location;
}

#endif
