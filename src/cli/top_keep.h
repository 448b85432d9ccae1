/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top_keep.h - what `assay top` sampled, until its user says whether to keep it
 *
 * With -o the recording is the user's from the start.  Else it grows in a folder of its own below
 * $TMPDIR, up to TOP_KEEP_BYTES_MAX, and is copied to where the user wants it on leaving, or
 * removed.  Where there is no place for it, top goes on without.  Nothing is recorded where nobody
 * could ask for it.
 */
#ifndef ASSAY_CLI_TOP_KEEP_H
#define ASSAY_CLI_TOP_KEEP_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "session/record_session.h"

#define TOP_KEEP_BYTES_MAX (UINT64_C(64) << 20)

struct top_keep {
	char folder[PATH_MAX - 16];	/* "": none */
	char path[PATH_MAX];		/* inside it */
	bool is_users;			/* -o */
};

/* Says in *record where to record to, if anywhere: not where @is_stream and no file was named. */
void top_keep_begin(struct top_keep *keep, struct record_options *record, bool is_stream);

/* When the recorder gave it up as too large, frees the disk. True: it can still be had. */
bool top_keep_look(struct top_keep *keep, bool is_recorded);

/* The finished recording to @file, which must not exist yet; nothing to do with -o. */
int top_keep_take(const struct top_keep *keep, const char *file, struct err *err);

void top_keep_end(struct top_keep *keep);

#endif
