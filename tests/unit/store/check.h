/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h - compare what was read with what was written
 *
 * The functions end the test if a check fails.
 */
#ifndef ASSAY_TESTS_STORE_CHECK_H
#define ASSAY_TESTS_STORE_CHECK_H

#include <sqlite3.h>

#include "model/model.h"
#include "store/recording.h"

/* Compares every row of every array; strings are compared by content. */
void check_same_model(const struct model *have, const struct model *want);

/* The sum of what recording_each_block() passed. */
struct seen {
	uint64_t samples;
	uint64_t weight;
	uint64_t digest;	/* over all fields of all samples, in order */
};

void seen_add(struct seen *seen, const struct sample_batch *batch);
int seen_visit(void *seen, const struct sample_batch *batch);

/*
 * Opens a recording, initialises @model and loads into it, sums up the blocks, and closes the
 * recording.
 */
struct seen read_recording(const char *path, struct model *model);

/* Opens an existing file, or ends the test. */
struct recording *open_recording(const char *path);
struct recording *create_recording(const char *path);

/* Changes a recording outside the program: runs @sql with every check turned off. */
void tamper(const char *path, const char *sql);
int64_t ask(const char *path, const char *sql);

#endif
