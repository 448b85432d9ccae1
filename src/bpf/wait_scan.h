/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_scan.h - records tasks that are waiting when the recording begins or ends
 *
 * Part of off_cpu.h. The kernel runs the program wait_scan once for each task of the machine. The
 * collector starts this at the beginning and at the end of the recording.
 *
 * A task that still waits at the end is not the current task, so its user stack cannot be walked
 * here. But the program may sleep (iter.s), so it can read the memory of another task. It sends a
 * copy of the stack, and the collector walks the copy.
 */
#ifndef ASSAY_BPF_WAIT_SCAN_H
#define ASSAY_BPF_WAIT_SCAN_H

static __always_inline void begin_wait(struct task_struct *task)
{
	uint32_t state = state_of(task);

	/* TASK_DEAD is one of the bits of STATE_UNKNOWN. */
	if (!is_on_cpu(task) && !(state & TASK_DEAD))
		task_stops(task, /* is_current */ 0, bpf_ktime_get_ns(),
			   state ? reason_of_state(task, state) : WIRE_WAIT_PREEMPTED);
}

/*
 * Returns the number of nanoseconds by which bpf_ktime_get_ns() is ahead of the scheduler's clock.
 * BPF programs cannot read the scheduler's clock. But when the current task (which runs the scan)
 * was switched in, both clocks were stored: bpf_ktime_get_ns() in wait->in_ns, and the scheduler's
 * clock in the kernel's last_arrival. Returns 0 if unknown.
 */
static __always_inline uint64_t ahead_of_scheduler_ns(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_wait *wait = bpf_task_storage_get(&task_waits, task, NULL, 0);
	uint64_t arrival_ns = last_arrival_of(task);

	return wait && wait->in_ns && arrival_ns ? wait->in_ns - arrival_ns : 0;
}

/*
 * If @task is on a run queue and waits for a CPU, returns for how long it has been waiting there.
 * Otherwise, or if this is unknown, returns 0. The kernel adds this duration to run_delay only when
 * the task runs.
 */
static __always_inline uint64_t queued_ns(const struct task_struct *task, uint64_t now_ns)
{
	uint64_t ahead_ns = ahead_of_scheduler_ns(), since_ns = last_queued_of(task);

	if (!since_ns || !ahead_ns)
		return 0;
	since_ns += ahead_ns;
	return now_ns > since_ns ? now_ns - since_ns : 0;
}

#define OPEN_PAGES 4		/* of a stack to copy; enough for nearly all stacks that sleep */

/*
 * Copies the stack of @task from @addr upwards, after the kernel part of the record. Each page is
 * read separately, because a read that crosses the end of the stack's memory fails completely.
 */
static __always_inline void copy_stack_of(struct task_struct *task, struct raw_record *record)
{
	uint32_t kernel_bytes = (record->raw.kernel_count & 127) * sizeof(uint64_t);
	uint8_t *bytes = (uint8_t *)record->kernel_words + kernel_bytes;
	uint64_t addr = record->raw.user_sp;
	uint32_t at = 0;

	record->raw.is_cut = 1;
	for (int i = 0; i < OPEN_PAGES; i++) {
		uint32_t size_bytes = WIRE_PAGE_BYTES - ((uint32_t)addr & (WIRE_PAGE_BYTES - 1));

		barrier_var(size_bytes);
		if (size_bytes > WIRE_PAGE_BYTES || at > OPEN_PAGES * WIRE_PAGE_BYTES)
			break;
		if (bpf_copy_from_user_task(bytes + at, size_bytes, (const void *)addr, task, 0)) {
			record->raw.is_cut = 0;
			break;
		}
		at += size_bytes;
		addr += size_bytes;
	}
	record->raw.size_bytes = at;
}

/* Like send_wait_copy(), for a task that is not the current task. */
static __always_inline int send_copy_of(struct wait_stack *stack, struct task_struct *task)
{
	const struct user_part *user = &stack->scratch->user;
	struct raw_record *record = raw_record_of_this_cpu(RAW_OF_WAIT);
	uint32_t kernel_bytes = (user->kernel_count & 127) * sizeof(uint64_t), size_bytes;
	struct wire_sample sample = sample_of_copy(stack);

	if (!record || most_raw_bytes(stack->ring) < OPEN_PAGES * WIRE_PAGE_BYTES)
		return 0;
	begin_raw(&record->raw, stack->scratch, &sample, stack->life);
	record->raw.stack_addr = user->regs.sp;
	record->raw.owner.in_namespace = 1;	/* unknown, as in send_wait_stack() */
	__builtin_memcpy(record->kernel_words, stack->scratch->words,
			 WIRE_KERNEL_FRAMES_MAX * sizeof(uint64_t));
	copy_stack_of(task, record);
	size_bytes = record->raw.size_bytes;
	if (size_bytes > OPEN_PAGES * WIRE_PAGE_BYTES ||
	    !ring_put(stack->ring, record, sizeof(record->raw) + kernel_bytes + size_bytes,
		      wakeup_flag(stack->ring)))
		return 0;
	stack->hash = sample.stack;
	return 1;
}

static __always_inline void send_open_wait(struct wait_stack *stack, struct task_struct *task,
					   struct task_wait *wait)
{
	uint64_t now_ns = bpf_ktime_get_ns();
	uint64_t wait_ns = now_ns - wait->out_ns;
	uint64_t delay_ns = run_delay_of(task) - wait->delay_ns + queued_ns(task, now_ns);

	delay_ns = wait->flags & WIRE_WAIT_PREEMPTED ? wait_ns : at_most(delay_ns, wait_ns);
	hash_kernel_part(stack, take_task_stack(task, stack->scratch));
	if (!user_regs_of(task, &stack->scratch->user.regs))
		send_kernel_stack(stack);
	else if (no_user_stacks || !send_copy_of(stack, task))
		send_wait_stack(stack);
	send_wait(stack, &(struct wire_wait){
				 .flags = wait->flags | WIRE_WAIT_OPEN,
				 .count = 1,
				 .blocked_ns = wait_ns - delay_ns,
				 .runnable_ns = delay_ns,
			 });
}

/*
 * Returns WIRE_ENDS_COUNT if the task is wanted, otherwise the reason why it is not wanted. BPF can
 * find the cgroup of a task, or its tid in a pid namespace below the first one, only for the
 * current task. If a filter needs the cgroup, or if the collector is in such a pid namespace, the
 * scan at the end of the recording therefore records no waits.
 */
static __always_inline enum wire_reason scan_refusal(const struct wait_stack *stack,
						     const struct task_struct *task)
{
	if (namespace_ino)
		return WIRE_END_OTHER_NAMESPACE;
	if (own_tgid && stack->tgid == own_tgid)
		return WIRE_END_OWN_PROCESS;
	if (!all_tgids && !bpf_map_lookup_elem(&targets, &stack->tgid))
		return WIRE_END_NO_TARGET;
	if (only_user && !is_of_user(task, wanted_uid))
		return WIRE_END_OTHER_USER;
	return in_cgroup ? WIRE_END_OTHER_CGROUP : WIRE_ENDS_COUNT;
}

/*
 * Sends the data that is left for a task at the end of the recording: the sum of its short waits,
 * and then the wait that has not ended yet, if there is one.
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
	enum wire_reason refused = scan_refusal(&stack, task);

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

SEC("?iter.s/task")
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
