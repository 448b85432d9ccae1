/* SPDX-License-Identifier: GPL-2.0-or-later */
/* forbidden_call.h - system calls that a confined process must not get through */
#ifndef ASSAY_TESTS_FORBIDDEN_CALL_H
#define ASSAY_TESTS_FORBIDDEN_CALL_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

struct forbidden_call {
	const char *name;
	long number;
	long arguments[6];
};

/* clang-format off */
#define FORBIDDEN(call, ...) { #call, SYS_##call, { __VA_ARGS__ } }
/* clang-format on */

/* Makes the call. Returns its errno, or 0 if it succeeds. */
static inline int forbidden_call_try(const struct forbidden_call *call)
{
	const long *a = call->arguments;

	return syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]) < 0 ? errno : 0;
}

#endif
