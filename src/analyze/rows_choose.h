/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows_choose.h - choose the rows of code to show if there is little room */
#ifndef ASSAY_ANALYZE_ROWS_CHOOSE_H
#define ASSAY_ANALYZE_ROWS_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_ASKED (UINT64_C(1) << 63)	/* or-ed into a rank, which must be smaller */

/*
 * Chooses up to @limit (0: all) of @count rows: those of the highest rank, each with some rows
 * before and after it. Rows with ROW_ASKED are chosen first, so that none of them gives way to the
 * surroundings of another row. (*ret_shown)[i] is true if row i is chosen. Returns 0 or -ENOMEM.
 * The caller frees *ret_shown.
 */
int rows_choose(const uint64_t *ranks, size_t count, size_t limit, bool **ret_shown);

#endif
