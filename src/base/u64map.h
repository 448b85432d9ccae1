/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * u64map.h - 64-bit keys to numbers or pointers
 *
 * khash under a name of our own, for keys that are identities in themselves (perf's event ids,
 * thread ids), whoever chose them: see base/hash.h.  For keys that are content, see base/intern.h.
 * One map holds either numbers or pointers; what the pointers lead to is not its own.
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

/* False, and *ret_value untouched, when @key is not there. */
bool u64map_get(const struct u64map *map, uint64_t key, uint32_t *ret_value);

/* Enters or replaces. 0 or -ENOMEM. */
int u64map_put(struct u64map *map, uint64_t key, uint32_t value);

/* ---- pointers ---- */

void *u64map_get_ptr(const struct u64map *map, uint64_t key);	/* NULL: not there */
int u64map_put_ptr(struct u64map *map, uint64_t key, void *value);	/* 0 or -ENOMEM */

/* Removes @key if it still stands for @value. */
void u64map_remove_ptr(struct u64map *map, uint64_t key, const void *value);

/* The values one after the other, from *cursor 0 on, then NULL. Removing is fine meanwhile. */
void *u64map_next_ptr(const struct u64map *map, size_t *cursor);

#endif
