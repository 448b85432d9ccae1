/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seal.h - checksums of the tables whose rows have none
 *
 * The data of a block has a checksum of its own. All other rows, and the columns of `block` except
 * the data, are covered by the table `sealed`: for each table it holds the number of rows and a
 * checksum of all rows. A changed bit can also make SQLite skip rows or look in the wrong page.
 * Therefore the checksum is not that of pages, but that of the rows which the reader's own query
 * returns. A reader adds up the checksum from the rows that it reads anyway.
 *
 * recording_finish() writes the seals in the transaction that completes the file. Whatever changes
 * the file afterwards renews the seals of the tables that it writes. A recording that was never
 * finished has no seals, and neither has a recording of an earlier version.
 *
 * A table that fails its checksum stays recognizable: its seal is not renewed unless all of its
 * rows are written again.
 */
#ifndef ASSAY_STORE_SEAL_H
#define ASSAY_STORE_SEAL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "store/row_table.h"

enum seal_id {
	/* 0 to TABLE_COUNT - 1 are the dictionaries of enum table_id */
	SEAL_META = TABLE_COUNT,
	SEAL_LOSS,
	SEAL_LEDGER,
	SEAL_INTERRUPT_TIME,
	SEAL_INTERRUPT_VICTIM,
	SEAL_COMMAND_LINE,
	SEAL_IMAGE_HEALTH,
	SEAL_SPAN_TOTAL,
	SEAL_SPAN_BUCKET,
	SEAL_SPAN_AMOUNT,
	SEAL_BLOCK,		/* all columns except the data */
	/* The following tables are not loaded. Only assay sql reads and checks them. */
	SEAL_STRING,
	SEAL_CONTEXT,
	SEAL_TICK,
	SEAL_HIT,
	SEAL_HOT_FUNCTION,
	SEAL_THREAD_TIME,
	SEAL_COUNT
};

#define SEAL_BIT(id) (UINT32_C(1) << (id))
#define SEALS_ALL (SEAL_BIT(SEAL_COUNT) - 1)
/* the tables that recording_finish() empties and fills again */
#define SEALS_OF_TOTALS \
	(SEAL_BIT(SEAL_HIT) | SEAL_BIT(SEAL_HOT_FUNCTION) | SEAL_BIT(SEAL_THREAD_TIME))

/* Returns the name of the table. */
const char *seal_name(enum seal_id id);

/* Returns the query whose rows are sealed. */
const char *seal_select(enum seal_id id);

/* The checksum of rows. Initialize with zeros, then add each row of seal_select(). */
struct seal {
	uint64_t row_count, checksum;
	bool is_there;			/* only of struct seals */
	VEC(uint8_t) row;		/* working memory */
};

void seal_fini(struct seal *seal);

/* Adds the current row of @select. Returns 0 or -ENOMEM. */
int seal_add(struct seal *seal, enum seal_id id, sqlite3_stmt *select);

/* The seals of a recording. */
struct seals {
	struct seal of[SEAL_COUNT];
	bool is_sealed;
	/* SEAL_BIT()s of the tables that this process has written or verified */
	uint32_t trusted;
};

/*
 * Reads the seals of a file. A complete file with an empty table `sealed` counts as sealed, so all
 * of its tables are altered. If the file has no seals, all of its tables are trusted.
 */
void seals_read(sqlite3 *db, bool is_complete, struct seals *ret_seals);

/*
 * Compares all rows of a table with the table's seal. Returns false if the table was altered.
 * Otherwise marks the table as trusted. If the file has no seals, no table counts as altered.
 */
bool seals_match(struct seals *seals, enum seal_id id, const struct seal *found);

/*
 * Reads a table only to verify it. Returns 1 if the table was altered, 0 if not or if its rows
 * cannot be read to the end, or -ENOMEM.
 */
int seals_verify(struct seals *seals, sqlite3 *db, enum seal_id id);

/*
 * Writes the seals of those of @tables that are trusted. Returns 0, or a negative errno: -EIO means
 * that SQLite failed, and sqlite3_errmsg() returns the message.
 */
int seals_write(const struct seals *seals, sqlite3 *db, uint32_t tables);

#endif
