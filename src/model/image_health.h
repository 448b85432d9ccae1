/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_health.h - counts for each image how completely user stacks were walked
 *
 * The root of a stack records how the walk of the stack ended (location.h), but not in which image.
 * The counts in this file record the image as well, because the remedy depends on it: the call
 * frame information of the image was stripped, a JIT compiler keeps no frame pointers, or the copy
 * of the stack was too short.
 *
 * The samples of all events are counted while they are recorded, so the counts cannot be filtered
 * later. A stack counts only if it was walked with unwind tables, either from copied stack bytes or
 * by the in-kernel sampler. Stacks that the kernel walked by frame pointers do not count, because
 * the kernel cannot tell the end of a stack from garbage.
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

const char *walk_stop_name(enum walk_stop stop);	/* returns "no-table" or similar */
const char *walk_stop_meaning(enum walk_stop stop);
/* returns the remedy; "" if there is none */
const char *walk_stop_cure(enum walk_stop stop);

/* The counts of one image. All are zero if no walked stack has a frame in the image. */
struct image_health {
	/* number of samples whose user stack has a frame in the image */
	uint64_t samples;
	/* number of samples in `samples` whose stack was walked to its end */
	uint64_t whole;
	/* number of samples in `samples` whose stack was walked from copied stack bytes */
	uint64_t from_bytes;
	/* number of the image's frames that were unwound by frame pointers */
	uint64_t frame_pointer_frames;
	/*
	 * number of samples whose outermost known frame is in the image: one count for each reason
	 * why the walk ended
	 */
	uint64_t stopped[WALK_STOP_COUNT];
};

/* Number of walks that found the same stack and ended for the same reason. */
struct walk_repeats {
	uint32_t stack;
	enum walk_stop stop;
	uint64_t count;
};

struct walk_health {
	/* indexed by image id; the counts of an image beyond the last entry are all zero */
	VEC(struct image_health) images;
	/* indexed by image id: walk_number of the last walk that had a frame in the image */
	VEC(uint64_t) marks;
	/* number of the current walk; not stored in recordings */
	uint64_t walk_number;
	VEC(struct walk_repeats) repeats;	/* walks that have not been added to `images` yet */
	struct u64map repeats_index;		/* (stack, stop) -> index in repeats */
};

/* How the walk of one user stack ended. */
struct walk_outcome {
	enum walk_stop stop;
	/* walked by the collector, from copied stack bytes */
	bool from_bytes;
	/*
	 * For each frame, innermost first: nonzero if the frame was unwound by frame pointers. NULL
	 * if this is not known.
	 */
	const uint8_t *by_frame_pointer;
	size_t frame_count;			/* number of entries of by_frame_pointer */
};

struct model;

/*
 * Counts one sample. @stack is the node of the innermost user frame, so kernel frames do not count.
 * If @stack is only a root, the sample is not counted. Counts LOSS_MEMORY when out of memory.
 *
 * If the walk reached the end of the stack, the model may still lack some of the frames. The sample
 * then counts as WALK_STOP_NO_IMAGE if an address was in no mapping, and otherwise as
 * WALK_STOP_DEEP (a budget was used up).
 *
 * If only the stack and the stop of a sample are known, this function increments the count of the
 * pair (stack, stop) in `repeats` and does nothing else. Following the frames of every such sample
 * would cost more than the rest of the sample's processing.
 */
void model_health_add(struct model *model, uint32_t stack, const struct walk_outcome *outcome);

/*
 * Adds the samples in `repeats` to the counts of their images. Must be called before the counts are
 * read.
 */
void model_health_settle(struct model *model);

/* Returns the counts of @image; all are zero if no counts are stored for @image. */
struct image_health model_health_of(const struct model *model, uint32_t image);

/*
 * Returns a pointer to the counts of @image, for code that loads the counts from a recording. If
 * the image has no counts yet, adds counts that are all zero. Returns NULL when out of memory.
 */
struct image_health *model_health_row(struct model *model, uint32_t image);

/* Returns the number of samples whose walk stopped in the image before the end of the stack. */
uint64_t image_health_cut(const struct image_health *health);

void walk_health_fini(struct walk_health *health);

/* ---- the counts as a list of named numbers, as recordings store them ---- */

#define IMAGE_HEALTH_COUNTS (4 + WALK_STOP_COUNT)

/*
 * Returns the name of count number @which: "samples", "whole", "from-bytes",
 * "frame-pointer-frames", or "stopped-" followed by the name of the stop.
 */
const char *image_health_count_name(size_t which);
uint64_t *image_health_count(struct image_health *health, size_t which);
int image_health_count_of_name(const char *name);	/* returns -1 for an unknown name */

#endif
