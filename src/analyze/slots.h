/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h - hash index for totals: finds the row with a given key
 *
 * The hash table uses open addressing with linear probing. A slot has 8 bytes: the upper half is
 * the upper half of the hash, the lower half is the row number + 1. An empty slot is 0. The rows
 * are in an array of the caller and are compared by a function of the caller. The compiler can
 * inline that function, because all functions here are inline. A look-up usually loads one cache
 * line of the table. base/intern is a similar index that makes function calls for each look-up; for
 * totals it is three times slower.
 *
 *	slot = slots_find(&slots, hash, same, &search);
 *	if (!*slot) { append the row; slots_fill(&slots, slot, hash, row); }
 *
 * slots_find() may move the table, so a slot is valid only until the next call.
 */
#ifndef ASSAY_ANALYZE_SLOTS_H
#define ASSAY_ANALYZE_SLOTS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct slots {
	uint64_t *at;
	size_t count;		/* a power of two, or 0 */
	size_t used;
};

/*
 * Declares a function that does nothing but prefetch. If gcc does not inline such a function early,
 * it takes the call for one without effect and drops it.
 */
#define PREFETCHER static inline __attribute__((always_inline))

typedef bool (*slots_same_fn)(size_t row, const void *search);

static inline void slots_fini(struct slots *slots)
{
	free(slots->at);
	*slots = (struct slots){ 0 };
}

static inline size_t slots_row(const uint64_t *slot)
{
	return (size_t)(uint32_t)*slot - 1;
}

/* Returns the index of the slot where a search for @hash begins. There must be slots. */
static inline size_t slots_start(const struct slots *slots, uint64_t hash)
{
	return (size_t)(hash >> 32) & (slots->count - 1);
}

/*
 * Mixes @a and @b so that the upper 32 bits of the result depend on every bit of @a and @b. Only
 * the upper 32 bits are used.
 */
static inline uint64_t slots_hash(uint64_t a, uint64_t b)
{
	a = (a ^ (a >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
	a = (a ^ (a >> 29) ^ b) * UINT64_C(0xbf58476d1ce4e5b9);
	return (a ^ (a >> 32)) * UINT64_C(0x94d049bb133111eb);
}

static inline int slots_grow(struct slots *slots)
{
	size_t count = slots->count ? slots->count * 2 : 1024;
	uint64_t *at = calloc(count, sizeof(*at));

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < slots->count; i++) {
		size_t to = (size_t)(slots->at[i] >> 32) & (count - 1);

		if (!slots->at[i])
			continue;
		while (at[to])
			to = (to + 1) & (count - 1);
		at[to] = slots->at[i];
	}
	free(slots->at);
	slots->at = at;
	slots->count = count;
	return 0;
}

/*
 * Returns the slot of the row that equals @search. If no row equals @search, returns the empty slot
 * for a new row. Returns NULL if out of memory.
 */
static inline uint64_t *slots_find(struct slots *slots, uint64_t hash, slots_same_fn same,
				   const void *search)
{
	size_t at;

	if (slots->used + slots->used / 2 >= slots->count && slots_grow(slots) < 0)
		return NULL;
	at = slots_start(slots, hash);
	while (slots->at[at]) {
		if (slots->at[at] >> 32 == hash >> 32 && same(slots_row(&slots->at[at]), search))
			break;
		at = (at + 1) & (slots->count - 1);
	}
	return &slots->at[at];
}

/* Prefetches the slot where a search for @hash begins. */
PREFETCHER void slots_prefetch(const struct slots *slots, uint64_t hash)
{
	if (slots->count)
		__builtin_prefetch(&slots->at[slots_start(slots, hash)]);
}

/*
 * Prefetches the row that a search for @hash compares first. @rows is the caller's array. An empty
 * slot has the row number -1, and prefetching from there does nothing.
 */
PREFETCHER void slots_prefetch_row(const struct slots *slots, uint64_t hash, const void *rows,
				   size_t row_bytes)
{
	if (slots->count) {
		size_t row = slots_row(&slots->at[slots_start(slots, hash)]);

		__builtin_prefetch((const void *)((uintptr_t)rows + row * row_bytes));
	}
}

static inline void slots_fill(struct slots *slots, uint64_t *slot, uint64_t hash, size_t row)
{
	*slot = (hash >> 32) << 32 | (uint32_t)(row + 1);
	slots->used++;
}

#endif
