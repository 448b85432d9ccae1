/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/call_frame.h"

#include <inttypes.h>

#include "analyze/lookup.h"

/*
 * Added to the BY_FUNCTION key of a function that was inlined. All BY_FUNCTION keys without this
 * bit are smaller than the bit.
 */
#define FRAME_INLINED (UINT64_C(1) << 39)
/*
 * A key with this bit identifies no function, but the reason why a stack was cut. Its low 32 bits
 * are the enum stack_root. The keys of all functions are smaller than this bit.
 */
#define FRAME_OF_ROOT (UINT64_C(1) << 40)
/*
 * A key with this bit stands for a group of samples. Its low 32 bits are the key of the group, and
 * the bits from FRAME_DIMENSION on are the enum dimension. It is greater than FRAME_OF_ROOT.
 */
#define FRAME_OF_GROUP (UINT64_C(1) << 41)
#define FRAME_DIMENSION 32

/*
 * Returns the id of the line from which the inlined function of line @id was called, or 0 at the
 * end of the chain. A caller's id is always smaller than @id. If it is larger, the file is damaged,
 * and the chain ends here.
 */
static uint32_t caller_of(const struct model *model, uint32_t id)
{
	uint32_t caller = line_of(model, id)->caller;

	return caller < id ? caller : 0;
}

size_t call_frames_of(const struct profile *profile, uint32_t location,
		      uint64_t ret_frames[static CALL_FRAMES_MAX])
{
	const struct model *model = profile->model;
	const struct location *at = location_of(model, location);
	uint32_t line = profile->inlined ? at->line : 0, caller, function;
	size_t count = 0;

	while ((caller = caller_of(model, line)) && count + 1 < CALL_FRAMES_MAX) {
		function = function_family(model, line_of(model, line)->function);
		ret_frames[count++] = group_function_key(at->image, function) | FRAME_INLINED;
		line = caller;
	}
	function = caller ? 0 : line_of(model, line)->function;
	function = function_family(model, function ? function : at->function);
	ret_frames[count++] = group_function_key(at->image, function);
	return count;
}

uint64_t call_frame_of_root(enum stack_root root)
{
	return FRAME_OF_ROOT | root;
}

uint64_t call_frame_of_group(enum dimension dimension, uint64_t key)
{
	return FRAME_OF_GROUP | (uint64_t)dimension << FRAME_DIMENSION | (uint32_t)key;
}

bool call_frame_is_function(uint64_t frame)
{
	return frame < FRAME_OF_ROOT;
}

uint64_t call_frame_key(uint64_t frame)
{
	return frame & ~FRAME_INLINED;
}

uint32_t call_frame_function(const struct profile *profile, uint64_t frame)
{
	return call_frame_is_function(frame) ? group_function_id(profile, frame & ~FRAME_INLINED)
					     : 0;
}

bool call_frame_is_inlined(uint64_t frame)
{
	return call_frame_is_function(frame) && (frame & FRAME_INLINED);
}

const char *call_frame_mark(uint64_t frame)
{
	return call_frame_is_inlined(frame) ? " (inlined)" : "";
}

static const char *group_name(const struct profile *profile, uint64_t frame,
			      char scratch[static GROUP_IMAGE_NAME_MAX])
{
	enum dimension dimension = (enum dimension)((uint8_t)(frame >> FRAME_DIMENSION));

	if (dimension == BY_CPU)
		(void)snprintf(scratch, GROUP_IMAGE_NAME_MAX, "CPU %" PRIu32, (uint32_t)frame);
	else
		group_label(profile, dimension, (uint32_t)frame, scratch, GROUP_IMAGE_NAME_MAX);
	return scratch;
}

const char *call_frame_name(const struct profile *profile, uint64_t frame,
			    char scratch[static GROUP_IMAGE_NAME_MAX])
{
	if (frame == CALL_FRAME_ALL)
		return "all";
	if (call_frame_is_function(frame))
		return group_function_name(profile, call_frame_key(frame), scratch);
	if (frame >= FRAME_OF_GROUP)
		return group_name(profile, frame, scratch);
	return stack_root_name((enum stack_root)(uint32_t)frame);
}

uint32_t call_frame_image_id(const struct profile *profile, uint64_t frame)
{
	uint64_t image = 0;

	if (call_frame_is_function(frame))
		image = group_function_image(profile, call_frame_key(frame));
	return image < profile->model->images.count ? (uint32_t)image : 0;
}

const char *call_frame_image(const struct profile *profile, uint64_t frame)
{
	const struct model *model = profile->model;

	return string_of(model, image_of(model, call_frame_image_id(profile, frame))->path);
}

const char *call_frame_quality(const struct profile *profile, uint64_t frame)
{
	uint32_t function = call_frame_function(profile, frame);

	if (!call_frame_is_function(frame))
		return "";
	return quality_name(function ? function_of(profile->model, function)->quality
				     : QUALITY_NONE);
}
