/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_frame.h - what call trees call one frame
 *
 * Frames are told apart by a 64-bit key, which is opaque outside this file: a function as in
 * tables by function, all unresolved addresses of one image together, or, where a stack does
 * not lead to its beginning, the reason.  Such a reason is the outermost frame of its stacks,
 * so that what was cut off does not look like a thread's first function; it is no function,
 * and nothing is known about its callers.
 */
#ifndef ASSAY_ANALYZE_CALL_FRAME_H
#define ASSAY_ANALYZE_CALL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/group.h"

#define CALL_FRAME_ALL UINT64_MAX	/* the root of a tree, "all" */

/* Of a location; row 0 where there is none. */
uint64_t call_frame_of(const struct model *model, uint32_t location);

/* Of what stands in a stack's place, or outside its outermost frame. */
uint64_t call_frame_of_root(enum stack_root root);

/* False of a tree's root and of the reasons why a stack is cut. */
bool call_frame_is_function(uint64_t frame);

/* Whole and unescaped: a string of the model, of this file or in @scratch. */
const char *call_frame_name(const struct profile *profile, uint64_t frame,
			    char scratch[static GROUP_IMAGE_NAME_MAX]);

/* The path of the frame's image, "" where it has none. */
const char *call_frame_image(const struct profile *profile, uint64_t frame);

#endif
