/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err.h - what went wrong, in words for a person
 *
 * A function that can fail returns 0 or a negative errno and, where its caller passed a
 * struct err, leaves one sentence there that names the path, address or option concerned.
 * Only cli/ prints it.  The object is caller's memory, fixed in size, so that reporting an
 * error can itself never fail; a message longer than the room is cut.
 *
 * Why not errno alone: "Permission denied" without the sysctl that would allow it sends the
 * user to a search engine.
 */
#ifndef ASSAY_BASE_ERR_H
#define ASSAY_BASE_ERR_H

#include <stdarg.h>

#define ERR_TEXT_MAX 512

struct err {
	int code;			/* negative errno, 0 while nothing failed */
	char text[ERR_TEXT_MAX];	/* NUL-terminated, no newline at the end */
};

/* Fills @err (may be NULL) and returns @code, so that `return err_set(...)` reads well. */
int err_set(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set(), with ": <strerror(-code)>" appended. */
int err_sys(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "prefix: " in front of the text that is there; returns err->code. */
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
