/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intern.h - maps content to a 32-bit id
 *
 * The index of every dictionary of the program. The caller keeps the elements in an array; the
 * index finds the id of the element that equals a given content. Keys are 64-bit hashes
 * (base/hash.h) in a khash table. The caller's function compares elements, so a collision costs a
 * second probe but never returns a wrong element.
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
	struct intern_recent *recent;	/* recently found elements, see intern.c */
};

/* Returns true if the element with @id equals what @search describes. */
typedef bool (*intern_same_fn)(uint32_t id, const void *search);

void intern_fini(struct intern *index);

/* Returns the id of the equal element, or 0. */
uint32_t intern_find(const struct intern *index, uint64_t hash, intern_same_fn same,
		     const void *search);

/*
 * Adds @id; intern_find() must have returned 0 for its content just before. Returns 0 or -ENOMEM.
 */
int intern_add(struct intern *index, uint64_t hash, uint32_t id);

/*
 * For content that is a number itself: sets *ret_id to the id of @number, which becomes @fresh_id
 * if @number has no id yet. Such an index may only be used with the intern_number functions.
 * Returns 0 or -ENOMEM.
 */
int intern_number(struct intern *index, uint64_t number, uint32_t fresh_id, uint32_t *ret_id);

/* Returns the id of @number, or 0 if it has none. */
uint32_t intern_number_find(const struct intern *index, uint64_t number);

#endif
