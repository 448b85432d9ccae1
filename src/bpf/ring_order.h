/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_order.h - records in time order from programs that can be interrupted
 *
 * A tick may come between reading the clock and reserving the record, and its own record then
 * stands in front with a later time.  Only programs on the same CPU write into a ring, so the
 * ring's position tells: when it moved by more than our record, the record is given up and made
 * again.  (Reserving first and reading the clock afterwards has the same gap on its other side.)
 */
#ifndef ASSAY_BPF_RING_ORDER_H
#define ASSAY_BPF_RING_ORDER_H

#include "bpf/kernel_types.h"
#include "bpf/maps.h"

#define ORDER_TRIES 4

/* What a record takes up: its header is 8 bytes. */
static __always_inline uint64_t ring_space(uint64_t size_bytes)
{
	return (size_bytes + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
}

static __always_inline int ring_is_in_order(void *ring, uint64_t before, uint64_t size_bytes)
{
	return bpf_ringbuf_query(ring, BPF_RB_PROD_POS) - before == ring_space(size_bytes);
}

/* NULL: no room, or interrupted each time. @size_bytes must be a constant. */
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

/* A record of @size_bytes. Its first word is the time, put in here. 0: it did not get in. */
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
