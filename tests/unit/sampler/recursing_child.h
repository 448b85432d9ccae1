/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recursing_child.h - a process in code that a compiler made, and its own view of its stack
 */
#ifndef ASSAY_TESTS_CAPTURE_RECURSING_CHILD_H
#define ASSAY_TESTS_CAPTURE_RECURSING_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#define DEPTH 30
#define BACKTRACE_MAX 128

enum frames {
	PLAIN,
	WITH_KEPT,			/* some are counted from that register */
	WITH_SIGNAL,			/* some are of a handler */
};

struct backtrace_page {
	uint32_t ready;
	enum frames frames;
	uint64_t interrupted_addr;	/* by the signal */
	int count;
	void *addrs[BACKTRACE_MAX];
};

/* Shared with the child; munmap() when it has ended. */
struct backtrace_page *page_make(enum frames frames);

/* It spins below DEPTH frames or more (WITH_KEPT: half of them); the page is written by then. */
pid_t recursing_child(struct backtrace_page *page);

#endif
