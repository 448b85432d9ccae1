/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_end.h - ends a wait whose task runs again: finds the task and its stack, and sends the wait
 *
 * A wait cannot be sent during the context switch that ends it (off_cpu.h). In the time between
 * this switch and the sending, the CPU has a pending wait (struct wait_pending). In kernels with
 * sched_exit_tp, the task cannot leave the CPU before its wait is sent. In older kernels it can. So
 * at the CPU's next context switch, the program first ends the pending wait.
 */
#ifndef ASSAY_BPF_WAIT_END_H
#define ASSAY_BPF_WAIT_END_H

#include "bpf/wait_send.h"

/*
 * A wait that is not sent yet: its task has been switched in on this CPU, but the user stack cannot
 * be read yet.
 */
struct wait_pending {
	uint64_t in_ns;
	uint64_t user_ip, user_sp;	/* user registers at the time of the switch */
	/* task of the pending wait, in the first pid namespace; 0: no wait is pending */
	int tid;
	uint32_t kernel_count;		/* number of kernel frames in the scratch memory */
	uint8_t is_short;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct wait_pending);
} waits_pending SEC(".maps");

static __always_inline struct wait_pending *pending_wait(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&waits_pending, &zero);
}

/*
 * Identifies the current task and applies the filters. Finds the ring and the scratch memory for
 * the task's wait. If the wait is not wanted or cannot be recorded, counts the reason and returns
 * false. The filters are applied only here, so they cost no time for waits that are too short to be
 * sent.
 */
static __always_inline int find_wanted(struct wait_stack *stack)
{
	struct wire_sample sample = { 0 };
	enum wire_reason refused = refusal(&sample);

	stack->life = life_of_current();
	stack->tgid = sample.tgid;
	stack->tid = sample.tid;
	if (refused == WIRE_ENDS_COUNT)
		refused = find_wait_places(stack, SCRATCH_WAIT);
	if (refused != WIRE_ENDS_COUNT)
		wait_count(stack->counters, refused);
	return refused == WIRE_ENDS_COUNT;
}

static __always_inline void take_wait_stack(struct wait_stack *stack,
					    const struct wait_pending *pending)
{
	struct unwind_regs *regs = &stack->scratch->user.regs;

	hash_kernel_part(stack, pending->kernel_count);
	if (!user_regs_of_task(regs)) {
		send_kernel_stack(stack);
	} else if (regs->ip == pending->user_ip && regs->sp == pending->user_sp) {
		send_whole_stack(stack, RAW_OF_WAIT);
	} else {
		wait_count(stack->counters, WIRE_LACK_USER_STACK);
		send_wait_stack(stack);
	}
}

static __always_inline void send_long_wait(struct wait_stack *stack, struct task_wait *wait,
					   const struct task_struct *task, uint64_t in_ns)
{
	uint64_t wait_ns = in_ns - wait->out_ns;
	uint64_t delay_ns = at_most(run_delay_of(task) - wait->delay_ns, wait_ns);
	struct wire_wait record = { .flags = wait->flags, .count = 1 };

	if (wait->flags & WIRE_WAIT_PREEMPTED)
		delay_ns = wait_ns;
	record.runnable_ns = delay_ns;
	record.blocked_ns = wait_ns - delay_ns;
	if (wait_wakers && wait->waker.stack)
		send_woken_wait(stack, &record, &wait->waker);
	else
		send_wait(stack, &record);
}

static __always_inline void end_pending(struct wait_pending *pending)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wait_stack stack = { .counters = wait_counters() };
	struct task_wait *wait = bpf_task_storage_get(&task_waits, task, NULL, 0);

	wait_arrives(stack.counters);
	if (!wait || task->pid != pending->tid) {
		wait_count(stack.counters, WIRE_END_WAIT_LEFT);
	} else if (find_wanted(&stack)) {
		if (pending->is_short) {
			send_short_waits(&stack, wait, task, 0);
		} else {
			take_wait_stack(&stack, pending);
			send_long_wait(&stack, wait, task, pending->in_ns);
		}
	}
	if (wait)
		wait->out_ns = 0;
	pending->tid = 0;
}

/* Ends the wait of the current task if one is pending on this CPU. */
static __always_inline int end_wait(void)
{
	struct wait_pending *pending = pending_wait();

	if (pending && pending->tid)
		end_pending(pending);
	return 0;
}

#endif
