/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopwatch-private.h - declarations shared by the files that implement stopwatch.h
 *
 *	stopwatch.c		finds the spans, adds up what was measured
 *	stopwatch_load.c	loads and attaches the BPF programs
 */
#ifndef ASSAY_STOPWATCH_STOPWATCH_PRIVATE_H
#define ASSAY_STOPWATCH_STOPWATCH_PRIVATE_H

#include "base/vec.h"
#include "stopwatch/stopwatch.h"
#include "symbolize/function_job.h"

/* An image with functions to measure. Its spans follow each other. */
struct watched_image {
	int fd;
	char *path;			/* for people */
	struct found_functions functions;
	size_t first_span;
};

/* A system call. */
struct watched_call {
	uint32_t number;
	char *name;		/* owned */
};

struct stopwatch {
	struct stopwatch_options options;	/* valid until stopwatch_load() has returned */
	VEC(struct watched_image) images;
	VEC(struct watched_call) calls;		/* their spans follow those of all images */
	size_t function_count, left_out;

	struct stopwatch_skel *skel;
	VEC(int) links;
	struct span_sum *sums;			/* [cpu * span count + span], mapped */
	size_t sums_bytes;
	uint32_t cpu_count;
};

void stopwatch_unload(struct stopwatch *stopwatch);

#endif
