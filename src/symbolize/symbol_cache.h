/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol_cache.h - symbol tables kept between two calls of symbolize()
 *
 * For who names samples while they are taken: at each look there are new places in the same few
 * files, and to read a table takes far longer than to look into it.  Within its bound the tables
 * that were used last are kept.  Of one model, whose images the keys are.
 */
#ifndef ASSAY_SYMBOLIZE_SYMBOL_CACHE_H
#define ASSAY_SYMBOLIZE_SYMBOL_CACHE_H

#include "elf/symbols.h"

struct symbol_cache;

/* Keeps tables of at most @bytes_max. 0 or -ENOMEM. */
int symbol_cache_new(size_t bytes_max, struct symbol_cache **ret_cache);
void symbol_cache_free(struct symbol_cache *cache);	/* NULL is fine */

/* The table of @image, the cache's own, until the next symbol_cache_keep(); NULL: not here. */
const struct symbol_table *symbol_cache_find(struct symbol_cache *cache, uint32_t image);

/* Takes over @table, which is freed where there is no @cache or no room. */
void symbol_cache_keep(struct symbol_cache *cache, uint32_t image, struct symbol_table *table);

#endif
