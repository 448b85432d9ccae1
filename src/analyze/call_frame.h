/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_frame.h - how call trees identify a frame
 *
 * A frame is identified by a 64-bit key, which is opaque outside this file. Most frames are
 * functions. All unresolved addresses of one image together are also one frame. If a stack was cut
 * before its beginning was reached, an extra outermost frame gives the reason. Without the extra
 * frame, the point where the stack was cut would look like a thread's first function. The extra
 * frame is not a function, and nothing is known about its callers.
 *
 * If samples are grouped by a dimension, such as the application, a frame that stands for the group
 * is outside all others. It is not a function either.
 *
 * With profile.inlined a location has as many frames as its inline chain (model/location.h): each
 * function that the compiler inlined into its caller is a frame of its own. An inlined function and
 * the same function called normally are different frames, although they have the same name.
 */
#ifndef ASSAY_ANALYZE_CALL_FRAME_H
#define ASSAY_ANALYZE_CALL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/group.h"

#define CALL_FRAME_ALL UINT64_MAX	/* key of the root of a tree, which is shown as "all" */
/*
 * maximum number of frames per location. If an inline chain has more, the frames next to the
 * outermost frame are dropped.
 */
#define CALL_FRAMES_MAX 256

/*
 * Writes the frames of a location, innermost first. The last frame is the function that contains
 * the machine code; the frames before it were inlined into it. @location may be 0 (none). Returns
 * the number of frames, which is at least one.
 */
size_t call_frames_of(const struct profile *profile, uint32_t location,
		      uint64_t ret_frames[static CALL_FRAMES_MAX]);

/* Returns the frame that gives the reason why a stack with root @root is missing or incomplete. */
uint64_t call_frame_of_root(enum stack_root root);

/* Returns the frame of a group of samples: those with the given key (below 2^32) of a dimension. */
uint64_t call_frame_of_group(enum dimension dimension, uint64_t key);

/*
 * Returns false for the root of a tree, for groups, and for frames that give the reason why a stack
 * was cut.
 */
bool call_frame_is_function(uint64_t frame);

/* Returns the key of BY_FUNCTION of a function's frame, inlined or not. */
uint64_t call_frame_key(uint64_t frame);

/*
 * Returns the id of the frame's function. Returns 0 if the frame is not a function, or stands for
 * all unresolved addresses of an image.
 */
uint32_t call_frame_function(const struct profile *profile, uint64_t frame);

/* Returns the name of the quality of the frame's name, or "" if the frame is not a function. */
const char *call_frame_quality(const struct profile *profile, uint64_t frame);

/* call_frame_mark() returns the text to print after the frame's name: " (inlined)" or "". */
bool call_frame_is_inlined(uint64_t frame);
const char *call_frame_mark(uint64_t frame);

/*
 * Returns the whole name, not escaped. The returned string belongs to the model, is a constant, or
 * was written to @scratch.
 */
const char *call_frame_name(const struct profile *profile, uint64_t frame,
			    char scratch[static GROUP_IMAGE_NAME_MAX]);

/* Return the id (0: none) and the path ("": none) of the frame's image. */
uint32_t call_frame_image_id(const struct profile *profile, uint64_t frame);
const char *call_frame_image(const struct profile *profile, uint64_t frame);

#endif
