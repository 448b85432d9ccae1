/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_cache.h - keep symbol tables in memory between calls of symbolize()
 *
 * The cache is used when samples are named while they are being taken. Each call of symbolize()
 * then names new locations in the same few files, and reading a table takes far longer than a
 * lookup in it. The cache keeps the most recently used tables, up to a limit on their total size. A
 * cache can be used with one model only, because its keys are image ids of that model.
 */
#ifndef ASSAY_SYMBOLIZE_SYMBOL_CACHE_H
#define ASSAY_SYMBOLIZE_SYMBOL_CACHE_H

#include "elf/symbols.h"

struct symbol_cache;

/*
 * Creates a cache for tables with a total size of at most @bytes_max bytes. Returns 0 or -ENOMEM.
 */
int symbol_cache_new(size_t bytes_max, struct symbol_cache **ret_cache);
void symbol_cache_free(struct symbol_cache *cache);	/* accepts NULL */

/*
 * Returns the table of @image, or NULL if it is not cached. The cache owns the table, which is
 * valid until the next symbol_cache_keep().
 */
const struct symbol_table *symbol_cache_find(struct symbol_cache *cache, uint32_t image);

/*
 * Adds @table to the cache and takes ownership of it. Drops the least recently used tables if the
 * total size would exceed the limit. Frees @table if @cache is NULL or if @table alone exceeds the
 * limit.
 */
void symbol_cache_keep(struct symbol_cache *cache, uint32_t image, struct symbol_table *table);

#endif
