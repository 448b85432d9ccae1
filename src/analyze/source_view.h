/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_view.h - the samples of source files, line by line
 *
 * A sample counts for the innermost line of its address, so inlined code counts for the file in
 * which that code was written. The samples of one function can therefore be in several files.
 *
 * The range of a function begins at its first line with hits and ends at its last line with hits.
 * The lines without hits in this range are also added as rows, so that the function can be read as
 * a whole. A recording can contain any line number, so these rows are limited: none are added for a
 * gap of more than SOURCE_GAP_MAX lines, and at most SOURCE_FILLED_MAX are added to a file.
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
	uint32_t file;			/* string id of the path */
	struct count count;
	size_t filled;			/* number of rows without hits */
	/* modification time of the newest image with hits in this file; 0: unknown */
	uint64_t mtime_ns;
	VEC(struct source_row) rows;	/* sorted by line */
};

struct source_views {
	const struct profile *profile;
	const struct group_selection *selection;
	VEC(struct source_view) list;	/* sorted by samples, most first */
	struct count total;		/* all requested hits */
	struct count all;		/* all hits of the selection */
	struct count no_line;		/* requested hits whose line is not known */
};

/* A hit of the selection is requested if its function is in @functions and its line is in @file. */
struct source_wanted {
	const bool *functions;		/* by function id: true if requested; NULL: all functions */
	uint32_t file;			/* 0: all files */
};

/*
 * The profile must have been read with the option by_address. Returns 0 or -ENOMEM. Call
 * source_views_fini() in both cases.
 */
int source_views_make(const struct profile *profile, const struct group_selection *selection,
		      const struct source_wanted *wanted, struct source_views *ret_views);
void source_views_fini(struct source_views *views);

bool source_views_by_weight(const struct source_views *views);

#endif
