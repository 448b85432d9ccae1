/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sent_stacks.h - stacks received from the in-kernel sampler, indexed by hash
 *
 * Samples refer to their stack by this hash. The store holds only addresses. Their meaning depends
 * on the mappings of the process at the time of a sample.
 *
 * When the store grows large, its owner calls bpf_sampler_forget_stacks(): from a given time on,
 * the in-kernel sampler sends every stack again. When a record has that time or a later one, the
 * stacks received before are dropped. Until then the store may become full; stacks beyond
 * SENT_STACKS_WORDS_MAX are not stored.
 */
#ifndef ASSAY_INTAKE_SENT_STACKS_H
#define ASSAY_INTAKE_SENT_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vec.h"
#include "perf/record.h"

#define SENT_STACKS_MANY_WORDS (1u << 20)	/* 8 MiB, about 30,000 stacks */
#define SENT_STACKS_WORDS_MAX (1u << 22)

struct sent_stacks {
	struct u64map index;		/* hash -> position in words */
	/* For each stack: struct header (lengths, stop, life), then the addresses */
	VEC(uint64_t) words;
	/* Time from which the sampler sends all stacks again; 0: no such request was made */
	uint64_t epoch_ns;
};

void sent_stacks_fini(struct sent_stacks *stacks);

/*
 * Must be called with the time of each record. Drops all stacks if @time_ns has reached the time
 * from which the sampler sends all stacks again.
 */
void sent_stacks_advance(struct sent_stacks *stacks, uint64_t time_ns);

/*
 * Stores a stack, unless a stack with its hash is already stored. Returns 0, -ENOSPC if the store
 * is full, or -ENOMEM.
 */
int sent_stacks_keep(struct sent_stacks *stacks, const struct record_stack *stack);

/*
 * Returns the life (one program run by one process, bpf/wire.h) whose samples refer to this stack,
 * or 0 if the stack was never received.
 */
uint64_t sent_stacks_life(const struct sent_stacks *stacks, uint64_t hash);

/*
 * Looks up a stack. Returns false if the stack was never received. The addresses in *@ret_stack are
 * valid until the next stack is stored. Does not set the owner of *@ret_stack.
 */
bool sent_stacks_find(const struct sent_stacks *stacks, uint64_t hash,
		      struct record_stack *ret_stack);

/*
 * Returns true if the in-kernel sampler should be asked to send all stacks again. Returns false if
 * an earlier request has not taken effect yet.
 */
bool sent_stacks_are_many(const struct sent_stacks *stacks);

#endif
