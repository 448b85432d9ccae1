/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cut.h - reads a recording whose end is missing, such as after an interrupted copy, or whose
 * blocks cannot be found because a page that leads to them is damaged
 *
 * SQLite refuses a file that is shorter than its header says. But the pages before the cut are
 * whole: the schema and the first page of each table come first in the file, and samples follow in
 * the order in which they were taken. What these pages hold is copied into a temporary recording
 * that only this process sees. The file itself is never changed.
 *
 * Blocks are searched page by page, because the page that leads to the pages of the first blocks
 * may be missing. Their checksums show which are whole. The rows of the other tables are read
 * through SQLite, from both ends up to a missing page.
 *
 * The copy has no totals and is not complete, like a recording whose recorder was killed. Its table
 * `loss` says how many bytes are missing (LOSS_RECORDING_CUT), or that rows are damaged.
 */
#ifndef ASSAY_STORE_CUT_H
#define ASSAY_STORE_CUT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct cut {
	uint64_t have_bytes;	/* size of the file */
	uint64_t want_bytes;	/* size that its header names */
	uint32_t page_bytes;
};

/*
 * Returns true if the file is a recording whose header is whole. The process must not have the file
 * open with SQLite, see database_open().
 */
bool cut_read(const char *path, struct cut *ret_cut);

/* Returns true if the file is shorter than its header says. */
static inline bool cut_is_short(const struct cut *cut)
{
	return cut->have_bytes < cut->want_bytes;
}

/* Sets the message that the file is cut or damaged, followed by @more. Returns -EINVAL. */
int cut_err(const char *path, const struct cut *cut, const char *more, struct err *err);

/*
 * Copies what the file holds into a temporary database. Returns a negative errno if that does not
 * contain samples.
 */
int cut_open(const char *path, const struct cut *cut, sqlite3 **ret_db, struct err *err);

#endif
