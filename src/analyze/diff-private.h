/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff-private.h - one recording, as diff.c reads it
 *
 * Hits are split by time, one slice for each block, and by what the options ask of stacks: which
 * path of functions they are, which conditions they meet.
 */
#ifndef ASSAY_ANALYZE_DIFF_PRIVATE_H
#define ASSAY_ANALYZE_DIFF_PRIVATE_H

#include "analyze/diff.h"

/* Slices begin at the start of the recording, blocks where the filter's range does: one more. */
#define DIFF_BLOCKS (RATIO_BLOCKS + 1)

/* Stacks that are alike in all that is asked for. */
struct diff_class {
	uint32_t path;		/* 0 unless by stack */
	uint32_t marks;		/* bit per condition that it meets */
};

/* Names of the keys of one dimension. */
struct diff_labels {
	struct intern index;	/* key -> position */
	VEC(uint32_t) names;	/* by position; [0] is none */
};

struct diff_reading {
	const struct diff_side *side;
	struct diff *diff;		/* where names are entered */
	const struct file_parts *parts;	/* of source lines' files */
	struct profile profile;
	uint32_t event;
	bool by_weight;
	bool all_contexts;		/* idle time, too */
	uint64_t from_ns, to_ns;	/* the range that was recorded and passes the filter */
	uint32_t first_slice;
	uint32_t *stack_classes;	/* by stack id; NULL: not asked for */
	VEC(struct diff_class) classes;
	struct intern class_index;
	VEC(uint32_t) name_marks;	/* by name: conditions whose expression it matches, + 1 */
	struct diff_labels frames, labels[GROUP_KEYS_MAX];
};

/* Fills all but event and by_weight. diff_reading_fini() after either. */
int diff_reading_init(struct diff_reading *reading, const struct diff_side *side, struct diff *diff,
		      struct err *err);
void diff_reading_fini(struct diff_reading *reading);

/* By name; GROUP_EVENT_ANY: there is none. */
uint32_t diff_event_called(const struct model *model, const char *name);

/* The names of a hit's keys, by dimension, or its path. 0 or -ENOMEM. */
int diff_reading_keys(struct diff_reading *reading, const struct hit *hit,
		      uint32_t ret_keys[static GROUP_KEYS_MAX]);

uint32_t diff_reading_marks(const struct diff_reading *reading, const struct hit *hit);
size_t diff_reading_block(const struct diff_reading *reading, const struct hit *hit);

/* How much of @block lies in the range. */
uint64_t diff_reading_block_ns(const struct diff_reading *reading, size_t block);

#endif
