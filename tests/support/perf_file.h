/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_file.h - builds a small perf.data in each of its forms, byte by byte
 *
 * All forms hold the same: process 100 "worker", which lived before, samples at 1000, 2000, ...
 * on two CPUs whose rings were written one after the other, a child 101 that is forked, sampled and
 * gone, and nine lost records.
 */
#ifndef ASSAY_TESTS_PERF_FILE_H
#define ASSAY_TESTS_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_FILE_SAMPLES 12	/* of the worker; and one of the child */
#define PERF_FILE_HOST "elsewhere"
#define PERF_FILE_DUMP "/nowhere/jit-100.dump"

struct perf_file_form {
	bool swapped;		/* the other order of bytes */
	bool pipe;
	bool packed;		/* records in COMPRESSED ones, cut anywhere */
	bool packed_new;	/* and these of the second kind */
	bool unfinished;	/* no size of the records, no features */
	bool branches;		/* callers are in stacks of branches */
	bool two_events;	/* the second without samples */
	bool without_times;	/* but those in forks and exits */
	bool monotonic;		/* the clock is CLOCK_MONOTONIC */
	bool jitdumps;		/* the worker maps one at 4500, and one more that is not his */
	bool without_cpus;	/* the samples are in files of their own: perf_file_cpu() */
};

struct perf_file {
	uint8_t *bytes;		/* from malloc */
	size_t size_bytes, room_bytes;
	size_t records_offset;	/* where they begin */
	bool swapped, without_times, branches;
	bool monotonic, jitdumps;
};

/* Ends the test by abort() when out of memory. */
struct perf_file perf_file_make(const struct perf_file_form *form);

/* The records of one CPU, without a header. */
struct perf_file perf_file_cpu(uint32_t cpu);
void perf_file_fini(struct perf_file *file);

/* The bytes of @plain as COMPRESSED records. */
void perf_file_pack(struct perf_file *file, const struct perf_file *plain, bool is_new);

/* Pieces, for what tests put together by themselves. */
void perf_file_put(struct perf_file *file, const void *bytes, size_t size_bytes);
void perf_file_u16(struct perf_file *file, uint16_t value);
void perf_file_u32(struct perf_file *file, uint32_t value);
void perf_file_u64(struct perf_file *file, uint64_t value);

/* A record's header; its size is entered at the end. */
size_t perf_file_begin(struct perf_file *file, uint32_t type, uint16_t misc);
void perf_file_end(struct perf_file *file, size_t begin);

#endif
