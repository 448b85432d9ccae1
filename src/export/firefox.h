/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firefox.h - one thread of a profile for the Firefox Profiler
 *
 * Private to the two files that write this format. The tables of a thread are columns. Their
 * entries are numbered separately in each thread, in a first pass over the thread's samples.
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
	bool name_events;	/* the profile has several events */
};

/*
 * Writes the thread from the samples in @queue, whose values are paths. Returns 0 or a negative
 * errno.
 */
int firefox_thread_write(struct firefox_writer *writer, const struct firefox_thread *thread,
			 uint32_t queue);

#endif
