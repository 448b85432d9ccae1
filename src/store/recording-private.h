/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording-private.h - the inside of struct recording, for the files of this room
 *
 * create.c and append.c write it, finish.c completes it, open.c and load.c read it back.
 */
#ifndef ASSAY_STORE_RECORDING_PRIVATE_H
#define ASSAY_STORE_RECORDING_PRIVATE_H

#include "store/block.h"
#include "store/database.h"
#include "store/recording.h"
#include "store/table.h"
#include "store/census.h"

/* What is in the file already, so that a flush writes only what is new. */
struct marks {
	size_t rows[TABLE_COUNT];		/* next id of each dictionary table */
	size_t stacks, locations, functions, lines;	/* likewise, of the blocks */
	uint64_t samples;			/* all that were appended */
};

/* Of a row of interrupt_time or interrupt_victim. Words of one size: compared as memory. */
struct shadow_time {
	uint64_t count, ns, name;
};

struct shadow_times {
	VEC(struct shadow_time) rows;
};

/* The last value of what can change after it was written. */
struct shadow {
	VEC(uint32_t) instance_counts;		/* by application */
	VEC(struct fact) facts;
	struct losses losses;
	VEC(struct image_health) healths;	/* by image */
	struct shadow_times interrupts[2];	/* by CPU and vector; by victim */
};

struct recording {
	char *path;
	sqlite3 *db;
	int lock_fd;		/* writers: held with flock(), closed after db (see create.c) */
	bool complete;
	bool set_aside;		/* the one before it was moved to .old (create.c) */
	struct database_state state;
	struct marks written, committed;
	struct shadow shadow;
	struct census census;
	struct losses found;	/* damage that recording_load() met: every reader finds it again,
				   so it is not written down with what the run lost */
	sqlite3_stmt *insert[TABLE_COUNT], *insert_many[TABLE_COUNT];
	sqlite3_stmt *insert_block, *insert_string, *set_meta, *set_loss, *set_ledger, *set_health;
	sqlite3_stmt *set_interrupt_time, *set_interrupt_victim;
	struct block_codec codec;
};

/* Prepares the statement kept in *statement once. 0 or negative errno. */
int recording_prepare(struct recording *recording, sqlite3_stmt **statement, const char *sql,
		      struct err *err);

/* Runs a bound statement to its end and makes it ready for the next row. */
int recording_step(struct recording *recording, sqlite3_stmt *statement, struct err *err);

/* All but functions and samples: new rows, new blocks, changed counts, facts, losses. */
int recording_write_model(struct recording *recording, const struct model *model, struct err *err);
int recording_set_meta(struct recording *recording, const char *key, const char *value,
		       struct err *err);

/* Those of the measured times of interrupts that changed. */
int recording_write_interrupts(struct recording *recording, const struct model *model,
			       struct err *err);

/* Appends a row "SELECT * FROM interrupt_time" or interrupt_victim: 0, -EBADMSG, -ENOMEM. */
int interrupt_time_read(sqlite3_stmt *select, struct model *model);
int interrupt_victim_read(sqlite3_stmt *select, struct model *model);

/* Packs what lies in recording->codec and writes it as one row. */
int recording_write_block(struct recording *recording, const struct block_header *header,
			  struct err *err);

int recording_begin(struct recording *recording, struct err *err);

/* Commits when @rc is 0, else rolls back, and what was written is so no longer. Returns @rc or
 * why the commit failed. */
int recording_end(struct recording *recording, int rc, struct err *err);

/* Counts `hit`, `hot_function` and `thread_time` from the blocks; part of recording_finish(). */
int recording_write_totals(struct recording *recording, const struct model *model, struct err *err);

/* Opens a reader's view of the file unless it is open; see recording_open(). */
int recording_begin_reading(struct recording *recording, struct err *err);

/* All that is SQLite's; the lock stays. */
void recording_close_database(struct recording *recording);

/* The generation that recording_discard() would bring back is not needed any more. */
void recording_forget_older(struct recording *recording);

struct recording *recording_new(const char *path);

#endif
