/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_health.h - how completely the user stacks that pass through each image were walked
 *
 * The root of a stack says how its walk ended (location.h). The counts here say in which image the
 * walks ended and why, because the remedy depends on the image: its call frame information was
 * stripped, a JIT compiler keeps no frame pointers, or the stack copy was too short.
 *
 * Samples of all events are counted at intake, so the counts cannot be filtered later. Only stacks
 * that were walked with unwind tables count: from copied stack bytes or by the in-kernel sampler.
 * The kernel's own walk by frame pointers does not count, because it cannot tell the end of a stack
 * from garbage.
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
const char *walk_stop_cure(enum walk_stop stop);	/* "" if nothing helps */
int walk_stop_of_name(const char *name);		/* or -1 */

/* The counts of one image. All are zero if no walked stack has a frame of the image. */
struct image_health {
	/* samples whose user stack has a frame of the image */
	uint64_t samples;
	/* of these samples: walked to the end of the stack */
	uint64_t whole;
	/* of these samples: walked from copied stack bytes */
	uint64_t from_bytes;
	/* frames of the image that were unwound by frame pointers */
	uint64_t frame_pointer_frames;
	/* samples whose outermost frame lies in the image, by the reason why the walk stopped */
	uint64_t stopped[WALK_STOP_COUNT];
};

/* A number of walks of the same stack that all ended in the same way. */
struct walk_repeats {
	uint32_t stack;
	enum walk_stop stop;
	uint64_t count;
};

struct walk_health {
	/* by image; images above the last entry have only zeros */
	VEC(struct image_health) images;
	/* by image: walk_number of the last walk through the image */
	VEC(uint64_t) marks;
	/* number of the current walk; not stored in recordings */
	uint64_t walk_number;
	VEC(struct walk_repeats) repeats;	/* walks that are not yet counted in images */
	struct u64map repeats_index;		/* (stack, stop) -> index in repeats */
};

/* How the walk of one user stack ended. */
struct walk_outcome {
	enum walk_stop stop;
	bool from_bytes;			/* walked in user space, from copied stack bytes */
	/*
	 * For each frame, innermost first: nonzero if the frame was unwound by frame pointers. NULL
	 * if this is not known.
	 */
	const uint8_t *by_frame_pointer;
	size_t frame_count;			/* entries of by_frame_pointer */
};

struct model;

/*
 * Counts one sample. @stack is the leaf of the sample's user part, without kernel frames; a stack
 * that consists only of a root is not counted. If the walk reached an end but the stack in the
 * model has none, the model cut the stack: this counts as WALK_STOP_NO_IMAGE if an address lies in
 * no mapping, and otherwise as WALK_STOP_DEEP (a budget). Counts LOSS_MEMORY when out of memory.
 *
 * If only stack and stop of a sample are known, the sample is added to the count of its (stack,
 * stop) pair. Following the frames of each such sample would cost more than the rest of its
 * processing.
 */
void model_health_add(struct model *model, uint32_t stack, const struct walk_outcome *outcome);

/*
 * Adds the samples that were counted by (stack, stop) to the counts of their images. Call before
 * reading the counts.
 */
void model_health_settle(struct model *model);

/* Returns the counts of @image; all zero if it has none. */
struct image_health model_health_of(const struct model *model, uint32_t image);

/*
 * Returns the counts of @image for filling in from a recording, added as zeros if new. NULL when
 * out of memory.
 */
struct image_health *model_health_row(struct model *model, uint32_t image);

/* Adds @from to @to. */
void image_health_add(struct image_health *to, const struct image_health *from);

/* Returns the number of samples whose walk stopped in the image before the end of the stack. */
uint64_t image_health_cut(const struct image_health *health);

void walk_health_fini(struct walk_health *health);

/* ---- the counts as a list of named numbers, as recordings store them ---- */

#define IMAGE_HEALTH_COUNTS (4 + WALK_STOP_COUNT)

/*
 * Returns "samples", "whole", "from-bytes", "frame-pointer-frames", or "stopped-" followed by the
 * name of the stop.
 */
const char *image_health_count_name(size_t which);
uint64_t *image_health_count(struct image_health *health, size_t which);
int image_health_count_of_name(const char *name);	/* or -1 */

#endif
