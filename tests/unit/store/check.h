/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h - is what was read what was written?
 *
 * All end the test where it is not.
 */
#ifndef ASSAY_TESTS_STORE_CHECK_H
#define ASSAY_TESTS_STORE_CHECK_H

#include <sqlite3.h>

#include "model/model.h"
#include "store/recording.h"

/* Every row of every array, strings by content. */
void check_same_model(const struct model *have, const struct model *want);

/* What recording_each_block() passed, summed. */
struct seen {
	uint64_t samples;
	uint64_t weight;
	uint64_t digest;	/* over all fields of all samples, in order */
};

void seen_add(struct seen *seen, const struct sample_batch *batch);
int seen_visit(void *seen, const struct sample_batch *batch);

/* Opens, loads into *model (which it initialises) and sums up; the recording is closed. */
struct seen read_recording(const char *path, struct model *model);

/* Opens an existing file or ends the test. */
struct recording *open_recording(const char *path);
struct recording *create_recording(const char *path);

/* For tampering with a recording behind our back: runs @sql, every check off. */
void tamper(const char *path, const char *sql);
int64_t ask(const char *path, const char *sql);

#endif
