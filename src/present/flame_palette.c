/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/flame_palette.h"

#include <string.h>

#include "analyze/lookup.h"
#include "analyze/metric.h"
#include "base/cleanup.h"

/* ---- by image ---- */

static uint32_t image_of_node(const struct call_tree *tree, uint32_t node)
{
	return call_frame_image_id(tree->profile, tree->nodes.at[node].frame);
}

static enum flame_color color_of_kind(enum image_kind kind)
{
	switch (kind) {
	case IMAGE_KERNEL:
		return FLAME_KERNEL;
	case IMAGE_MODULE:
		return FLAME_MODULE;
	case IMAGE_BPF:
		return FLAME_BPF;
	default:
		return FLAME_OTHER;
	}
}

/*
 * Returns the image with the most self time among the user images that do not have a color of their
 * own yet. Returns 0 if none of these images has self time.
 */
static uint32_t largest_image(const struct flame_palette *palette, const uint64_t *self)
{
	uint32_t largest = 0;

	for (uint32_t i = 1; i < palette->tree->profile->model->images.count; i++)
		if (palette->images[i] == FLAME_OTHER && self[i] &&
		    (!largest || self[i] > self[largest]))
			largest = i;
	return largest;
}

static int color_images(struct flame_palette *palette)
{
	const struct call_tree *tree = palette->tree;
	const struct model *model = tree->profile->model;
	_cleanup_free_ uint64_t *self = calloc(model->images.count + 1, sizeof(*self));

	palette->images = calloc(model->images.count + 1, sizeof(*palette->images));
	if (!self || !palette->images)
		return -ENOMEM;
	for (uint32_t i = 0; i < model->images.count; i++)
		palette->images[i] = (uint8_t)color_of_kind(model->images.at[i].kind);
	palette->state_image = metric_state_image(model);
	if (palette->state_image != METRIC_NO_IMAGE)
		palette->images[palette->state_image] = FLAME_NO_IMAGE;
	for (uint32_t node = 0; node < tree->nodes.count; node++)
		self[image_of_node(tree, node)] += count_rank(&tree->nodes.at[node].self,
							      tree->by_weight);
	for (int color = FLAME_USER; color < FLAME_OTHER; color++) {
		uint32_t image = largest_image(palette, self);

		palette->named[color] = image;
		if (image)
			palette->images[image] = (uint8_t)color;
	}
	for (uint32_t node = 0; node < tree->nodes.count; node++)
		palette->used[flame_palette_color(palette, node)] = true;
	return 0;
}

static enum flame_color color_of_state(enum thread_state state)
{
	switch (state) {
	case THREAD_RUNNING:
		return FLAME_NO_IMAGE;
	case THREAD_RUNNABLE:
	case THREAD_PREEMPTED:
		return FLAME_RUNNABLE;
	case THREAD_BLOCKED_IO:
		return FLAME_BLOCKED_IO;
	default:
		return FLAME_BLOCKED;
	}
}

enum flame_color flame_palette_color(const struct flame_palette *palette, uint32_t node)
{
	uint64_t frame = palette->tree->nodes.at[node].frame;
	uint32_t image = image_of_node(palette->tree, node);

	if (!call_frame_is_function(frame))
		return FLAME_NO_IMAGE;
	if (image == palette->state_image)
		return color_of_state(metric_state_of_frame(palette->tree->profile, frame));
	return (enum flame_color)palette->images[image];
}

const char *flame_color_class(enum flame_color color)
{
	static const char *const classes[FLAME_COLOR_COUNT] = {
		"x",  "k0", "k1", "k2", "w0", "w1", "w2", "u0",
		"u1", "u2", "u3", "u4", "u5", "u6", "u7",
	};

	return classes[color];
}

const char *flame_palette_label(const struct flame_palette *palette, enum flame_color color)
{
	static const char *const labels[FLAME_USER] = {
		"no function", "kernel", "modules", "BPF", "runnable", "blocked", "blocked on I/O",
	};
	const struct model *model = palette->tree->profile->model;

	if (color < FLAME_USER)
		return labels[color];
	if (color == FLAME_OTHER)
		return "other images";
	return file_name(string_of(model, image_of(model, palette->named[color])->path));
}

/* ---- by context ---- */

/*
 * The state of a majority vote (Boyer and Moore 1981). If one context has more than half of the
 * rank added so far, @context is that context. If no context has more than half, @context may be
 * any of the contexts added.
 */
struct vote {
	uint64_t lead;
	uint8_t context;
};

static void vote_add(struct vote *to, const struct vote *vote)
{
	if (to->context == vote->context) {
		to->lead += vote->lead;
	} else if (to->lead >= vote->lead) {
		to->lead -= vote->lead;
	} else {
		to->lead = vote->lead - to->lead;
		to->context = vote->context;
	}
}

static bool is_kernel(const struct flame_palette *palette, uint32_t node)
{
	enum flame_color color = flame_palette_color(palette, node);

	return color >= FLAME_KERNEL && color <= FLAME_BPF;
}

static uint8_t context_of_node(const struct flame_palette *palette, uint32_t node,
			       const struct vote *vote)
{
	if (!call_frame_is_function(palette->tree->nodes.at[node].frame) ||
	    image_of_node(palette->tree, node) == palette->state_image)
		return CONTEXT_COUNT;
	if (!is_kernel(palette, node))
		return CONTEXT_USER;
	return vote->lead && vote->context != CONTEXT_USER ? vote->context : CONTEXT_KERNEL;
}

static int color_contexts(struct flame_palette *palette)
{
	const struct call_tree *tree = palette->tree;
	_cleanup_free_ struct vote *votes = calloc(tree->nodes.count, sizeof(*votes));

	palette->contexts = calloc(tree->nodes.count, sizeof(*palette->contexts));
	if (!votes || !palette->contexts)
		return -ENOMEM;
	for (uint32_t node = (uint32_t)tree->nodes.count; node-- > 0;) {
		const struct call_node *at = &tree->nodes.at[node];

		vote_add(&votes[node], &(struct vote){ count_rank(&at->self, tree->by_weight),
						       at->self_context });
		if (node != CALL_TREE_ROOT)
			vote_add(&votes[at->parent], &votes[node]);
		palette->contexts[node] = context_of_node(palette, node, &votes[node]);
	}
	return 0;
}

int flame_palette_make(const struct call_tree *tree, struct flame_palette *ret_palette)
{
	int rc;

	*ret_palette = (struct flame_palette){ .tree = tree };
	rc = color_images(ret_palette);
	return rc < 0 ? rc : color_contexts(ret_palette);
}

void flame_palette_fini(struct flame_palette *palette)
{
	free(palette->images);
	free(palette->contexts);
}
