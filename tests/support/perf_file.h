/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_file.h - builds a small perf.data file in each of its forms, byte by byte
 *
 * All forms have the same content: process 100 "worker", which existed before the recording;
 * samples at 1000, 2000, ... on two CPUs, whose rings were written one after the other; a child 101
 * that is forked, sampled and exits; and nine lost records.
 */
#ifndef ASSAY_TESTS_PERF_FILE_H
#define ASSAY_TESTS_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_FILE_SAMPLES 12	/* of the worker; the child has one more */
#define PERF_FILE_HOST "elsewhere"
#define PERF_FILE_DUMP "/nowhere/jit-100.dump"

struct perf_file_form {
	bool swapped;		/* the byte order that is not the host's */
	bool pipe;
	bool packed;		/* records are in COMPRESSED records, split anywhere */
	bool packed_new;	/* the COMPRESSED records are of the second kind */
	bool unfinished;	/* size of the records missing, no features */
	bool branches;		/* callers are in branch stacks */
	/*
	 * samples have the data address 0x1000 + time, the data source 0x42 and the latency 7, in a
	 * weight with other values
	 */
	bool accesses;
	bool two_events;	/* the second event has no samples */
	bool without_times;	/* only forks and exits have times */
	bool monotonic;		/* the clock is CLOCK_MONOTONIC */
	bool jitdumps;		/* the worker maps one at 4500, and one that is not its own */
	bool without_cpus;	/* the samples are in separate files, see perf_file_cpu() */
};

struct perf_file {
	uint8_t *bytes;		/* allocated with malloc() */
	size_t size_bytes, room_bytes;
	size_t records_offset;	/* offset of the first record */
	bool swapped, without_times, branches, accesses;
	bool monotonic, jitdumps;
};

/* Builds a file. If memory runs out, abort() ends the test. */
struct perf_file perf_file_make(const struct perf_file_form *form);

/* Builds the records of one CPU, without a header. */
struct perf_file perf_file_cpu(uint32_t cpu);
void perf_file_fini(struct perf_file *file);

/* Appends the bytes of @plain as COMPRESSED records. */
void perf_file_pack(struct perf_file *file, const struct perf_file *plain, bool is_new);

/* Building blocks for tests that compose their own files. */
void perf_file_put(struct perf_file *file, const void *bytes, size_t size_bytes);
void perf_file_u16(struct perf_file *file, uint16_t value);
void perf_file_u32(struct perf_file *file, uint32_t value);
void perf_file_u64(struct perf_file *file, uint64_t value);

/*
 * perf_file_begin() writes a record's header, and perf_file_end() enters the record's size in it.
 */
size_t perf_file_begin(struct perf_file *file, uint32_t type, uint16_t misc);
void perf_file_end(struct perf_file *file, size_t begin);

#endif
