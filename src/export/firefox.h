/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firefox.h - writes one thread of a profile for the Firefox Profiler
 *
 * Private to the two files that write this format. Each thread has tables (stacks, frames,
 * functions), and a table is stored as one array per column. Every thread numbers the entries of
 * its tables from 0, in a first pass over the thread's samples. A second pass writes the samples.
 */
#ifndef ASSAY_EXPORT_FIREFOX_H
#define ASSAY_EXPORT_FIREFOX_H

#include "export/export-private.h"
#include "export/spool.h"
#include "present/json.h"

struct firefox_thread {
	uint32_t thread;
	uint8_t event;
};

struct firefox_writer {
	struct export *export;
	const struct spool *spool;
	struct json *json;
	/* true if the profile has several events, so that names must include the event */
	bool name_events;
};

/*
 * Writes the thread. Its samples are the records of @queue in the spool (spool.h); the value of
 * each record is a path (paths.h). Returns 0 or a negative errno.
 */
int firefox_thread_write(struct firefox_writer *writer, const struct firefox_thread *thread,
			 uint32_t queue);

#endif
