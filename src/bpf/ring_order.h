/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_order.h - keeps records in time order if the programs that write them can be interrupted
 *
 * A tick may interrupt a program after the program has read the clock and before it has reserved
 * its record in the ring. The record of the tick then comes first in the ring, although its time is
 * later. Only programs on the same CPU write to a ring, so the interrupted program can detect this
 * from the ring's producer position. If the position moved by more than the program's own record,
 * the program discards its record and tries again. It would not help to reserve the record first
 * and to read the clock afterwards. The record of the tick would then come second, although its
 * time is earlier.
 */
#ifndef ASSAY_BPF_RING_ORDER_H
#define ASSAY_BPF_RING_ORDER_H

#include "bpf/kernel_types.h"
#include "bpf/maps.h"

#define ORDER_TRIES 4

/* Returns the space that a record takes in the ring, including its header of 8 bytes. */
static __always_inline uint64_t ring_space(uint64_t size_bytes)
{
	return (size_bytes + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
}

static __always_inline int ring_is_in_order(void *ring, uint64_t before, uint64_t size_bytes)
{
	return bpf_ringbuf_query(ring, BPF_RB_PROD_POS) - before == ring_space(size_bytes);
}

/*
 * Reserves a record and sets *@ret_time_ns to the current time. Returns NULL if the ring is full,
 * or if every attempt was interrupted. @size_bytes must be a constant.
 */
static __always_inline void *ring_reserve(void *ring, uint64_t size_bytes, uint64_t *ret_time_ns)
{
	for (int i = 0; i < ORDER_TRIES; i++) {
		uint64_t before = bpf_ringbuf_query(ring, BPF_RB_PROD_POS);
		uint64_t time_ns = bpf_ktime_get_ns();
		void *record = bpf_ringbuf_reserve(ring, size_bytes, 0);

		if (!record)
			return NULL;
		if (ring_is_in_order(ring, before, size_bytes)) {
			*ret_time_ns = time_ns;
			return record;
		}
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
	}
	return NULL;
}

/*
 * Sets the first word of the record at @copied to the current time. Copies the record, which has
 * @size_bytes bytes, to the ring. Returns 0 if the ring is full or if every attempt was
 * interrupted.
 */
static __always_inline int ring_put(void *ring, void *copied, uint32_t size_bytes, uint64_t flags)
{
	for (int i = 0; i < ORDER_TRIES; i++) {
		uint64_t before = bpf_ringbuf_query(ring, BPF_RB_PROD_POS);
		struct bpf_dynptr record;
		int in_order;

		*(uint64_t *)copied = bpf_ktime_get_ns();
		if (bpf_ringbuf_reserve_dynptr(ring, size_bytes, 0, &record)) {
			bpf_ringbuf_discard_dynptr(&record, BPF_RB_NO_WAKEUP);
			return 0;
		}
		in_order = ring_is_in_order(ring, before, size_bytes);
		if (in_order && bpf_dynptr_write(&record, 0, copied, size_bytes, 0) == 0) {
			bpf_ringbuf_submit_dynptr(&record, flags);
			return 1;
		}
		bpf_ringbuf_discard_dynptr(&record, BPF_RB_NO_WAKEUP);
	}
	return 0;
}

#endif
