/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/function_index.h"

#include "base/sort.h"

#define VADDR_BITS 48	/* of an address, which the others only repeat */

/* Keys of different addresses may be equal only in a damaged file. */
static uint64_t key_of(uint32_t image, uint64_t vaddr)
{
	return (uint64_t)image << VADDR_BITS | (vaddr & ((UINT64_C(1) << VADDR_BITS) - 1));
}

static bool is_sorted(const struct function_index *index)
{
	for (size_t i = 1; i < index->places.count; i++)
		if (index->places.at[i - 1].key > index->places.at[i].key)
			return false;
	return true;
}

int function_index_init(struct function_index *index, const struct function *functions,
			size_t count)
{
	*index = (struct function_index){ .functions = functions };
	if (vec_reserve(&index->places, count) < 0)
		return -ENOMEM;
	for (size_t i = 1; i < count; i++)
		if (functions[i].size_bytes)
			index->places.at[index->places.count++] = (struct function_place){
				.key = key_of(functions[i].image, functions[i].vaddr),
				.function = (uint32_t)i,
			};
	if (is_sorted(index))
		return 0;
	return sort_by_number(index->places.at, index->places.count, sizeof(*index->places.at),
			      offsetof(struct function_place, key));
}

void function_index_fini(struct function_index *index)
{
	vec_free(&index->places);
}

uint32_t function_index_find(const struct function_index *index, const struct location *location)
{
	uint64_t key = key_of(location->image, location->vaddr);
	const struct function_place *low = index->places.at;
	const struct function *function;

	/* The last place whose key is not above @key is in [low, low + count). */
	for (size_t count = index->places.count, half; count > 1; count -= half) {
		half = count / 2;
		low = low[half].key <= key ? low + half : low;
	}
	if (!index->places.count || low->key > key)
		return 0;
	function = &index->functions[low->function];
	return function->image == location->image &&
			       location->vaddr - function->vaddr < function->size_bytes
		       ? low->function
		       : 0;
}
