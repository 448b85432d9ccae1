/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - the recording: a SQLite database that grows during the run
 *
 * Writer: recording_create(), then recording_append() once per flush interval. Each append is one
 * transaction with all rows that are new in the model since the last call, and the samples as
 * column blocks. If the writer is killed, the file holds everything up to the last append. After
 * the run recording_finish() adds names, totals and the `complete` mark, and leaves one plain file
 * without a journal.
 *
 * Reader: recording_open() also works while another process writes. recording_load() fills an empty
 * model, and recording_each_block() streams the samples.
 *
 * Small dictionaries are ordinary rows; bulk data is stored in column blocks. docs/schema.md
 * describes both, and store/block.h the encoding of blocks. Outside of src/store only cli/cmd_sql.c
 * includes sqlite3.h.
 */
#ifndef ASSAY_STORE_RECORDING_H
#define ASSAY_STORE_RECORDING_H

#include "base/err.h"
#include "model/model.h"

struct recording;

/* ---- writing ---- */

/*
 * Creates @path with mode 0600. An existing recording is first renamed to <path>.old; only one old
 * generation is kept. Returns -EEXIST if the existing file is not a recording.
 */
int recording_create(const char *path, struct recording **ret_recording, struct err *err);

/*
 * Closes a recording that was not needed (for example because the command could not be executed) as
 * if it had never been created: removes the file and gives the earlier recordings their names back.
 * Nothing may have been appended to it. @recording may be NULL.
 *
 * To make this possible, the old generation that the new recording displaces is kept as <path>.old~
 * until the first append.
 */
void recording_discard(struct recording *recording);

/*
 * Writes one flush. Does not clear the batch. Returns -ENOSPC if the disk is full: earlier appends
 * stay readable, and the caller should stop and report the error.
 */
int recording_append(struct recording *recording, const struct model *model,
		     const struct sample_batch *batch, struct err *err);

/*
 * Writes functions, the names of locations, the totals in table hit and the facts, then marks the
 * file complete.
 */
int recording_finish(struct recording *recording, const struct model *model, struct err *err);

/*
 * Writes the lines that were added to @model after recording_load(), and everything they refer to.
 * Keeps the totals of recording_finish(). The recording must be complete.
 */
int recording_keep_lines(struct recording *recording, const struct model *model, struct err *err);

/* ---- reading ---- */

/*
 * Opens a recording for reading. Returns -ENOENT, or -EINVAL if the file is not a recording, has a
 * newer schema, or has tables that no recorder makes; the message says which.
 *
 * All reads see the same snapshot of the file. It is taken by this call, or by recording_load() if
 * the recording is unfinished, so that the caller can try recording_open_rw() in between (see
 * open.c).
 *
 * While the recording is still growing, its journal cannot be folded into the file until
 * recording_close(). Close it as soon as everything is in memory.
 */
int recording_open(const char *path, struct recording **ret_recording, struct err *err);

/*
 * Opens a recording that was never finished in order to add names. Returns -EBUSY while its
 * recorder runs. The process may have no other connection to this path open; an unfinished
 * recording from recording_open() that was not yet loaded has none.
 */
int recording_open_rw(const char *path, struct recording **ret_recording, struct err *err);

int recording_load(struct recording *recording, struct model *model, struct err *err);

/* Returns true if recording_finish() completed the file. */
bool recording_is_complete(const struct recording *recording);

/*
 * Returns true if a killed recording left a journal next to the file that cannot be read, because
 * the reader has no permission to create the journal's index there. The data then lacks the last
 * flushes.
 */
bool recording_is_stale(const struct recording *recording);

struct sample_range {
	uint64_t from_ns;	/* CLOCK_MONOTONIC, inclusive */
	uint64_t to_ns;		/* exclusive; UINT64_MAX means to the end */
};

/*
 * Calls @visit with the samples of each block. Blocks come in the order of their start; inside a
 * block samples are in time order. Times and lateness of events that tick are accurate to 128 ns
 * (docs/schema.md).
 *
 * Blocks outside @range are skipped without decoding; NULL means all blocks. If a block is partly
 * inside @range, all of its samples are passed, and @visit must filter them. A damaged block is
 * counted in model->losses and skipped. Stops when @visit returns non-zero, and returns that value.
 */
typedef int (*recording_visit_fn)(void *context, const struct sample_batch *batch);
int recording_each_block(struct recording *recording, struct model *model,
			 const struct sample_range *range, recording_visit_fn visit, void *context,
			 struct err *err);

/* Returns the current size on disk of the file and its journal. */
uint64_t recording_size_bytes(const struct recording *recording);

void recording_close(struct recording *recording);	/* @recording may be NULL */

#endif
