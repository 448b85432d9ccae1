/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_health.h - how well the user stacks that lead through an image could be walked
 *
 * A stack's root says how its walk ended (location.h); this says where and why, by image, because
 * the cure is the image's: call frame information that was stripped, a JIT compiler that keeps no
 * frame pointers, a copy that was too short.
 *
 * Counted are samples, at intake, of all events; nothing of it can be filtered later.  Only stacks
 * that were walked by tables count (copied bytes, the in-kernel sampler), not the kernel's own
 * walk by frame pointers, which cannot tell an end from garbage.
 */
#ifndef ASSAY_MODEL_IMAGE_HEALTH_H
#define ASSAY_MODEL_IMAGE_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/u64map.h"
#include "base/vec.h"

enum walk_stop {
#define WALK_STOP(name, text, meaning, cure) WALK_STOP_##name,
#include "model/walk_stop.def"
#undef WALK_STOP
	WALK_STOP_COUNT
};

const char *walk_stop_name(enum walk_stop stop);	/* "no-table" */
const char *walk_stop_meaning(enum walk_stop stop);
const char *walk_stop_cure(enum walk_stop stop);	/* "" where nothing helps */
int walk_stop_of_name(const char *name);		/* the stop, or -1 */

/* Of one image. All zeros: it stands in no walked stack. */
struct image_health {
	uint64_t samples;			/* whose user stack has a frame of the image */
	uint64_t whole;				/* and was walked to its end */
	uint64_t from_bytes;			/* and was walked from copied stack bytes */
	uint64_t frame_pointer_frames;		/* frames of it that were left by frame pointers */
	uint64_t stopped[WALK_STOP_COUNT];	/* samples whose outermost frame lies in it */
};

/* Walks of one stack that all went alike. */
struct walk_repeats {
	uint32_t stack;
	enum walk_stop stop;
	uint64_t count;
};

struct walk_health {
	VEC(struct image_health) images;	/* by image; those behind the last are zeros */
	VEC(uint64_t) marks;			/* by image: number of the last walk through it */
	uint64_t walk_number;			/* of this run */
	VEC(struct walk_repeats) repeats;	/* not yet in images */
	struct u64map repeats_index;		/* stack and stop -> of repeats */
};

/* How the walk of one user stack went. */
struct walk_outcome {
	enum walk_stop stop;
	bool from_bytes;			/* in user space, from a copy */
	const uint8_t *by_frame_pointer;	/* NULL: not known; innermost first, not 0 where
						   the frame was left by frame pointers */
	size_t frame_count;			/* of them */
};

struct model;

/*
 * Counts one sample. @stack: the leaf of its user part, without kernel frames; one that is only a
 * root counts nowhere.  A stack that has no end although its walk had one was broken off in the
 * model: WALK_STOP_NO_IMAGE where an address lies in no mapping, else WALK_STOP_DEEP (a budget).
 * Out of memory: LOSS_MEMORY.
 *
 * Samples of which nothing is known but stack and stop are only counted by these: following each
 * through its frames would cost more than the rest of the sample.
 */
void model_health_add(struct model *model, uint32_t stack, const struct walk_outcome *outcome);

/* Before the counts are read: spreads over the images what was counted by stack. */
void model_health_settle(struct model *model);

/* The counts of an image, zeros where there are none. */
struct image_health model_health_of(const struct model *model, uint32_t image);

/* For reading a recording: the row of @image, made if new; NULL when out of memory. */
struct image_health *model_health_row(struct model *model, uint32_t image);

/* Adds @from to @to. */
void image_health_add(struct image_health *to, const struct image_health *from);

/* Samples that stopped in the image short of an end. */
uint64_t image_health_cut(const struct image_health *health);

void walk_health_fini(struct walk_health *health);

/* ---- the counts as a list of named numbers: what recordings hold ---- */

#define IMAGE_HEALTH_COUNTS (4 + WALK_STOP_COUNT)

/* "samples", "whole", "from-bytes", "frame-pointer-frames", then "stopped-" and the stop's name */
const char *image_health_count_name(size_t which);
uint64_t *image_health_count(struct image_health *health, size_t which);
int image_health_count_of_name(const char *name);	/* or -1 */

#endif
