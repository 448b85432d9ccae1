/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat_file.h - reads what `assay stat --json` wrote
 *
 * Of each counter the values of its runs, in the order of the file.  The file may be anybody's:
 * its size and the numbers of counters and runs are bounded, yajl says whether it is JSON, SQLite's
 * reader takes it apart, and what is no number is not taken for one.  Results of more than one
 * interval are refused: they are no repetitions of each other.
 */
#ifndef ASSAY_STORE_STAT_FILE_H
#define ASSAY_STORE_STAT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/vec.h"

#define STAT_FILE_BYTES_MAX (64u << 20)
#define STAT_FILE_COUNTERS_MAX 65536	/* 8 events on 8192 CPUs */
#define STAT_FILE_RUNS_MAX 10000	/* no more are made, either */

struct stat_file_counter {
	char *event;
	char *where;		/* "" where all places are together */
	char *unit;		/* "ns", "events" or another */
	VEC(double) values;	/* NAN: not counted in that run */
};

struct stat_file {
	VEC(struct stat_file_counter) counters;
};

/* Errors name the file. On failure there is nothing to clean up. */
int stat_file_read(const char *path, struct stat_file *ret_file, struct err *err);

/* The same of @size_bytes in memory, NUL-terminated; @name is for errors. */
int stat_file_parse(const char *text, size_t size_bytes, const char *name,
		    struct stat_file *ret_file, struct err *err);
void stat_file_fini(struct stat_file *file);

#endif
