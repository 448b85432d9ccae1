/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_cache.h - keeps symbol tables between calls of symbolize()
 *
 * This is for naming samples while they are taken: each call brings new locations in the same few
 * files, and reading a table takes far longer than a lookup in it. The most recently used tables
 * are kept, up to a limit on their size. A cache serves one model, because its keys are image ids
 * of that model.
 */
#ifndef ASSAY_SYMBOLIZE_SYMBOL_CACHE_H
#define ASSAY_SYMBOLIZE_SYMBOL_CACHE_H

#include "elf/symbols.h"

struct symbol_cache;

/* Creates a cache for tables of at most @bytes_max bytes together. Returns 0 or -ENOMEM. */
int symbol_cache_new(size_t bytes_max, struct symbol_cache **ret_cache);
void symbol_cache_free(struct symbol_cache *cache);	/* accepts NULL */

/*
 * Returns the table of @image, or NULL if it is not cached. The cache owns the table, which is
 * valid until the next symbol_cache_keep().
 */
const struct symbol_table *symbol_cache_find(struct symbol_cache *cache, uint32_t image);

/* Takes ownership of @table. Frees it if @cache is NULL or has no room. */
void symbol_cache_keep(struct symbol_cache *cache, uint32_t image, struct symbol_table *table);

#endif
