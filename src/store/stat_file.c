/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/stat_file.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>

#include "base/cleanup.h"

#define FORMAT_VERSION 1
#define CHUNK_BYTES (64u << 10)

/* One row for each value of each counter; a counter without any has one without a value. */
#define VALUES_SQL                                                                                \
	"SELECT c.key, c.value ->> '$.event', coalesce(c.value ->> '$.where', ''),"               \
	" c.value ->> '$.unit' = 'ns', v.type IN ('integer', 'real'), v.value, v.key IS NULL"     \
	" FROM json_each(?1, '$.results[0].counters') AS c"                                       \
	" LEFT JOIN json_each(c.value, '$.values') AS v"

enum {
	COLUMN_KEY,
	COLUMN_EVENT,
	COLUMN_WHERE,
	COLUMN_IS_TIME,
	COLUMN_KNOWN,
	COLUMN_VALUE,
	COLUMN_NONE
};

struct reading {
	const char *text;
	size_t size_bytes;
	const char *name;
	sqlite3 *database;
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

/* @sql's one number, or -1 where it has none. */
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

static int check_format(const struct reading *reading)
{
	sqlite3_int64 results;

	if (number_of(reading, "SELECT json_valid(?1)") != 1)
		return bad(reading, "no JSON, or cut short");
	if (number_of(reading, "SELECT ?1 ->> '$.version'") != FORMAT_VERSION)
		return bad(reading, "not written by assay stat --json");
	results = number_of(reading, "SELECT json_array_length(?1, '$.results')");
	if (results > 1)
		return bad(reading, "has the results of several intervals (-I)");
	if (results != 1)
		return bad(reading, "has no result");
	return 0;
}

static int add_counter(struct reading *reading, sqlite3_stmt *statement)
{
	struct stat_file_counter *counter;
	bool is_named = sqlite3_column_type(statement, COLUMN_EVENT) == SQLITE_TEXT;
	const char *event = (const char *)sqlite3_column_text(statement, COLUMN_EVENT);
	const char *where = (const char *)sqlite3_column_text(statement, COLUMN_WHERE);

	if (!is_named)
		return bad(reading, "a counter has no name");
	if (reading->file.counters.count == STAT_FILE_COUNTERS_MAX)
		return bad(reading, "has too many counters");
	counter = event && where ? vec_push(&reading->file.counters) : NULL;
	if (!counter)
		return -ENOMEM;
	counter->event = strdup(event);
	counter->where = strdup(where);
	counter->is_time = sqlite3_column_int(statement, COLUMN_IS_TIME);
	return counter->event && counter->where ? 0 : -ENOMEM;
}

static int add_value(struct stat_file_counter *counter, sqlite3_stmt *statement)
{
	double number = sqlite3_column_double(statement, COLUMN_VALUE);
	double *value = vec_push(&counter->values);

	if (!value)
		return -ENOMEM;
	*value = sqlite3_column_int(statement, COLUMN_KNOWN) && isfinite(number) ? number : NAN;
	return 0;
}

static int read_counters(struct reading *reading, sqlite3_stmt *statement)
{
	sqlite3_int64 key = -1;
	int code, rc = 0;

	while (rc == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		if (sqlite3_column_int64(statement, COLUMN_KEY) != key)
			rc = add_counter(reading, statement);
		key = sqlite3_column_int64(statement, COLUMN_KEY);
		if (rc == 0 && !sqlite3_column_int(statement, COLUMN_NONE))
			rc = add_value(&reading->file.counters.at[reading->file.counters.count - 1],
				       statement);
	}
	if (rc == 0 && code != SQLITE_DONE)
		return bad(reading, "its counters are not those of assay stat --json");
	return rc == -ENOMEM ? err_set(reading->err, rc, "%s: out of memory", reading->name) : rc;
}

static int read_all(struct reading *reading)
{
	sqlite3_stmt *statement;
	int rc = check_format(reading);

	if (rc < 0)
		return rc;
	statement = prepare(reading, VALUES_SQL);
	if (!statement)
		return bad(reading, sqlite3_errmsg(reading->database));
	rc = read_counters(reading, statement);
	(void)sqlite3_finalize(statement);
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
		vec_free(&counter->values);
	}
	vec_free(&file->counters);
}
