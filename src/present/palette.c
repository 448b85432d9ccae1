/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/palette.h"

#include <stdlib.h>

#include "analyze/group.h"
#include "base/cleanup.h"

enum color { COLOR_NONE, COLOR_KERNEL, COLOR_MODULE, COLOR_BPF, COLOR_USER, COLOR_COUNT = 9 };

static const char *const escapes[COLOR_COUNT] = {
	[COLOR_NONE] = "",
	[COLOR_KERNEL] = "\033[94m",	/* blue */
	[COLOR_MODULE] = "\033[34m",
	[COLOR_BPF] = "\033[95m",
	[COLOR_USER] = "\033[33m",	/* yellow, then green, red, magenta and cyan */
	"\033[32m",
	"\033[31m",
	"\033[35m",
	"\033[36m",
};

static uint8_t color_of_kind(enum image_kind kind)
{
	switch (kind) {
	case IMAGE_KERNEL:
		return COLOR_KERNEL;
	case IMAGE_MODULE:
		return COLOR_MODULE;
	case IMAGE_BPF:
		return COLOR_BPF;
	default:
		return COLOR_NONE;
	}
}

static void color_users(const struct palette *palette, const uint64_t *ranks)
{
	for (uint8_t color = COLOR_USER; color < COLOR_COUNT; color++) {
		size_t largest = 0;

		for (size_t i = 1; i < palette->count; i++)
			if (palette->colors[i] == COLOR_NONE && ranks[i] > ranks[largest])
				largest = i;
		if (!largest)
			return;
		palette->colors[largest] = color;
	}
}

int palette_make(const struct profile *profile, uint8_t event, struct palette *ret_palette)
{
	const struct model *model = profile->model;
	bool by_weight = group_goes_by_weight(profile, event);
	_cleanup_free_ uint64_t *ranks = calloc(model->images.count + 1, sizeof(*ranks));

	*ret_palette = (struct palette){
		.colors = calloc(model->images.count + 1, sizeof(uint8_t)),
		.count = model->images.count,
	};
	if (!ranks || !ret_palette->colors)
		return -ENOMEM;
	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];

		if (hit->event == event && hit->image && hit->image < model->images.count)
			ranks[hit->image] += count_rank(&hit->count, by_weight);
	}
	for (size_t i = 0; i < model->images.count; i++)
		ret_palette->colors[i] = color_of_kind(model->images.at[i].kind);
	color_users(ret_palette, ranks);
	return 0;
}

void palette_fini(struct palette *palette)
{
	free(palette->colors);
	palette->colors = NULL;
}

const char *palette_of_image(const struct palette *palette, uint64_t image)
{
	return image < palette->count ? escapes[palette->colors[image]] : "";
}
