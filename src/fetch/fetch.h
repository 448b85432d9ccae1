/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch.h - debug information by build-id from debuginfod servers
 *
 * libdebuginfod, the client that the servers' authors keep, does the talking and keeps what came
 * in a cache.  It brings TLS, HTTP and 30 libraries along, and waits for machines that may
 * never answer, so it runs in a child process, one for each image: loaded only there (linked,
 * it would make each command of this program start in 9 ms instead of 2), without capabilities,
 * with limits of time, memory and the size of files, and killed when its time is over or this
 * process ends.  It may do what the user may who calls; but of root it is nobody (65534), with a
 * directory of its own in the cache, unless root of a user namespace has no such id.  What comes
 * back through a socket is one descriptor or one sentence.
 *
 * A server is asked for the sections that lines and names are made from, one by one: about four
 * fifths of a debug file's bytes (0.76 to 0.85 of those of Debian's C library and of this program).
 * section_file.h makes an ELF file of them.  Servers that do not know sections are asked for
 * the whole file.
 *
 * Hostile servers: the answer is a file that the caller reads as he reads all others, and whose
 * build-id he compares (elf/debug_file.c); nothing in this process looks into it before.  Of
 * sections the note with the build-id comes first, and no other is asked for if it is wrong.
 *
 * The process that calls must have no other threads.
 */
#ifndef ASSAY_FETCH_FETCH_H
#define ASSAY_FETCH_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct fetch_options {
	const char *urls;		/* as in DEBUGINFOD_URLS: separated by spaces */
	const char *cache_path;		/* made where it is missing; must be the user's own */
	uint64_t file_max_bytes;	/* of the debug information of one image */
	unsigned int idle_seconds;	/* next to nothing came for so long: left */
	unsigned int image_seconds;	/* for one image */
	unsigned int total_seconds;	/* from fetch_new() on; 0: no limit */

	/*
	 * Both are called several times a second while something is under way; or NULL.
	 * @of_bytes 0: not known.
	 */
	void *context;
	void (*progress)(void *context, uint64_t size_bytes, uint64_t of_bytes);
	bool (*is_stopped)(void *context);
};

struct fetch_totals {
	size_t fetched, unknown;	/* images that servers had, and that none of them has */
	size_t failed;			/* did not come, were wrong or too large */
	size_t not_asked;		/* because the servers were given up before */
	uint64_t size_bytes;		/* of what was fetched, also from the cache */
};

struct fetch;

/* Asks nobody yet. @options is copied, its texts are borrowed. -EPERM: somebody else's cache. */
int fetch_new(const struct fetch_options *options, struct fetch **ret_fetch, struct err *err);
void fetch_free(struct fetch *fetch);	/* NULL is fine */

/*
 * A descriptor of an ELF file with debug sections, the caller's.  -ENOENT: no server has it;
 * -EFBIG: larger than allowed; -EBADMSG: a wrong answer; -EIO: the client failed.  Others are about
 * the servers, not the image: they are given up, and nobody is asked from then on (-ETIME: too
 * slow, -EINTR: is_stopped(), -ECONNREFUSED, ...).  Each build-id is asked for once.
 */
int fetch_debug_file(struct fetch *fetch, const uint8_t *build_id, size_t size, struct err *err);

struct fetch_totals fetch_totals(const struct fetch *fetch);

#endif
