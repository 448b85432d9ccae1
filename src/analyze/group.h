/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.h - hits by any of their dimensions
 *
 * --by takes these words, alone or several joined by commas; the row's label is then the
 * tuple.  A dimension is a function from a hit to a 64-bit key and from the key to a label, so
 * a new one is a line in the table in dimension.c.
 *
 * A share is of one event: samples of different events are not comparable, so the denominator
 * is what the table holds of the row's own event.
 */
#ifndef ASSAY_ANALYZE_GROUP_H
#define ASSAY_ANALYZE_GROUP_H

#include "analyze/interval.h"
#include "analyze/profile.h"

enum dimension {
	BY_PROCESS,
	BY_INSTANCE,
	BY_APPLICATION,
	BY_THREAD,
	BY_TGID,
	BY_COMM,
	BY_UID,
	BY_IMAGE,
	BY_FUNCTION,
	BY_ADDRESS,
	BY_LINE,
	BY_BLOCK,
	BY_CPU,
	BY_CGROUP,
	BY_CONTEXT,
	BY_EVENT,
	BY_TIME,
	DIMENSION_COUNT
};

#define GROUP_KEYS_MAX 6
#define GROUP_IMAGE_NAME_MAX 512	/* bytes of "[name of the image]" */

struct group_row {
	uint64_t key[GROUP_KEYS_MAX];
	struct count count;
	uint64_t late_samples;
	uint64_t rank;			/* samples, or weight: count_rank() */
};

struct group_table {
	enum dimension by[GROUP_KEYS_MAX];
	size_t by_count;
	uint8_t event;			/* of all rows, unless BY_EVENT is among the keys */
	VEC(struct group_row) rows;	/* in no order until sorted */
	struct count total;		/* of the whole table */
	VEC(struct count) events;	/* the same by event */
	uint64_t late_samples;
	uint64_t idle_samples;		/* idle time among them, which other tables leave out */
};

const char *dimension_name(enum dimension dimension);

/*
 * "process,function" -> dimensions. -EINVAL, naming the word and the list of valid ones.
 */
int dimensions_parse(const char *text, enum dimension by[static GROUP_KEYS_MAX], size_t *ret_count,
		     struct err *err);
bool dimensions_have(const enum dimension *by, size_t by_count, enum dimension dimension);

/* The key of one hit; ids of the model, or numbers. */
uint64_t dimension_key(const struct profile *profile, enum dimension dimension,
		       const struct hit *hit);

/* Which hits belong to the table; NULL: all. group_is_selected() is the usual one. */
typedef bool (*group_want_fn)(const void *context, const struct profile *profile,
			      const struct hit *hit);

#define GROUP_EVENT_ANY UINT32_MAX
#define GROUP_CONTEXTS_ALL ((1u << CONTEXT_COUNT) - 1)
#define GROUP_CONTEXTS_BUSY (GROUP_CONTEXTS_ALL & ~(1u << CONTEXT_IDLE))

struct group_selection {
	uint32_t event;		/* or GROUP_EVENT_ANY */
	uint32_t contexts;	/* bit per enum context */
};

/* @context is a struct group_selection. */
bool group_is_selected(const void *context, const struct profile *profile, const struct hit *hit);

/* 0 or -ENOMEM; group_table_fini() after either. */
int group_hits(const struct profile *profile, const enum dimension *by, size_t by_count,
	       group_want_fn want, const void *context, struct group_table *ret_table);
void group_table_fini(struct group_table *table);

/* The row's own event, what its share is a share of, and whether that goes by weight. */
uint8_t group_row_event(const struct group_table *table, const struct group_row *row);
const struct count *group_row_total(const struct group_table *table, const struct group_row *row);
bool group_goes_by_weight(const struct profile *profile, uint8_t event);

/* Highest rank first; ties by key, so that output is stable. */
void group_sort_by_rank(struct group_table *table);
/* Rows by first key, highest rank first inside each: so that one key's rows are a slice. */
void group_sort_by_first_key(struct group_table *table);
/* The rows of @first_key after group_sort_by_first_key(). */
const struct group_row *group_slice(const struct group_table *table, uint64_t first_key,
				    size_t *ret_count);

/*
 * The key of BY_FUNCTION: of the function, or without one (0) of the image.  Its name, whole:
 * the model's string, or made in @scratch for an image, whose file name is cut where it is longer.
 */
uint64_t group_function_key(uint32_t image, uint32_t function);
const char *group_function_name(const struct profile *profile, uint64_t key,
				char scratch[static GROUP_IMAGE_NAME_MAX]);

/* The image that a key of BY_FUNCTION, of BY_BLOCK lies in, as a key of BY_IMAGE. */
uint64_t group_function_image(const struct profile *profile, uint64_t key);
uint64_t group_block_image(const struct profile *profile, uint64_t key);

/* The label of one key of a row, unescaped, into @text. */
void group_label(const struct profile *profile, enum dimension dimension, uint64_t key, char *text,
		 size_t size_bytes);

#endif
