/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <htslib/khash.h>

#include "base/hash.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"	/* for the conversions in khash's own code */
#pragma GCC diagnostic ignored "-Wsign-conversion"
KHASH_MAP_INIT_INT64(ids, uint32_t)
#pragma GCC diagnostic pop

/*
 * If two elements have the same hash, the key of the second element is the hash + PROBE_STEP. The
 * step is odd, so repeated steps reach every 64-bit value.
 */
#define PROBE_STEP UINT64_C(0x9e3779b97f4a7c15)

/*
 * Number of entries of a small cache of recent results. A look-up in a table of millions of
 * elements has to wait for memory three times. But even a busy machine executes code in few places,
 * so the cache has the result of most look-ups.
 */
#define RECENT_COUNT 4096	/* a power of two; 64 KiB */

struct intern_recent {
	uint64_t key;
	uint32_t id;	/* 0: unused */
};

void intern_fini(struct intern *index)
{
	if (index->table)
		kh_destroy(ids, index->table);
	index->table = NULL;
	free(index->recent);
	index->recent = NULL;
}

static int make_tables(struct intern *index)
{
	if (!index->recent)
		index->recent = calloc(RECENT_COUNT, sizeof(*index->recent));
	if (!index->table)
		index->table = kh_init(ids);
	return index->table && index->recent ? 0 : -ENOMEM;
}

static struct intern_recent *recent_of(const struct intern *index, uint64_t key)
{
	return &index->recent[key & (RECENT_COUNT - 1)];
}

uint32_t intern_find(const struct intern *index, uint64_t hash, intern_same_fn same,
		     const void *search)
{
	khash_t(ids) *table = index->table;
	struct intern_recent *recent;

	if (!table)
		return 0;
	recent = recent_of(index, hash);
	if (recent->id && recent->key == hash && same(recent->id, search))
		return recent->id;
	for (uint64_t key = hash;; key += PROBE_STEP) {
		khint_t slot = kh_get(ids, table, key);

		if (slot == kh_end(table))
			return 0;
		if (!same(kh_val(table, slot), search))
			continue;
		*recent = (struct intern_recent){ hash, kh_val(table, slot) };
		return recent->id;
	}
}

int intern_add(struct intern *index, uint64_t hash, uint32_t id)
{
	khash_t(ids) * table;

	if (make_tables(index) < 0)
		return -ENOMEM;
	table = index->table;
	for (;; hash += PROBE_STEP) {
		int fresh;
		khint_t slot = kh_put(ids, table, hash, &fresh);

		if (fresh < 0)
			return -ENOMEM;
		if (fresh) {
			kh_val(table, slot) = id;
			return 0;
		}
	}
}

int intern_number(struct intern *index, uint64_t number, uint32_t fresh_id, uint32_t *ret_id)
{
	uint64_t key = hash_number(number);
	struct intern_recent *recent;
	khash_t(ids) * table;
	khint_t slot;
	int fresh;

	if (make_tables(index) < 0)
		return -ENOMEM;
	recent = recent_of(index, key);
	if (!recent->id || recent->key != key) {
		table = index->table;
		slot = kh_put(ids, table, key, &fresh);
		if (fresh < 0)
			return -ENOMEM;
		if (fresh)
			kh_val(table, slot) = fresh_id;
		*recent = (struct intern_recent){ key, kh_val(table, slot) };
	}
	*ret_id = recent->id;
	return 0;
}

uint32_t intern_number_find(const struct intern *index, uint64_t number)
{
	khash_t(ids) *table = index->table;
	khint_t slot;

	if (!table)
		return 0;
	slot = kh_get(ids, table, hash_number(number));
	return slot == kh_end(table) ? 0 : kh_val(table, slot);
}
