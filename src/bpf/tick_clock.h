/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick_clock.h - which ticks of a clock never reached the sampler, counted at the clock's timer
 *
 * A tick of cpu-clock or task-clock is the expiry of an hrtimer, which the kernel moves on by whole
 * periods (kernel/events/core.c: perf_swevent_hrtimer()).  Two things keep a tick from the sampler:
 *
 *	skipped		the timer fired while its CPU was in bpf(2) or in a program of a kprobe,
 *			tracepoint or perf event (bpf_prog_active): the kernel passes over the
 *			sampler and tells nobody
 *	overrun		it fired more than a period late (interrupts off, or a virtual CPU that its
 *			host did not run), and was moved on past the ticks in between.  Linux 6.18
 *			on such a CPU was seen to take interrupts in bursts without running any
 *			tracepoint or sampler: those look the same
 *
 * A program on the tracepoint timer:hrtimer_expire_entry runs at each expiry, also in bpf(2): such
 * programs have a guard of their own.  Which timer is the event's nobody says, but the sampler runs
 * right behind its expiry, so it is the one that expired last.  Until the sampler has run once on
 * a CPU nothing is known there: what was skipped before its first tick is not counted.
 *
 * On some virtual CPUs the timer fires in the idle task and the sampler does not run, and nothing
 * was in bpf(2): those are `silent`, and no loss, because idle time is not taken from samples.
 *
 *	due = reached + skipped + left_out + silent + overrun + overrun_idle
 *
 * One struct tick_clocks for each CPU, written by that CPU alone.  Included by the sampler (which
 * brings the types), by capture/ and by tests.
 */
#ifndef ASSAY_BPF_TICK_CLOCK_H
#define ASSAY_BPF_TICK_CLOCK_H

#define TICK_CLOCKS_MAX 16u	/* events that can be clocks: the first */

struct tick_clock {
	uint64_t timer;		/* the kernel's address of it; 0: not known yet */
	uint64_t stranger;	/* another that expired last when the sampler last ran; or 0 */
	uint64_t expires_ns;	/* when it was last due; 0: what was in between is not known */
	uint64_t fired;		/* expiries that were seen */
	uint64_t unseen;	/* the sampler ran, but the expiry had not been seen: hardly ever */
	uint64_t left_out;	/* among fired: of the idle task, which the event leaves out */
	uint64_t silent;	/* likewise: of the idle task, and the sampler did not run */
	uint64_t in_idle;	/* the last was of the idle task, and the sampler did not run yet */
	uint64_t overrun;	/* whole periods passed over */
	uint64_t overrun_idle;	/* likewise, while the CPU was idle */
	uint64_t was_idle;	/* when it was last seen */
};

struct tick_clocks {
	uint64_t last_timer;	/* that expired on this CPU, whosever it is, */
	uint64_t last_expires_ns;	/* ... and when it was due; 0: not known */
	struct tick_clock clocks[TICK_CLOCKS_MAX];	/* by event */
};

/*
 * An expiry of the clock's own timer, due at @expires_ns, of which each @period_ns has one (0: not
 * known).  A distance that is no whole number of periods means that the timer was started anew.
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
 * The sampler runs for the clock.  An expiry can be missed when it interrupts the program on the
 * tracepoint itself; so another timer is believed to be the clock's only when it is met twice.
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

/* Fired, but not for the sampler, which saw @reached of them.  Never below 0: see the note. */
static inline uint64_t tick_clock_skipped(const struct tick_clock *clock, uint64_t reached)
{
	uint64_t due = clock->fired + clock->unseen;
	uint64_t known = reached + clock->left_out + clock->silent + clock->in_idle;

	/* Read while it runs, @reached can be a tick younger. */
	return due > known ? due - known : 0;
}

#endif
