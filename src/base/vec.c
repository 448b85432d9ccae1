/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/vec.h"

int vec_reserve_bytes(void **at, size_t *capacity, size_t wanted, size_t element_bytes)
{
	size_t grown = *capacity;
	void *moved;

	if (wanted <= grown)
		return 0;
	grown = grown < 8 ? 8 : grown + grown / 2;
	if (grown < wanted)
		grown = wanted;
	if (grown > (size_t)PTRDIFF_MAX / element_bytes)
		return -ENOMEM;
	moved = reallocarray(*at, grown, element_bytes);
	if (!moved)
		return -ENOMEM;
	*at = moved;
	*capacity = grown;
	return 0;
}
