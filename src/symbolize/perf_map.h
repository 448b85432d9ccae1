/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_map.h - /tmp/perf-<tgid>.map, in which run-time compilers name what they generate
 *
 * One function per line, "start size name", start and size in hex without prefix, the name to
 * the end of the line (linux tools/perf/Documentation/jit-interface.txt).  Code is moved and
 * replaced while the file only grows, so of lines that overlap the last one is right at last; when
 * it became so, the file does not say: jit_map.h.
 *
 * Anybody can create files in /tmp.  A map is read only if it is a regular file (no link, and
 * in another root no /tmp that is one) that belongs to the process's user or to root, of at
 * most PERF_MAP_MAX bytes, and not older than the process, whose tgid an earlier one may
 * have had.  Lines that make no sense are passed over.
 */
#ifndef ASSAY_SYMBOLIZE_PERF_MAP_H
#define ASSAY_SYMBOLIZE_PERF_MAP_H

#include <sys/stat.h>

#include "model/process.h"

#define PERF_MAP_MAX (64u << 20)

struct perf_map_line {
	uint64_t start_addr;
	uint64_t end_addr;	/* one past */
	const char *name;	/* in the text */
	size_t length;
};

/* The line from @at to @end. False when it makes no sense. */
bool perf_map_line_read(const char *at, const char *end, struct perf_map_line *ret_line);

/*
 * The map of @process, which calls itself @inner_tgid in its own pid namespace, below @sysroot
 * (NULL: "/").  A descriptor, -ENOENT where there is none, or why it was refused.
 */
int perf_map_open(const char *sysroot, const struct process *process, uint32_t inner_tgid);

/* Can this be what the process wrote? To be asked again as it grows. */
bool perf_map_is_acceptable(const struct stat *st, const struct process *process);

#endif
