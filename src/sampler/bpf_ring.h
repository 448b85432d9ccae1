/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_ring.h - one BPF ring buffer, read in place
 *
 * The kernel maps the data area twice in a row, so the bytes of a record are always contiguous. A
 * BPF program first reserves the space of a record and fills it later. Until then, the record's
 * busy bit is set, and the reader does not go past the record. Discarded records are skipped.
 *
 * libbpf's ring_buffer cannot be used here: it calls a function for each record and consumes the
 * record at once. To merge several rings in time order, the reader must look at the next record of
 * each ring without consuming it. The functions correspond to those of ring.h.
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
 * The sampler wakes the collector when the data in a ring reaches BPF_RING_WAKEUP_BYTES or an
 * eighth of the ring's size, whichever is less.
 */
/* about 4 samples with the largest stack copies, or 16 with usual ones */
#define BPF_RING_WAKEUP_BYTES (256u << 10)

struct bpf_ring {
	/* the reader's position in the ring, mapped writable; NULL if the ring is not mapped */
	uint64_t *consumer;
	const uint64_t *producer;	/* the kernel's position in the ring */
	const uint8_t *data;		/* 2 * size_bytes long */
	size_t size_bytes;		/* a power of two */
	uint64_t head;			/* value of *producer when it was last read */
	/* the reader's position; *consumer may still have an older value */
	uint64_t tail;
};

/*
 * Maps the ring of @map_fd, which has @size_bytes of data. The caller keeps ownership of the
 * descriptor.
 */
int bpf_ring_map(struct bpf_ring *ring, int map_fd, size_t size_bytes, struct err *err);
void bpf_ring_unmap(struct bpf_ring *ring);

/*
 * Reads the kernel's position. From then on, bpf_ring_peek() returns the records up to that
 * position.
 */
void bpf_ring_refresh(struct bpf_ring *ring);

/*
 * Returns the next record and sets *@ret_size_bytes to its size. Returns NULL in two cases: there
 * is no record before the position that bpf_ring_refresh() read, or the next record is not complete
 * yet. If the length of a record is impossible, drops the rest of the ring's data like ring_peek():
 * the returned pointer is then not NULL, and *@ret_size_bytes is 0.
 */
const void *bpf_ring_peek(struct bpf_ring *ring, size_t *ret_size_bytes);

/* Moves past the record that bpf_ring_peek() returned. */
void bpf_ring_consume(struct bpf_ring *ring, size_t size_bytes);

/*
 * Returns true if the consumed records that were not yet given back to the kernel fill at least an
 * eighth of the ring.
 */
bool bpf_ring_release_is_due(const struct bpf_ring *ring);

/* Gives the space of all consumed records back to the kernel. */
void bpf_ring_release(struct bpf_ring *ring);

#endif
