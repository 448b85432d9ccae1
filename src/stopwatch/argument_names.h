/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * argument_names.h - what the arguments of system calls and of functions of the kernel are called
 *
 * System calls are described in tracefs (events/syscalls/sys_enter_NAME/format), functions of the
 * kernel in its type information (BTF). Functions of modules, and patterns, have no names here.
 */
#ifndef ASSAY_STOPWATCH_ARGUMENT_NAMES_H
#define ASSAY_STOPWATCH_ARGUMENT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/span.h"
#include "stopwatch/point.h"

#define ARGUMENT_NAME_MAX 64

/* In their order. There are none if they are not known. */
struct argument_names {
	char at[SPAN_ARGUMENTS][ARGUMENT_NAME_MAX];
	size_t count;
};

struct argument_names argument_names_of(const struct point *point);

#endif
