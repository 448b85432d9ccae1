/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_ring.h - one BPF ring buffer, read in place
 *
 * The kernel maps the data area twice in a row, so no record ever wraps. The kernel first reserves
 * a record and fills it later. Until the record's busy bit is cleared, the reader stops in front of
 * it. Discarded records are skipped.
 *
 * libbpf's ring_buffer does not fit here: it calls back for each record and consumes it at once. To
 * merge several rings in time order, the reader must look at the next record of each ring and leave
 * it there. The functions correspond to those of ring.h.
 *
 * Source: Documentation/bpf/ringbuf.rst; kernel/bpf/ringbuf.c of 6.18.
 */
#ifndef ASSAY_SAMPLER_BPF_RING_H
#define ASSAY_SAMPLER_BPF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * The collector is woken when a ring holds an eighth of its size or this many bytes, whichever is
 * less.
 */
#define BPF_RING_WAKEUP_BYTES (256u << 10)	/* at least 4 to 16 samples with copied stacks */

struct bpf_ring {
	/* the reader's position, mapped writable; NULL if the ring is not mapped */
	uint64_t *consumer;
	const uint64_t *producer;	/* the kernel's position */
	const uint8_t *data;		/* 2 * size_bytes long */
	size_t size_bytes;		/* a power of two */
	uint64_t head;			/* producer position when it was last read */
	uint64_t tail;			/* the reader's position; not yet visible to the kernel */
};

/*
 * Maps the ring of @map_fd, which has @size_bytes of data. The caller keeps ownership of the
 * descriptor.
 */
int bpf_ring_map(struct bpf_ring *ring, int map_fd, size_t size_bytes, struct err *err);
void bpf_ring_unmap(struct bpf_ring *ring);

/* Reads the kernel's position. bpf_ring_peek() then returns the records up to that position. */
void bpf_ring_refresh(struct bpf_ring *ring);

/*
 * Returns the next record, or NULL if there is none before the head that was last read or if the
 * next record is not yet complete. If a record has an impossible length, the rest of the ring's
 * data is dropped as in ring_peek(): *@ret_size_bytes is then 0 and the returned pointer is not
 * NULL.
 */
const void *bpf_ring_peek(struct bpf_ring *ring, size_t *ret_size_bytes);

/* Moves past the record that bpf_ring_peek() returned. */
void bpf_ring_consume(struct bpf_ring *ring, size_t size_bytes);

/*
 * Returns true if at least an eighth of the ring was consumed but not yet released to the kernel.
 */
bool bpf_ring_release_is_due(const struct bpf_ring *ring);

/* Gives the space of all consumed records back to the kernel. */
void bpf_ring_release(struct bpf_ring *ring);

#endif
