/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firefox.h - writes one thread of a profile for the Firefox Profiler
 *
 * Private to the two files that write this format. Each thread has its own tables (stacks, frames,
 * functions). A table is stored as one array per column, and its entries are numbered from 0. A
 * first pass over the thread's samples fills the tables. A second pass writes the samples.
 */
#ifndef ASSAY_EXPORT_FIREFOX_H
#define ASSAY_EXPORT_FIREFOX_H

#include "export/export-private.h"
#include "export/spool.h"
#include "present/json.h"

#define FIREFOX_NO_QUEUE UINT32_MAX
#define FIREFOX_SPAN 100	/* in place of a kind of waits: spans (model/span.h) */

/* A track: the samples of one event of a thread, or its waits, or both. */
struct firefox_thread {
	uint32_t thread;
	uint8_t event;
	/* queues in the spool (spool.h); FIREFOX_NO_QUEUE: none */
	uint32_t samples, waits;
};

struct firefox_writer {
	struct export *export;
	const struct spool *spool;
	struct json *json;
	/* the profile has several events, so the name of a thread must include the event */
	bool name_events;
	int wait_kinds[256];		/* by event: enum wait_kind, FIREFOX_SPAN, or -1 */
};

/*
 * Writes one track. The value of each record of its queues is the number of a path (paths.h).
 * Returns 0 or a negative errno.
 */
int firefox_thread_write(struct firefox_writer *writer, const struct firefox_thread *thread);

/* Writes meta.markerSchema, which describes the markers that firefox_thread_write() makes. */
void firefox_write_schema(struct json *json);

#endif
