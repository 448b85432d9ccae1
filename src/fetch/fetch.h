/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch.h - fetches debug information by build-id from debuginfod servers
 *
 * libdebuginfod, the client library maintained by the authors of the servers, talks to the servers
 * and caches the files. It depends on TLS, HTTP and 30 libraries, and waits for machines that may
 * never answer. It therefore runs in a child process, one for each image:
 *   - Only the child loads the library. If assay were linked with it, every command would take 9 ms
 *     to start instead of 2.
 *   - The child has no capabilities, and its time, memory and file sizes are limited. It is killed
 *     when its time is over or when assay exits.
 *   - The child has the permissions of the calling user. If that is root, the child runs as nobody
 *     (65534) with its own directory in the cache, except in a user namespace that has no such id.
 *   - The child returns one descriptor or one error message through a socket.
 *
 * The child asks a server for one section at a time, and only for the sections needed for lines and
 * names. These sections make up about four fifths of a debug file (0.76 to 0.85 for Debian's C
 * library and for assay). section_file.h builds an ELF file from them. If a server cannot send
 * sections, the child asks it for the whole file.
 *
 * Servers may be hostile. The caller therefore reads the file as carefully as any other untrusted
 * file, and compares its build-id with the image's (elf/debug_file.c). Before this check, the
 * calling process does not parse the file. The first section that is fetched is the note with the
 * build-id. If the build-id is wrong, no other section is fetched.
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
	uint64_t file_max_bytes;	/* maximum size of the debug information of one image */
	/* a fetch is given up if a server sends almost nothing for this time */
	unsigned int idle_seconds;
	unsigned int image_seconds;	/* time limit for one image */
	/* time limit for all images together, measured from fetch_new(); 0: no limit */
	unsigned int total_seconds;

	/*
	 * Either function may be NULL. While a fetch is running, each function is called several
	 * times a second. @of_bytes is 0 if the total size is not known.
	 */
	void *context;
	void (*progress)(void *context, uint64_t size_bytes, uint64_t of_bytes);
	bool (*is_stopped)(void *context);
};

struct fetch_totals {
	/*
	 * numbers of images whose debug information was fetched, and of images that no server knows
	 */
	size_t fetched, unknown;
	/* images whose debug information could not be fetched, or was wrong or too large */
	size_t failed;
	/* images that were not requested because of an earlier error of the servers */
	size_t not_asked;
	/* total size of the files, including those that were already in the cache */
	uint64_t size_bytes;
};

struct fetch;

/*
 * Prepares for fetching, without contacting a server yet. Copies @options, but not the strings that
 * it points to; they must stay valid. Returns -EPERM if the cache directory belongs to another
 * user, or if other users can write to it.
 */
int fetch_new(const struct fetch_options *options, struct fetch **ret_fetch, struct err *err);
void fetch_free(struct fetch *fetch);	/* @fetch may be NULL */

/*
 * Fetches the debug information of the image with this build-id. Returns a descriptor of an ELF
 * file with debug sections, which the caller must close, or an error that concerns only this image:
 *   -ENOENT: no server has the debug information
 *   -EFBIG: the debug information is larger than allowed
 *   -EBADMSG: the received data is wrong
 *   -EIO: the client process failed
 * Any other error concerns the servers (-ETIME: too slow, -EINTR: is_stopped() returned true,
 * -ECONNREFUSED, ...). After such an error, no server is contacted again. Each build-id is
 * requested only once.
 */
int fetch_debug_file(struct fetch *fetch, const uint8_t *build_id, size_t size, struct err *err);

struct fetch_totals fetch_totals(const struct fetch *fetch);

#endif
