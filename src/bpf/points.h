/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * points.h - samples of tracepoints
 *
 * A program that is attached to a tracepoint's perf event runs at every hit of the tracepoint on
 * every CPU, even if the perf event itself is limited to one CPU or task. One attachment is
 * therefore enough. This program itself applies the period and the filters, and ignores hits before
 * sampling starts. The perf event stays disabled, so perf writes no records for it. Other perf
 * events on the same tracepoint still work, because the program returns 1
 * (kernel/trace/bpf_trace.c: trace_call_bpf()).
 *
 * The sampled address of a hit is the address of the tracepoint. The user part begins with the
 * registers that the task had when it entered the kernel. Tracepoints of the group "syscalls" are
 * at the entry and exit of system calls. For these, this program records only the user code, as
 * perf does.
 *
 * The kernel does not run this program if the tracepoint is hit while a BPF program of a perf event
 * or tracepoint is already running on the same CPU. This prevents a feedback loop. The kernel
 * counts the skipped hits (bpf_prog_info: recursion_misses).
 */
#ifndef ASSAY_BPF_POINTS_H
#define ASSAY_BPF_POINTS_H

/*
 * Counts a hit on this CPU. Returns true for every @period-th hit, because only these hits are
 * sent. The caller has already applied the filters, so only hits by recorded tasks are counted.
 */
static __always_inline int period_ends(uint32_t event, uint64_t period)
{
	uint64_t *hits = bpf_map_lookup_elem(&point_hits, &event);

	if (!hits || ++*hits < period)
		return 0;
	*hits = 0;
	return 1;
}

static __always_inline void take_point(void *context, const struct wire_point *point,
				       struct tick *tick)
{
	/* any address of the kernel: tells take_place() that the hit was in kernel mode */
	struct unwind_regs regs = { .ip = ~0ull };

	if (point->in_user)
		(void)user_regs_of_task(&regs);
	tick->sample.ip = regs.ip;
	take_place(context, &regs, tick);
	if (tick->sample.flags & WIRE_IN_KERNEL)
		tick->sample.ip = tick->scratch->words[0];
}

static __always_inline int take_hit(void *context, uint32_t event, struct tick *tick)
{
	const struct wire_point *point = &points[event];
	enum wire_reason refused;

	if (!find_counters(tick, event))
		return 0;
	refused = refusal(&tick->sample);
	if (refused != WIRE_ENDS_COUNT)
		return end(tick, refused);
	if (!period_ends(event, point->period))
		return end(tick, WIRE_END_IN_PERIOD);
	if (!find_scratch(tick))
		return end(tick, WIRE_END_SCRATCH_MISSING);
	tick->sample.period = clamped(point->period);
	take_point(context, point, tick);
	take_width(tick);
	return send(tick);
}

/* Hits on a CPU that has no ring are not recorded. */
SEC("?tracepoint")
int sample_point(void *context)
{
	uint64_t event = bpf_get_attach_cookie(context);
	struct tick tick = {
		.sample = {
			.time_ns = bpf_ktime_get_ns(),
			.kind = WIRE_SAMPLE,
			.event = (uint8_t)event,
		},
		.is_interruptible = 1,
	};

	if (points_enabled && event < WIRE_EVENTS_MAX && find_ring(&tick))
		(void)take_hit(context, (uint32_t)event, &tick);
	return 1;
}

#endif
