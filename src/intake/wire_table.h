/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire_table.h - an image's rows, in the shape in which the sampler searches them
 *
 * The lines of a table (bpf/wire_line.h) are one for each page, then the parts of pages with many
 * rows.  A page begins with the rule that the one before ended with; the first one of a table with
 * a gap (rule 0), if no row is there.  Addresses behind the last row's page have no rule, so the
 * last row should be a gap, too.
 */
#ifndef ASSAY_INTAKE_WIRE_TABLE_H
#define ASSAY_INTAKE_WIRE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/wire_line.h"
#include "unwind/table.h"

struct wire_table_size {
	size_t page_count;	/* 0 for no rows */
	size_t line_count;	/* with those of the pages */
};

/* Rows are sorted by offset. */
size_t wire_table_page_count(const struct unwind_table *table);

struct wire_table_size wire_table_size(const struct unwind_table *table);

/* Fills as many lines as wire_table_size() said, which are zeros before. */
void wire_table_fill(const struct unwind_table *table, struct wire_line *ret_lines);

#endif
