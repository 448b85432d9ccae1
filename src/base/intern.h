/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intern.h - from content to a 32-bit id
 *
 * The index behind every dictionary of the program: the caller keeps the things themselves
 * in an array and asks here which index an equal one already has.  Keys are 64-bit hashes
 * (base/hash.h) in khash; equality is checked by the caller's function, so a collision costs
 * a second probe and is never a wrong answer.
 *
 *	id = intern_find(&index, hash, same_image, &search);
 *	if (!id) { append; intern_add(&index, hash, new_id); }
 *
 * Id 0 means "none" and cannot be stored.
 */
#ifndef ASSAY_BASE_INTERN_H
#define ASSAY_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern {
	void *table;			/* khash, private */
	struct intern_recent *recent;	/* what was found last: see intern.c */
};

/* Does the element with @id equal what @search describes? */
typedef bool (*intern_same_fn)(uint32_t id, const void *search);

void intern_fini(struct intern *index);

/* The id of the equal element, or 0. */
uint32_t intern_find(const struct intern *index, uint64_t hash, intern_same_fn same,
		     const void *search);

/* Enters @id, which intern_find() has just not found. 0 or -ENOMEM. */
int intern_add(struct intern *index, uint64_t hash, uint32_t id);

/*
 * For content that is a number by itself: the id that it has, or @fresh_id, which it has from then
 * on. Such an index is used with nothing else. 0 or -ENOMEM.
 */
int intern_number(struct intern *index, uint64_t number, uint32_t fresh_id, uint32_t *ret_id);

/* The id that it has; 0: none. */
uint32_t intern_number_find(const struct intern *index, uint64_t number);

#endif
