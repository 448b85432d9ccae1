/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff-private.h - one of the two recordings that diff.c compares
 *
 * Hits are split in two ways: into slices of time, one slice per block (significance.h), and into
 * classes of stacks. All stacks of a class are equal in what the options of the diff need: the path
 * of functions, and the conditions that the stack meets.
 */
#ifndef ASSAY_ANALYZE_DIFF_PRIVATE_H
#define ASSAY_ANALYZE_DIFF_PRIVATE_H

#include "analyze/diff.h"

/*
 * Slices are aligned to the start of the recording, but blocks start where the filter's time range
 * starts. So the range can overlap one slice more than there are blocks.
 */
#define DIFF_BLOCKS (RATIO_BLOCKS + 1)

/* A class of stacks that have the same path and meet the same conditions. */
struct diff_class {
	uint32_t path;		/* 0 unless diffing by stack */
	uint32_t marks;		/* one bit per condition that the stack meets */
};

/* The names of the keys of one dimension. */
struct diff_labels {
	struct intern index;	/* from a key to its position in names */
	VEC(uint32_t) names;	/* name of each key, by its position; [0] is unused */
};

struct diff_reading {
	const struct diff_side *side;
	struct diff *diff;		/* the names are added to this diff */
	const struct file_parts *parts;	/* decides how much of the path of a source file to show */
	struct profile profile;
	uint32_t event;
	bool by_weight;
	bool all_contexts;		/* idle time is included */
	/* recorded time range, limited to the filter's time range */
	uint64_t from_ns, to_ns;
	uint32_t first_slice;
	uint32_t *stack_classes;	/* class of each stack, by stack id; NULL: not needed */
	VEC(struct diff_class) classes;
	struct intern class_index;
	/*
	 * by name: bit i + 1 is set if the expression of condition i matches; bit 0 is NAME_MATCHED
	 * (the expressions were tried)
	 */
	VEC(uint32_t) name_marks;
	struct diff_labels frames, labels[GROUP_KEYS_MAX];
};

/*
 * Sets everything except event and by_weight. Call diff_reading_fini() after success and failure.
 */
int diff_reading_init(struct diff_reading *reading, const struct diff_side *side, struct diff *diff,
		      struct err *err);
void diff_reading_fini(struct diff_reading *reading);

/* Returns the event named @name, or GROUP_EVENT_ANY if no event has that name. */
uint32_t diff_event_called(const struct model *model, const char *name);

/* Writes the names of a hit's keys, one per dimension, or its path. Returns 0 or -ENOMEM. */
int diff_reading_keys(struct diff_reading *reading, const struct hit *hit,
		      uint32_t ret_keys[static GROUP_KEYS_MAX]);

uint32_t diff_reading_marks(const struct diff_reading *reading, const struct hit *hit);
size_t diff_reading_block(const struct diff_reading *reading, const struct hit *hit);

/* Returns the number of nanoseconds of @block that lie in the range. */
uint64_t diff_reading_block_ns(const struct diff_reading *reading, size_t block);

#endif
