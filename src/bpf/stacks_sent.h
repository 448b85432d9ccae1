/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks_sent.h - the hash of a stack, and whether the collector has it
 *
 * The hash is MurmurHash3's 64-bit half (Austin Appleby, public domain), fed one address at a time
 * while the stack is walked, so that it costs no second pass.  With n different stacks two are
 * taken for one with a chance of n^2 / 2^65: 3 in 100 million for a million stacks.
 *
 * What was sent is remembered in a set-associative cache: four entries for each index, the oldest
 * gives way.  A BPF hash map would need a policy for when it is full (an LRU one takes locks, which
 * fail in NMIs) and eight times the time; here forgetting costs one record more and nothing else.
 *
 * With each hash stands the time of its record rather than the epoch: a CPU that began a sample
 * earlier than the one that has just sent the stack must send it again, or its sample would stand
 * in time order before the stack it names.
 */
#ifndef ASSAY_BPF_STACKS_SENT_H
#define ASSAY_BPF_STACKS_SENT_H

#include "bpf/maps.h"

#define SENT_WAYS 4
#define SENT_SETS 32768u

struct sent_set {
	uint64_t hashes[SENT_WAYS];
	uint64_t times_ns[SENT_WAYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SENT_SETS);
	__type(key, uint32_t);
	__type(value, struct sent_set);
} stacks_sent SEC(".maps");

static __always_inline uint64_t hash_add(uint64_t hash, uint64_t word)
{
	word *= 0x87c37b91114253d5ull;
	word = word << 31 | word >> 33;
	word *= 0x4cf5ad432745937full;
	hash ^= word;
	hash = hash << 27 | hash >> 37;
	return hash * 5 + 0x52dce729;
}

/* Never 0, which stands for no stack. */
static __always_inline uint64_t hash_end(uint64_t hash)
{
	hash ^= hash >> 33;
	hash *= 0xff51afd7ed558ccdull;
	hash ^= hash >> 33;
	hash *= 0xc4ceb9fe1a85ec53ull;
	hash ^= hash >> 33;
	return hash ? hash : 1;
}

static __always_inline struct sent_set *sent_set_of(uint64_t hash)
{
	uint32_t index = (uint32_t)hash & (SENT_SETS - 1);

	return bpf_map_lookup_elem(&stacks_sent, &index);
}

/* Has a stack of this hash been sent at or before @time_ns, but not before the epoch? */
static __always_inline int stack_was_sent(uint64_t hash, uint64_t time_ns)
{
	const struct sent_set *set = sent_set_of(hash);

	if (!set)
		return 0;
	for (int i = 0; i < SENT_WAYS; i++)
		if (set->hashes[i] == hash)
			return set->times_ns[i] >= epoch_ns && set->times_ns[i] <= time_ns;
	return 0;
}

/* In the place of the same hash, else of the oldest. */
static __always_inline void stack_set_sent(uint64_t hash, uint64_t time_ns)
{
	struct sent_set *set = sent_set_of(hash);
	uint64_t oldest_ns = ~0ull;
	uint32_t place = 0;

	if (!set)
		return;
	for (uint32_t i = 0; i < SENT_WAYS; i++) {
		uint64_t sent_ns = set->hashes[i] == hash ? 0 : set->times_ns[i];

		if (sent_ns < oldest_ns) {
			oldest_ns = sent_ns;
			place = i;
		}
	}
	place &= SENT_WAYS - 1;
	set->hashes[place] = 0;		/* another CPU must not see the one with the other's time */
	barrier();
	set->times_ns[place] = time_ns;
	barrier();
	set->hashes[place] = hash;
}

#endif
