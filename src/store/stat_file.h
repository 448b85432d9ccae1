/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat_file.h - reads the output of `assay stat --json`
 *
 * Reads the values of each counter in all runs, in the order of the file. The file may come from an
 * untrusted source, so its size and the numbers of counters and runs are limited. yajl checks that
 * the file is valid JSON, and SQLite's JSON functions extract the values. A value that is not a
 * number is read as NAN. Results with more than one interval are refused, because intervals are not
 * repetitions of each other.
 */
#ifndef ASSAY_STORE_STAT_FILE_H
#define ASSAY_STORE_STAT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/vec.h"

#define STAT_FILE_BYTES_MAX (64u << 20)
#define STAT_FILE_COUNTERS_MAX 65536	/* enough for 8 events on 8192 CPUs */
#define STAT_FILE_RUNS_MAX 10000	/* assay stat makes no more runs than this */

struct stat_file_counter {
	char *event;
	char *where;		/* CPU or thread of the counter; "" if all are summed */
	char *unit;		/* "ns", "events" or another unit */
	VEC(double) values;	/* one per run; NAN: not counted in that run */
};

struct stat_file {
	VEC(struct stat_file_counter) counters;
};

/* Reads the file @path. Error messages name @path. After a failure there is nothing to free. */
int stat_file_read(const char *path, struct stat_file *ret_file, struct err *err);

/* Parses @size_bytes at @text, which must be NUL-terminated. @name is used in error messages. */
int stat_file_parse(const char *text, size_t size_bytes, const char *name,
		    struct stat_file *ret_file, struct err *err);
void stat_file_fini(struct stat_file *file);

#endif
