/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recursing_child.h - a process that runs compiled code, and its own view of its stack */
#ifndef ASSAY_TESTS_CAPTURE_RECURSING_CHILD_H
#define ASSAY_TESTS_CAPTURE_RECURSING_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#define DEPTH 30
#define BACKTRACE_MAX 128

enum frames {
	PLAIN,
	WITH_KEPT,			/* some frames need that register's value */
	WITH_SIGNAL,			/* some frames are those of a signal handler */
};

struct backtrace_page {
	uint32_t ready;
	enum frames frames;
	uint64_t interrupted_addr;	/* address that the signal interrupted */
	int count;
	void *addrs[BACKTRACE_MAX];
};

/* Makes a page that is shared with the child. Call munmap() after the child has exited. */
struct backtrace_page *page_make(enum frames frames);

/*
 * Starts a child that spins below at least DEPTH frames (WITH_KEPT: half of them). The page is
 * complete when this returns.
 */
pid_t recursing_child(struct backtrace_page *page);

#endif
