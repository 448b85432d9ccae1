/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sent_stacks.h - stacks received from the in-kernel sampler, indexed by hash
 *
 * Each sample contains the hash of its stack. The store holds only addresses. The code to which an
 * address refers depends on the mappings that the process had at the time of the sample.
 *
 * When the store grows large, its owner calls bpf_sampler_forget_stacks(). This function returns a
 * time in the near future. From that time on, the sampler sends every stack again. When the first
 * record of that time or later arrives, all older stacks are dropped. If the store becomes full
 * before that, further stacks are not stored (SENT_STACKS_FACTOR).
 */
#ifndef ASSAY_INTAKE_SENT_STACKS_H
#define ASSAY_INTAKE_SENT_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vec.h"
#include "perf/record.h"

#define SENT_STACKS_BYTES (8u << 20)	/* so many are large; about 30,000 stacks */
#define SENT_STACKS_FACTOR 4		/* the store is full at this multiple of a large one */

struct sent_stacks {
	struct u64map index;		/* hash -> position in words */
	/* For each stack: struct header (lengths, stop, life), then the addresses */
	VEC(uint64_t) words;
	/* Time from which the sampler sends all stacks again; 0: no such request was made */
	uint64_t epoch_ns;
	size_t many_words;	/* size of a large store; 0: SENT_STACKS_BYTES */
};

/* Makes @bytes the size of a large store. */
void sent_stacks_limit(struct sent_stacks *stacks, size_t bytes);

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
 * Returns the number of the program to which the stack belongs (its life, see bpf/wire.h), or 0 if
 * the stack is not stored.
 */
uint64_t sent_stacks_life(const struct sent_stacks *stacks, uint64_t hash);

/*
 * Looks up a stack. Returns false if the stack is not stored. The addresses in *@ret_stack are
 * valid until the next stack is stored. Does not set the owner in *@ret_stack.
 */
bool sent_stacks_find(const struct sent_stacks *stacks, uint64_t hash,
		      struct record_stack *ret_stack);

/*
 * Returns true if the store is so large that the caller should make the in-kernel sampler send all
 * stacks again. Returns false while an earlier request of this kind has not taken effect yet.
 */
bool sent_stacks_are_many(const struct sent_stacks *stacks);

#endif
