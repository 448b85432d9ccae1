/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/u64map.h"

#include <errno.h>
#include <htslib/khash.h>

#include "base/hash.h"

union value {
	uint32_t number;
	void *pointer;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion" /* khash's own arithmetic */
#pragma GCC diagnostic ignored "-Wsign-conversion"
KHASH_MAP_INIT_INT64(u64, union value)
#pragma GCC diagnostic pop

void u64map_fini(struct u64map *map)
{
	if (map->table)
		kh_destroy(u64, map->table);
	map->table = NULL;
}

static union value *find(const struct u64map *map, uint64_t key)
{
	khash_t(u64) *table = map->table;
	khint_t slot;

	if (!table)
		return NULL;
	slot = kh_get(u64, table, hash_number(key));
	return slot == kh_end(table) ? NULL : &kh_val(table, slot);
}

static int put(struct u64map *map, uint64_t key, union value value)
{
	khash_t(u64) *table = map->table;
	khint_t slot;
	int fresh;

	if (!table)
		map->table = table = kh_init(u64);
	if (!table)
		return -ENOMEM;
	slot = kh_put(u64, table, hash_number(key), &fresh);
	if (fresh < 0)
		return -ENOMEM;
	kh_val(table, slot) = value;
	return 0;
}

bool u64map_get(const struct u64map *map, uint64_t key, uint32_t *ret_value)
{
	const union value *value = find(map, key);

	if (value)
		*ret_value = value->number;
	return value != NULL;
}

int u64map_put(struct u64map *map, uint64_t key, uint32_t value)
{
	return put(map, key, (union value){ .number = value });
}

void *u64map_get_ptr(const struct u64map *map, uint64_t key)
{
	const union value *value = find(map, key);

	return value ? value->pointer : NULL;
}

int u64map_put_ptr(struct u64map *map, uint64_t key, void *value)
{
	return put(map, key, (union value){ .pointer = value });
}

void u64map_remove_ptr(struct u64map *map, uint64_t key, const void *value)
{
	khash_t(u64) *table = map->table;

	if (u64map_get_ptr(map, key) == value && value)
		kh_del(u64, table, kh_get(u64, table, hash_number(key)));
}

void *u64map_next_ptr(const struct u64map *map, size_t *cursor)
{
	khash_t(u64) *table = map->table;

	while (table && *cursor < kh_end(table)) {
		khint_t slot = (khint_t)(*cursor)++;

		if (kh_exist(table, slot))
			return kh_val(table, slot).pointer;
	}
	return NULL;
}
