/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_map.h - /tmp/perf-<tgid>.map, in which run-time compilers name what they generate
 *
 * One function per line, "start size name", start and size in hex without prefix, the name to
 * the end of the line (linux tools/perf/Documentation/jit-interface.txt).  Code is moved and
 * replaced while the file only grows, so of lines that overlap the last one is right.
 *
 * Anybody can create files in /tmp.  A map is read only if it is a regular file (no link, and
 * in another root no /tmp that is one) that belongs to the process's user or to root, of at
 * most PERF_MAP_MAX bytes, and not older than the process, whose tgid an earlier one may
 * have had; otherwise it counts as LOSS_PERF_MAP_REFUSED.  Lines that make no sense are
 * passed over.
 */
#ifndef ASSAY_SYMBOLIZE_PERF_MAP_H
#define ASSAY_SYMBOLIZE_PERF_MAP_H

#include "symbolize/hits.h"

#define PERF_MAP_MAX (64u << 20)

/* Names the hits that the lines of @text cover. */
void perf_map_apply(const struct image_hits *hits, const char *text, size_t size_bytes);

#endif
