/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - the memory a perf event writes its records into
 *
 * A single-producer single-consumer ring that the kernel fills: we read behind data_head
 * (acquire) and give space back by moving data_tail (release).  Records are looked at in place
 * and copied only where one wraps around the end.
 * Source: perf_event_open(2), "MMAP layout"; kernel/events/ring_buffer.c.
 */
#ifndef ASSAY_PERF_RING_H
#define ASSAY_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ring {
	void *control;		/* struct perf_event_mmap_page; NULL when not mapped */
	uint8_t *data;
	size_t size_bytes;	/* of data, a power of two */
	uint64_t head;		/* kernel's, as last read */
	uint64_t tail;		/* ours */
	uint8_t *bounce;	/* 64 KiB, for records that wrap; allocated on first use */
};

/*
 * Maps the ring of @fd with @size_bytes of data (rounded up to a power of two pages), halving
 * down to @least_bytes when the kernel refuses for the mlock limit (-EPERM) or has no memory:
 * ring->size_bytes tells what was got.
 */
int ring_map(struct ring *ring, int fd, size_t size_bytes, size_t least_bytes, struct err *err);
void ring_unmap(struct ring *ring);

/* Reads the kernel's head; what stands before it may be looked at with ring_peek(). */
void ring_refresh(struct ring *ring);

/*
 * The next record, whole; NULL when none is left before the head that was read.  A header whose
 * size cannot be (or no memory for a record that wraps) loses the rest: *ret_size_bytes is 0,
 * what is returned is not NULL, so that a loop over records sees it and can count it, and the
 * ring is empty from then on.
 */
const void *ring_peek(struct ring *ring, size_t *ret_size_bytes);

/* Done with the record that ring_peek() gave. */
void ring_consume(struct ring *ring, size_t size_bytes);

/* Is an eighth of the ring consumed and not given back yet? */
bool ring_release_is_due(const struct ring *ring);

/* Gives the space of all consumed records back to the kernel. */
void ring_release(struct ring *ring);

#endif
