/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff-private.h - one of the recordings that diff.c compares
 *
 * Samples are counted separately for each slice of time and for each class of stacks. A slice of
 * time is a block in the sense of significance.h. All stacks of a class have the same path of
 * functions and meet the same conditions, as far as the options of the diff use paths and
 * conditions.
 */
#ifndef ASSAY_ANALYZE_DIFF_PRIVATE_H
#define ASSAY_ANALYZE_DIFF_PRIVATE_H

#include "analyze/diff.h"
#include "analyze/file_parts.h"
#include "analyze/metric.h"
#include "analyze/slots.h"
#include "model/wait.h"

/*
 * The filter's time range is as long as RATIO_BLOCKS slices. But slices are aligned to the start of
 * the recording, and the range can begin inside a slice. So the range can overlap one more slice.
 */
#define DIFF_BLOCKS (RATIO_BLOCKS + 1)

#define DIFF_SERIES_REST 0	/* index of the series that is the sum of all untested rows */

/* A class of stacks that have the same path and meet the same conditions. */
struct diff_class {
	uint32_t path;		/* 0 unless diffing by stack */
	uint32_t marks;		/* bit i is set if the stack meets condition i */
};

/* The names of the keys of one dimension. */
struct diff_labels {
	struct intern index;	/* from a key to its position in names */
	VEC(uint32_t) names;	/* name of each key, by its position; [0] is unused */
};

struct diff_reading {
	const struct diff_side *side;
	enum diff_which which;
	struct diff *diff;		/* diff to which the names of this recording are added */
	const struct file_parts *parts;	/* decides how much of the path of a source file to show */
	struct metric metric;
	struct profile profile;
	uint32_t event;
	struct group_selection selection;
	double divisor, divisor_error;	/* of DIFF_PER_EVENT, and its relative variance */
	uint32_t *rows;			/* row of each hit, or NOT_COUNTED */
	bool by_weight;
	bool all_contexts;		/* idle time is included */
	/* recorded time range, limited to the filter's time range */
	uint64_t from_ns, to_ns;
	uint32_t first_slice;
	uint32_t *stack_classes;	/* class of each stack, by stack id; NULL: not needed */
	VEC(struct diff_class) classes;
	struct intern class_index;
	/*
	 * by name id: bit 0 (NAME_MATCHED) is set when the expressions of all conditions have been
	 * tried on the name; bit i + 1 is set if the expression of condition i matches the name
	 */
	VEC(uint32_t) name_marks;
	struct diff_labels frames, labels[GROUP_KEYS_MAX];
};

/* A comparison while it is made. */
struct diff_making {
	struct diff *diff;
	struct diff_reading *readings;	/* of before, then of after */
	size_t reading_count;
	struct slots slots;		/* index of the rows, by their keys */
	struct file_parts parts;
	bool cycles_as_time;		/* the command's CPU time is divided among its cycles */
	/*
	 * number of series: 1 for all untested rows together, plus the number of tested rows, plus
	 * the number of conditions
	 */
	size_t series_count;
};

/*
 * Reads the recording. Sets all fields except parts, event and by_weight, which the caller must
 * set. Returns 0 or a negative errno. Call diff_reading_fini() after success and failure.
 */
int diff_reading_init(struct diff_reading *reading, const struct diff_side *side, struct diff *diff,
		      struct err *err);
void diff_reading_fini(struct diff_reading *reading);

/* Returns the event named @name, or GROUP_EVENT_ANY if no event has that name. */
uint32_t diff_event_called(const struct model *model, const char *name);

/*
 * Writes the key of the row to which a hit belongs: one name id for each dimension, or one path id.
 * Returns 0 or -ENOMEM.
 */
int diff_reading_keys(struct diff_reading *reading, const struct hit *hit,
		      uint32_t ret_keys[static GROUP_KEYS_MAX]);

uint32_t diff_reading_marks(const struct diff_reading *reading, const struct hit *hit);
size_t diff_reading_block(const struct diff_reading *reading, const struct hit *hit);

/* Returns how many nanoseconds of @block are in the time range of the reading. */
uint64_t diff_reading_block_ns(const struct diff_reading *reading, size_t block);

/* The event of a reading: the row of the model, or a row of zeros, and its name. */
const struct event *diff_event_of(const struct diff_reading *reading);
const char *diff_event_name(const struct diff_reading *reading);

/* Returns true if the recording is of a command, and the command ended before the recording did. */
bool diff_is_of_whole_command(const struct diff_side *side);

/*
 * diff_choose_event() sets the event of both readings, and diff_choose_unit() the unit and the
 * divisors. Both return 0, or -EINVAL if the recordings cannot be compared in this way.
 */
int diff_choose_event(struct diff_making *making, struct err *err);
int diff_choose_unit(struct diff_making *making, struct err *err);

static inline bool diff_hit_is_kernel(const struct hit *hit)
{
	return hit->context != CONTEXT_USER && hit->state == THREAD_RUNNING;
}

/* From what diff_amount_of() computes the amount of a row. */
struct diff_amount_source {
	const struct count *count, *total;	/* of the row and of the whole run */
	uint64_t kernel_weight;
	const double *parts, *wholes;		/* DIFF_BLOCKS numbers each */
	bool by_weight;
	double scale;				/* from weights to the unit of the amount */
};

struct run_amount diff_amount_of(const struct diff_amount_source *source);

/*
 * Removes the rows that are not tested, judges everything else, and sorts the rows. Returns 0 or
 * -ENOMEM.
 */
int diff_judge(struct diff *diff);

#endif
