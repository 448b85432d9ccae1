/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_scan.h - records tasks that are already waiting when the recording begins or ends
 *
 * Part of off_cpu.h. This is one program, which runs once for each task of the machine.
 */
#ifndef ASSAY_BPF_WAIT_SCAN_H
#define ASSAY_BPF_WAIT_SCAN_H

static __always_inline void begin_wait(struct task_struct *task)
{
	if (!task->on_cpu && !(task->__state & TASK_DEAD))
		task_stops(task, bpf_ktime_get_ns(),
			   task->__state ? reason_of_state(task, task->__state)
					 : WIRE_WAIT_PREEMPTED);
}

/*
 * Returns how many nanoseconds bpf_ktime_get_ns() is ahead of the scheduler's clock, which no BPF
 * program can read. When the current task, which runs the scan, was switched in, a timestamp of
 * each clock was stored: in_ns here and last_arrival in the kernel. Returns 0 if unknown.
 */
static __always_inline uint64_t ahead_of_scheduler_ns(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_wait *wait = bpf_task_storage_get(&task_waits, task, NULL, 0);

	return wait && wait->in_ns ? wait->in_ns - task->sched_info.last_arrival : 0;
}

/*
 * Returns how long ago the task was woken if it still waits for a CPU, otherwise 0. The kernel adds
 * this duration to run_delay only when the task runs.
 */
static __always_inline uint64_t queued_ns(const struct task_struct *task, uint64_t now_ns)
{
	uint64_t ahead_ns = ahead_of_scheduler_ns(), since_ns = task->sched_info.last_queued;

	if (!since_ns || !ahead_ns)
		return 0;
	since_ns += ahead_ns;
	return now_ns > since_ns ? now_ns - since_ns : 0;
}

static __always_inline void send_open_wait(struct wait_stack *stack, struct task_struct *task,
					   struct task_wait *wait)
{
	uint64_t now_ns = bpf_ktime_get_ns();
	uint64_t wait_ns = now_ns - wait->out_ns;
	uint64_t delay_ns = task->sched_info.run_delay - wait->delay_ns + queued_ns(task, now_ns);

	delay_ns = wait->flags & WIRE_WAIT_PREEMPTED ? wait_ns : at_most(delay_ns, wait_ns);
	hash_kernel_part(stack, take_task_stack(task, stack->scratch));
	send_wait_stack(stack);
	send_wait(stack, &(struct wire_wait){
				 .flags = wait->flags | WIRE_WAIT_OPEN,
				 .count = 1,
				 .blocked_ns = wait_ns - delay_ns,
				 .runnable_ns = delay_ns,
			 });
}

/*
 * Returns WIRE_ENDS_COUNT if the task is wanted, otherwise the reason why it is not wanted. Only
 * for the current task can BPF find the cgroup and the tid in another pid namespace. If the cgroup
 * or such a tid is needed, the waits that are still open are therefore not recorded.
 */
static __always_inline enum wire_reason scan_refusal(const struct wait_stack *stack)
{
	if (namespace_ino)
		return WIRE_END_OTHER_NAMESPACE;
	if (own_tgid && stack->tgid == own_tgid)
		return WIRE_END_OWN_PROCESS;
	if (!all_tgids && !bpf_map_lookup_elem(&targets, &stack->tgid))
		return WIRE_END_NO_TARGET;
	return in_cgroup ? WIRE_END_OTHER_CGROUP : WIRE_ENDS_COUNT;
}

/*
 * Sends the waits of a task at the end of the recording: the sum of its short waits, and the wait
 * that has not ended yet.
 */
static __always_inline void close_wait(struct task_struct *task)
{
	struct wait_stack stack = {
		.counters = wait_counters(),
		.life = life_of(task),
		.tgid = (uint32_t)task->tgid,
		.tid = (uint32_t)task->pid,
		.of_another = 1,
	};
	struct task_wait *wait = bpf_task_storage_get(&task_waits, task, NULL, 0);
	enum wire_reason refused = scan_refusal(&stack);

	if (!wait)
		return;
	wait_arrives(stack.counters);
	if (refused == WIRE_ENDS_COUNT)
		refused = find_wait_places(&stack, SCRATCH_SCAN);
	if (refused != WIRE_ENDS_COUNT) {
		wait_count(stack.counters, refused);
		return;
	}
	send_short_waits(&stack, wait, task, 0);
	if (!wait->out_ns)
		return;
	wait_arrives(stack.counters);
	send_open_wait(&stack, task, wait);
}

SEC("?iter/task")
int wait_scan(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;

	if (!task || task->pid == 0)
		return 0;
	if (waits_closing)
		close_wait(task);
	else
		begin_wait(task);
	return 0;
}

#endif
