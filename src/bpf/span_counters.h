/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_counters.h - what the CPU counted while a task was in calls
 *
 * Part of stopwatch.bpf.c, which includes it.
 *
 * Each CPU counts by itself, whatever it executes. So what a task counts is added up whenever it
 * leaves a CPU and whenever a call begins or ends.
 */
#ifndef ASSAY_BPF_SPAN_COUNTERS_H
#define ASSAY_BPF_SPAN_COUNTERS_H

#include "bpf/kernel_types.h"
#include "bpf/irq_time.h"
#include "bpf/span.h"
#include "bpf/span_record.h"
#include "bpf/span_sums.h"

/* ---- set before loading ---- */

const volatile uint32_t event_count = 0;
const volatile uint8_t measures_interrupts = 0;
const volatile uint64_t probe_counts[SPAN_COSTS][SPAN_COUNTERS] = { 0 };	/* as probe_ns */

/* Of CPU c, event i is at c * SPAN_EVENTS + i. The loader sets the real size. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint32_t);
} events SEC(".maps");

/* By CPU. The programs of irq_time.bpf.c fill it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct irq_cpu);
} interrupts SEC(".maps");

static __always_inline int counts_anything(void)
{
	return event_count || measures_interrupts || sampled_events;
}

static __always_inline int is_counted(uint32_t i)
{
	if (i == SPAN_TICKS)
		return sampled_events > 0;
	return i == SPAN_INTERRUPTS ? measures_interrupts : i < event_count;
}

/* An interrupt between the two reads does no harm: the next difference has the rest of it. */
static __always_inline uint64_t interrupts_ns(void)
{
	uint32_t at = bpf_get_smp_processor_id();
	const struct irq_cpu *cpu = bpf_map_lookup_elem(&interrupts, &at);

	return cpu ? *(const volatile uint64_t *)&cpu->clock.hard_ns +
			       *(const volatile uint64_t *)&cpu->clock.soft_ns
		   : 0;
}

static __always_inline uint64_t read_counter(struct span_stack *stack, uint32_t i)
{
	uint64_t index = bpf_get_smp_processor_id() * SPAN_EVENTS + i;
	struct bpf_perf_event_value value;

	if (i == SPAN_INTERRUPTS)
		return interrupts_ns();
	if (i == SPAN_TICKS)
		return ticks_here();
	if (bpf_perf_event_read_value(&events, index, &value, sizeof(value)) == 0)
		return value.counter;
	stack->counter_errors++;	/* this CPU came online later, for example */
	return 0;
}

/* The task has come to this CPU. */
static __always_inline void counters_begin(struct span_stack *stack)
{
	for (uint32_t i = 0; i < SPAN_COUNTERS; i++)
		if (is_counted(i))
			stack->bases[i] = read_counter(stack, i);
}

/*
 * Adds what was counted since the last time. If the task is preempted after the counter was read,
 * it finds another base, and reads again. Before its first call it has no base, and anything is
 * added: only differences of `counts` are used.
 */
static __always_inline void counters_advance(struct span_stack *stack)
{
	for (uint32_t i = 0; i < SPAN_COUNTERS; i++)
		for (uint32_t k = 0; k < 2 && is_counted(i); k++) {
			uint64_t base = *(volatile uint64_t *)&stack->bases[i];
			uint64_t now = read_counter(stack, i);

			if (__sync_val_compare_and_swap(&stack->bases[i], base, now) != base)
				continue;
			add(&stack->counts[i], now - base);
			break;
		}
}

static __always_inline void counters_at_entry(const struct span_stack *stack,
					      struct span_frame *frame)
{
	for (uint32_t i = 0; i < SPAN_COUNTERS; i++) {
		frame->counts[i] = stack->counts[i];
		frame->probe_counts[i] = 0;
	}
	frame->counter_errors = stack->counter_errors;
}

/* Returns what was counted in the call, without the probes of the calls inside it. */
static __always_inline uint64_t counted_in(const struct span_stack *stack,
					   const struct span_frame *frame, uint32_t i)
{
	uint64_t counted = stack->counts[i] - frame->counts[i], probes = frame->probe_counts[i];

	return counted > probes ? counted - probes : 0;
}

/* Adds to @sum what was counted in the call that ends, and tells the call around it, if any. */
static __always_inline void counters_at_return(const struct span_stack *stack,
					       const struct span_frame *frame, uint32_t cost,
					       struct span_sum *sum, struct span_frame *around)
{
	if (sum && frame->counter_errors != stack->counter_errors)
		add(&sum->incomplete, 1);
	for (uint32_t i = 0; i < SPAN_COUNTERS; i++) {
		if (sum)
			add(&sum->counts[i], counted_in(stack, frame, i));
		if (around)
			around->probe_counts[i] += frame->probe_counts[i] + probe_counts[cost][i];
	}
}

#endif
