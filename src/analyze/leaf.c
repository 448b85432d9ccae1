/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/leaf.h"

#include "analyze/lookup.h"

static const struct {
	const char *name, *meaning;
} ends[STACK_END_COUNT] = {
	[STACK_WHOLE] = { "whole", "reached the function where the thread began" },
	[STACK_NO_USER] = { "kernel only",
			    "complete without user frames: mostly in exit or exec" },
	[STACK_ELSEWHERE] = { "ended elsewhere",
			      "the outermost frame is not a function where threads are known to "
			      "begin" },
	[STACK_TRUNCATED] = { "truncated",
			      "deeper than the limit; outermost frames missing" },
	[STACK_BROKEN] = { "broken", "the next frame was not in known code" },
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

static bool is_kernel_image(enum image_kind kind)
{
	return kind == IMAGE_KERNEL || kind == IMAGE_MODULE || kind == IMAGE_BPF;
}

/* Sets the end of a stack whose chain was not cut. @location is the outermost frame. */
static void end_chain(const struct model *model, const struct location *location, struct leaf *leaf)
{
	leaf->end = function_of(model, location->function)->root ? STACK_WHOLE : STACK_ELSEWHERE;
	leaf->kernel_end = leaf->end == STACK_ELSEWHERE &&
			   is_kernel_image(image_of(model, location->image)->kind);
}

/*
 * A parent's id is always smaller than its child's, so the parent's leaf is already known. If the
 * parent's id is larger, the file is damaged, and the stack counts as broken.
 */
static void make_leaf(const struct model *model, uint32_t id, struct leaf *leaves)
{
	const struct stack_node *node = &model->stacks.at[id];
	const struct location *location = location_of(model, node->location);

	leaves[id] = leaves[node->parent < id ? node->parent : STACK_ROOT_BROKEN];
	leaves[id].image = location->image;
	leaves[id].function = location->function;
	if (node->parent == STACK_ROOT_END)
		end_chain(model, location, &leaves[id]);
}

static void name_inlined(const struct model *model, struct leaf *leaf, uint32_t location)
{
	const struct source_line *line = line_of(model, location_of(model, location)->line);

	if (line->function)
		leaf->function = line->function;
}

struct leaf *leaves_make(const struct model *model, bool inlined)
{
	size_t count = model->stacks.count < STACK_ROOT_COUNT ? STACK_ROOT_COUNT
							      : model->stacks.count;
	struct leaf *leaves = calloc(count, sizeof(*leaves));

	if (!leaves)
		return NULL;
	leaves[STACK_ROOT_END].end = STACK_ELSEWHERE;
	leaves[STACK_ROOT_TRUNCATED].end = STACK_TRUNCATED;
	leaves[STACK_ROOT_BROKEN].end = STACK_BROKEN;
	leaves[STACK_ROOT_NONE].end = STACK_NOT_ASKED;
	for (uint32_t id = STACK_ROOT_COUNT; id < model->stacks.count; id++)
		make_leaf(model, id, leaves);
	for (uint32_t id = STACK_ROOT_COUNT; inlined && id < model->stacks.count; id++)
		name_inlined(model, &leaves[id], model->stacks.at[id].location);
	return leaves;
}
