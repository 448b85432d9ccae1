/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/symbol_sources.h"

/*
 * Limit on the depth of nested symbols. Real programs stay below it; a malicious file may nest
 * deeper to waste time.
 */
#define NESTING_MAX 256

const struct code_range *code_range_find(const struct code_range *ranges, size_t count,
					 uint64_t vaddr)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].start_vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && vaddr < ranges[low - 1].end_vaddr ? &ranges[low - 1] : NULL;
}

/* Returns the number of symbols that begin at or before @vaddr. */
static size_t symbols_up_to(const struct symbol_table *table, uint64_t vaddr)
{
	size_t low = 0, high = table->symbols.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols.at[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns true if @symbol, which has no size, extends to @vaddr. Such a symbol ends where an FDE
 * shows that the next function begins, at the latest at the end of its section.
 */
static bool extends_to(const struct symbol_table *table, const struct symbol *symbol,
		       uint64_t vaddr, const struct code_range *section)
{
	const struct code_range *fde = code_range_find(table->ranges.at, table->ranges.count,
						       vaddr);

	if (!section || symbol->vaddr < section->start_vaddr)
		return false;
	return !fde || fde->start_vaddr <= symbol->vaddr;
}

/*
 * Returns the symbol that covers @vaddr, or NULL. @last is the index of the last symbol that begins
 * at or before @vaddr.
 */
static const struct symbol *covering(const struct symbol_table *table, size_t last, uint64_t vaddr,
				     const struct code_range *section)
{
	const struct symbol *symbol = &table->symbols.at[last];
	uint32_t index = (uint32_t)last;

	if (symbol->size_bytes == 0 && extends_to(table, symbol, vaddr, section))
		return symbol;
	for (int depth = 0; depth < NESTING_MAX && index != SYMBOL_NO_OUTER; depth++) {
		symbol = &table->symbols.at[index];
		if (vaddr < symbol_sized_end(symbol))
			return symbol;
		index = table->storage->outer.at[index];
	}
	return NULL;
}

/*
 * Returns the bounds of the unnamed code around @vaddr: from the end of @before to the start of
 * @after. If one of these symbols is NULL, uses the bound of @section in its place.
 */
static struct code_range gap(const struct code_range *section, const struct symbol *before,
			     const struct symbol *after, uint64_t vaddr)
{
	struct code_range gap = *section;

	if (before && symbol_sized_end(before) <= vaddr)
		gap.start_vaddr = symbol_sized_end(before);
	if (after)
		gap.end_vaddr = after->vaddr;
	return gap;
}

static void bound_unnamed(const struct symbol_table *table, const struct code_range *section,
			  uint64_t vaddr, struct symbol_answer *answer)
{
	struct code_range bounds = gap(section, answer->before, answer->after, vaddr);
	const struct code_range *fde = code_range_find(table->ranges.at, table->ranges.count,
						       vaddr);

	if (fde) {
		answer->bounds_from_fde = true;
		if (fde->start_vaddr > bounds.start_vaddr)
			bounds.start_vaddr = fde->start_vaddr;
		if (fde->end_vaddr < bounds.end_vaddr)
			bounds.end_vaddr = fde->end_vaddr;
	}
	answer->start_vaddr = bounds.start_vaddr;
	answer->end_vaddr = bounds.end_vaddr;
}

static uint64_t symbol_end(const struct symbol *symbol, const struct symbol *next,
			   const struct code_range *section)
{
	if (symbol->size_bytes > 0)
		return symbol_sized_end(symbol);
	return next && next->vaddr < section->end_vaddr ? next->vaddr : section->end_vaddr;
}

void symbol_table_lookup(const struct symbol_table *table, uint64_t vaddr,
			 struct symbol_answer *ret_answer)
{
	const struct code_range *section = code_range_find(table->sections.at,
							   table->sections.count, vaddr);
	size_t above = symbols_up_to(table, vaddr);
	const struct symbol *next = above < table->symbols.count ? &table->symbols.at[above] : NULL;
	struct symbol_answer answer = { 0 };

	if (above > 0)
		answer.symbol = covering(table, above - 1, vaddr, section);
	if (section) {
		if (above > 0 && table->symbols.at[above - 1].vaddr >= section->start_vaddr)
			answer.before = &table->symbols.at[above - 1];
		if (next && next->vaddr < section->end_vaddr)
			answer.after = next;
	}
	if (answer.symbol) {
		answer.start_vaddr = answer.symbol->vaddr;
		answer.end_vaddr = symbol_end(answer.symbol, next, section);
	} else if (section) {
		bound_unnamed(table, section, vaddr, &answer);
	}
	*ret_answer = answer;
}
