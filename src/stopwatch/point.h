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
 *
 * The part before the first ':' selects the kind, or is an image. An image with a '/' is a path.
 * Behind a function or system call, "%return" means where it returns.
 */
#ifndef ASSAY_STOPWATCH_POINT_H
#define ASSAY_STOPWATCH_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum point_kind { POINT_FUNCTION, POINT_CALL, POINT_KERNEL, POINT_TRACEPOINT };

struct point {
	enum point_kind kind;
	bool at_return;		/* only in points that a key joins */
	char *text;		/* as typed; owned */
	char *image;		/* or the group of a tracepoint; otherwise NULL; owned */
	char *name;		/* of the tracepoint; otherwise a pattern; owned */
};

/* Returns 0, -ENOMEM, or -EINVAL with a message that has the text and what is wrong with it. */
int point_parse(const char *text, struct point *ret_point, struct err *err);

/* Returns true if @name is "arg0" or another argument in a register, and its number. */
bool point_argument(const char *name, uint32_t *ret_number);
void point_fini(struct point *point);

#endif
