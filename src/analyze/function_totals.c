/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/function_totals.h"

#include "analyze/call_frame.h"
#include "base/cleanup.h"
#include "base/u64map.h"

static int map_keys(const uint64_t *keys, size_t count, struct u64map *map)
{
	for (size_t i = 0; i < count; i++)
		if (u64map_put(map, keys[i], (uint32_t)i) < 0)
			return -ENOMEM;
	return 0;
}

/* Returns an array with the bits of each location, or NULL if out of memory. */
static uint64_t *location_bits(const struct profile *profile, const struct u64map *map)
{
	size_t count = profile->model->locations.count;
	uint64_t *bits = calloc(count + 1, sizeof(*bits));
	uint64_t frames[CALL_FRAMES_MAX];

	for (size_t id = 0; bits && id < count; id++) {
		size_t frame_count = call_frames_of(profile, (uint32_t)id, frames);

		for (size_t i = 0; i < frame_count; i++) {
			uint32_t index;

			if (u64map_get(map, call_frame_key(frames[i]), &index))
				bits[id] |= UINT64_C(1) << index;
		}
	}
	return bits;
}

static void add_stacks(const struct profile *profile, const uint64_t *locations, uint64_t *stacks,
		       struct count *totals)
{
	const struct model *model = profile->model;
	const struct stack_counts *counts = &profile->stacks;

	for (size_t id = STACK_ROOT_COUNT; id < counts->count; id++) {
		const struct stack_node *stack = &model->stacks.at[id];
		bool is_known = stack->location < model->locations.count;
		uint64_t bits = is_known ? locations[stack->location] : locations[0];

		if (stack->parent < id)
			bits |= stacks[stack->parent];
		stacks[id] = bits;
		if (!counts->at[id].samples || counts->contexts[id] == CONTEXT_IDLE)
			continue;
		for (; bits; bits &= bits - 1)
			count_add(&totals[__builtin_ctzll(bits)], &counts->at[id]);
	}
}

int function_totals(const struct profile *profile, const uint64_t *keys, size_t count,
		    struct count *ret_totals)
{
	_cleanup_(u64map_fini) struct u64map map = { 0 };
	_cleanup_free_ uint64_t *stacks = calloc(profile->stacks.count + 1, sizeof(*stacks));
	_cleanup_free_ uint64_t *locations = NULL;

	memset(ret_totals, 0, count * sizeof(*ret_totals));
	if (!stacks || map_keys(keys, count, &map) < 0)
		return -ENOMEM;
	locations = location_bits(profile, &map);
	if (!locations)
		return -ENOMEM;
	add_stacks(profile, locations, stacks, ret_totals);
	return 0;
}
