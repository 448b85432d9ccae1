/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick_clock.h - counts those ticks of a clock that did not reach the sampler
 *
 * A tick of the perf events cpu-clock and task-clock is the expiry of an hrtimer, which the kernel
 * advances by whole periods (kernel/events/core.c: perf_swevent_hrtimer()). A tick can fail to
 * reach the sampler for two reasons:
 *
 *	skipped		the timer fired while its CPU was in bpf(2) or in a program of a kprobe,
 *			tracepoint or perf event (bpf_prog_active): the kernel skips the
 *			sampler without reporting it
 *	overrun		the timer fired more than a period late (interrupts off, or a virtual CPU
 *			that its host did not run), and the kernel advanced it past the ticks
 *			in between. Linux 6.18 was seen to handle interrupts in bursts on such
 *			a virtual CPU without running any tracepoint or sampler: those ticks
 *			look like an overrun, too
 *
 * To count these ticks, a second BPF program runs at each expiry of a timer (tracepoint
 * timer:hrtimer_expire_entry). It runs even while the CPU is in bpf(2), because programs of this
 * type have their own guard against recursion. The kernel does not show which timer belongs to the
 * perf event. But the sampler runs directly after its timer has expired, so its timer is the one
 * that expired last. Until the sampler has run once on a CPU, its timer there is unknown, and
 * skipped ticks are not counted.
 *
 * On some virtual CPUs the timer fires in the idle task and the sampler does not run, although the
 * CPU was not in bpf(2). These ticks are called `silent`. They are not a loss, because idle time is
 * not computed from samples. Ticks in the idle task are called `left_out` if the event does not
 * sample the idle task. The number of ticks that were due is the sum of these numbers:
 *
 *	due = reached + skipped + left_out + silent + overrun + overrun_idle
 *
 * There is one struct tick_clocks for each CPU, and only that CPU writes to it. Included by the BPF
 * programs (which provide the types), by sampler/ and by tests.
 */
#ifndef ASSAY_BPF_TICK_CLOCK_H
#define ASSAY_BPF_TICK_CLOCK_H

#define TICK_CLOCKS_MAX 16u	/* only events with a number below this can be clocks */

struct tick_clock {
	uint64_t timer;		/* address of the clock's timer in the kernel; 0: not known yet */
	/*
	 * a timer other than `timer`, if it had expired last when the sampler last ran; otherwise 0
	 */
	uint64_t stranger;
	/* time at which the timer was last due; 0: unknown, so no overrun can be computed */
	uint64_t expires_ns;
	uint64_t fired;		/* number of expiries seen */
	/* number of runs of the sampler without an expiry of `timer`; rare */
	uint64_t unseen;
	/*
	 * number of expiries in the idle task, if the event does not sample the idle task; these
	 * are also in `fired`
	 */
	uint64_t left_out;
	/*
	 * number of expiries in the idle task after which the sampler did not run; these are also
	 * in `fired`
	 */
	uint64_t silent;
	/* 1: the last expiry was in the idle task, and the sampler has not run since */
	uint64_t in_idle;
	uint64_t overrun;	/* number of periods without an expiry, except overrun_idle */
	uint64_t overrun_idle;	/* number of periods without an expiry while the CPU was idle */
	uint64_t was_idle;	/* 1: the CPU was idle at the last expiry */
};

struct tick_clocks {
	/* address of the timer that expired last on this CPU, whatever its purpose */
	uint64_t last_timer;
	uint64_t last_expires_ns;	/* time at which last_timer was due; 0: unknown */
	struct tick_clock clocks[TICK_CLOCKS_MAX];	/* indexed by event */
};

/*
 * Records an expiry of the clock's own timer, which was due at @expires_ns. @period_ns is the
 * clock's period (0: unknown). If more than one period has passed since the timer was last due, the
 * periods in between are an overrun. If the time in between is not a whole number of periods, the
 * timer was restarted in between, and no overrun is counted.
 */
static inline void tick_clock_fired(struct tick_clock *clock, uint64_t expires_ns,
				    uint64_t period_ns, int is_idle)
{
	uint64_t since_ns = expires_ns - clock->expires_ns;

	if (clock->expires_ns && period_ns && expires_ns > clock->expires_ns &&
	    since_ns % period_ns == 0) {
		if (clock->was_idle)
			clock->overrun_idle += since_ns / period_ns - 1;
		else
			clock->overrun += since_ns / period_ns - 1;
	}
	clock->expires_ns = expires_ns;
	clock->was_idle = is_idle != 0;
	clock->silent += clock->in_idle;
	clock->in_idle = is_idle != 0;
	clock->fired++;
}

/*
 * Records that the sampler runs for the clock. @last_timer is the timer that expired last on this
 * CPU. Usually this is the clock's timer. It can be another timer, because the program on the
 * tracepoint does not see an expiry that interrupts it. If the clock's timer is already known,
 * another timer therefore replaces it only after being seen twice in a row.
 */
static inline void tick_clock_reached(struct tick_clock *clock, uint64_t last_timer,
				      uint64_t last_expires_ns)
{
	clock->in_idle = 0;
	if (clock->timer && clock->timer == last_timer) {
		clock->stranger = 0;
		return;
	}
	if (clock->timer == 0)
		clock->fired++;
	else
		clock->unseen++;
	if (clock->timer == 0 || clock->stranger == last_timer) {
		clock->timer = last_timer;
		clock->expires_ns = last_expires_ns;
		clock->stranger = 0;
	} else {
		clock->stranger = last_timer;
		clock->expires_ns = 0;
	}
}

/*
 * Returns the number of skipped ticks: expiries after which the sampler did not run, without those
 * in `left_out` and `silent`. @reached is the number of ticks that reached the sampler.
 */
static inline uint64_t tick_clock_skipped(const struct tick_clock *clock, uint64_t reached)
{
	uint64_t due = clock->fired + clock->unseen;
	uint64_t known = reached + clock->left_out + clock->silent + clock->in_idle;

	/* If the clock is running, @reached can be up to one tick ahead of `fired`. */
	return due > known ? due - known : 0;
}

#endif
