/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/wire_table.h"

#include "bpf/wire.h"

size_t wire_table_page_count(const struct unwind_row *rows, size_t row_count)
{
	return row_count ? (rows[row_count - 1].offset >> WIRE_PAGE_SHIFT) + (size_t)1 : 0;
}

void wire_table_fill(const struct unwind_row *rows, size_t row_count, uint64_t *ret_values)
{
	size_t page_count = wire_table_page_count(rows, row_count);
	size_t row = 0;

	for (size_t page = 0; page < page_count; page++) {
		size_t first = row;

		while (row < row_count && rows[row].offset >> WIRE_PAGE_SHIFT == page)
			row++;
		ret_values[page] = (uint64_t)first | (uint64_t)row << 32;
	}
	for (row = 0; row < row_count; row++)
		ret_values[page_count + row] = (uint64_t)rows[row].offset | (uint64_t)rows[row].rule
										    << 32;
}
