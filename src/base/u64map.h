/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * u64map.h - maps 64-bit keys to numbers or pointers
 *
 * A wrapper of khash for keys that are ids, such as perf event ids and thread ids. The keys may
 * come from untrusted sources, because the map hashes them with a random secret (base/hash.h). To
 * look up elements by their content, see base/intern.h. All values of a map must be numbers, or all
 * must be pointers. The map does not own the objects that the pointers point to.
 */
#ifndef ASSAY_BASE_U64MAP_H
#define ASSAY_BASE_U64MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct u64map {
	void *table;	/* khash, private; NULL while empty */
};

void u64map_fini(struct u64map *map);

/* ---- numbers ---- */

/* Returns false and leaves *ret_value unchanged if @key is not in the map. */
bool u64map_get(const struct u64map *map, uint64_t key, uint32_t *ret_value);

/* Adds or replaces a value. Returns 0 or -ENOMEM. */
int u64map_put(struct u64map *map, uint64_t key, uint32_t value);

/* ---- pointers ---- */

/* returns NULL if @key is not in the map */
void *u64map_get_ptr(const struct u64map *map, uint64_t key);
int u64map_put_ptr(struct u64map *map, uint64_t key, void *value);	/* returns 0 or -ENOMEM */

/* Removes @key, but only if its value is @value. */
void u64map_remove_ptr(struct u64map *map, uint64_t key, const void *value);

/*
 * Each call returns another value, in no particular order. After the last value, returns NULL.
 * *cursor must be 0 before the first call. Entries may be removed between the calls.
 */
void *u64map_next_ptr(const struct u64map *map, size_t *cursor);

#endif
