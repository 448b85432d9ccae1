/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strpool.h - each distinct string once, named by a 32-bit id
 *
 * Id 0 is the empty string.  Strings are byte strings without NUL, of at most STRPOOL_MAX
 * bytes: what a target calls itself is cut there, so that nobody can grow us without bound.
 * They are kept as given; escaping happens on output.
 */
#ifndef ASSAY_BASE_STRPOOL_H
#define ASSAY_BASE_STRPOOL_H

#include "base/intern.h"
#include "base/vec.h"

#define STRPOOL_MAX 65535

struct strpool {
	struct intern index;
	VEC(char) bytes;		/* the strings, NUL-terminated, one after the other */
	VEC(uint32_t) offset;		/* id -> first byte; [0] is the empty string */
};

int strpool_init(struct strpool *pool);
void strpool_fini(struct strpool *pool);

/* The id of @length bytes of @text, entered if new. 0 or -ENOMEM (also past 4 GiB in all). */
int strpool_intern(struct strpool *pool, const char *text, size_t length, uint32_t *ret_id);

/* The string; valid until the next intern. */
static inline const char *strpool_get(const struct strpool *pool, uint32_t id)
{
	return pool->bytes.at + pool->offset.at[id];
}

#endif
