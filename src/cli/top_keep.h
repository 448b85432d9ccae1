/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top_keep.h - the recording that `assay top` writes until the user decides whether to save it
 *
 * If the user gave -o, the recording is written to that file and always kept. If not, the recording
 * is written to a temporary directory in $TMPDIR, and may grow up to TOP_KEEP_BYTES_MAX. When the
 * user quits, this temporary recording is copied to a file if the user has named one, and is then
 * removed. `assay top` runs without a recording if the temporary directory cannot be created. With
 * JSON output it also runs without a recording, because the user has no way to ask for it to be
 * saved.
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
 * Sets the output of @record to a file in a new temporary directory. Does nothing if the user gave
 * -o, if @is_stream is true (the output is JSON), or if the directory cannot be created.
 */
void top_keep_begin(struct top_keep *keep, struct record_options *record, bool is_stream);

/*
 * To be called at each flush. @is_recorded is false if the recorder has abandoned the recording. In
 * that case, removes the temporary files. Returns true if the recording can still be saved.
 */
bool top_keep_look(struct top_keep *keep, bool is_recorded);

/*
 * Copies the finished temporary recording to @file, which must not exist yet. Does nothing if the
 * user gave -o.
 */
int top_keep_take(const struct top_keep *keep, const char *file, struct err *err);

void top_keep_end(struct top_keep *keep);

#endif
