/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows_choose.h - chooses which rows of code to show if not all fit */
#ifndef ASSAY_ANALYZE_ROWS_CHOOSE_H
#define ASSAY_ANALYZE_ROWS_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* the caller sets this bit in the rank of each row that the user asked for */
#define ROW_ASKED (UINT64_C(1) << 63)

/*
 * Chooses up to @limit (0: all) of @count rows: the rows with the highest ranks, each with some
 * rows above and below. Rows with ROW_ASKED are chosen first, so the neighbors of another row never
 * displace rows with ROW_ASKED. (*ret_shown)[i] is true if row i is chosen. Returns 0 or -ENOMEM.
 * The caller frees *ret_shown.
 */
int rows_choose(const uint64_t *ranks, size_t count, size_t limit, bool **ret_shown);

#endif
