/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - the recording: an SQLite database that grows during the run
 *
 * Writer: recording_create(), then recording_append() once per flush interval. Each append is one
 * transaction. It writes all rows that were added to the model since the last call, and the samples
 * as column blocks. If the writer is killed, the file holds everything up to the last append. After
 * the run, recording_finish() adds names, totals and the `complete` mark. recording_close() then
 * leaves one plain file without a journal.
 *
 * Reader: recording_open() also works while another process writes. recording_load() fills an empty
 * model, and recording_each_block() streams the samples.
 *
 * Small dictionaries are ordinary rows. Bulk data is stored in column blocks. docs/schema.md
 * describes both, and store/block.h describes the encoding of blocks. Outside of src/store, only
 * cli/main.c and cli/sql_print.h include sqlite3.h.
 */
#ifndef ASSAY_STORE_RECORDING_H
#define ASSAY_STORE_RECORDING_H

#include "base/err.h"
#include "model/model.h"

struct recording;

/* ---- writing ---- */

/*
 * Creates @path with mode 0600. If @path is already a recording, that recording is first renamed to
 * <path>.old, which replaces any earlier <path>.old. Returns -EEXIST if the existing file is not a
 * recording.
 */
int recording_create(const char *path, struct recording **ret_recording, struct err *err);

/*
 * Creates a recording that is deleted when it is closed, and that only this process sees. After
 * recording_finish(), the samples can be read from the same struct. @name is used in error
 * messages.
 */
int recording_create_temporary(const char *name, struct recording **ret_recording, struct err *err);

/*
 * Undoes recording_create() for a recording that turned out not to be needed, for example because
 * the command could not be executed. Closes and removes the file, and restores the names of the
 * earlier recordings. Must not be called after recording_append(). @recording may be NULL.
 *
 * recording_create() does not delete an earlier <path>.old but renames it to <path>.old~, so that
 * this function can restore it. The first append deletes <path>.old~.
 */
void recording_discard(struct recording *recording);

/*
 * Writes the new rows of @model, except functions and lines, and the samples of @batch in one
 * transaction. Does not clear the batch. Returns -ENOSPC if the disk is full: data of earlier
 * appends stays readable, and a later append writes the rows that this one could not.
 */
int recording_append(struct recording *recording, const struct model *model,
		     const struct sample_batch *batch, struct err *err);

/*
 * Reads back the stacks that the model has forgotten, if there are any. Call it after the last
 * recording_append() of samples and before recording_finish().
 */
int recording_read_stacks(struct recording *recording, struct model *model, struct err *err);

/*
 * Writes the functions and lines, the function and line of each location, the totals, and all that
 * recording_append() writes except samples. Then marks the file complete.
 */
int recording_finish(struct recording *recording, const struct model *model, struct err *err);

/*
 * Makes the next recording_finish() write all images, mappings and locations again, because they
 * have changed since recording_load(). Does nothing if the file is damaged, so that each reader can
 * still see what is missing.
 */
void recording_rewrite_places(struct recording *recording);

/*
 * Writes the lines added to @model after recording_load(), and all rows that these lines refer to.
 * Does not change the totals that recording_finish() wrote. The recording must be complete.
 */
int recording_keep_lines(struct recording *recording, const struct model *model, struct err *err);

/* ---- reading ---- */

/*
 * Opens a recording for reading. Returns -ENOENT, or -EINVAL if the file is not a recording, has a
 * newer schema, or has tables that no recorder makes; the message names the reason.
 *
 * All reads see the same snapshot of the file. If the recording is finished, this call takes the
 * snapshot. Otherwise recording_load() takes it, so that the caller can first try
 * recording_open_rw() (see open.c).
 *
 * While the recording is still growing, SQLite cannot copy the journal back into the file until
 * recording_close(). Close the recording as soon as everything is in memory.
 */
int recording_open(const char *path, struct recording **ret_recording, struct err *err);

/*
 * Opens a recording for reading and writing, so that names can be added. Returns -EBUSY while its
 * recorder runs. The process must not have another connection to this path. A recording from
 * recording_open() that is unfinished and not yet loaded has no connection, so it may stay open.
 */
int recording_open_rw(const char *path, struct recording **ret_recording, struct err *err);

int recording_load(struct recording *recording, struct model *model, struct err *err);

/* Returns true if recording_finish() completed the file. */
bool recording_is_complete(const struct recording *recording);

/*
 * Returns true if the data of the last flushes is missing because the journal of a killed recording
 * could not be read. This happens if the reader may not create the journal's index in the
 * directory.
 */
bool recording_is_stale(const struct recording *recording);

/*
 * Returns true if the pages that lead to the blocks are damaged, so that the blocks were searched
 * in the whole file (cut.h).
 */
bool recording_is_salvaged(const struct recording *recording);

struct sample_range {
	uint64_t from_ns;	/* CLOCK_MONOTONIC, inclusive */
	uint64_t to_ns;		/* exclusive; UINT64_MAX means to the end */
};

/*
 * Calls @visit with the samples of each block. Blocks are visited in the order of their start;
 * inside a block samples are in time order. Times and lateness of events that have a clock are
 * accurate to 128 ns (docs/schema.md).
 *
 * Blocks outside @range (NULL: everything) are skipped without decoding. If a block is partly
 * inside @range, all of its samples are passed, and @visit must filter them. A damaged block is
 * counted in model->losses and skipped. Stops when @visit returns non-zero, and returns that value.
 */
typedef int (*recording_visit_fn)(void *context, const struct sample_batch *batch);
int recording_each_block(struct recording *recording, struct model *model,
			 const struct sample_range *range, recording_visit_fn visit, void *context,
			 struct err *err);

enum recording_place {
	RECORDING_IN_PLACE,
	RECORDING_MOVED,	/* it has another name, or another file has taken its name */
	RECORDING_REMOVED,
};

/*
 * Says where the file of a recording is that this process writes, and sets @ret_path to its name
 * there, or to the name that it had.
 */
enum recording_place recording_place(const struct recording *recording, char *ret_path,
				     size_t path_bytes);

/* Returns the current size on disk of the file and its journal. */
uint64_t recording_size_bytes(const struct recording *recording);

void recording_close(struct recording *recording);	/* @recording may be NULL */

#endif
