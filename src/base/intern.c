/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/intern.h"

#include <errno.h>
#include <htslib/khash.h>
#include <xxhash.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"	/* inside khash's own arithmetic */
#pragma GCC diagnostic ignored "-Wsign-conversion"
KHASH_MAP_INIT_INT64(ids, uint32_t)
#pragma GCC diagnostic pop

/* Where a taken hash goes next: an odd step visits every slot of the 64-bit space. */
#define PROBE_STEP UINT64_C(0x9e3779b97f4a7c15)

void intern_fini(struct intern *index)
{
	if (index->table)
		kh_destroy(ids, index->table);
	index->table = NULL;
}

uint32_t intern_find(const struct intern *index, uint64_t hash, intern_same_fn same,
		     const void *search)
{
	khash_t(ids) *table = index->table;

	if (!table)
		return 0;
	for (;; hash += PROBE_STEP) {
		khint_t slot = kh_get(ids, table, hash);

		if (slot == kh_end(table))
			return 0;
		if (same(kh_val(table, slot), search))
			return kh_val(table, slot);
	}
}

int intern_add(struct intern *index, uint64_t hash, uint32_t id)
{
	khash_t(ids) *table = index->table;

	if (!table)
		index->table = table = kh_init(ids);
	if (!table)
		return -ENOMEM;
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

/* One to one: what is equal afterwards was equal before. Spreads what lies close together. */
static uint64_t spread(uint64_t number)
{
	number ^= number >> 32;
	number *= UINT64_C(0xd6e8feb86659fd93);
	number ^= number >> 32;
	number *= UINT64_C(0xd6e8feb86659fd93);
	return number ^ number >> 32;
}

int intern_number(struct intern *index, uint64_t number, uint32_t fresh_id, uint32_t *ret_id)
{
	khash_t(ids) *table = index->table;
	khint_t slot;
	int fresh;

	if (!table)
		index->table = table = kh_init(ids);
	if (!table)
		return -ENOMEM;
	slot = kh_put(ids, table, spread(number), &fresh);
	if (fresh < 0)
		return -ENOMEM;
	if (fresh)
		kh_val(table, slot) = fresh_id;
	*ret_id = kh_val(table, slot);
	return 0;
}

uint64_t intern_hash(const void *bytes, size_t size_bytes)
{
	return XXH3_64bits(bytes, size_bytes);
}

uint64_t intern_hash_pair(uint64_t a, uint64_t b)
{
	uint64_t pair[2] = { a, b };

	return XXH3_64bits(pair, sizeof(pair));
}
