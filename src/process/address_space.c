/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/address_space.h"

#include <errno.h>

struct address_space *address_space_share(struct address_space *space)
{
	if (space)
		space->holders++;
	return space;
}

void address_space_drop(struct address_space *space)
{
	if (!space || --space->holders > 0)
		return;
	vec_free(&space->mappings);
	free(space);
}

static struct address_space *new_space(void)
{
	struct address_space *space = calloc(1, sizeof(*space));

	if (space)
		space->holders = 1;
	return space;
}

int address_space_own(struct address_space **space)
{
	struct address_space *from = *space, *copy;

	if (from && from->holders == 1)
		return 0;
	copy = new_space();
	if (!copy)
		return -ENOMEM;
	if (from) {
		if (vec_reserve(&copy->mappings, from->mappings.count + 1) < 0) {
			free(copy);
			return -ENOMEM;
		}
		memcpy(copy->mappings.at, from->mappings.at,
		       from->mappings.count * sizeof(*from->mappings.at));
		copy->mappings.count = from->mappings.count;
		copy->generated = from->generated;
		copy->stamp = from->stamp;
	}
	address_space_drop(from);
	*space = copy;
	return 0;
}

/*
 * Returns the index of the highest mapping that begins at or below @addr. If there is none, returns
 * the number of mappings.
 */
static size_t first_from(const struct address_space *space, uint64_t addr)
{
	size_t low = 0, high = space->mappings.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->mappings.at[middle].start_addr > addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct live_mapping *address_space_find(const struct address_space *space, uint64_t addr)
{
	size_t index;

	if (!space)
		return NULL;
	index = first_from(space, addr);
	if (index == space->mappings.count || addr >= space->mappings.at[index].end_addr)
		return NULL;
	return &space->mappings.at[index];
}

/*
 * Returns true if two mappings that overlap or touch can be merged into one. They must have the
 * same pin. Mappings of a file must also have the same distance between address and file offset.
 */
static bool continues(const struct live_mapping *a, const struct live_mapping *b)
{
	return a->pin == b->pin &&
	       (a->pin == 0 || a->start_addr - a->offset == b->start_addr - b->offset);
}

static bool is_known(const struct address_space *space, const struct live_mapping *mapping)
{
	const struct live_mapping *have = address_space_find(space, mapping->start_addr);

	return have && have->end_addr >= mapping->end_addr && continues(have, mapping);
}

/*
 * A new mapping, together with the remaining parts of the mappings that it overlaps; sorted by
 * descending address.
 */
struct pieces {
	struct live_mapping at[3];
	size_t count;
};

static void absorb(struct live_mapping *mapping, const struct live_mapping *neighbour)
{
	if (neighbour->end_addr > mapping->end_addr)
		mapping->end_addr = neighbour->end_addr;
	if (neighbour->start_addr < mapping->start_addr) {
		mapping->offset -= mapping->start_addr - neighbour->start_addr;
		mapping->start_addr = neighbour->start_addr;
	}
}

/*
 * Returns the part of @old at or above @addr. If that is not all of @old, the part is treated as a
 * new mapping, so its image is 0 until an address in it is sampled.
 */
static struct live_mapping part_above(const struct live_mapping *old, uint64_t addr)
{
	struct live_mapping part = *old;

	if (old->start_addr < addr) {
		part.start_addr = addr;
		part.offset += addr - old->start_addr;
		part.image = 0;
	}
	return part;
}

static struct live_mapping part_below(const struct live_mapping *old, uint64_t addr)
{
	struct live_mapping part = *old;

	if (old->end_addr > addr) {
		part.end_addr = addr;
		part.image = 0;
	}
	return part;
}

/*
 * Prepares for adding @mapping to @space. Returns the mappings to insert, and sets *index and
 * *count to the range of old mappings that they replace. That range includes neighbors that touch
 * @mapping.
 */
static struct pieces cut(const struct address_space *space, const struct live_mapping *mapping,
			 size_t *index, size_t *count)
{
	const struct live_mapping *old = space->mappings.at;
	struct live_mapping merged = *mapping, above = { 0 }, below = { 0 };
	struct pieces pieces = { .count = 0 };
	size_t first = first_from(space, mapping->end_addr), end = first;

	for (; end < space->mappings.count && old[end].end_addr >= mapping->start_addr; end++) {
		if (continues(&old[end], mapping)) {
			absorb(&merged, &old[end]);
			continue;
		}
		if (old[end].end_addr > mapping->end_addr)
			above = part_above(&old[end], mapping->end_addr);
		if (old[end].start_addr < mapping->start_addr)
			below = part_below(&old[end], mapping->start_addr);
	}
	if (above.end_addr)
		pieces.at[pieces.count++] = above;
	pieces.at[pieces.count++] = merged;
	if (below.end_addr)
		pieces.at[pieces.count++] = below;
	*index = first;
	*count = end - first;
	return pieces;
}

static int splice(struct address_space *space, size_t index, size_t count,
		  const struct pieces *pieces)
{
	size_t tail = space->mappings.count - index - count;
	struct live_mapping *at;

	if (vec_reserve(&space->mappings, space->mappings.count + pieces->count) < 0)
		return -ENOMEM;
	at = space->mappings.at + index;
	memmove(at + pieces->count, at + count, tail * sizeof(*at));
	memcpy(at, pieces->at, pieces->count * sizeof(*at));
	space->mappings.count = index + pieces->count + tail;
	return 0;
}

int address_space_map(struct address_space **space, const struct live_mapping *mapping,
		      struct space_clock *clock)
{
	struct live_mapping fresh = *mapping;
	struct pieces pieces;
	size_t index, count;
	int rc;

	if (fresh.start_addr >= fresh.end_addr || is_known(*space, &fresh))
		return 0;
	if (*space && (*space)->mappings.count >= ADDRESS_SPACE_MAX)
		return -E2BIG;
	rc = address_space_own(space);
	if (rc < 0)
		return rc;
	fresh.image = 0;
	fresh.bias = 0;
	pieces = cut(*space, &fresh, &index, &count);
	rc = splice(*space, index, count, &pieces);
	if (rc < 0)
		return rc;
	(*space)->generated |= fresh.pin == 0;
	(*space)->stamp = ++clock->last;
	return 0;
}

bool address_space_replace(struct address_space **space, struct address_space *fresh)
{
	struct address_space *old = *space;
	size_t kept = 0;

	for (size_t i = 0; fresh && i < fresh->mappings.count; i++) {
		struct live_mapping *mapping = &fresh->mappings.at[i];
		const struct live_mapping *same = address_space_find(old, mapping->start_addr);

		if (!same || same->start_addr != mapping->start_addr ||
		    same->end_addr != mapping->end_addr || !continues(same, mapping))
			continue;
		*mapping = *same;
		kept++;
	}
	if (kept == (old ? old->mappings.count : 0) &&
	    kept == (fresh ? fresh->mappings.count : 0)) {
		address_space_drop(fresh);
		return false;
	}
	address_space_drop(old);
	*space = fresh;
	return true;
}
