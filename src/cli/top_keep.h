/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top_keep.h - the recording that `assay top` writes until the user decides whether to save it
 *
 * If the user gave -o, the recording is written to that file and always kept. Otherwise the
 * recording is written to a temporary directory in $TMPDIR and may grow up to TOP_KEEP_BYTES_MAX.
 * When the user quits, the recording is either copied to a file that the user named, or removed. If
 * the directory cannot be created, top runs without a recording. The same applies if the output is
 * JSON, because the user could not ask to save a recording.
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
	/* true if -o was given, so that the recording belongs to the user */
	bool is_users;
};

/*
 * Sets the output of @record to a file in the temporary directory. Does nothing if -o was given, if
 * @is_stream is true (the output is JSON), or if the directory cannot be created.
 */
void top_keep_begin(struct top_keep *keep, struct record_options *record, bool is_stream);

/*
 * @is_recorded is false if the recorder has given up the recording; the temporary files are then
 *	removed. Returns true if the recording can still be saved.
 */
bool top_keep_look(struct top_keep *keep, bool is_recorded);

/* Copies the finished recording to @file, which must not exist yet. Does nothing with -o. */
int top_keep_take(const struct top_keep *keep, const char *file, struct err *err);

void top_keep_end(struct top_keep *keep);

#endif
