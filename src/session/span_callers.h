/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_callers.h - the names of those who called the functions that the stopwatch measures
 *
 * The kernel tells callers apart by place: a file and an offset. Several places are one caller, if
 * they are in the same function.
 */
#ifndef ASSAY_SESSION_SPAN_CALLERS_H
#define ASSAY_SESSION_SPAN_CALLERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "readers/readers.h"
#include "stopwatch/span_times.h"

struct span_callers;

/* Follows which files are mapped from now on. @readers is borrowed; NULL is allowed. */
int span_callers_new(struct readers *readers, struct span_callers **ret_callers, struct err *err);
void span_callers_free(struct span_callers *callers);	/* NULL is fine */

/*
 * Opens the files that were mapped since the last call. Due often: files that we can only see by
 * way of the process must be opened before it exits. Returns 0 or -ENOMEM.
 */
int span_callers_read(struct span_callers *callers);

/*
 * Finds the names of @groups that have none yet. They are known by number: those that were there
 * in the last call must be there again. Returns 0 or -ENOMEM.
 */
int span_callers_find(struct span_callers *callers, const struct span_group *groups, size_t count,
		      struct err *err);

/* Returns a number that is the same for all groups with the same caller. */
uint32_t span_callers_number(const struct span_callers *callers, size_t group);

/*
 * Returns the name, such as "postgres:exec_simple_query", or in brackets what is known instead. It
 * is valid until the next span_callers_find().
 */
const char *span_callers_name(const struct span_callers *callers, size_t group);

#endif
