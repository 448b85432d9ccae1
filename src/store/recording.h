/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - the file: a SQLite database that grows while the run goes on
 *
 * Writer: recording_create(), then recording_append() once a flush interval: one transaction
 * with every model row that is new since the last call and the samples as one column block.
 * Killed at any moment, the file holds everything up to the last append.  After the run
 * recording_finish() adds names, totals and the `complete` mark and leaves one plain file
 * without journal.
 *
 * Reader: recording_open() also works while another process writes.  recording_load() fills
 * an empty model; recording_each_block() streams the samples.
 *
 * Dictionaries are ordinary rows, bulk is column blocks: docs/schema.md, and store/block.h for
 * their coding.  Nothing else in the program includes sqlite3.h but cli/cmd_sql.c.
 */
#ifndef ASSAY_STORE_RECORDING_H
#define ASSAY_STORE_RECORDING_H

#include "base/err.h"
#include "model/model.h"

struct recording;

/* ---- writing ---- */

/*
 * Creates @path with mode 0600. An existing recording is renamed to <path>.old first (one
 * generation); an existing file that is no recording is refused with -EEXIST.
 */
int recording_create(const char *path, struct recording **ret_recording, struct err *err);

/*
 * Closes a recording that came to nothing (the command could not be executed) as if it had
 * never begun: the file is removed and the ones before it get their names back.  For one to
 * which nothing was appended; NULL is fine.  Until the first append the generation that the
 * new one pushes out is kept for this as <path>.old~.
 */
void recording_discard(struct recording *recording);

/*
 * One flush. The batch is not cleared. -ENOSPC when the disk is full: what earlier calls wrote
 * stays readable, and the caller should stop and say so.
 */
int recording_append(struct recording *recording, const struct model *model,
		     const struct sample_batch *batch, struct err *err);

/* Functions, the names of locations, `hit` totals, facts; then marks the file complete. */
int recording_finish(struct recording *recording, const struct model *model, struct err *err);

/*
 * Lines, and what they refer to, that were added to @model after recording_load(); what was counted
 * by recording_finish() stays. For a recording that is complete.
 */
int recording_keep_lines(struct recording *recording, const struct model *model, struct err *err);

/* ---- reading ---- */

/*
 * -ENOENT, -EINVAL (no recording, a newer schema, or tables that no recorder makes: the message
 * says which).  What is read is one moment of the file: that of this call, or for an unfinished
 * recording that of recording_load(), so that in between recording_open_rw() may be tried (see
 * open.c).  Until recording_close() the journal of a recording that still grows cannot be
 * folded in: close it when everything is in memory.
 */
int recording_open(const char *path, struct recording **ret_recording, struct err *err);

/*
 * Opened for adding names to a recording that was never finished; -EBUSY while one runs. No
 * other recording of this path may be open in the process but as recording_open() left it.
 */
int recording_open_rw(const char *path, struct recording **ret_recording, struct err *err);

int recording_load(struct recording *recording, struct model *model, struct err *err);

/* recording_finish() was reached. */
bool recording_is_complete(const struct recording *recording);

/*
 * A killed recording's journal lies beside the file but cannot be read, because its index
 * cannot be made there (no right to write): the file as it was some flushes earlier is read.
 */
bool recording_is_stale(const struct recording *recording);

struct sample_range {
	uint64_t from_ns;	/* CLOCK_MONOTONIC, inclusive */
	uint64_t to_ns;		/* exclusive; UINT64_MAX: to the end */
};

/*
 * Calls @visit with each block's samples, in time order inside a block and by block start.
 * Times and lateness of ticking events are known to 128 ns (docs/schema.md).
 * Blocks outside @range (NULL: all) are skipped undecoded; samples of a block that straddles
 * it are all passed: the visitor filters.  A block that fails its checksum is counted in
 * model->losses and passed over.  Stops when @visit returns non-zero, and returns that.
 */
typedef int (*recording_visit_fn)(void *context, const struct sample_batch *batch);
int recording_each_block(struct recording *recording, struct model *model,
			 const struct sample_range *range, recording_visit_fn visit, void *context,
			 struct err *err);

/* Size of the file(s) on disk so far. */
uint64_t recording_size_bytes(const struct recording *recording);

void recording_close(struct recording *recording);	/* NULL is fine */

#endif
