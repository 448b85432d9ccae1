/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/symbol_cache.h"

#include <errno.h>

struct kept_table {
	struct symbol_table table;
	size_t bytes;
	uint64_t used;		/* value of cache->clock at the last use */
	uint32_t image;
};

struct symbol_cache {
	VEC(struct kept_table) tables;
	size_t bytes, bytes_max;
	uint64_t clock;
};

int symbol_cache_new(size_t bytes_max, struct symbol_cache **ret_cache)
{
	struct symbol_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return -ENOMEM;
	cache->bytes_max = bytes_max;
	*ret_cache = cache;
	return 0;
}

static void drop(struct symbol_cache *cache, size_t at)
{
	struct kept_table *kept = &cache->tables.at[at];

	symbol_table_fini(&kept->table);
	cache->bytes -= kept->bytes;
	*kept = cache->tables.at[--cache->tables.count];
}

void symbol_cache_free(struct symbol_cache *cache)
{
	if (!cache)
		return;
	while (cache->tables.count)
		drop(cache, 0);
	vec_free(&cache->tables);
	free(cache);
}

const struct symbol_table *symbol_cache_find(struct symbol_cache *cache, uint32_t image)
{
	for (size_t i = 0; cache && i < cache->tables.count; i++)
		if (cache->tables.at[i].image == image) {
			cache->tables.at[i].used = ++cache->clock;
			return &cache->tables.at[i].table;
		}
	return NULL;
}

static void drop_oldest(struct symbol_cache *cache)
{
	size_t oldest = 0;

	for (size_t i = 1; i < cache->tables.count; i++)
		if (cache->tables.at[i].used < cache->tables.at[oldest].used)
			oldest = i;
	drop(cache, oldest);
}

void symbol_cache_keep(struct symbol_cache *cache, uint32_t image, struct symbol_table *table)
{
	size_t bytes = symbol_table_bytes(table);
	struct kept_table *kept = NULL;

	if (cache && bytes <= cache->bytes_max) {
		while (cache->bytes + bytes > cache->bytes_max)
			drop_oldest(cache);
		kept = vec_push(&cache->tables);
	}
	if (!kept) {
		symbol_table_fini(table);
		return;
	}
	*kept = (struct kept_table){ *table, bytes, ++cache->clock, image };
	cache->bytes += bytes;
}
