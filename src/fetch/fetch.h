/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch.h - fetches debug information by build-id from debuginfod servers
 *
 * libdebuginfod, the client library maintained by the authors of the servers, talks to the servers
 * and caches the files. It depends on TLS, HTTP and 30 libraries, and waits for machines that may
 * never answer. It therefore runs in a child process, one for each image:
 *   - Only the child loads the library. If it were linked, every command of this program would take
 *     9 ms to start instead of 2.
 *   - The child has no capabilities, and its time, memory and file sizes are limited. It is killed
 *     when its time is over or when this process ends.
 *   - The child has the permissions of the calling user. If that is root, the child runs as nobody
 *     (65534) with its own directory in the cache, except in a user namespace that has no such id.
 *   - The child returns one descriptor or one error message through a socket.
 *
 * The child asks a server for one section at a time, and only for the sections needed for lines and
 * names. These sections have about four fifths of the bytes of a debug file (0.76 to 0.85 for
 * Debian's C library and for this program). section_file.h builds an ELF file from them. Servers
 * that cannot send sections are asked for the whole file.
 *
 * Hostile servers: the caller reads the answer with the same care as any other file, and compares
 * its build-id (elf/debug_file.c). Nothing in this process parses the file before that. The first
 * section fetched is the note with the build-id; if it is wrong, no other section is fetched.
 *
 * The calling process must have no other threads.
 */
#ifndef ASSAY_FETCH_FETCH_H
#define ASSAY_FETCH_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct fetch_options {
	const char *urls;		/* server URLs separated by spaces, as in DEBUGINFOD_URLS */
	const char *cache_path;		/* created if missing; must belong to the user */
	uint64_t file_max_bytes;	/* limit for the debug information of one image */
	/* a server that sends almost nothing for this long is abandoned */
	unsigned int idle_seconds;
	unsigned int image_seconds;	/* time limit for one image */
	/* time limit for everything, from fetch_new() on; 0: no limit */
	unsigned int total_seconds;

	/*
	 * Both functions may be NULL. They are called several times a second while a fetch is
	 * running. @of_bytes is 0 if the total is not known.
	 */
	void *context;
	void (*progress)(void *context, uint64_t size_bytes, uint64_t of_bytes);
	bool (*is_stopped)(void *context);
};

struct fetch_totals {
	/* images that a server had, and images that no server has */
	size_t fetched, unknown;
	size_t failed;			/* images that failed, were wrong or too large */
	/* images not asked for because the servers had been given up */
	size_t not_asked;
	/* total size of what was fetched, including files from the cache */
	uint64_t size_bytes;
};

struct fetch;

/*
 * Prepares for fetching without contacting a server. @options is copied; its strings are borrowed.
 * Returns -EPERM if the cache belongs to another user or others can write to it.
 */
int fetch_new(const struct fetch_options *options, struct fetch **ret_fetch, struct err *err);
void fetch_free(struct fetch *fetch);	/* @fetch may be NULL */

/*
 * Returns a descriptor of an ELF file with debug sections, which the caller closes, or an error
 * about this image:
 *   -ENOENT: no server has the debug information
 *   -EFBIG: it is larger than allowed
 *   -EBADMSG: the answer is wrong
 *   -EIO: the client failed
 * Any other error is about the servers (-ETIME: too slow, -EINTR: is_stopped(), -ECONNREFUSED,
 * ...). After such an error no server is asked again. Each build-id is asked for only once.
 */
int fetch_debug_file(struct fetch *fetch, const uint8_t *build_id, size_t size, struct err *err);

struct fetch_totals fetch_totals(const struct fetch *fetch);

#endif
