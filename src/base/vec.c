/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/vec.h"

#include <sys/mman.h>
#include <unistd.h>

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

void vec_release_bytes(void *at, size_t size_bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)at;
	size_t before = (page - start % page) % page, inside;

	if (size_bytes <= before)
		return;
	inside = (size_bytes - before) / page * page;
	/* The pages are ours alone and not backed by a file, so they read as zeros from now on. */
	if (inside)
		(void)madvise((char *)at + before, inside, MADV_DONTNEED);
}
