/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire_table.h - an image's rows, in the shape in which the sampler searches them
 *
 * The values of a table (bpf/wire.h) are pages, then rows; `rows_at` of a mapping is the number of
 * pages.  Addresses behind the last row's page have no rule, so the last row should be a gap.
 */
#ifndef ASSAY_CAPTURE_WIRE_TABLE_H
#define ASSAY_CAPTURE_WIRE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/rule.h"

/* Rows are sorted by offset. 0 for no rows. */
size_t wire_table_page_count(const struct unwind_row *rows, size_t row_count);

/* Fills wire_table_page_count() + row_count values. */
void wire_table_fill(const struct unwind_row *rows, size_t row_count, uint64_t *ret_values);

#endif
