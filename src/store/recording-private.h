/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording-private.h - the definition of struct recording, for the files of src/store only
 *
 * create.c and append.c write a recording, finish.c completes it, open.c and load.c read it.
 */
#ifndef ASSAY_STORE_RECORDING_PRIVATE_H
#define ASSAY_STORE_RECORDING_PRIVATE_H

#include "store/block.h"
#include "store/database.h"
#include "store/disk_sync.h"
#include "store/recording.h"
#include "store/row_table.h"
#include "store/seal.h"
#include "store/census.h"

/* How much of the model the file already contains, so that a flush writes only new entries. */
struct marks {
	/* next id to write, for each dictionary that is stored as table rows */
	size_t rows[TABLE_COUNT];
	/* next ids to write, for the dictionaries that are stored in blocks */
	size_t stacks, locations, functions, lines, mappings;
	uint64_t samples;			/* number of samples appended */
};

/*
 * Content of a row of interrupt_time or interrupt_victim. All members have the same size, so that
 * there is no padding and rows can be compared with memcmp().
 */
struct shadow_time {
	uint64_t count, ns, name;
};

struct shadow_times {
	VEC(struct shadow_time) rows;
};

/*
 * Copies (or hashes) of all values in the file that can still change, as they were last written. A
 * flush compares the model with these copies and writes only the differences.
 */
struct shadow {
	VEC(uint32_t) instance_counts;		/* indexed by application */
	VEC(struct fact) facts;
	struct losses losses;
	VEC(uint64_t) healths;			/* hashes of the counts, indexed by image */
	VEC(uint64_t) ticks;			/* counts, in the order of model->ticks.rows */
	struct shadow_times interrupts[2];	/* [0]: by CPU and vector; [1]: by victim */
	VEC(uint64_t) spans;			/* sums of counts, in the order of model->spans */
};

struct recording {
	char *path;
	sqlite3 *db;
	/*
	 * Descriptor that holds flock() on the file; -1 if this process only reads. Closed after db
	 * (see create.c).
	 */
	int lock_fd;
	bool complete;
	bool places_changed;	/* recording_rewrite_places() was called */
	bool is_folded;		/* the write-ahead log was empty after the last write */
	struct disk_sync sync;
	bool set_aside;		/* an older recording at this path was renamed to .old (create.c) */
	struct database_state state;
	struct marks written, committed;
	struct shadow shadow;
	struct census census;
	/*
	 * Damage that recording_load() found in the file. It is not stored with the losses of the
	 * run, because every reader finds the same damage again.
	 */
	struct losses found;
	struct seals seals;
	sqlite3_stmt *insert[TABLE_COUNT], *insert_many[TABLE_COUNT];
	sqlite3_stmt *insert_block, *insert_string, *set_meta, *set_loss, *set_ledger, *set_health;
	sqlite3_stmt *set_command_line;
	sqlite3_stmt *set_interrupt_time, *set_interrupt_victim, *set_tick;
	sqlite3_stmt *set_span_total, *set_span_bucket, *forget_span_buckets, *set_span_amount;
	struct block_codec codec;
};

/*
 * Prepares @sql and stores the statement in *statement, unless *statement is already set. Returns 0
 * or a negative errno.
 */
int recording_prepare(struct recording *recording, sqlite3_stmt **statement, const char *sql,
		      struct err *err);

/* Runs a statement whose parameters are bound, and resets it for the next row. */
int recording_step(struct recording *recording, sqlite3_stmt *statement, struct err *err);

/*
 * Writes what was added to the model since the last flush, and counts, facts and losses that have
 * changed. Does not write functions, lines, the function and line of each location, or samples.
 */
int recording_write_model(struct recording *recording, const struct model *model, struct err *err);
int recording_set_meta(struct recording *recording, const char *key, const char *value,
		       struct err *err);

/* Writes the measured interrupt times that have changed. */
int recording_write_interrupts(struct recording *recording, const struct model *model,
			       struct err *err);

/* Writes the tick counts that have changed. */
int recording_write_ticks(struct recording *recording, const struct model *model, struct err *err);

/* Writes the totals of spans that have changed. */
int recording_write_spans(struct recording *recording, const struct model *model, struct err *err);

/*
 * Append the current row of "SELECT * FROM interrupt_time", of interrupt_victim and so on to the
 * model. Return 0, -EBADMSG or -ENOMEM.
 */
int interrupt_time_read(sqlite3_stmt *select, struct model *model);
int interrupt_victim_read(sqlite3_stmt *select, struct model *model);
int span_total_read(sqlite3_stmt *select, struct model *model);
int span_bucket_read(sqlite3_stmt *select, struct model *model);
int span_amount_read(sqlite3_stmt *select, struct model *model);

/* Packs the content of recording->codec and writes it as one row of the block table. */
int recording_write_block(struct recording *recording, const struct block_header *header,
			  struct err *err);

/* Renews the seals of @tables, which are SEAL_BIT()s. Only a complete recording has seals. */
int recording_seal(struct recording *recording, uint32_t tables, struct err *err);

int recording_begin(struct recording *recording, struct err *err);

/*
 * Commits the transaction if @rc is 0. Otherwise rolls it back and records that the rows of the
 * transaction are not written yet. Returns @rc, or the error of a failed commit.
 */
int recording_end(struct recording *recording, int rc, struct err *err);

/* A dictionary of the model that is stored in blocks. */
struct stored_dictionary {
	enum block_kind kind;
	size_t count;
	/* how many rows from @first on fit in a block; NULL: BLOCK_COUNT_MAX */
	uint32_t (*share)(const struct model *model, size_t first);
	int (*encode)(struct block_codec *codec, const struct block_header *header,
		      const struct model *model);
};

/* Writes all rows from *@next on, and sets *@next to the next row to write. */
int recording_write_dictionary(struct recording *recording, const struct model *model,
			       const struct stored_dictionary *dictionary, size_t *next,
			       struct err *err);

/* Copies the content of the write-ahead log into the file, and empties the log. */
int recording_fold(struct recording *recording, struct err *err);

/*
 * Computes the tables hit, hot_function and thread_time from the blocks. Called by
 * recording_finish().
 */
int recording_write_totals(struct recording *recording, const struct model *model, struct err *err);

/*
 * Opens the database and starts a read transaction, unless the database is already open. All reads
 * then see the same snapshot; see recording_open().
 */
int recording_begin_reading(struct recording *recording, struct err *err);

/* Closes the database connection and its statements but keeps the lock. */
void recording_close_database(struct recording *recording);

/* Returns true if the open file is the one that has the name @path. */
bool recording_file_is_at(int fd, const char *path);

/*
 * Deletes <path>.old~, the oldest recording. recording_discard() can no longer restore it after
 * that.
 */
void recording_forget_older(struct recording *recording);

struct recording *recording_new(const char *path);

/* Creates the tables of a recording in an empty database. Returns 0 or an SQLite error code. */
int create_tables(sqlite3 *db);

#endif
