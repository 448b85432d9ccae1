/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof_file.h - builds a small pprof profile, byte by byte
 *
 *	3 samples	main < step < add, the last inlined into step at work.c:7
 *	1 sample	of the kernel, of thread 8 of process 7, "worker"
 *	1 sample	with a broken stack
 *
 * Each sample has 10 ms of "cpu". The tables follow the samples, as in the files of most programs.
 */
#ifndef ASSAY_TESTS_PPROF_FILE_H
#define ASSAY_TESTS_PPROF_FILE_H

#include <stddef.h>
#include <stdint.h>

struct pprof_file {
	uint8_t bytes[4096];
	size_t size_bytes;
};

/*
 * If @damaged, also writes invalid parts: 5 malformed records, a negative value and a missing
 * reference.
 */
struct pprof_file pprof_file_make(int damaged);

/*
 * Builds five samples of "main" that took no time. At their location, @line_count - 1 calls are
 * inlined.
 */
struct pprof_file pprof_file_deep(unsigned int line_count);

/* A sample type. NULL is written as the empty string. */
struct pprof_file_type {
	const char *name, *unit;
};

/*
 * Builds a profile with these types. @values has @type_count values for each record. The records
 * have the stacks main < step and main < add in turn.
 */
struct pprof_file pprof_file_values(const struct pprof_file_type *types, size_t type_count,
				    const int64_t *values, size_t record_count);

#endif
