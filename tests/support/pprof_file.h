/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof_file.h - builds a small profile of pprof, byte by byte
 *
 *	3 samples	main < step < add, the last inlined into step at work.c:7
 *	1 sample	of the kernel, of thread 8 of process 7, "worker"
 *	1 sample	whose stack is broken off
 *
 * of 10 ms of "cpu" each.  Tables stand behind the samples, as most programs write them.
 */
#ifndef ASSAY_TESTS_PPROF_FILE_H
#define ASSAY_TESTS_PPROF_FILE_H

#include <stddef.h>
#include <stdint.h>

struct pprof_file {
	uint8_t bytes[4096];
	size_t size_bytes;
};

/* @damaged: also what makes no sense, which is 6 malformed records and a missing reference. */
struct pprof_file pprof_file_make(int damaged);

/* Five samples that took no time, of "main", at whose place @line_count - 1 calls are inlined. */
struct pprof_file pprof_file_deep(unsigned int line_count);

#endif
