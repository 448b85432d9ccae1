/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sql_print.h - the result of a statement as a table, CSV or JSON
 *
 * Results can be larger than memory: a table measures its columns on the rows of its first
 * part and prints the others as they come.  Text in a result was written by whoever was
 * recorded and is escaped for where it goes; blobs are shown in hexadecimal.
 */
#ifndef ASSAY_CLI_SQL_PRINT_H
#define ASSAY_CLI_SQL_PRINT_H

#include <sqlite3.h>
#include <stdio.h>

enum sql_format {
	SQL_TABLE,
	SQL_CSV,	/* RFC 4180, with a line of column names; NULL is an empty field */
	SQL_JSON,	/* one array of objects for each statement */
};

/*
 * Steps @statement to its end. 0; the SQLite code when it failed (rows before that are
 * printed); -ENOMEM. A statement without columns prints nothing.
 */
int sql_print(sqlite3_stmt *statement, enum sql_format format, FILE *out);

#endif
