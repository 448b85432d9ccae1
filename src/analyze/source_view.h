/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_view.h - the samples of source files, line by line
 *
 * A sample counts for the innermost line of its address, so inlined code counts for the file in
 * which it was written. The samples of one function can therefore be in several files.
 *
 * Lines without hits between the first and the last hit line of a function are also rows, so that
 * its code can be read. They are left out if a gap is longer than SOURCE_GAP_MAX, or if a file has
 * more than SOURCE_FILLED_MAX of them, because a recording can claim any line number.
 */
#ifndef ASSAY_ANALYZE_SOURCE_VIEW_H
#define ASSAY_ANALYZE_SOURCE_VIEW_H

#include "analyze/group.h"

#define SOURCE_GAP_MAX 1000
#define SOURCE_FILLED_MAX 100000

struct source_row {
	uint32_t line;
	struct count count;
	uint64_t late_samples;
};

struct source_view {
	uint32_t file;			/* id of the path's string */
	struct count count;
	size_t filled;			/* number of rows without hits */
	/* time of the newest image with hits in this file; 0: unknown */
	uint64_t mtime_ns;
	VEC(struct source_row) rows;	/* sorted by line */
};

struct source_views {
	const struct profile *profile;
	const struct group_selection *selection;
	VEC(struct source_view) list;	/* sorted by samples, most first */
	struct count total;		/* of the requested hits */
	struct count all;		/* of the selection */
	struct count no_line;		/* part of the total without a known line */
};

/* Selects the requested hits. */
struct source_wanted {
	const bool *functions;		/* by id; NULL: all functions */
	uint32_t file;			/* 0: all files */
};

/*
 * The profile must be read with by_address. Returns 0 or -ENOMEM. Call source_views_fini() in both
 * cases.
 */
int source_views_make(const struct profile *profile, const struct group_selection *selection,
		      const struct source_wanted *wanted, struct source_views *ret_views);
void source_views_fini(struct source_views *views);

bool source_views_by_weight(const struct source_views *views);

#endif
