/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inlined_job.h - finds where a function was inlined, in a reader (readers/readers.h)
 *
 * The request is where debug files are (debug_access.h), and the pattern. The reply is u32 number
 * of functions, u32 number of names, and the names of the first functions.
 */
#ifndef ASSAY_SYMBOLIZE_INLINED_JOB_H
#define ASSAY_SYMBOLIZE_INLINED_JOB_H

#include <stddef.h>
#include <stdint.h>

#include "readers/readers.h"

#define INLINED_NAMES_MAX 3u

extern const struct reader_job inlined_job;

struct found_inlined {
	uint32_t count;			/* of functions into which it was inlined */
	const char *names[INLINED_NAMES_MAX];	/* of the first ones, demangled */
	uint32_t name_count;
	uint8_t *reply;			/* has the names; owned */
};

/*
 * Finds the functions of @fd, which stays open, into which those were inlined that match @pattern
 * (base/pattern.h). @readers may be NULL: then this process reads the file. Returns 0, -ENOENT if
 * there is no debug information, or another negative errno. Finding none is no error.
 */
int inlined_find(struct readers *readers, int fd, const char *pattern,
		 struct found_inlined *ret_inlined);
void found_inlined_fini(struct found_inlined *inlined);

/*
 * Reads a reply into *@inlined, which is empty and then owns @reply. Returns 0 or -EBADMSG; call
 * found_inlined_fini() in any case. For inlined_find() and tests.
 */
int inlined_take(uint8_t *reply, size_t size_bytes, struct found_inlined *inlined);

#endif
