/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <stdlib.h>

#include "symbolize/symbol_cache.h"

/* Makes a table with @count symbols, the first of which is at @vaddr. */
static struct symbol_table made(size_t count, uint64_t vaddr)
{
	struct symbol_table table = { .complete = true };

	for (size_t i = 0; i < count; i++) {
		struct symbol *symbol = vec_push(&table.symbols);

		assert_non_null(symbol);
		symbol->vaddr = vaddr + i;
	}
	return table;
}

static void keep(struct symbol_cache *cache, uint32_t image, size_t count)
{
	struct symbol_table table = made(count, image * 1000);

	symbol_cache_keep(cache, image, &table);
}

static bool has(struct symbol_cache *cache, uint32_t image)
{
	const struct symbol_table *table = symbol_cache_find(cache, image);

	if (table)
		assert_int_equal(table->symbols.at[0].vaddr, image * 1000);
	return table != NULL;
}

/* There is room for three of these tables. The least recently used one is removed. */
static void test_keeps_what_was_used_last(void **state)
{
	struct symbol_table one = made(100, 0);
	size_t bytes = symbol_table_bytes(&one);
	struct symbol_cache *cache;

	symbol_table_fini(&one);
	assert_true(bytes >= 100 * sizeof(struct symbol));
	assert_int_equal(symbol_cache_new(3 * bytes + bytes / 2, &cache), 0);
	assert_false(has(cache, 1));
	for (uint32_t image = 1; image <= 3; image++)
		keep(cache, image, 100);
	assert_true(has(cache, 1) && has(cache, 3));
	keep(cache, 4, 100);
	assert_false(has(cache, 2));
	assert_true(has(cache, 1) && has(cache, 3) && has(cache, 4));
	/* larger than the whole cache; no table is removed for it */
	keep(cache, 5, 1000);
	assert_false(has(cache, 5));
	assert_true(has(cache, 1) && has(cache, 3) && has(cache, 4));
	keep(cache, 6, 200);
	assert_true(has(cache, 6));
	symbol_cache_free(cache);
}

static void test_without_a_cache(void **state)
{
	keep(NULL, 1, 10);
	assert_false(has(NULL, 1));
	symbol_cache_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeps_what_was_used_last),
		cmocka_unit_test(test_without_a_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
