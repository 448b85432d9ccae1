/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire_table.h - converts unwind rows to the form that the in-kernel sampler searches
 *
 * In that form, a table is an array of lines, each the size of a cache line (bpf/wire_line.h). The
 * array begins with one line for each page (256 bytes of code). After these follow the additional
 * lines of pages that have many rows. The rule at the end of a page also holds at the beginning of
 * the next page. If the first row of the table is not at the start of the first page, that page
 * begins with a gap (rule 0). Addresses after the page of the last row have no rule, so the last
 * row should be a gap, too.
 */
#ifndef ASSAY_INTAKE_WIRE_TABLE_H
#define ASSAY_INTAKE_WIRE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/wire_line.h"
#include "unwind/unwind_table.h"

struct wire_table_size {
	size_t page_count;	/* 0 if the table has no rows */
	/* number of all lines: one for each page, and the additional ones */
	size_t line_count;
};

/* Returns the number of pages of the table. Its rows must be sorted by offset. */
size_t wire_table_page_count(const struct unwind_table *table);

struct wire_table_size wire_table_size(const struct unwind_table *table);

/*
 * Fills @ret_lines, which has as many lines as wire_table_size() returned. The caller must set the
 * lines to zero before the call.
 */
void wire_table_fill(const struct unwind_table *table, struct wire_line *ret_lines);

#endif
