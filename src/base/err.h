/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err.h - error messages for people
 *
 * A function that can fail returns 0 or a negative errno. If the caller passed a struct err, the
 * function also writes one sentence to it, which names the path, address or option concerned. Only
 * code in cli/ prints the sentence. The struct belongs to the caller and has a fixed size, so that
 * reporting an error can never fail. A message that is too long is cut.
 *
 * An errno alone is not enough: a user who reads only "Permission denied" does not learn which
 * sysctl would allow the operation.
 */
#ifndef ASSAY_BASE_ERR_H
#define ASSAY_BASE_ERR_H

#include <stdarg.h>

#define ERR_TEXT_MAX 512

struct err {
	int code;			/* negative errno; 0: no error */
	char text[ERR_TEXT_MAX];	/* NUL-terminated, no newline at the end */
};

/*
 * Fills @err, which may be NULL, and returns @code, so that callers can write `return
 * err_set(...)`.
 */
int err_set(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Same as err_set(), but appends ": <strerror(-code)>". */
int err_sys(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Inserts "prefix: " before the text that is already in @err. Returns err->code, or -1 if @err is
 * NULL.
 */
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
