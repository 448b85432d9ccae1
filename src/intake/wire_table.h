/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire_table.h - converts unwind rows to the form that the in-kernel sampler searches
 *
 * A table (bpf/wire_line.h) consists of one line for each page, followed by the lines of pages with
 * many rows. A page begins with the rule with which the previous page ended. The first page begins
 * with a gap (rule 0) if it has no row at its start. Addresses after the page of the last row have
 * no rule, so the last row should be a gap, too.
 */
#ifndef ASSAY_INTAKE_WIRE_TABLE_H
#define ASSAY_INTAKE_WIRE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/wire_line.h"
#include "unwind/table.h"

struct wire_table_size {
	size_t page_count;	/* 0 if the table has no rows */
	size_t line_count;	/* all lines, including one for each page */
};

/* Returns the number of pages. The rows must be sorted by offset. */
size_t wire_table_page_count(const struct unwind_table *table);

struct wire_table_size wire_table_size(const struct unwind_table *table);

/*
 * Fills the number of lines that wire_table_size() returned. The lines must be zero before the
 * call.
 */
void wire_table_fill(const struct unwind_table *table, struct wire_line *ret_lines);

#endif
