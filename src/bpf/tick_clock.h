/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick_clock.h - counts the ticks of a clock that did not reach the sampler, at the clock's timer
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
 * A program on the tracepoint timer:hrtimer_expire_entry runs at each expiry, even in bpf(2),
 * because programs of this type have their own guard against recursion. The kernel does not show
 * which timer belongs to the perf event. But the sampler runs directly after the expiry of its
 * timer, so its timer is the one that expired last. Before the sampler has run once on a CPU, its
 * timer there is unknown: ticks that were skipped until then are not counted.
 *
 * On some virtual CPUs the timer fires in the idle task and the sampler does not run, although the
 * CPU was not in bpf(2). These ticks are called `silent`. They are not a loss, because idle time is
 * not computed from samples. `left_out` are ticks in the idle task if the event does not sample the
 * idle task.
 *
 *	due = reached + skipped + left_out + silent + overrun + overrun_idle
 *
 * There is one struct tick_clocks for each CPU, and only that CPU writes to it. Included by the
 * sampler (which provides the types), by capture/ and by tests.
 */
#ifndef ASSAY_BPF_TICK_CLOCK_H
#define ASSAY_BPF_TICK_CLOCK_H

#define TICK_CLOCKS_MAX 16u	/* only events below this number can be clocks */

struct tick_clock {
	uint64_t timer;		/* address of the clock's timer in the kernel; 0: not known yet */
	/* another timer, if that timer had expired last when the sampler last ran; otherwise 0 */
	uint64_t stranger;
	/* time at which the timer was last due; 0: unknown, so no overrun can be computed */
	uint64_t expires_ns;
	uint64_t fired;		/* number of expiries seen */
	uint64_t unseen;	/* runs of the sampler without a seen expiry; rare */
	/* expiries in the idle task, if the event does not sample the idle task; part of `fired` */
	uint64_t left_out;
	/* expiries in the idle task after which the sampler did not run; part of `fired` */
	uint64_t silent;
	/* 1: the last expiry was in the idle task, and the sampler has not run since */
	uint64_t in_idle;
	uint64_t overrun;	/* whole periods that passed without an expiry */
	uint64_t overrun_idle;	/* ... while the CPU was idle */
	uint64_t was_idle;	/* 1: the CPU was idle at the last expiry */
};

struct tick_clocks {
	/* address of the timer that expired last on this CPU, whatever its purpose */
	uint64_t last_timer;
	uint64_t last_expires_ns;	/* when last_timer was due; 0: unknown */
	struct tick_clock clocks[TICK_CLOCKS_MAX];	/* indexed by event */
};

/*
 * Notes an expiry of the clock's own timer, which was due at @expires_ns. @period_ns is the clock's
 * period (0: unknown). If the time since the previous expiry is not a whole number of periods, the
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
 * Notes that the sampler runs for the clock. @last_timer is usually the clock's timer. It can be a
 * different timer, because an expiry that interrupts the tracepoint's program is missed. A
 * different timer is therefore accepted as the clock's timer only if it is seen twice in a row.
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
 * Returns the number of expiries after which the sampler did not run. @reached is the number of
 * ticks that the sampler saw.
 */
static inline uint64_t tick_clock_skipped(const struct tick_clock *clock, uint64_t reached)
{
	uint64_t due = clock->fired + clock->unseen;
	uint64_t known = reached + clock->left_out + clock->silent + clock->in_idle;

	/* If the clock is running, @reached can be up to one tick ahead of `fired`. */
	return due > known ? due - known : 0;
}

#endif
