/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler/index_ranges.h"

#include <errno.h>
#include <string.h>

int index_ranges_init(struct index_ranges *ranges, uint32_t count)
{
	*ranges = (struct index_ranges){ 0 };
	return count > 0 ? index_ranges_give(ranges, 0, count) : 0;
}

void index_ranges_fini(struct index_ranges *ranges)
{
	vec_free(&ranges->free);
}

static void remove_at(struct index_ranges *ranges, size_t at)
{
	struct index_range *range = &ranges->free.at[at];

	ranges->free.count--;
	memmove(range, range + 1, (ranges->free.count - at) * sizeof(*range));
}

int index_ranges_take(struct index_ranges *ranges, uint32_t count, uint32_t *ret_first)
{
	if (count == 0) {
		*ret_first = 0;
		return 0;
	}
	for (size_t i = 0; i < ranges->free.count; i++) {
		struct index_range *range = &ranges->free.at[i];

		if (range->count < count)
			continue;
		*ret_first = range->first;
		range->first += count;
		range->count -= count;
		if (range->count == 0)
			remove_at(ranges, i);
		return 0;
	}
	return -ENOSPC;
}

/*
 * Returns the position in the sorted list of free ranges at which a range that begins at @first
 * belongs.
 */
static size_t place_of(const struct index_ranges *ranges, uint32_t first)
{
	size_t low = 0, high = ranges->free.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->free.at[middle].first < first)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int insert_at(struct index_ranges *ranges, size_t at, struct index_range range)
{
	struct index_range *place;

	if (!vec_push(&ranges->free))
		return -ENOMEM;
	place = &ranges->free.at[at];
	memmove(place + 1, place, (ranges->free.count - 1 - at) * sizeof(*place));
	*place = range;
	return 0;
}

int index_ranges_give(struct index_ranges *ranges, uint32_t first, uint32_t count)
{
	size_t at = place_of(ranges, first);
	struct index_range *before = at > 0 ? &ranges->free.at[at - 1] : NULL;
	struct index_range *behind = at < ranges->free.count ? &ranges->free.at[at] : NULL;
	bool joins_before = before && before->first + before->count == first;
	bool joins_behind = behind && first + count == behind->first;

	if (count == 0)
		return 0;
	if (joins_before) {
		before->count += count + (joins_behind ? behind->count : 0);
		if (joins_behind)
			remove_at(ranges, at);
		return 0;
	}
	if (joins_behind) {
		behind->first = first;
		behind->count += count;
		return 0;
	}
	return insert_at(ranges, at, (struct index_range){ first, count });
}
