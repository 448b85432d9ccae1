/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schema.h - the tables and views of a recording, as docs/schema.md describes them
 */
#ifndef ASSAY_STORE_SCHEMA_H
#define ASSAY_STORE_SCHEMA_H

/* PRAGMA application_id: "assy". file(1) and assay recognize a recording by it. */
#define SCHEMA_APPLICATION_ID 0x61737379

/*
 * PRAGMA user_version. It is increased when readers of the previous version would misunderstand the
 * file. A new table, view or fact (row of table meta) does not increase it.
 */
#define SCHEMA_VERSION 1

/* Recordings of earlier versions do not have this table, so it is also created when they change. */
#define SCHEMA_SEALED									\
	"CREATE TABLE IF NOT EXISTS sealed(name TEXT PRIMARY KEY, row_count INTEGER,"	\
	" checksum INTEGER) WITHOUT ROWID"

extern const char schema_sql[];

#endif
