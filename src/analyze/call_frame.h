/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_frame.h - what call trees call one frame
 *
 * Frames are told apart by a 64-bit key, which is opaque outside this file: a function as in
 * tables by function, all unresolved addresses of one image together, or, where a stack does
 * not lead to its beginning, the reason.  Such a reason is the outermost frame of its stacks,
 * so that what was cut off does not look like a thread's first function; it is no function,
 * and nothing is known about its callers.
 *
 * With profile.inlined a location is as many frames as its inline chain has (model/location.h):
 * each function that the compiler put into its caller is a frame of its own.  Inlined, it is
 * another frame than where it was called, although the names are the same.
 */
#ifndef ASSAY_ANALYZE_CALL_FRAME_H
#define ASSAY_ANALYZE_CALL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/group.h"

#define CALL_FRAME_ALL UINT64_MAX	/* the root of a tree, "all" */
#define CALL_FRAMES_MAX 256	/* of one location; longer chains lack what is next to outermost */

/*
 * Of a location (row 0 where there is none), innermost first; how many, at least one.  The last
 * is the function that the code belongs to.
 */
size_t call_frames_of(const struct profile *profile, uint32_t location,
		      uint64_t ret_frames[static CALL_FRAMES_MAX]);

/* Of what stands in a stack's place, or outside its outermost frame. */
uint64_t call_frame_of_root(enum stack_root root);

/* False of a tree's root and of the reasons why a stack is cut. */
bool call_frame_is_function(uint64_t frame);

/* What stands behind its name in text: " (inlined)" or "". */
bool call_frame_is_inlined(uint64_t frame);
const char *call_frame_mark(uint64_t frame);

/* Whole and unescaped: a string of the model, of this file or in @scratch. */
const char *call_frame_name(const struct profile *profile, uint64_t frame,
			    char scratch[static GROUP_IMAGE_NAME_MAX]);

/* Of the frame's image: its id, 0 where it has none; its path, then "". */
uint32_t call_frame_image_id(const struct profile *profile, uint64_t frame);
const char *call_frame_image(const struct profile *profile, uint64_t frame);

#endif
