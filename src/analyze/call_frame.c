/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/call_frame.h"

#include "analyze/lookup.h"

/* Keys of BY_FUNCTION lie below; the lower half is an enum stack_root. */
#define FRAME_OF_ROOT (UINT64_C(1) << 40)

uint64_t call_frame_of(const struct model *model, uint32_t location)
{
	const struct location *at = location_of(model, location);

	return group_function_key(at->image, at->function);
}

uint64_t call_frame_of_root(enum stack_root root)
{
	return FRAME_OF_ROOT | root;
}

bool call_frame_is_function(uint64_t frame)
{
	return frame < FRAME_OF_ROOT;
}

const char *call_frame_name(const struct profile *profile, uint64_t frame,
			    char scratch[static GROUP_IMAGE_NAME_MAX])
{
	static const char *const names[STACK_ROOT_COUNT] = {
		[STACK_ROOT_END] = "<no frame>",
		[STACK_ROOT_TRUNCATED] = "<truncated stack>",
		[STACK_ROOT_BROKEN] = "<broken stack>",
		[STACK_ROOT_NONE] = "<stack not recorded>",
	};

	if (frame == CALL_FRAME_ALL)
		return "all";
	if (call_frame_is_function(frame))
		return group_function_name(profile, frame, scratch);
	return names[(uint32_t)frame];
}

const char *call_frame_image(const struct profile *profile, uint64_t frame)
{
	if (!call_frame_is_function(frame))
		return "";
	return string_of(profile->model,
			 image_of(profile->model, group_function_image(profile, frame))->path);
}
