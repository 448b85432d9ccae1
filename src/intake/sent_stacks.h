/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sent_stacks.h - stacks that the in-kernel sampler has sent, by the hash that samples name them by
 *
 * Addresses, not what they mean: that depends on what the process has mapped at the moment of a
 * sample.  When they are many, the owner asks the sampler to send all of them again from a moment
 * on (bpf_sampler_forget_stacks()), and those from before it are dropped as soon as the records
 * have come to it.  Between the two the store may fill up: what is over SENT_STACKS_WORDS_MAX is
 * not kept.
 */
#ifndef ASSAY_INTAKE_SENT_STACKS_H
#define ASSAY_INTAKE_SENT_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vec.h"
#include "perf/record.h"

#define SENT_STACKS_MANY_WORDS (1u << 20)	/* 8 MiB, some 30,000 stacks */
#define SENT_STACKS_WORDS_MAX (1u << 22)

struct sent_stacks {
	struct u64map index;		/* hash -> where in words */
	VEC(uint64_t) words;		/* for each stack: lengths, stop and life, then addresses */
	uint64_t epoch_ns;		/* 0, or from when on all are sent again */
};

void sent_stacks_fini(struct sent_stacks *stacks);

/* It is @time_ns now: drops what was asked for again before that. */
void sent_stacks_advance(struct sent_stacks *stacks, uint64_t time_ns);

/* 0; -ENOSPC: no room; -ENOMEM. */
int sent_stacks_keep(struct sent_stacks *stacks, const struct record_stack *stack);

/* Whose the samples are that name it (bpf/wire.h); 0: it never came. */
uint64_t sent_stacks_life(const struct sent_stacks *stacks, uint64_t hash);

/* False: it never came. The addresses are valid until the next one is kept; it has no owner. */
bool sent_stacks_find(const struct sent_stacks *stacks, uint64_t hash,
		      struct record_stack *ret_stack);

/* Should the sampler be asked to send all again? Not while it was and they are still to come. */
bool sent_stacks_are_many(const struct sent_stacks *stacks);

#endif
