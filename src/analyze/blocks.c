/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/blocks.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "disasm/leaders.h"

/* One sampled address, its function, and the number of samples at the address. */
struct place {
	uint32_t function, location;
	uint64_t vaddr, samples;
};

struct places {
	VEC(struct place) list;
};

struct maker {
	const struct block_source *source;
	struct code_blocks *blocks;
	struct places places;
	struct instructions instructions;
	/* largest number of samples of any function whose code could not be read */
	uint64_t unread_samples;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *left = a, *right = b;

	if (left->function != right->function)
		return left->function < right->function ? -1 : 1;
	return (left->vaddr > right->vaddr) - (left->vaddr < right->vaddr);
}

static int find_places(struct maker *maker, const struct profile *profile)
{
	const struct model *model = profile->model;

	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];
		const struct location *location = location_of(model, hit->location);
		struct place *place;

		if (!location->function)
			continue;
		place = vec_push(&maker->places.list);
		if (!place)
			return -ENOMEM;
		*place = (struct place){ location->function, hit->location, location->vaddr,
					 hit->count.samples };
	}
	if (maker->places.list.count)
		qsort(maker->places.list.at, maker->places.list.count, sizeof(struct place),
		      compare_places);
	return 0;
}

static void maker_fini(struct maker *maker)
{
	vec_free(&maker->places.list);
	vec_free(&maker->instructions.list);
}

/* Returns the vaddr of the first byte after the block that begins with instruction @first. */
static uint64_t end_of(const struct instructions *instructions, const bool *leaders, size_t first)
{
	size_t last = first;

	while (last + 1 < instructions->list.count && !leaders[last + 1])
		last++;
	return instructions->list.at[last].vaddr + instructions->list.at[last].length;
}

/*
 * Finds the block of each of @places, and adds new blocks to the list. All places are in one
 * function and sorted by address. So each place is in the block that was added last, or after it.
 */
static int place_in_blocks(struct maker *maker, const struct place *places, size_t count,
			   const bool *leaders)
{
	const struct instructions *instructions = &maker->instructions;
	struct code_blocks *blocks = maker->blocks;
	struct code_block block = { 0 };

	for (size_t i = 0; i < count; i++) {
		size_t at = instruction_find(instructions, places[i].vaddr);
		struct code_block *entry;

		if (at == INSTRUCTION_NONE)
			continue;
		if (places[i].vaddr >= block.end) {
			while (!leaders[at])
				at--;
			block = (struct code_block){ places[i].function,
						     instructions->list.at[at].vaddr,
						     end_of(instructions, leaders, at) };
			entry = vec_push(&blocks->list);
			if (!entry)
				return -ENOMEM;
			*entry = block;
		}
		blocks->of_location[places[i].location] = (uint32_t)(blocks->list.count - 1);
	}
	return 0;
}

static void count_unread(struct maker *maker, const struct place *places, size_t count,
			 const struct err *why)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < count; i++)
		samples += places[i].samples;
	if (maker->blocks->unread++ == 0 || samples > maker->unread_samples) {
		maker->unread_samples = samples;
		maker->blocks->why = *why;
	}
}

static int add_function(struct maker *maker, const struct place *places, size_t count)
{
	_cleanup_free_ bool *leaders = NULL;
	struct err why = { 0 };
	int rc = maker->source->read(maker->source->context, places->function, &maker->instructions,
				     &why);

	if (rc == -ENOMEM)
		return rc;
	if (rc < 0) {
		count_unread(maker, places, count, &why);
		return 0;
	}
	leaders = instruction_leaders(&maker->instructions);
	return leaders ? place_in_blocks(maker, places, count, leaders) : -ENOMEM;
}

static int add_functions(struct maker *maker)
{
	const struct place *places = maker->places.list.at;
	size_t count = maker->places.list.count, first = 0;

	for (size_t i = 1; i <= count; i++) {
		int rc;

		if (i < count && places[i].function == places[first].function)
			continue;
		rc = add_function(maker, &places[first], i - first);
		if (rc < 0)
			return rc;
		first = i;
	}
	return 0;
}

int code_blocks_make(const struct profile *profile, const struct block_source *source,
		     struct code_blocks *ret_blocks)
{
	size_t count = profile->model->locations.count;
	_cleanup_(maker_fini) struct maker maker = { .source = source, .blocks = ret_blocks };
	int rc;

	*ret_blocks = (struct code_blocks){ .of_location = calloc(count + 1, sizeof(uint32_t)),
					    .location_count = count };
	if (!ret_blocks->of_location || !vec_push(&ret_blocks->list))
		return -ENOMEM;
	rc = find_places(&maker, profile);
	if (rc < 0)
		return rc;
	return add_functions(&maker);
}

void code_blocks_fini(struct code_blocks *blocks)
{
	vec_free(&blocks->list);
	free(blocks->of_location);
	blocks->of_location = NULL;
	blocks->location_count = 0;
}
