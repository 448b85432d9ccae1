/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * off_cpu.h - why tasks did not run, and for how long
 *
 * A wait begins when a task is switched out (leaves its CPU) and ends when the task is switched in
 * again.
 *
 * When a task is switched out, the current time is stored in the task's BPF storage. When the task
 * is switched in again after at least `wait_min_ns`, its kernel stack is read at once, because it
 * is still the same as during the wait. Shorter waits are not sent one by one. Only their number
 * and total duration are sent from time to time.
 *
 * The user stack of the task cannot be read during the switch, because the memory mapped at that
 * time is still that of the previous task. The user stack is read shortly afterwards, when the task
 * that waited is the current task. Then the wait is sent. The exact moment depends on the kernel:
 * - Since Linux 6.16 it is the end of __schedule() (tracepoint sched_exit_tp).
 * - In older kernels it is the end of the task's system call. If the wait was not part of a system
 *   call, it is the moment when the task is switched out again, at the latest. The wait then has no
 *   user stack if the task has been in user mode since the wait.
 *
 * During a wait, a task first sleeps and then waits on a run queue for a CPU; either part may be
 * missing. The kernel counts the time on run queues (sched_info.run_delay, CONFIG_SCHED_INFO). The
 * rest of the wait is sleep. Because of this count, no BPF program has to run at each wakeup.
 *
 * The cost that these programs add to each switch was measured with a pipe ping-pong at SCHED_FIFO,
 * alternating between runs with and without the programs:
 * - 280 to 345 ns in four runs
 * - 450 to 580 ns with the method for older kernels; half of this is the cost at the two system
 *   calls between switches
 * - 470 to 620 ns if wakers are recorded
 * - 1,840 ns if both stacks were read at each switch
 *
 * Each wait that is sent costs 5 to 10 us more. Most of that is the kernel's own unwinding of a
 * stack that is not in the CPU's caches.
 *
 * Needs prev_state as an argument of sched_switch (Linux 5.18) and dynamic pointers (5.19).
 */
#ifndef ASSAY_BPF_OFF_CPU_H
#define ASSAY_BPF_OFF_CPU_H

#include "bpf/wait_end.h"

/* include/linux/sched.h */
#define TASK_UNINTERRUPTIBLE 0x2u
#define TASK_STOPPED_OR_TRACED 0xcu
#define TASK_DEAD 0x80u
#define TASK_NOLOAD 0x400u	/* sleeps uninterruptibly, but is not counted in the load average */

static __always_inline uint16_t reason_of_state(struct task_struct *task, uint32_t state)
{
	uint16_t flags = 0;

	if ((state & TASK_UNINTERRUPTIBLE) && !(state & TASK_NOLOAD))
		flags |= WIRE_WAIT_UNINTERRUPTIBLE;
	if (is_in_iowait(task))
		flags |= WIRE_WAIT_IO;
	if (state & TASK_STOPPED_OR_TRACED)
		flags |= WIRE_WAIT_STOPPED;
	return flags;
}

/* ---- a context switch ---- */

/* The current task stops again, but the kernel never told that it ran since it last stopped. */
static __always_inline void lose_wait(void)
{
	struct wait_stack stack = { .counters = wait_counters() };

	wait_arrives(stack.counters);
	if (find_wanted(&stack))
		wait_count(stack.counters, WIRE_END_WAIT_UNSEEN);
}

static __always_inline void task_stops(struct task_struct *task, int is_current, uint64_t now_ns,
				       uint16_t flags)
{
	struct task_wait *wait = bpf_task_storage_get(&task_waits, task, NULL,
						      BPF_LOCAL_STORAGE_GET_F_CREATE);
	uint64_t delay_ns = run_delay_of(task);

	if (!wait) {
		struct wire_counters *counters = wait_counters();

		wait_arrives(counters);
		wait_count(counters, WIRE_END_TASK_STORAGE_MISSING);
		return;
	}
	if (is_current && wait->out_ns)
		lose_wait();
	settle_short_wait(wait, task);
	wait->delay_ns = delay_ns;
	wait->flags = flags;
	wait->waker.stack = 0;
	wait->out_ns = now_ns;
}

/*
 * Sends the sum of the short waits of a task that has exited and is switched out for the last time.
 */
static __always_inline void task_dies(struct task_struct *task)
{
	struct task_wait *wait = bpf_task_storage_get(&task_waits, task, NULL, 0);
	struct wait_stack stack = { .counters = wait_counters() };

	if (!wait)
		return;
	wait_arrives(stack.counters);
	if (find_wanted(&stack))
		send_short_waits(&stack, wait, task, WIRE_WAIT_EXIT);
}

static __always_inline void begin_end(struct task_struct *task, struct task_wait *wait,
				      struct wait_pending *pending, int is_short)
{
	uint32_t index = SCRATCH_WAIT;
	struct scratch *scratch = bpf_map_lookup_elem(&wait_scratches, &index);
	struct unwind_regs regs = { 0 };

	if (!scratch) {
		struct wire_counters *counters = wait_counters();

		wait_arrives(counters);
		wait_count(counters, WIRE_END_SCRATCH_MISSING);
		wait->out_ns = 0;
		return;
	}
	pending->in_ns = wait->in_ns;
	pending->is_short = (uint8_t)is_short;
	pending->kernel_count = 0;
	if (!is_short) {
		pending->kernel_count = take_task_stack(task, scratch);
		(void)user_regs_of(task, &regs);
	}
	pending->user_ip = regs.ip;
	pending->user_sp = regs.sp;
	pending->tid = task->pid;
}

static __always_inline void task_runs(struct task_struct *task, uint64_t now_ns)
{
	struct task_wait *wait = bpf_task_storage_get(&task_waits, task, NULL, 0);
	struct wait_pending *pending;
	uint64_t wait_ns;

	if (!wait || !wait->out_ns)
		return;
	wait->in_ns = now_ns;
	wait_ns = now_ns - wait->out_ns;
	if (wait_ns < wait_min_ns) {
		wait->out_ns = 0;
		wait->last_short_ns = wait_ns;
		wait->short_ns += wait_ns;
		wait->short_count++;
		if (wait->short_ns < SHORT_SEND_NS)
			return;
	}
	pending = pending_wait();
	if (pending)
		begin_end(task, wait, pending, wait_ns < wait_min_ns);
}

SEC("?tp_btf/sched_switch")
int BPF_PROG(wait_switch, _Bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	uint64_t now_ns = bpf_ktime_get_ns();

	if (wait_ends_late)
		(void)end_wait();
	if (prev_state & TASK_DEAD)
		task_dies(prev);
	else if (prev->pid != 0)
		task_stops(prev, /* is_current */ 1, now_ns,
			   preempt || !prev_state ? WIRE_WAIT_PREEMPTED
						  : reason_of_state(prev, prev_state));
	if (next->pid != 0)
		task_runs(next, now_ns);
	return 0;
}

SEC("?tp_btf/sched_exit_tp")
int BPF_PROG(wait_end, _Bool is_switch)
{
	return is_switch ? end_wait() : 0;
}

SEC("?tp_btf/sys_exit")
int wait_end_late(void *context)
{
	return end_wait();
}

/* ---- wakers: tasks that wake a waiting task ---- */

#define PROBE_FRAMES 2	/* number of innermost frames to skip: this program and its caller */

/*
 * Reads the kernel part of the current task's stack. The first frame is that of the tracepoint.
 * Returns the number of frames.
 */
static __always_inline uint32_t take_waker_stack(void *context, struct scratch *scratch)
{
	long size_bytes = bpf_get_stack(context, scratch->words,
					WIRE_KERNEL_FRAMES_MAX * sizeof(uint64_t), PROBE_FRAMES);

	return size_bytes < 0 ? 0 : (uint32_t)size_bytes / sizeof(uint64_t);
}

/*
 * Returns true if the task has been asleep for at least wait_min_ns and no waker has been recorded
 * for this sleep yet.
 */
static __always_inline int is_long_sleep(const struct task_wait *wait)
{
	return wait && wait->out_ns && !wait->waker.stack && !(wait->flags & WIRE_WAIT_PREEMPTED) &&
	       bpf_ktime_get_ns() - wait->out_ns >= wait_min_ns;
}

SEC("?tp_btf/sched_waking")
int BPF_PROG(wait_waking, struct task_struct *task)
{
	struct task_wait *wait = bpf_task_storage_get(&task_waits, task, NULL, 0);
	struct wait_stack stack = { 0 };
	struct wire_sample sample = { 0 };

	if (!is_long_sleep(wait))
		return 0;
	stack.counters = wait_counters();
	if (!identify(&sample) || find_wait_places(&stack, SCRATCH_WAKER) != WIRE_ENDS_COUNT) {
		wait_count(stack.counters, WIRE_LACK_WAKER);
		return 0;
	}
	if (sample.tid != 0)
		stack.life = life_of_current();
	stack.tgid = sample.tgid;
	stack.tid = sample.tid;
	hash_kernel_part(&stack, take_waker_stack(ctx, stack.scratch));
	if (user_regs_of_task(&stack.scratch->user.regs))
		send_whole_stack(&stack, RAW_OF_WAKER);
	else
		send_kernel_stack(&stack);
	wait->waker.tgid = stack.tgid;
	wait->waker.tid = stack.tid;
	wait->waker.stack = stack.hash;
	return 0;
}

#include "bpf/wait_scan.h"

#endif
