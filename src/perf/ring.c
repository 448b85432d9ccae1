/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BOUNCE_BYTES (64u * 1024) /* larger than any record: header.size has 16 bits */

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int ring_map(struct ring *ring, int fd, size_t size_bytes, size_t least_bytes, struct err *err)
{
	size_t page = page_bytes();
	size_t size = page;
	int code;

	*ring = (struct ring){ 0 };
	while (size < size_bytes)
		size *= 2;
	if (least_bytes < page)
		least_bytes = page;
	for (;;) {
		void *control = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (control != MAP_FAILED) {
			ring->control = control;
			ring->data = (uint8_t *)control + page;
			ring->size_bytes = size;
			return 0;
		}
		code = -errno;
		if ((code != -EPERM && code != -ENOMEM) || size / 2 < least_bytes)
			break;
		size /= 2;
	}
	if (code == -EPERM)
		return err_set(
			err, code,
			"a ring of %zu KiB is more than this user may lock: raise "
			"kernel.perf_event_mlock_kb (sysctl) or ulimit -l, or use CAP_IPC_LOCK",
			size / 1024);
	return err_sys(err, code, "cannot map a ring of %zu KiB", size / 1024);
}

void ring_unmap(struct ring *ring)
{
	if (ring->control)
		(void)munmap(ring->control, page_bytes() + ring->size_bytes);
	free(ring->bounce);
	*ring = (struct ring){ 0 };
}

void ring_refresh(struct ring *ring)
{
	const struct perf_event_mmap_page *control = ring->control;

	ring->head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
}

/*
 * Copies a record that wraps around the end of the data. Returns the copy, or NULL if out of
 * memory.
 */
static const void *unwrapped(struct ring *ring, size_t offset, size_t size_bytes)
{
	size_t first_bytes = ring->size_bytes - offset;

	if (!ring->bounce)
		ring->bounce = malloc(BOUNCE_BYTES);
	if (!ring->bounce)
		return NULL;
	memcpy(ring->bounce, ring->data + offset, first_bytes);
	memcpy(ring->bounce + first_bytes, ring->data, size_bytes - first_bytes);
	return ring->bounce;
}

/*
 * Returns true if the record at the read position can have this size. The size must be a multiple
 * of eight. This also guarantees that a record's header never wraps around the end of the data
 * area.
 */
static bool size_is_possible(const struct ring *ring, size_t size_bytes)
{
	return size_bytes >= sizeof(struct perf_event_header) && size_bytes % 8 == 0 &&
	       size_bytes <= ring->head - ring->tail && ring->head - ring->tail <= ring->size_bytes;
}

const void *ring_peek(struct ring *ring, size_t *ret_size_bytes)
{
	size_t offset = (size_t)(ring->tail & (ring->size_bytes - 1));
	struct perf_event_header header;
	const void *record = NULL;

	if (ring->tail == ring->head)
		return NULL;
	memcpy(&header, ring->data + offset, sizeof(header));
	if (size_is_possible(ring, header.size))
		record = offset + header.size <= ring->size_bytes
				 ? ring->data + offset
				 : unwrapped(ring, offset, header.size);
	if (!record) {
		ring->tail = ring->head;
		*ret_size_bytes = 0;
		return ring->data + offset;
	}
	*ret_size_bytes = header.size;
	return record;
}

void ring_consume(struct ring *ring, size_t size_bytes)
{
	ring->tail += size_bytes;
}

bool ring_release_is_due(const struct ring *ring)
{
	const struct perf_event_mmap_page *control = ring->control;

	return ring->tail - control->data_tail >= ring->size_bytes / 8;
}

void ring_release(struct ring *ring)
{
	struct perf_event_mmap_page *control = ring->control;

	__atomic_store_n(&control->data_tail, ring->tail, __ATOMIC_RELEASE);
}
