/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_ring.h - one BPF ring buffer, read in place
 *
 * The kernel maps the data twice in a row, so that no record ever wraps.  A record is reserved
 * first and filled later: until its busy bit is gone, reading stops before it.  Records that were
 * given up are passed over.
 *
 * Why not libbpf's ring_buffer: it calls back for each record and consumes what it showed, while
 * merging several rings in time order means to look at the next record of each and to leave it
 * there.  The calls are those of ring.h.
 * Source: Documentation/bpf/ringbuf.rst; kernel/bpf/ringbuf.c of 6.18.
 */
#ifndef ASSAY_SAMPLER_BPF_RING_H
#define ASSAY_SAMPLER_BPF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The collector is woken when an eighth of a ring is filled, and at the latest with so much. */
#define BPF_RING_WAKEUP_BYTES (256u << 10)	/* 4 to 16 copied stacks, or more */

struct bpf_ring {
	uint64_t *consumer;		/* position, ours; NULL when not mapped */
	const uint64_t *producer;	/* position, the kernel's */
	const uint8_t *data;		/* twice size_bytes */
	size_t size_bytes;		/* a power of two */
	uint64_t head;			/* producer position, as last read */
	uint64_t tail;			/* consumer position, not given back yet */
};

/* @map_fd of a ring of @size_bytes; the descriptor stays the caller's. */
int bpf_ring_map(struct bpf_ring *ring, int map_fd, size_t size_bytes, struct err *err);
void bpf_ring_unmap(struct bpf_ring *ring);

/* Reads the kernel's position; what stands before it may be looked at with bpf_ring_peek(). */
void bpf_ring_refresh(struct bpf_ring *ring);

/*
 * The next record; NULL when none is left before the head that was read, or the next is not
 * written yet.  A length that cannot be loses the rest, as in ring_peek(): *ret_size_bytes is 0
 * and what is returned is not NULL.
 */
const void *bpf_ring_peek(struct bpf_ring *ring, size_t *ret_size_bytes);

/* Done with the record that bpf_ring_peek() gave. */
void bpf_ring_consume(struct bpf_ring *ring, size_t size_bytes);

/* Is an eighth of the ring consumed and not given back yet? */
bool bpf_ring_release_is_due(const struct bpf_ring *ring);

/* Gives the space of all consumed records back to the kernel. */
void bpf_ring_release(struct bpf_ring *ring);

#endif
