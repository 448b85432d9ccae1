/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intern.h - an index that finds the id of an element by its content
 *
 * Every dictionary in the program uses this index. The caller has the elements in an array; the id
 * of an element is its position in that array. Given some content, the index finds the id of the
 * element with equal content. Keys are 64-bit hashes (base/hash.h) in a khash table. The caller
 * provides the function that compares elements, so a hash collision costs a second probe but never
 * returns a wrong element.
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

/* Returns true if the content of the element with @id equals the content described by @search. */
typedef bool (*intern_same_fn)(uint32_t id, const void *search);

void intern_fini(struct intern *index);

/* Returns the id of the element that equals @search, or 0 if there is none. */
uint32_t intern_find(const struct intern *index, uint64_t hash, intern_same_fn same,
		     const void *search);

/*
 * Adds an element's @id. The caller must have called intern_find() for the same content just
 * before, and intern_find() must have returned 0. Returns 0 or -ENOMEM.
 */
int intern_add(struct intern *index, uint64_t hash, uint32_t id);

/*
 * Combines intern_find() and intern_add() for elements that are just numbers. Sets *ret_id to the
 * id of @number. If @number has no id yet, assigns @fresh_id to it. Only the intern_number
 * functions may be used on such an index. Returns 0 or -ENOMEM.
 */
int intern_number(struct intern *index, uint64_t number, uint32_t fresh_id, uint32_t *ret_id);

/* Returns the id of @number, or 0 if it has none. */
uint32_t intern_number_find(const struct intern *index, uint64_t number);

#endif
