/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_sent_calls.h - which calls a recording gets one by one
 *
 * Part of stopwatch.bpf.c, which includes it.
 */
#ifndef ASSAY_BPF_SPAN_SENT_CALLS_H
#define ASSAY_BPF_SPAN_SENT_CALLS_H

#include "bpf/kernel_types.h"
#include "bpf/span.h"
#include "bpf/span_counters.h"
#include "bpf/span_record.h"
#include "bpf/span_targets.h"

const volatile uint8_t measures_waits = 0;	/* set before loading */

/*
 * Returns what the sampler has taken in the call that ends: calls in which it ticks would otherwise
 * seem to be slow because of that, and slow calls would be those that are sampled.
 */
static __always_inline uint64_t sampler_ns(const struct span_stack *stack,
					   const struct span_frame *frame)
{
	return sampled_events ? (stack->counts[SPAN_TICKS] - frame->counts[SPAN_TICKS]) * tick_ns
			      : 0;
}

_Static_assert(SPAN_SENT_COUNT == WIRE_SPAN_AMOUNTS, "all amounts are sent");

static __always_inline void put_amounts(struct wire_span *record, const struct span_stack *stack,
					const struct span_frame *frame, uint64_t value)
{
	for (uint32_t i = 0; i < SPAN_EVENTS; i++)
		if (i < event_count)
			record->amounts[i] = counted_in(stack, frame, i);
	record->amounts[SPAN_SENT_VALUE] = value;
	if (measures_interrupts)
		record->amounts[SPAN_SENT_INTERRUPTS] = counted_in(stack, frame, SPAN_INTERRUPTS);
	if (measures_waits) {
		uint64_t off_ns = stack->off_ns - frame->off_ns;
		uint64_t queue_ns = stack->run_queue_ns - frame->run_queue_ns;

		record->amounts[SPAN_SENT_RUNNABLE] = queue_ns;
		record->amounts[SPAN_SENT_BLOCKED] = off_ns - queue_ns;
	}
}

/* Sends the call, which has taken @own_ns, if it is slow, or was sampled, or waited. */
static __always_inline void record_call(const struct span_stack *stack,
					const struct span_frame *frame, struct ended_span *ended,
					uint64_t own_ns)
{
	struct wire_span *record;
	uint64_t ids;

	if (!records_spans || !enabled)
		return;
	if (stack->counts[SPAN_TICKS] == frame->counts[SPAN_TICKS] &&
	    (!measures_waits || stack->off_ns - frame->off_ns < recorded_wait_ns) &&
	    !is_slow(ended->span, own_ns))
		return;
	ids = bpf_get_current_pid_tgid();
	ended->tgid = (uint32_t)(ids >> 32);
	ended->tid = (uint32_t)ids;
	record = new_record(ended);
	if (!record)
		return;
	put_amounts(record, stack, frame, ended->value);
	send_record(record);
}

#endif
