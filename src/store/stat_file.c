/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/stat_file.h"

#include <ctype.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <yajl/yajl_parse.h>

#include "base/cleanup.h"
#include "model/counter.h"

#define FORMAT_VERSION 1
#define CHUNK_BYTES (64u << 10)

#define COUNTERS "'$.results[0].counters'"
#define COUNTERS_SQL                                                                              \
	"SELECT value ->> '$.event', coalesce(value ->> '$.where', ''),"                          \
	" coalesce(value ->> '$.unit', 'events'), value -> '$.values'"                            \
	" FROM json_each(?1, " COUNTERS ")"

enum { COLUMN_EVENT, COLUMN_WHERE, COLUMN_UNIT, COLUMN_VALUES };

/*
 * Runs once for each counter. A join with COUNTERS_SQL would parse a counter again for each value.
 */
#define VALUES_SQL "SELECT type IN ('integer', 'real'), value FROM json_each(?1)"

enum { COLUMN_KNOWN, COLUMN_VALUE };

struct reading {
	const char *text;
	size_t size_bytes;
	const char *name;
	sqlite3 *database;
	sqlite3_stmt *values;
	struct stat_file file;
	struct err *err;
};

static int bad(const struct reading *reading, const char *why)
{
	return err_set(reading->err, -EINVAL, "%s: %s", reading->name, why);
}

static sqlite3_stmt *prepare(const struct reading *reading, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(reading->database, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_bind_text(statement, 1, reading->text, (int)reading->size_bytes,
			      SQLITE_STATIC) == SQLITE_OK)
		return statement;
	(void)sqlite3_finalize(statement);
	return NULL;
}

/* Returns the single integer that @sql yields, or -1 if it yields none. */
static sqlite3_int64 number_of(const struct reading *reading, const char *sql)
{
	sqlite3_stmt *statement = prepare(reading, sql);
	sqlite3_int64 number = -1;

	if (statement && sqlite3_step(statement) == SQLITE_ROW &&
	    sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
		number = sqlite3_column_int64(statement, 0);
	(void)sqlite3_finalize(statement);
	return number;
}

/*
 * yajl checks the syntax first, because some versions of SQLite (3.40, for example) accept keys
 * that are not strings, and crash.
 */
static bool is_json(const struct reading *reading)
{
	yajl_handle parser = yajl_alloc(NULL, NULL, NULL);
	bool is_whole;

	if (!parser)
		return false;
	(void)yajl_config(parser, yajl_dont_validate_strings, 1);
	is_whole = yajl_parse(parser, (const unsigned char *)reading->text, reading->size_bytes) ==
			   yajl_status_ok &&
		   yajl_complete_parse(parser) == yajl_status_ok;
	yajl_free(parser);
	return is_whole;
}

static int check_format(const struct reading *reading)
{
	sqlite3_int64 results;

	if (!is_json(reading) || number_of(reading, "SELECT json_valid(?1)") != 1)
		return bad(reading, "not valid JSON, or cut short");
	if (number_of(reading, "SELECT ?1 ->> '$.version'") != FORMAT_VERSION)
		return bad(reading, "not written as JSON by assay stat");
	results = number_of(reading, "SELECT json_array_length(?1, '$.results')");
	if (results > 1)
		return bad(reading, "has the results of several intervals");
	if (results != 1)
		return bad(reading, "has no result");
	if (number_of(reading, "SELECT json_type(?1, " COUNTERS ") = 'array'") != 1)
		return bad(reading, "has no list of counters");
	return 0;
}

/* Units are printed on terminals unescaped, so they may contain only visible characters. */
static bool is_unit(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if (!isgraph((unsigned char)text[i]))
			return false;
	return length > 0 && length < COUNTER_UNIT_MAX;
}

static int add_counter(struct reading *reading, sqlite3_stmt *statement)
{
	struct stat_file_counter *counter;
	bool is_named = sqlite3_column_type(statement, COLUMN_EVENT) == SQLITE_TEXT;
	const char *event = (const char *)sqlite3_column_text(statement, COLUMN_EVENT);
	const char *where = (const char *)sqlite3_column_text(statement, COLUMN_WHERE);
	const char *unit = (const char *)sqlite3_column_text(statement, COLUMN_UNIT);

	if (!is_named)
		return bad(reading, "a counter has no name");
	if (unit && !is_unit(unit))
		return bad(reading, "a counter has an invalid unit");
	if (reading->file.counters.count == STAT_FILE_COUNTERS_MAX)
		return bad(reading, "has too many counters");
	counter = event && where && unit ? vec_push(&reading->file.counters) : NULL;
	if (!counter)
		return -ENOMEM;
	counter->event = strdup(event);
	counter->where = strdup(where);
	counter->unit = strdup(unit);
	return counter->event && counter->where && counter->unit ? 0 : -ENOMEM;
}

static int add_value(struct reading *reading, struct stat_file_counter *counter)
{
	double number = sqlite3_column_double(reading->values, COLUMN_VALUE);
	double *value;

	if (counter->values.count == STAT_FILE_RUNS_MAX)
		return bad(reading, "has too many runs");
	value = vec_push(&counter->values);
	if (!value)
		return -ENOMEM;
	*value = sqlite3_column_int(reading->values, COLUMN_KNOWN) && isfinite(number) ? number
										       : NAN;
	return 0;
}

/* Checks the result of a step that returned no row. */
static int check_end(const struct reading *reading, int code)
{
	return code == SQLITE_DONE
		       ? 0
		       : bad(reading, "the list of counters was not written by assay stat");
}

/*
 * Reads the values of the counter that was added last. @counters must still be at the row of this
 * counter.
 */
static int read_values(struct reading *reading, sqlite3_stmt *counters)
{
	struct stat_file_counter *counter =
		&reading->file.counters.at[reading->file.counters.count - 1];
	int code;

	(void)sqlite3_reset(reading->values);
	if (sqlite3_bind_value(reading->values, 1, sqlite3_column_value(counters, COLUMN_VALUES)) !=
	    SQLITE_OK)
		return -ENOMEM;
	while ((code = sqlite3_step(reading->values)) == SQLITE_ROW) {
		int rc = add_value(reading, counter);

		if (rc < 0)
			return rc;
	}
	return check_end(reading, code);
}

static int read_each_counter(struct reading *reading, sqlite3_stmt *counters)
{
	int code;

	while ((code = sqlite3_step(counters)) == SQLITE_ROW) {
		int rc = add_counter(reading, counters);

		if (rc < 0)
			return rc;
		rc = read_values(reading, counters);
		if (rc < 0)
			return rc;
	}
	return check_end(reading, code);
}

static int read_counters(struct reading *reading, sqlite3_stmt *counters)
{
	int rc = read_each_counter(reading, counters);

	return rc == -ENOMEM ? err_set(reading->err, rc, "%s: out of memory", reading->name) : rc;
}

static int read_all(struct reading *reading)
{
	sqlite3_stmt *counters;
	int rc = check_format(reading);

	if (rc < 0)
		return rc;
	counters = prepare(reading, COUNTERS_SQL);
	reading->values = prepare(reading, VALUES_SQL);
	if (counters && reading->values)
		rc = read_counters(reading, counters);
	else
		rc = bad(reading, sqlite3_errmsg(reading->database));
	(void)sqlite3_finalize(counters);
	(void)sqlite3_finalize(reading->values);
	return rc;
}

int stat_file_parse(const char *text, size_t size_bytes, const char *name,
		    struct stat_file *ret_file, struct err *err)
{
	struct reading reading = {
		.text = text,
		.size_bytes = size_bytes,
		.name = name,
		.err = err,
	};
	int rc;

	if (sqlite3_open_v2(":memory:", &reading.database,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL) == SQLITE_OK)
		rc = read_all(&reading);
	else
		rc = err_set(err, -ENOMEM, "%s: out of memory", name);
	(void)sqlite3_close(reading.database);
	if (rc < 0)
		stat_file_fini(&reading.file);
	else
		*ret_file = reading.file;
	return rc;
}

int stat_file_read(const char *path, struct stat_file *ret_file, struct err *err)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	_cleanup_free_ char *text = NULL;
	size_t capacity = 0, used = 0, got = 0;

	if (!in)
		return err_sys(err, -errno, "%s", path);
	errno = 0;
	do {
		if (vec_reserve_bytes((void **)&text, &capacity, used + CHUNK_BYTES + 1, 1) < 0)
			return err_set(err, -ENOMEM, "%s: out of memory", path);
		got = fread(text + used, 1, CHUNK_BYTES, in);
		used += got;
		if (used > STAT_FILE_BYTES_MAX)
			return err_set(err, -EFBIG, "%s: larger than %u MiB", path,
				       STAT_FILE_BYTES_MAX >> 20);
	} while (got);
	if (ferror(in))
		return err_sys(err, errno ? -errno : -EIO, "%s", path);
	text[used] = '\0';
	return stat_file_parse(text, used, path, ret_file, err);
}

void stat_file_fini(struct stat_file *file)
{
	for (size_t i = 0; i < file->counters.count; i++) {
		struct stat_file_counter *counter = &file->counters.at[i];

		free(counter->event);
		free(counter->where);
		free(counter->unit);
		vec_free(&counter->values);
	}
	vec_free(&file->counters);
}
