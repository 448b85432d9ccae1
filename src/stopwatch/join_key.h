/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * join_key.h - values at points, which join two points or tell spans apart: what the user types,
 * and where they are found
 *
 * A key is a list such as "dev,sector" or "pid=next_pid": values that are the same at the first and
 * at the second point, with the name at the second point behind a '=' if it differs. A value is a
 * field of a tracepoint, arg0 to arg5 of a function or system call, its name (argument_names.h),
 * retval where it returns, or tid, tgid or cpu.
 */
#ifndef ASSAY_STOPWATCH_JOIN_KEY_H
#define ASSAY_STOPWATCH_JOIN_KEY_H

#include <stdint.h>

#include "base/err.h"
#include "bpf/span.h"
#include "stopwatch/point.h"
#include "stopwatch/stopwatch.h"

/*
 * Finds the values of @text at @point, which is the first point of a span or, if @is_end, the
 * second. Returns 0, or a negative errno with a message: -EINVAL for a wrong key, -ENOENT for a
 * value that the point does not have, -EOPNOTSUPP for one that cannot be read, or an error of
 * tracefs_fields_read(). @options tell where programs are; NULL: their arguments have no names.
 */
int join_key_find(const struct stopwatch_options *options, const char *text,
		  const struct point *point, bool is_end, struct span_key *ret_key,
		  struct err *err);

/* Finds a single value. @is_own: it must not be one of the task or the CPU. */
int join_value_find(const struct stopwatch_options *options, const char *name,
		    const struct point *point, bool is_own, struct span_value *ret_value,
		    struct err *err);

#endif
