/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_send.h - the data stored for a task between switches, and the wait records
 *
 * The data is in BPF task storage, which needs no key and is freed with the task.
 */
#ifndef ASSAY_BPF_WAIT_SEND_H
#define ASSAY_BPF_WAIT_SEND_H

#include "bpf/wait_stack.h"

/* when the short waits of a task add up to this duration, their sum is sent */
#define SHORT_SEND_NS 10000000u

/* ---- set before loading ---- */

const volatile uint64_t wait_min_ns = 1000000;
const volatile uint8_t wait_wakers = 0;
/* 1: end waits at sys_exit, because this kernel has no sched_exit_tp */
const volatile uint8_t wait_ends_late = 0;

/* ---- set while running ---- */

volatile uint8_t waits_closing = 0;		/* 1: wait_scan ends waits; 0: it begins them */

struct task_wait {
	uint64_t out_ns;		/* when the task was last switched out; 0: not waiting */
	uint64_t in_ns;			/* when the task was last switched in; 0: never seen */
	uint64_t delay_ns;		/* run_delay when the task was switched out */
	/*
	 * duration of the latest short wait; 0: its time on a run queue is already in
	 * short_delay_ns
	 */
	uint64_t last_short_ns;
	uint64_t short_ns, short_delay_ns;
	uint32_t short_count;
	uint16_t flags;
	struct wire_waker waker;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_wait);
} task_waits SEC(".maps");

/* ---- sending ---- */

static __always_inline void fill_wait(struct wire_wait *record, const struct wait_stack *stack,
				      const struct wire_wait *wait, uint64_t time_ns)
{
	*record = *wait;
	record->time_ns = time_ns;
	record->kind = WIRE_WAIT;
	record->stack = stack->hash;
	record->tgid = stack->tgid;
	record->tid = stack->tid;
}

/*
 * Sends the record @wait, which describes one wait or the sum of a task's short waits. @stack
 * identifies the task and its stack. Returns false if the ring was full.
 */
static __always_inline int send_wait(struct wait_stack *stack, const struct wire_wait *wait)
{
	uint64_t time_ns;
	struct wire_wait *record = ring_reserve(stack->ring, sizeof(*record), &time_ns);

	if (!record) {
		wait_count(stack->counters, WIRE_END_RING_FULL);
		return 0;
	}
	fill_wait(record, stack, wait, time_ns);
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	wait_count(stack->counters, WIRE_END_SENT);
	return 1;
}

struct wire_wait_woken {
	struct wire_wait wait;
	struct wire_waker waker;
};

static __always_inline void send_woken_wait(struct wait_stack *stack, const struct wire_wait *wait,
					    const struct wire_waker *waker)
{
	uint64_t time_ns;
	struct wire_wait_woken *record = ring_reserve(stack->ring, sizeof(*record), &time_ns);

	if (!record) {
		wait_count(stack->counters, WIRE_END_RING_FULL);
		return;
	}
	fill_wait(&record->wait, stack, wait, time_ns);
	record->wait.flags |= WIRE_WAIT_WAKER;
	record->waker = *waker;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	wait_count(stack->counters, WIRE_END_SENT);
}

/*
 * Returns @value, but never more than @limit. Durations need this limit because the time that the
 * kernel counts for waiting on a run queue may be slightly longer than the measured wait.
 */
static __always_inline uint64_t at_most(uint64_t value, uint64_t limit)
{
	return value < limit ? value : limit;
}

/*
 * Adds to short_delay_ns the time for which the task waited for a CPU during its latest short wait.
 * The kernel knows this duration only after the task has run again.
 */
static __always_inline void settle_short_wait(struct task_wait *wait,
					      const struct task_struct *task)
{
	if (!wait->last_short_ns)
		return;
	wait->short_delay_ns += at_most(run_delay_of(task) - wait->delay_ns, wait->last_short_ns);
	wait->last_short_ns = 0;
}

static __always_inline void send_short_waits(struct wait_stack *stack, struct task_wait *wait,
					     const struct task_struct *task, uint16_t flags)
{
	uint64_t delay_ns;

	settle_short_wait(wait, task);
	delay_ns = at_most(wait->short_delay_ns, wait->short_ns);
	if (!send_wait(stack, &(struct wire_wait){
				      .flags = WIRE_WAIT_SHORT | flags,
				      .count = wait->short_count,
				      .blocked_ns = wait->short_ns - delay_ns,
				      .runnable_ns = delay_ns,
			      }))
		return;	/* keep the sum for the next attempt */
	wait->short_ns = 0;
	wait->short_delay_ns = 0;
	wait->short_count = 0;
}

#endif
