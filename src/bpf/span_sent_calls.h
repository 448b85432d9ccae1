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

/* Sends the call, which has taken @own_ns, if it is slow, or was sampled, or waited. */
static __always_inline void record_call(const struct span_stack *stack,
					const struct span_frame *frame, struct ended_span *ended,
					uint64_t own_ns)
{
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
	send_span(ended);
}

#endif
