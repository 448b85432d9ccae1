/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sent_stacks.h - stacks received from the in-kernel sampler, indexed by hash
 *
 * Samples name their stack by this hash. The store holds only addresses. Their meaning depends on
 * what the process has mapped at the time of a sample.
 *
 * When the store grows large, its owner asks the in-kernel sampler to send all stacks again from a
 * given time on (bpf_sampler_forget_stacks()). The old stacks are dropped when the records reach
 * that time. Meanwhile the store may fill up; stacks beyond SENT_STACKS_WORDS_MAX are not stored.
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
	/* Time from which all stacks are sent again; 0: not requested */
	uint64_t epoch_ns;
};

void sent_stacks_fini(struct sent_stacks *stacks);

/* Advances to record time @time_ns. If the requested resending began by then, drops all stacks. */
void sent_stacks_advance(struct sent_stacks *stacks, uint64_t time_ns);

/*
 * Stores a stack, unless its hash is already known. Returns 0, -ENOSPC if the store is full, or
 * -ENOMEM.
 */
int sent_stacks_keep(struct sent_stacks *stacks, const struct record_stack *stack);

/*
 * Returns the life (bpf/wire.h) of the process whose samples name this stack, or 0 if the stack was
 * never received.
 */
uint64_t sent_stacks_life(const struct sent_stacks *stacks, uint64_t hash);

/*
 * Looks up a stack. Returns false if it was never received. The addresses are valid until the next
 * stack is stored. The owner of the result is not set.
 */
bool sent_stacks_find(const struct sent_stacks *stacks, uint64_t hash,
		      struct record_stack *ret_stack);

/*
 * Returns true if the in-kernel sampler should be asked to send all stacks again. Returns false
 * while an earlier request is still pending.
 */
bool sent_stacks_are_many(const struct sent_stacks *stacks);

#endif
