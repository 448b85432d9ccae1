/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff-private.h - one of the recordings that diff.c compares
 *
 * Hits are split by time, with one slice per block, and by class of stack. A class holds what the
 * options need of a stack: its path of functions and the conditions that it meets.
 */
#ifndef ASSAY_ANALYZE_DIFF_PRIVATE_H
#define ASSAY_ANALYZE_DIFF_PRIVATE_H

#include "analyze/diff.h"

/*
 * Slices are aligned to the start of the recording, but blocks start where the filter's time range
 * starts. The range can therefore touch one slice more than RATIO_BLOCKS.
 */
#define DIFF_BLOCKS (RATIO_BLOCKS + 1)

/* A class of stacks that have the same path and meet the same conditions. */
struct diff_class {
	uint32_t path;		/* 0 unless diffing by stack */
	uint32_t marks;		/* one bit per condition that the stack meets */
};

/* The names of the keys of one dimension. */
struct diff_labels {
	struct intern index;	/* key -> position in names */
	VEC(uint32_t) names;	/* by position; [0] is unused */
};

struct diff_reading {
	const struct diff_side *side;
	struct diff *diff;		/* names are entered here */
	const struct file_parts *parts;	/* for the files of source lines */
	struct profile profile;
	uint32_t event;
	bool by_weight;
	bool all_contexts;		/* idle time is included */
	/* recorded range after the filter's time range is applied */
	uint64_t from_ns, to_ns;
	uint32_t first_slice;
	uint32_t *stack_classes;	/* by stack id; NULL: not needed */
	VEC(struct diff_class) classes;
	struct intern class_index;
	/* by name: bit i + 1 is set if condition i's expression matches; bit 0 is NAME_MATCHED */
	VEC(uint32_t) name_marks;
	struct diff_labels frames, labels[GROUP_KEYS_MAX];
};

/*
 * Sets everything except event and by_weight. Call diff_reading_fini() after success and failure.
 */
int diff_reading_init(struct diff_reading *reading, const struct diff_side *side, struct diff *diff,
		      struct err *err);
void diff_reading_fini(struct diff_reading *reading);

/* Returns the event with that name, or GROUP_EVENT_ANY if there is none. */
uint32_t diff_event_called(const struct model *model, const char *name);

/* Writes the names of a hit's keys, one per dimension, or its path. Returns 0 or -ENOMEM. */
int diff_reading_keys(struct diff_reading *reading, const struct hit *hit,
		      uint32_t ret_keys[static GROUP_KEYS_MAX]);

uint32_t diff_reading_marks(const struct diff_reading *reading, const struct hit *hit);
size_t diff_reading_block(const struct diff_reading *reading, const struct hit *hit);

/* Returns how many nanoseconds of @block lie in the range. */
uint64_t diff_reading_block_ns(const struct diff_reading *reading, size_t block);

#endif
