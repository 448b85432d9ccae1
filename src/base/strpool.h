/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strpool.h - stores each distinct string once, with a 32-bit id
 *
 * Id 0 is the empty string. Strings may contain any bytes except NUL. Strings longer than
 * STRPOOL_MAX bytes are cut, so that a profiled program cannot use up our memory with long names.
 * Strings are stored unchanged; they are escaped only on output.
 */
#ifndef ASSAY_BASE_STRPOOL_H
#define ASSAY_BASE_STRPOOL_H

#include "base/intern.h"
#include "base/vec.h"

#define STRPOOL_MAX 65535

struct strpool {
	struct intern index;
	VEC(char) bytes;		/* all strings, each NUL-terminated */
	/* by id: offset in `bytes` of the string's first byte; [0] is the empty string */
	VEC(uint32_t) offset;
};

int strpool_init(struct strpool *pool);
void strpool_fini(struct strpool *pool);

/*
 * Sets *ret_id to the id of the first @length bytes of @text, or of fewer bytes if @text contains a
 * NUL. Adds the string if it is new. Returns 0, or -ENOMEM if out of memory or if the pool would
 * exceed 4 GiB.
 */
int strpool_intern(struct strpool *pool, const char *text, size_t length, uint32_t *ret_id);

/* Returns the id of a string, or 0 if it is empty or not in the pool. */
uint32_t strpool_find(const struct strpool *pool, const char *text);

/* Returns the string with this id. The pointer is valid until the next strpool_intern(). */
static inline const char *strpool_get(const struct strpool *pool, uint32_t id)
{
	return pool->bytes.at + pool->offset.at[id];
}

#endif
