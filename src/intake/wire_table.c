/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/wire_table.h"

#define PAGE_BYTES (1u << WIRE_PAGE_SHIFT)
#define RULE_GAP 0
#define RULE_UNSUPPORTED 1

/*
 * The rows of one page (256 bytes of code), with the in-kernel sampler's rule numbers. There is at
 * least one row, and the first one is at the start of the page.
 */
struct page {
	size_t count;
	uint8_t offsets[PAGE_BYTES];
	uint16_t rules[PAGE_BYTES];
};

/* Iterates over the pages of a table. */
struct pages {
	const struct unwind_table *table;
	size_t index, row;	/* index of the next page, and of the next row */
	uint16_t rule;		/* number of the rule that holds at the end of the previous page */
};

static size_t page_of(const struct unwind_row *row)
{
	return row->offset >> WIRE_PAGE_SHIFT;
}

size_t wire_table_page_count(const struct unwind_table *table)
{
	size_t row_count = table->rows.count;

	return row_count ? page_of(&table->rows.at[row_count - 1]) + 1 : 0;
}

static uint16_t rule_number(const struct unwind_table *table, uint16_t rule)
{
	uint16_t number = rule < table->rules.count ? short_rule_number(&table->rules.at[rule]) : 0;

	if (number)
		return number;
	return rule < SHORT_RULE ? rule : RULE_UNSUPPORTED;
}

/*
 * Appends a row. If its offset is not larger than the offset of the last row, the new rule replaces
 * that row's rule instead. So even unsorted rows never overflow the page.
 */
static void add_row(struct page *page, uint8_t offset, uint16_t rule)
{
	if (page->count == 0 || offset > page->offsets[page->count - 1])
		page->offsets[page->count++] = offset;
	page->rules[page->count - 1] = rule;
}

static void next_page(struct pages *pages, struct page *ret_page)
{
	const struct unwind_table *table = pages->table;

	ret_page->count = 0;
	add_row(ret_page, 0, pages->rule);
	for (; pages->row < table->rows.count; pages->row++) {
		const struct unwind_row *row = &table->rows.at[pages->row];

		if (page_of(row) != pages->index)
			break;
		add_row(ret_page, (uint8_t)row->offset, rule_number(table, row->rule));
	}
	pages->rule = ret_page->rules[ret_page->count - 1];
	pages->index++;
}

/*
 * Returns the number of additional lines that the page needs if its rows do not fit in one line;
 * otherwise 0.
 */
static size_t part_count(const struct page *page)
{
	return page->count <= WIRE_LINE_ROWS ? 0
					     : (page->count + WIRE_LINE_ROWS - 1) / WIRE_LINE_ROWS;
}

struct wire_table_size wire_table_size(const struct unwind_table *table)
{
	struct wire_table_size size = { .page_count = wire_table_page_count(table) };
	struct pages pages = { .table = table, .rule = RULE_GAP };
	struct page page;

	size.line_count = size.page_count;
	while (pages.index < size.page_count) {
		next_page(&pages, &page);
		size.line_count += part_count(&page);
	}
	return size;
}

/*
 * Fills a line with rows of the page, beginning with row @first, as many as fit. Repeats the last
 * row in the rest of the line.
 */
static void fill_line(const struct page *page, size_t first, struct wire_line *ret_line)
{
	for (size_t i = 0; i < WIRE_LINE_ROWS; i++) {
		size_t row = first + i < page->count ? first + i : page->count - 1;

		ret_line->rules[i] = page->rules[row];
		if (i > 0)
			ret_line->offsets[i - 1] = first + i < page->count ? page->offsets[row]
									   : PAGE_BYTES - 1;
	}
}

static void fill_node(const struct page *page, size_t line, struct wire_line *ret_node)
{
	size_t count = part_count(page);

	ret_node->part_count = (uint16_t)count;
	ret_node->rules[0] = (uint16_t)line;
	ret_node->rules[1] = (uint16_t)(line >> 16);
	for (size_t part = 1; part < WIRE_LINE_ROWS; part++)
		ret_node->offsets[part - 1] = part < count ? page->offsets[part * WIRE_LINE_ROWS]
							   : PAGE_BYTES - 1;
}

void wire_table_fill(const struct unwind_table *table, struct wire_line *ret_lines)
{
	struct pages pages = { .table = table, .rule = RULE_GAP };
	size_t count = wire_table_page_count(table), line = count;
	struct page page;

	for (size_t index = 0; index < count; index++) {
		next_page(&pages, &page);
		if (page.count <= WIRE_LINE_ROWS) {
			fill_line(&page, 0, &ret_lines[index]);
			continue;
		}
		fill_node(&page, line, &ret_lines[index]);
		for (size_t row = 0; row < page.count; row += WIRE_LINE_ROWS)
			fill_line(&page, row, &ret_lines[line++]);
	}
}
