/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vec.h - a growing array of elements of one type
 *
 *	VEC(struct image) images = VEC_INIT;
 *	struct image *image = vec_push(&images);	zeroed element, NULL when out of memory
 *	images.at[i], images.count
 *	vec_free(&images);
 *
 * Elements move in memory when the array grows, so callers must store indices and not pointers.
 * Growth is geometric, so a push costs O(1) amortised. There is no locking.
 */
#ifndef ASSAY_BASE_VEC_H
#define ASSAY_BASE_VEC_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define VEC(type)		\
	struct {		\
		type *at;	\
		size_t count;	\
		size_t capacity;\
	}

#define VEC_INIT { NULL, 0, 0 }

/*
 * Allocates memory for @wanted elements in total. Returns 0 or -ENOMEM. After a failure the array
 * is unchanged.
 */
#define vec_reserve(vec, wanted) \
	vec_reserve_bytes((void **)&(vec)->at, &(vec)->capacity, (wanted), sizeof(*(vec)->at))

/* Appends a zeroed element and returns a pointer to it, or NULL if out of memory. */
#define vec_push(vec)								\
	(vec_reserve((vec), (vec)->count + 1) < 0				\
		 ? NULL								\
		 : (__typeof__((vec)->at))memset(&(vec)->at[(vec)->count++], 0,	\
						 sizeof(*(vec)->at)))

#define vec_clear(vec) ((void)((vec)->count = 0))

#define vec_free(vec)			\
	do {				\
		free((vec)->at);	\
		(vec)->at = NULL;	\
		(vec)->count = 0;	\
		(vec)->capacity = 0;	\
	} while (0)

/*
 * Gives the memory of the first @end elements back to the system, as far as it fills whole pages.
 * Indices stay as they are, but the content of these elements is undefined until they are written
 * again.
 */
#define vec_release(vec, end) vec_release_bytes((vec)->at, (end) * sizeof(*(vec)->at))

int vec_reserve_bytes(void **at, size_t *capacity, size_t wanted, size_t element_bytes);
void vec_release_bytes(void *at, size_t size_bytes);

#endif
