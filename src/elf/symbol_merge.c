/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/sort.h"
#include "elf/symbol_sources.h"

#define NAME_COMPARE_MAX 256

int symbol_table_own(struct symbol_table *table, void *block)
{
	void **slot = vec_push(&table->storage->blocks);

	if (!slot) {
		free(block);
		return -ENOMEM;
	}
	*slot = block;
	return 0;
}

/*
 * Returns the number of leading underscores. This is counted once, when the symbol is added, so
 * that the comparisons during sorting need not count again.
 */
static uint32_t leading_underscores(const char *name)
{
	uint32_t count = 0;

	while (count < RANK_UNDERSCORES_MAX && name[count] == '_')
		count++;
	return count;
}

int symbol_table_add(struct symbol_table *table, const struct symbol *symbol)
{
	struct symbol *added = vec_push(&table->symbols);

	if (!added)
		return -ENOMEM;
	*added = *symbol;
	added->rank += leading_underscores(symbol->name);
	return 0;
}

/*
 * Orders the names of one address, the better name first. If names are equally good, other criteria
 * decide, so that the order is always the same. Names whose first NAME_COMPARE_MAX bytes are equal
 * are ordered by their addresses in memory.
 */
static int compare_names(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;
	int order = 0;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->size_bytes != b->size_bytes)
		return a->size_bytes > b->size_bytes ? -1 : 1;
	if (a->name != b->name)
		order = strncmp(a->name, b->name, NAME_COMPARE_MAX);
	if (order == 0)
		order = (a->name > b->name) - (a->name < b->name);
	return order;
}

static int sort_symbols(struct symbol *symbols, size_t count)
{
	size_t same;
	int rc = sort_by_number(symbols, count, sizeof(*symbols), offsetof(struct symbol, vaddr));

	for (size_t i = 0; rc == 0 && i < count; i += same) {
		for (same = 1; i + same < count; same++)
			if (symbols[i + same].vaddr != symbols[i].vaddr)
				break;
		if (same > 1)
			qsort(symbols + i, same, sizeof(*symbols), compare_names);
	}
	return rc;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct code_range *a = left, *b = right;

	if (a->start_vaddr != b->start_vaddr)
		return a->start_vaddr < b->start_vaddr ? -1 : 1;
	return a->end_vaddr < b->end_vaddr ? -1 : a->end_vaddr > b->end_vaddr;
}

/*
 * Keeps one symbol for each address or all, and drops labels in the middle of a function. The
 * symbols must be sorted.
 */
static void drop_lesser_names(struct symbol_table *table, bool all_names)
{
	uint64_t function_end_vaddr = 0;
	size_t kept = 0;

	for (size_t i = 0; i < table->symbols.count; i++) {
		struct symbol *symbol = &table->symbols.at[i];
		uint64_t end_vaddr = symbol_sized_end(symbol);

		if (!all_names && kept > 0 && table->symbols.at[kept - 1].vaddr == symbol->vaddr)
			continue;
		if ((symbol->rank & RANK_NOTYPE) && symbol->vaddr < function_end_vaddr)
			continue;
		if (!(symbol->rank & RANK_NOTYPE) && end_vaddr > function_end_vaddr)
			function_end_vaddr = end_vaddr;
		table->symbols.at[kept++] = *symbol;
	}
	table->symbols.count = kept;
}

/*
 * Functions can be nested in the address range of other functions. The function that covers an
 * address is then the nearest one that begins before the address and ends after the address. To
 * find that function quickly, each symbol stores the nearest earlier symbol that ends later than
 * the symbol itself, and the search follows these links.
 */
static int link_outer(struct symbol_table *table)
{
	struct symbol_storage *storage = table->storage;
	const struct symbol *symbols = table->symbols.at;
	size_t count = table->symbols.count;

	if (count >= SYMBOL_NO_OUTER || vec_reserve(&storage->outer, count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t outer = i > 0 ? (uint32_t)i - 1 : SYMBOL_NO_OUTER;

		while (outer != SYMBOL_NO_OUTER &&
		       symbol_sized_end(&symbols[outer]) <= symbol_sized_end(&symbols[i]))
			outer = storage->outer.at[outer];
		*vec_push(&storage->outer) = outer;
	}
	return 0;
}

int symbol_table_finish(struct symbol_table *table, bool all_names)
{
	int rc = sort_symbols(table->symbols.at, table->symbols.count);

	if (rc < 0)
		return rc;
	if (table->ranges.count > 1)
		qsort(table->ranges.at, table->ranges.count, sizeof(*table->ranges.at),
		      compare_ranges);
	drop_lesser_names(table, all_names);
	return link_outer(table);
}
