/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/health.h"

#include "analyze/lookup.h"

static const struct {
	const char *name, *meaning;
} ends[STACK_END_COUNT] = {
	[STACK_WHOLE] = { "whole", "reached the function where the thread began" },
	[STACK_ELSEWHERE] = { "ended elsewhere",
			      "the outermost frame is no known beginning" },
	[STACK_TRUNCATED] = { "truncated",
			      "deeper than the limit; outermost frames missing" },
	[STACK_BROKEN] = { "broken", "the next frame lay in no known code" },
	[STACK_NOT_ASKED] = { "not asked", "only the sampled address was recorded" },
};

const char *stack_end_name(enum stack_end end)
{
	return ends[end].name;
}

const char *stack_end_meaning(enum stack_end end)
{
	return ends[end].meaning;
}

/* How a stack ended, by id: a parent is written before its children, so one pass does. */
struct walk {
	uint32_t outermost;
	uint32_t root;
};

static struct walk *walk_stacks(const struct model *model)
{
	struct walk *walks = calloc(model->stacks.count, sizeof(*walks));

	for (uint32_t id = 0; walks && id < model->stacks.count; id++) {
		uint32_t parent = model->stacks.at[id].parent;

		if (id < STACK_ROOT_COUNT)
			walks[id] = (struct walk){ .root = id };
		else if (parent < STACK_ROOT_COUNT || parent >= id)
			walks[id] = (struct walk){ .outermost = id,
						   .root = parent < id ? parent
								       : STACK_ROOT_BROKEN };
		else
			walks[id] = walks[parent];
	}
	return walks;
}

static bool is_kernel_image(enum image_kind kind)
{
	return kind == IMAGE_KERNEL || kind == IMAGE_MODULE || kind == IMAGE_BPF;
}

/* The chain ended by itself: at a beginning? */
static bool is_whole(const struct model *model, const struct walk *walk, const struct hit *hit)
{
	const struct thread *thread = thread_of(model, hit->thread);
	const struct location *location = location_of(
		model, walk->outermost ? model->stacks.at[walk->outermost].location : 0);

	if (!walk->outermost)
		return false;
	if (function_of(model, location->function)->root)
		return true;
	return is_kernel_image(image_of(model, location->image)->kind) &&
	       (thread->tid == 0 || process_of(model, thread->process)->kernel_thread);
}

static enum stack_end end_of(const struct model *model, const struct walk *walk,
			     const struct hit *hit)
{
	switch (walk->root) {
	case STACK_ROOT_TRUNCATED:
		return STACK_TRUNCATED;
	case STACK_ROOT_BROKEN:
		return STACK_BROKEN;
	case STACK_ROOT_NONE:
		return STACK_NOT_ASKED;
	default:
		return is_whole(model, walk, hit) ? STACK_WHOLE : STACK_ELSEWHERE;
	}
}

static enum quality quality_of(const struct model *model, const struct hit *hit)
{
	uint32_t id = location_of(model, leaf_of(model, hit->stack))->function;
	enum quality quality = function_of(model, id)->quality;

	return id == 0 || id >= model->functions.count || quality >= QUALITY_COUNT ? QUALITY_NONE
										   : quality;
}

static bool is_unresolved(const void *context, const struct profile *profile, const struct hit *hit)
{
	const uint8_t *event = context;

	return hit->event == *event && quality_of(profile->model, hit) == QUALITY_NONE;
}

int health_make(const struct profile *profile, uint8_t event, struct health *ret_health)
{
	static const enum dimension by_image[] = { BY_IMAGE };
	const struct model *model = profile->model;
	struct walk *walks = walk_stacks(model);

	*ret_health = (struct health){ 0 };
	if (!walks)
		return -ENOMEM;
	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];

		if (hit->event != event)
			continue;
		ret_health->samples += hit->samples;
		ret_health->stack_ends[end_of(model, &walks[hit->stack], hit)] += hit->samples;
		ret_health->qualities[quality_of(model, hit)] += hit->samples;
	}
	free(walks);
	return group_hits(profile, by_image, 1, is_unresolved, &event, &ret_health->unresolved);
}

void health_fini(struct health *health)
{
	group_table_fini(&health->unresolved);
}
