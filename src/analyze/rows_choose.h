/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows_choose.h - which of many rows of code to show where there is little room
 */
#ifndef ASSAY_ANALYZE_ROWS_CHOOSE_H
#define ASSAY_ANALYZE_ROWS_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_ASKED (UINT64_C(1) << 63)	/* or-ed into a rank that is below it */

/*
 * Room for @limit (0: all) of @count rows: those of the highest rank, and around each what
 * leads to it and on from it; but first each of those with ROW_ASKED, so that none of them gives
 * way to what is around another.  shown[i] tells of row i.  0 or -ENOMEM; the caller frees it.
 */
int rows_choose(const uint64_t *ranks, size_t count, size_t limit, bool **ret_shown);

#endif
