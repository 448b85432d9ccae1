/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * point.h - what the user wants to measure: "IMAGE:FUNCTION" or "syscall:NAME"
 *
 *	libc:malloc		a function of a library
 *	./server:handle_*	functions by pattern (base/pattern.h)
 *	/usr/bin/app:ns::f	a C++ function, with or without its parameters
 *	syscall:openat		a system call; patterns, too
 *
 * The part before the first ':' selects the kind, or is an image. An image with a '/' is a path.
 */
#ifndef ASSAY_STOPWATCH_POINT_H
#define ASSAY_STOPWATCH_POINT_H

#include "base/err.h"

enum point_kind { POINT_FUNCTION, POINT_CALL };

struct point {
	enum point_kind kind;
	char *image;		/* as typed; NULL for system calls; owned */
	char *name;		/* pattern of the function or system call; owned */
};

/* Returns 0, -ENOMEM, or -EINVAL with a message that has the text and what is wrong with it. */
int point_parse(const char *text, struct point *ret_point, struct err *err);
void point_fini(struct point *point);

#endif
