/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks_sent.h - hashes of stacks, and which stacks the collector already has
 *
 * The hash is the 64-bit half of MurmurHash3 (Austin Appleby, public domain). Each address is added
 * when the walk finds it, so no second pass over the stack is needed. With n distinct stacks, the
 * probability that two have the same hash is n^2 / 2^65: 3 in 100 million for a million stacks.
 *
 * A set-associative cache remembers the stacks that were sent. It has four entries for each index,
 * and a new stack replaces the oldest of the four. If the cache forgets a stack, the only cost is
 * one more record. A BPF hash map would be eight times slower, and the sampler would have to handle
 * a full map. An LRU map is never full, but it takes locks, which fail in NMIs.
 *
 * The cache stores each hash with the time of the record in which the stack was sent. It would not
 * be enough to store whether the stack was sent since the epoch (wire.h). Suppose that one CPU
 * begins a sample, and then another CPU sends the same stack. The first CPU must send the stack
 * again, because the other CPU's record of the stack has a later time than the sample, and a stack
 * must not come after its sample.
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

/* Finishes a hash. Never returns 0, because 0 means that there is no stack. */
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

/*
 * Returns true if the cache knows that a stack with this hash was sent between epoch_ns and
 * @time_ns, both included.
 */
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

/*
 * Remembers that the stack was sent. Replaces the entry with the same hash if there is one,
 * otherwise the oldest entry.
 */
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
	/*
	 * Clear the hash first, so that another CPU never sees a hash with the time of a different
	 * hash.
	 */
	set->hashes[place] = 0;
	barrier();
	set->times_ns[place] = time_ns;
	barrier();
	set->hashes[place] = hash;
}

#endif
