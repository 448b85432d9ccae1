/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * argument_names.h - the names of the arguments of functions and system calls, and where they are
 *
 * System calls are described in tracefs (events/syscalls/sys_enter_NAME/format), functions of the
 * kernel in its type information (BTF), functions of programs in debug information (DWARF).
 * Functions of modules, and points that mean several functions, have no names here.
 */
#ifndef ASSAY_STOPWATCH_ARGUMENT_NAMES_H
#define ASSAY_STOPWATCH_ARGUMENT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/span.h"
#include "stopwatch/point.h"
#include "stopwatch/stopwatch.h"

#define ARGUMENT_NAME_MAX 64
#define ARGUMENTS_MAX 32	/* that can be named */

struct argument {
	char name[ARGUMENT_NAME_MAX];
	struct span_value value;
	const char *missing;	/* why it cannot be read; NULL: it can */
};

/* In their order. */
struct argument_names {
	struct argument at[ARGUMENTS_MAX];
	size_t count;
	const char *missing;	/* why no names are known; NULL: there are names, or no arguments */
};

struct argument_names argument_names_of(const struct stopwatch_options *options,
					const struct point *point);

#endif
