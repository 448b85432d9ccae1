/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top_keep.h - the recording that `assay top` writes until the user decides whether to keep it
 *
 * With -o, the user asked for the recording from the start. Otherwise the recording is written to a
 * temporary directory in $TMPDIR and may grow up to TOP_KEEP_BYTES_MAX. When the user leaves, it is
 * copied to a file that the user named, or removed. If the directory cannot be created, top runs
 * without a recording. Nothing is recorded if the user has no way to ask for it.
 */
#ifndef ASSAY_CLI_TOP_KEEP_H
#define ASSAY_CLI_TOP_KEEP_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "session/record_session.h"

#define TOP_KEEP_BYTES_MAX (UINT64_C(64) << 20)

struct top_keep {
	char folder[PATH_MAX - 16];	/* temporary directory; "" if there is none */
	char path[PATH_MAX];		/* temporary recording in that directory */
	bool is_users;			/* -o was given */
};

/*
 * Sets the output of @record to a temporary recording, unless -o was given, or @is_stream is true
 * (output is JSON, so the user cannot ask for it), or the directory cannot be created.
 */
void top_keep_begin(struct top_keep *keep, struct record_options *record, bool is_stream);

/*
 * If @is_recorded is false, because the recorder abandoned the recording, removes the temporary
 * files. Returns true if the recording can still be saved.
 */
bool top_keep_look(struct top_keep *keep, bool is_recorded);

/* Copies the finished recording to @file, which must not exist yet. Does nothing with -o. */
int top_keep_take(const struct top_keep *keep, const char *file, struct err *err);

void top_keep_end(struct top_keep *keep);

#endif
