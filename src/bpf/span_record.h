/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_record.h - sends single spans to a recording, which samples at the same time
 *
 * Part of stopwatch.bpf.c, which includes it.
 *
 * The sums tell how many spans there were and how long they took. Single spans are needed only to
 * tell which samples and waits fell into them, so these are sent: those in which something was
 * sampled or in which the task waited, and those that are slow. A program that is preempted while
 * it writes a record keeps the ring's reader waiting, so the ring is not one of the sampler's.
 */
#ifndef ASSAY_BPF_SPAN_RECORD_H
#define ASSAY_BPF_SPAN_RECORD_H

#include "bpf/kernel_types.h"
#include "bpf/span.h"
#include "bpf/span_sums.h"
#include "bpf/wire.h"

/* ---- set before loading ---- */

const volatile uint8_t records_spans = 0;
const volatile uint32_t sampled_events = 0;	/* at most SPAN_SAMPLED_EVENTS */
const volatile uint64_t tick_ns = 0;		/* what a tick of the sampler takes */
/* calls in which the task was off the CPUs for this long are sent */
const volatile uint64_t recorded_wait_ns = ~0ull;
const volatile uint64_t span_wakeup_bytes = 0;	/* wake the reader if the ring holds this much */

/* The loader sets the real sizes. */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} span_records SEC(".maps");

/* By span: those that take at least this long are sent. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, uint64_t);
} thresholds SEC(".maps");

/* The map `counters` of the sampler. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct wire_counters);
} sampler_counters SEC(".maps");

/* ---- samples ---- */

/* Returns how many ticks the sampler has seen on this CPU. */
static __always_inline uint64_t ticks_here(void)
{
	uint32_t first = bpf_get_smp_processor_id() * WIRE_COUNTERS_COUNT;
	uint64_t ticks = 0;

	for (uint32_t i = 0; i < SPAN_SAMPLED_EVENTS; i++) {
		uint32_t at = first + i;
		const struct wire_counters *counters;

		if (i >= sampled_events)
			break;
		counters = bpf_map_lookup_elem(&sampler_counters, &at);
		ticks += counters ? *(const volatile uint64_t *)&counters->ticks : 0;
	}
	return ticks;
}

/* ---- sending ---- */

static __always_inline int is_slow(uint32_t span, uint64_t ns)
{
	const uint64_t *least_ns = bpf_map_lookup_elem(&thresholds, &span);

	return least_ns && ns >= *(const volatile uint64_t *)least_ns;
}

struct ended_span {
	uint64_t start_ns, end_ns;
	uint64_t other_ns;	/* as in struct wire_span */
	uint32_t span;
	uint32_t tgid, tid;	/* of the task that it is recorded for */
	uint64_t value;		/* what is measured besides its time, or 0 */
};

/* Returns a record in the ring without amounts, or NULL. It must be sent. */
static __always_inline struct wire_span *new_record(const struct ended_span *ended)
{
	struct span_sum *sum = sum_of(ended->span);
	struct wire_span *record;

	record = bpf_ringbuf_reserve(&span_records, sizeof(*record), 0);
	if (!record) {
		if (sum)
			add(&sum->unsent, 1);
		return NULL;
	}
	*record = (struct wire_span){
		.time_ns = ended->end_ns,
		.kind = WIRE_SPAN,
		.cpu = (uint16_t)bpf_get_smp_processor_id(),
		.span = ended->span,
		.ns = ended->end_ns - ended->start_ns,
		.tgid = ended->tgid,
		.tid = ended->tid,
		.other_ns = ended->other_ns,
	};
	return record;
}

static __always_inline void send_record(struct wire_span *record)
{
	uint64_t flags = bpf_ringbuf_query(&span_records, BPF_RB_AVAIL_DATA) >= span_wakeup_bytes
				 ? BPF_RB_FORCE_WAKEUP
				 : BPF_RB_NO_WAKEUP;
	bpf_ringbuf_submit(record, flags);
}

/* Sends the span if it is slow. */
static __always_inline void record_span(const struct ended_span *ended)
{
	struct wire_span *record;

	if (!records_spans || !is_slow(ended->span, ended->end_ns - ended->start_ns))
		return;
	record = new_record(ended);
	if (record)
		send_record(record);
}

#endif
