/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_map.h - /tmp/perf-<tgid>.map, in which JIT compilers name the code they generate
 *
 * The file has one function per line, "start size name". Start and size are in hex without a
 * prefix, and the name extends to the end of the line (linux
 * tools/perf/Documentation/jit-interface.txt). A program only appends lines, even when it moves or
 * replaces code. So if several lines cover an address, the last of them describes the current code.
 * The file does not say when a line came into force; see jit_map.h.
 *
 * Any user can create files in /tmp. A map is therefore read only if
 * - it is a regular file, not a symbolic link; if the process has another root directory, its /tmp
 *   must not be a symbolic link either
 * - it belongs to the process's user or to root
 * - it has at most PERF_MAP_MAX bytes
 * - it is not older than the process, because an earlier process may have had the same tgid
 *
 * Lines that do not parse are skipped.
 */
#ifndef ASSAY_SYMBOLIZE_PERF_MAP_H
#define ASSAY_SYMBOLIZE_PERF_MAP_H

#include <sys/stat.h>

#include "elf/file_opener.h"
#include "model/process.h"

#define PERF_MAP_MAX (64u << 20)

struct perf_map_line {
	uint64_t start_addr;
	uint64_t end_addr;	/* one past the last byte */
	const char *name;	/* points into the text */
	size_t length;
};

/* Parses the line from @at to @end. Returns false if it is not valid. */
bool perf_map_line_read(const char *at, const char *end, struct perf_map_line *ret_line);

/*
 * Opens the perf map of @process, whose tgid in its own pid namespace is @inner_tgid. @sysroot is a
 * prefix for all paths (NULL: none). Returns a file descriptor, -ENOENT if there is no map, or
 * another error if the map was refused. @opener says which file systems always answer: a map is
 * read only from those. NULL: all do.
 */
int perf_map_open(struct file_opener *opener, const char *sysroot, const struct process *process,
		  uint32_t inner_tgid);

/*
 * Returns true if the process could have written this file. Check this again each time the file has
 * grown.
 */
bool perf_map_is_acceptable(const struct stat *st, const struct process *process);

#endif
