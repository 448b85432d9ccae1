/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - the memory into which perf events write their records
 *
 * The ring has one producer, the kernel, and one consumer, assay. assay reads records up to
 * data_head, which it loads with acquire semantics. It gives space back to the kernel by advancing
 * data_tail, which it stores with release semantics. Records are decoded in place. Only a record
 * that wraps around the end of the ring is copied. Source: perf_event_open(2), "MMAP layout";
 * kernel/events/ring_buffer.c.
 */
#ifndef ASSAY_PERF_RING_H
#define ASSAY_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ring {
	void *control;		/* struct perf_event_mmap_page; NULL if not mapped */
	uint8_t *data;
	size_t size_bytes;	/* size of the data area, a power of two */
	/* the kernel's write position (data_head) when ring_refresh() was last called */
	uint64_t head;
	uint64_t tail;		/* our read position */
	/* buffer of 64 KiB for a record that wraps; allocated on first use */
	uint8_t *bounce;
};

/*
 * Maps the ring of @fd. The size of the data area is @size_bytes, rounded up to a power of two
 * pages. If the kernel refuses this size because of the mlock limit (-EPERM) or lack of memory
 * (-ENOMEM), the size is halved until the kernel accepts it. Sizes below @least_bytes are not
 * tried. Sets ring->size_bytes to the mapped size. Returns 0 or a negative errno.
 */
int ring_map(struct ring *ring, int fd, size_t size_bytes, size_t least_bytes, struct err *err);
void ring_unmap(struct ring *ring);

/* Reads the kernel's write position. ring_peek() then returns the records up to that position. */
void ring_refresh(struct ring *ring);

/*
 * Returns the next record and sets *ret_size_bytes to its size. Returns NULL if there are no more
 * records before the write position that ring_refresh() read.
 *
 * If the record's header contains an impossible size, or if there is no memory to copy a record
 * that wraps, all remaining records are discarded. The function then returns a pointer that is not
 * NULL and sets *ret_size_bytes to 0, so that the caller can count the loss. The next call returns
 * NULL.
 */
const void *ring_peek(struct ring *ring, size_t *ret_size_bytes);

/* Marks the record returned by ring_peek() as read. */
void ring_consume(struct ring *ring, size_t size_bytes);

/*
 * Returns true if the space of consumed records that ring_release() has not yet given back to the
 * kernel is at least an eighth of the ring.
 */
bool ring_release_is_due(const struct ring *ring);

/* Gives the space of all consumed records back to the kernel. */
void ring_release(struct ring *ring);

#endif
