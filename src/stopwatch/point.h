/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * point.h - a place in a program or the kernel, as the user names it
 *
 *	libc:malloc			a function of a library
 *	./server:handle_*		functions by pattern (base/pattern.h)
 *	/usr/bin/app:ns::f		a C++ function, with or without its parameters
 *	kernel:vfs_read			a function of the kernel or a module; patterns, too
 *	syscall:openat			a system call; patterns, too
 *	tracepoint:sched:sched_switch	a tracepoint of the kernel
 *	usdt:postgres:query__start	a static probe of a program or library; patterns, too
 *	usdt:app:provider:name		the same, with its provider
 *
 * The part before the first ':' selects the kind, or is an image. An image with a '/' is a path.
 * Behind a function or system call, "%return" means where it returns.
 */
#ifndef ASSAY_STOPWATCH_POINT_H
#define ASSAY_STOPWATCH_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum point_kind { POINT_FUNCTION, POINT_CALL, POINT_KERNEL, POINT_TRACEPOINT, POINT_USDT };

struct point {
	enum point_kind kind;
	bool at_return;		/* only in points that a key joins */
	char *text;		/* as typed; owned */
	char *image;		/* or the group of a tracepoint; otherwise NULL; owned */
	char *name;		/* of the tracepoint; otherwise a pattern; owned */
};

/* A span from any of some points to any of others. */
struct span_join {
	const struct point *from, *to;
	size_t from_count, to_count;
	const char *key;	/* see join_key.h */
	const char *name;
};

/* What is measured. All arrays are borrowed. */
struct span_points {
	const struct point *points;	/* calls of functions and system calls */
	size_t point_count;
	const struct span_join *joins;
	size_t join_count;
	bool run_queue;			/* how long tasks wait for a CPU */
};

/* Returns true if there are points of this kind whose calls are measured. */
bool span_points_have_calls(const struct span_points *points, enum point_kind kind);

/* Returns true if functions of the kernel are among all points. */
bool span_points_need_kernel(const struct span_points *points);

/* Returns 0, -ENOMEM, or -EINVAL with a message that has the text and what is wrong with it. */
int point_parse(const char *text, struct point *ret_point, struct err *err);

/* Returns true if @name is "arg0" or another argument in a register, and its number. */
bool point_argument(const char *name, uint32_t *ret_number);
void point_fini(struct point *point);

#endif
