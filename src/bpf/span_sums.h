/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_sums.h - adds durations, and spans that were not measured, to the sums of this CPU
 *
 * Part of stopwatch.bpf.c, which includes it.
 */
#ifndef ASSAY_BPF_SPAN_SUMS_H
#define ASSAY_BPF_SPAN_SUMS_H

#include "bpf/kernel_types.h"
#include "bpf/span.h"

/* ---- set before loading ---- */

const volatile uint32_t span_count = 1;
const volatile uint32_t shard_count = 1;	/* one for each CPU, or several CPUs share one */

/* Indexed by shard, then by span; then come those of groups. The loader sets the real size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct span_sum);
} sums SEC(".maps");

static __always_inline struct span_sum *sum_of(uint32_t span)
{
	uint32_t at = bpf_get_smp_processor_id() % shard_count * span_count + span;

	return span < span_count ? bpf_map_lookup_elem(&sums, &at) : NULL;
}

static __always_inline void add(uint64_t *number, uint64_t value)
{
	__sync_fetch_and_add(number, value);
}

static __always_inline void miss(uint32_t span, enum span_miss why)
{
	struct span_sum *sum = sum_of(span);

	if (sum)
		add(&sum->misses[why], 1);
}

/* Makes *@number at least @value. Gives up if others change it all the time. */
static __always_inline void raise(uint64_t *number, uint64_t value)
{
	for (int i = 0; i < 8; i++) {
		uint64_t now = *(volatile uint64_t *)number;

		if (now >= value || __sync_val_compare_and_swap(number, now, value) == now)
			return;
	}
}

/* Adds the square of @ns, which does not fit into 64 bits if @ns does not fit into 32. */
static __always_inline void add_square(struct span_sum *sum, uint64_t ns)
{
	uint64_t square;

	if (ns >> 32) {
		ns >>= 16;
		add(&sum->square_high, ns * ns);
		return;
	}
	square = ns * ns;
	add(&sum->square_low, square & UINT32_MAX);
	add(&sum->square_high, square >> 32);
}

static __always_inline void add_duration(struct span_sum *sum, uint64_t ns)
{
	uint32_t bucket = span_bucket(ns);

	if (!sum || bucket >= SPAN_BUCKETS)
		return;
	add(&sum->count, 1);
	add(&sum->ns, ns);
	add_square(sum, ns);
	if (*(volatile uint64_t *)&sum->least < ~ns)
		raise(&sum->least, ~ns);
	if (*(volatile uint64_t *)&sum->most_ns < ns)
		raise(&sum->most_ns, ns);
	add(&sum->buckets[bucket], 1);
}

#endif
