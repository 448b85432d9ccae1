/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fixture.h - models and samples that a recording could have produced, made from a seed
 *
 * Lateness is a multiple of SAMPLE_GRAIN_NS, so that samples are read back unchanged.
 */
#ifndef ASSAY_TESTS_STORE_FIXTURE_H
#define ASSAY_TESTS_STORE_FIXTURE_H

#include "model/model.h"

struct fixture {
	struct model model;
	struct sample_batch batch;
	uint64_t state;			/* state of the random number generator */
	uint64_t now_ns;
	uint64_t sample_count;		/* number of all samples so far */
	uint64_t weight;		/* sum of their weights */
};

/* Each sample has @counter_count counter values. */
void fixture_init(struct fixture *fixture, uint64_t seed, uint32_t counter_count);
void fixture_fini(struct fixture *fixture);

/* Clears the batch, then adds rows of every kind to the model and @count samples to it. */
void fixture_grow(struct fixture *fixture, size_t count);

/* Gives a function to every location without one, as symbolize() would. */
void fixture_name(struct fixture *fixture);

/* Returns a random number below @limit. */
uint64_t fixture_random(struct fixture *fixture, uint64_t limit);

#endif
