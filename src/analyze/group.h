/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.h - hits grouped by any of their dimensions
 *
 * A dimension is a property of a hit, such as its process or function. It has a function from a hit
 * to a 64-bit key and a function from the key to a label, so a new dimension is one entry in the
 * array in dimension.c. --by takes the names of dimensions. If several are joined by commas, the
 * label of a row is the tuple of their labels.
 *
 * A share is relative to one event, because samples of different events cannot be compared. The
 * denominator is the table's total for the row's own event.
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
	BY_CMDLINE,
	BY_CONTEXT,
	BY_STATE,
	BY_EVENT,
	BY_TIME,
	BY_DATA_ADDRESS,
	BY_CACHE_LINE,		/* of 64 bytes */
	BY_DATA_PAGE,		/* of 4096 bytes */
	BY_DATA_SOURCE,
	BY_LATENCY,		/* from one power of two to the next */
	DIMENSION_COUNT
};

#define GROUP_KEYS_MAX 6
/* buffer size, in bytes, for the name of an image in brackets */
#define GROUP_IMAGE_NAME_MAX 512

struct group_row {
	uint64_t key[GROUP_KEYS_MAX];
	struct count count;
	uint64_t late_samples;
	uint64_t rank;			/* samples or weight, see count_rank() */
};

struct group_table {
	enum dimension by[GROUP_KEYS_MAX];
	size_t by_count;
	uint8_t event;			/* event of all rows, unless BY_EVENT is among the keys */
	VEC(struct group_row) rows;	/* unordered until sorted */
	struct count total;		/* total of the whole table */
	VEC(struct count) events;	/* totals by event */
	uint64_t late_samples;
	/* idle samples in the table; 0 if the table excludes them */
	uint64_t idle_samples;
};

const char *dimension_name(enum dimension dimension);

/*
 * Parses a list such as "process,function". Returns -EINVAL with a message that names the unknown
 * word and lists the valid ones.
 */
int dimensions_parse(const char *text, enum dimension by[static GROUP_KEYS_MAX], size_t *ret_count,
		     struct err *err);
/* Sets the bits of each field by which hits have to be split (profile_options.field_masks). */
void dimensions_field_masks(const enum dimension *by, size_t by_count,
			    uint64_t ret_masks[static FIELD_COUNT]);
bool dimensions_have(const enum dimension *by, size_t by_count, enum dimension dimension);

/* Returns the key of one hit: an id of the model, or a number. */
uint64_t dimension_key(const struct profile *profile, enum dimension dimension,
		       const struct hit *hit);

/*
 * Returns true if the hit belongs in the table. Most callers use group_is_selected(). If a caller
 * passes NULL, all hits belong in the table.
 */
typedef bool (*group_want_fn)(const void *context, const struct profile *profile,
			      const struct hit *hit);

#define GROUP_EVENT_ANY UINT32_MAX
#define GROUP_CONTEXTS_ALL ((1u << CONTEXT_COUNT) - 1)
#define GROUP_CONTEXTS_BUSY (GROUP_CONTEXTS_ALL & ~(1u << CONTEXT_IDLE))

struct group_selection {
	uint32_t event;		/* or GROUP_EVENT_ANY */
	uint32_t contexts;	/* one bit per enum context */
};

/* @context must be a struct group_selection. */
bool group_is_selected(const void *context, const struct profile *profile, const struct hit *hit);

/* Returns 0 or -ENOMEM. Call group_table_fini() in both cases. */
int group_hits(const struct profile *profile, const enum dimension *by, size_t by_count,
	       group_want_fn want, const void *context, struct group_table *ret_table);
void group_table_fini(struct group_table *table);

/*
 * group_row_event() returns the event of @row. group_row_total() returns the total that the share
 * of @row is relative to. group_goes_by_weight() returns true if shares of @event are computed from
 * weights, and false if they are computed from numbers of samples.
 */
uint8_t group_row_event(const struct group_table *table, const struct group_row *row);
const struct count *group_row_total(const struct group_table *table, const struct group_row *row);
bool group_goes_by_weight(const struct profile *profile, uint8_t event);

/* Sorts by rank, highest first; ties are sorted by key so that output is stable. */
void group_sort_by_rank(struct group_table *table);
/*
 * Sorts by first key, then by rank, highest first. Rows that have the same first key are then
 * adjacent.
 */
void group_sort_by_first_key(struct group_table *table);
/*
 * Returns a pointer to the first of the rows whose first key is @first_key, and their number. The
 * table must be sorted by group_sort_by_first_key().
 */
const struct group_row *group_slice(const struct group_table *table, uint64_t first_key,
				    size_t *ret_count);

/*
 * group_function_key() returns the key that a row has when hits are grouped by BY_FUNCTION. The key
 * identifies @function. If @function is 0, the key identifies all code of @image that is in no
 * known function. group_function_name() returns the name of such a row. A function's name is a
 * string of the model and is never cut. An image's name is written to @scratch, and is cut if it is
 * too long.
 */
uint64_t group_function_key(uint32_t image, uint32_t function);
const char *group_function_name(const struct profile *profile, uint64_t key,
				char scratch[static GROUP_IMAGE_NAME_MAX]);

/* Returns the function of a BY_FUNCTION key, or 0 if the key stands for the code of an image. */
uint32_t group_function_id(const struct profile *profile, uint64_t key);

/* Return the image of a BY_FUNCTION or BY_BLOCK key, in the form of a BY_IMAGE key. */
uint64_t group_function_image(const struct profile *profile, uint64_t key);
uint64_t group_block_image(const struct profile *profile, uint64_t key);

/* Writes the label of one key of a row to @text, not escaped. */
void group_label(const struct profile *profile, enum dimension dimension, uint64_t key, char *text,
		 size_t size_bytes);

#endif
