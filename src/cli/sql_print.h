/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sql_print.h - prints the result of an SQL statement as a table, CSV or JSON
 *
 * A result may be larger than memory. So the widths of a table's columns are computed from its
 * first rows only, and the remaining rows are printed as they arrive. Text in a result comes from
 * the recorded programs and is escaped for the output format. Blobs are printed in hexadecimal.
 */
#ifndef ASSAY_CLI_SQL_PRINT_H
#define ASSAY_CLI_SQL_PRINT_H

#include <sqlite3.h>
#include <stdio.h>

enum sql_format {
	SQL_TABLE,
	SQL_CSV,	/* RFC 4180, with a header line; NULL is an empty field */
	SQL_JSON,	/* one array of objects per statement */
};

/*
 * Steps through all rows of @statement and prints them. Returns 0, the SQLite error code if a step
 * failed (the preceding rows have been printed), or -ENOMEM. A statement without columns prints
 * nothing.
 */
int sql_print(sqlite3_stmt *statement, enum sql_format format, FILE *out);

#endif
