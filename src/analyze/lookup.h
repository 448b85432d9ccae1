/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lookup.h - finds the row of an id, without trusting the id
 *
 * A recording may still be growing while it is read. Samples of its newest block can then refer to
 * dictionary rows that were written after the dictionaries were loaded, and a damaged file can
 * refer to anything. Looking up an id that does not exist returns row 0, the zeroed "none" row of
 * every dictionary.
 */
#ifndef ASSAY_ANALYZE_LOOKUP_H
#define ASSAY_ANALYZE_LOOKUP_H

#include <string.h>

#include "model/model.h"

#define LOOKUP(array, id) (&(array)->at[(size_t)(id) < (array)->count ? (size_t)(id) : 0])

static inline const struct thread *thread_of(const struct model *model, uint64_t id)
{
	return LOOKUP(&model->threads, id);
}

static inline const struct process *process_of(const struct model *model, uint64_t id)
{
	return LOOKUP(&model->processes, id);
}

static inline const struct application *application_of(const struct model *model, uint64_t id)
{
	return LOOKUP(&model->applications, id);
}

static inline const struct image *image_of(const struct model *model, uint64_t id)
{
	return LOOKUP(&model->images, id);
}

static inline const struct location *location_of(const struct model *model, uint64_t id)
{
	return LOOKUP(&model->locations, id);
}

static inline const struct function *function_of(const struct model *model, uint64_t id)
{
	return LOOKUP(&model->functions, id);
}

/* Returns the function that stands for all functions with the same name in generated code. */
static inline uint32_t function_family(const struct model *model, uint32_t id)
{
	uint32_t family = function_of(model, id)->family;

	return family ? family : id;
}

static inline const struct source_line *line_of(const struct model *model, uint64_t id)
{
	return LOOKUP(&model->lines, id);
}

/*
 * Walks the lines of an inline chain from the innermost outwards. The innermost line is the source
 * line of an address. Each next line is the line that called the inlined function of the line
 * before. At most LINE_CHAIN_MAX lines are visited, so that the cost per location is bounded even
 * if a forged file has a deeper chain.
 *	for (struct line_walk at = { line }; at.line; line_walk_out(model, &at))
 */
#define LINE_CHAIN_MAX 256

struct line_walk {
	uint32_t line, depth;	/* line 0: the walk has ended */
};

static inline void line_walk_out(const struct model *model, struct line_walk *at)
{
	uint32_t caller = line_of(model, at->line)->caller;

	at->line = caller < at->line && ++at->depth < LINE_CHAIN_MAX ? caller : 0;
}

static inline const char *string_of(const struct model *model, uint64_t id)
{
	return model_string(model, id < model->strings.offset.count ? (uint32_t)id : 0);
}

/* Returns the last component of a path; tables show only this part of an image's path. */
static inline const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* If an id in @sample does not exist in the model, replaces it by the id that means "unknown". */
static inline void sample_make_safe(const struct model *model, struct sample *sample)
{
	if (sample->thread >= model->threads.count)
		sample->thread = 0;
	if (sample->stack >= model->stacks.count)
		sample->stack = STACK_ROOT_NONE;
	if (sample->context >= CONTEXT_COUNT)
		sample->context = CONTEXT_KERNEL;
}

/* Returns the id of the sampled location, or 0 if the stack has no frame. */
static inline uint32_t leaf_of(const struct model *model, uint32_t stack)
{
	if (stack < STACK_ROOT_COUNT || stack >= model->stacks.count)
		return 0;
	return model->stacks.at[stack].location;
}

#endif
