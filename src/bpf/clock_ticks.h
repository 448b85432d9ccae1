/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_ticks.h - notes each expiry of the timers that drive the sampled clocks (see tick_clock.h)
 */
#ifndef ASSAY_BPF_CLOCK_TICKS_H
#define ASSAY_BPF_CLOCK_TICKS_H

#include "bpf/kernel_fields.h"
#include "bpf/tick_clock.h"

/* ---- set before loading: bit masks with one bit for each event ---- */

const volatile uint32_t clock_events = 0;	/* events whose timer expiries are counted */
/* clocks that do not sample the idle task; their ticks in the idle task count as left_out */
const volatile uint32_t clocks_leave_idle = 0;

/* ---- set while running ---- */

volatile uint64_t clock_periods_ns[TICK_CLOCKS_MAX];

/*
 * Indexed by CPU. Not a per-CPU array, because the collector reads the memory directly, without
 * bpf(2).
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct tick_clocks);
} clocks SEC(".maps");

static __always_inline struct tick_clocks *clocks_of_this_cpu(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&clocks, &cpu);
}

/* Records that the sampler has been called for @event. Does nothing if @event is not a clock. */
static __always_inline void note_tick(uint64_t event)
{
	struct tick_clocks *here;

	if (!clock_events || event >= TICK_CLOCKS_MAX || !(clock_events >> event & 1))
		return;
	here = clocks_of_this_cpu();
	if (here)
		tick_clock_reached(&here->clocks[event], here->last_timer, here->last_expires_ns);
}

/*
 * Returns the time at which @timer is due, in ns. Returns 0 if struct hrtimer has no field
 * _softexpires in this kernel.
 */
static __always_inline uint64_t expiry_of(const struct hrtimer *timer)
{
	return has_softexpires() ? timer->_softexpires : 0;
}

static __always_inline void note_expiry(struct tick_clocks *here, uint32_t event,
					const struct hrtimer *timer)
{
	struct tick_clock *clock = &here->clocks[event];
	int is_idle = bpf_get_current_pid_tgid() == 0;

	tick_clock_fired(clock, expiry_of(timer), clock_periods_ns[event], is_idle);
	if (is_idle && (clocks_leave_idle >> event & 1)) {
		clock->left_out++;
		clock->in_idle = 0;
	}
}

/* Runs on each CPU whenever an hrtimer expires. Most hrtimers do not belong to a sampled clock. */
SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(timer_expires, struct hrtimer *timer)
{
	struct tick_clocks *here = clocks_of_this_cpu();
	uint64_t addr = (uint64_t)timer;

	if (!here)
		return 0;
	here->last_timer = addr;
	here->last_expires_ns = expiry_of(timer);
	for (uint32_t event = 0; event < TICK_CLOCKS_MAX; event++)
		if ((clock_events >> event & 1) && here->clocks[event].timer == addr)
			note_expiry(here, event, timer);
	return 0;
}

#endif
