/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_view.h - the samples of source files, line by line
 *
 * A sample counts for the innermost line of its address: code that was inlined for the file that
 * it was written in.  So a function's samples can lie in several files.
 *
 * Lines without hits are rows, too, between the first and the last line that was hit of any
 * one function, so that its code can be read; but not where a gap is longer than SOURCE_GAP_MAX,
 * nor where a file has more than SOURCE_FILLED_MAX of them: a recording may say what it likes.
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
	uint32_t file;			/* string */
	struct count count;
	size_t filled;			/* of the rows: without hits */
	uint64_t mtime_ns;		/* of the newest image that was hit there; 0: unknown */
	VEC(struct source_row) rows;	/* by line */
};

struct source_views {
	const struct profile *profile;
	const struct group_selection *selection;
	VEC(struct source_view) list;	/* the most samples first */
	struct count total;		/* of what was asked for */
	struct count all;		/* of the selection */
	struct count no_line;		/* of the total: no line is known */
};

/* Which hits are meant. */
struct source_wanted {
	const bool *functions;		/* by id; NULL: all of them */
	uint32_t file;			/* 0: all files */
};

/* The profile was read with by_address. 0 or -ENOMEM; source_views_fini() after either. */
int source_views_make(const struct profile *profile, const struct group_selection *selection,
		      const struct source_wanted *wanted, struct source_views *ret_views);
void source_views_fini(struct source_views *views);

bool source_views_by_weight(const struct source_views *views);

#endif
