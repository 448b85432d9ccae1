/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_stack.h - the stack of a task that waited, or of a waker (a task that woke a waiting task)
 *
 * The stack is built as for a tick, with two differences:
 * - The kernel part is read from a task, not from an interrupted context.
 * - The programs for waits, wakers and the scan can interrupt each other. Each of these programs
 *   therefore has its own scratch memory.
 */
#ifndef ASSAY_BPF_WAIT_STACK_H
#define ASSAY_BPF_WAIT_STACK_H

#include "bpf/lives.h"
#include "bpf/maps.h"
#include "bpf/raw_stack.h"
#include "bpf/ring_order.h"
#include "bpf/stacks_sent.h"
#include "bpf/user_regs.h"
#include "bpf/walk.h"

enum wait_scratch { SCRATCH_WAIT, SCRATCH_WAKER, SCRATCH_SCAN, SCRATCH_COUNT };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_COUNT);
	__type(key, uint32_t);
	__type(value, struct scratch);
} wait_scratches SEC(".maps");

/* The state of one wait while it is processed. */
struct wait_stack {
	struct scratch *scratch;
	struct wire_counters *counters;
	void *ring;
	uint64_t hash;
	uint64_t life;			/* life of the task's process */
	uint32_t tgid, tid;
	uint8_t of_another;		/* 1: the task is not the current task */
};

static __always_inline struct wire_counters *wait_counters(void)
{
	return counters_of(WIRE_EVENT_WAITS);
}

static __always_inline void wait_arrives(struct wire_counters *counters)
{
	if (counters)
		__sync_fetch_and_add(&counters->ticks, 1);
}

static __always_inline void wait_count(struct wire_counters *counters, enum wire_reason reason)
{
	if (counters)
		__sync_fetch_and_add(&counters->reasons[reason], 1);
}

/* Reads the kernel stack of @task into the scratch memory. Returns the number of frames. */
static __always_inline uint32_t take_task_stack(struct task_struct *task, struct scratch *scratch)
{
	long size_bytes = bpf_get_task_stack(task, scratch->words,
					     WIRE_KERNEL_FRAMES_MAX * sizeof(uint64_t), 0);

	return size_bytes < 0 ? 0 : (uint32_t)size_bytes / sizeof(uint64_t);
}

static __always_inline void hash_kernel_part(struct wait_stack *stack, uint32_t kernel_count)
{
	struct scratch *scratch = stack->scratch;

	begin_stack(scratch, stack->tgid, stack->life);
	scratch->user.kernel_count = kernel_count;
	bpf_loop(kernel_count, hash_kernel_frame, &scratch, 0);
	if (kernel_count == 0)
		wait_count(stack->counters, WIRE_LACK_KERNEL_STACK);
}

/* Sets stack->hash, and sends the stack unless the collector already has it. */
static __always_inline void send_wait_stack(struct wait_stack *stack)
{
	const struct user_part *user = &stack->scratch->user;
	struct wire_stack *record = &stack->scratch->stack;

	if (user->kernel_count + user->user_count == 0)
		return;
	stack->hash = hash_of_stack(user);
	if (stack_was_sent(stack->hash, bpf_ktime_get_ns()))
		return;
	describe_stack(stack->scratch, stack->hash, stack->tgid);
	record->tid = stack->tid;
	record->life = stack->life;
	if (stack->of_another)
		/*
		 * The owner can be read only for the current task, so it is unknown here. This
		 * value tells the collector not to use the uid and the cgroup.
		 */
		record->owner.in_namespace = 1;
	else
		take_owner(&record->owner);
	if (ring_put(stack->ring, record, stack_bytes(user), wakeup_flag(stack->ring)))
		stack_set_sent(stack->hash, bpf_ktime_get_ns());
	else
		wait_count(stack->counters, WIRE_LACK_STACK_ROOM);
}

/* Sends the stack of a task without a user part: a kernel thread, or a process that exits. */
static __always_inline void send_kernel_stack(struct wait_stack *stack)
{
	stack->scratch->user.stop = UNWIND_STOP_END;
	send_wait_stack(stack);
}

/* Returns the head of a copied stack. Its number is one that no other stack has. */
static __always_inline struct wire_sample sample_of_copy(const struct wait_stack *stack)
{
	uint64_t time_ns = bpf_ktime_get_ns(), hash = stack->scratch->user.hash;

	return (struct wire_sample){
		.time_ns = time_ns,
		.event = WIRE_EVENT_WAITS,
		.flags = WIRE_IN_KERNEL | WIRE_HAS_USER,
		.stack = hash_end(hash_add(hash_add(hash, time_ns), stack->tid)),
		.tgid = stack->tgid,
		.tid = stack->tid,
	};
}

/*
 * Sends the stack with a copy of its memory, and sets stack->hash to a number that no other stack
 * has. Returns false if the record was not written, usually because the ring is full.
 */
static __always_inline int send_wait_copy(struct wait_stack *stack, enum raw_use use)
{
	struct raw_record *record = raw_record_of_this_cpu(use);
	uint32_t most_bytes = most_raw_bytes(stack->ring), size_bytes;
	struct wire_sample sample = sample_of_copy(stack);

	if (!record || most_bytes == 0)
		return 0;
	if (task_is_32bit())
		sample.flags |= WIRE_32BIT;
	size_bytes = make_raw(record, stack->scratch, &sample, stack->life, most_bytes);
	if (record->raw.size_bytes == 0)
		wait_count(stack->counters, WIRE_LACK_USER_STACK);
	if (size_bytes == 0 || !ring_put(stack->ring, record, size_bytes,
					 raw_wakeup_flag(stack->ring, sample.time_ns)))
		return 0;
	stack->hash = sample.stack;
	return 1;
}

/*
 * Sends the stack of the current task, whose user part begins with the registers in user.regs. If
 * the collector must walk the user part and the ring has no room for a copy, sends the frames that
 * are known. `stop` is then UNWIND_STOP_NOT, because the real stack has more frames.
 */
static __always_inline void send_whole_stack(struct wait_stack *stack, enum raw_use use)
{
	struct scratch *scratch = stack->scratch;

	if (!no_user_stacks && !walk_user_if_known(scratch, stack->tgid, stack->life)) {
		if (send_wait_copy(stack, use))
			return;
		wait_count(stack->counters, WIRE_LACK_RAW_ROOM);
		forget_user_part(scratch);
		scratch->user.stop = UNWIND_STOP_NOT;
	}
	send_wait_stack(stack);
}

/*
 * Sets stack->ring and stack->scratch. Returns WIRE_ENDS_COUNT on success. Otherwise returns the
 * reason of the failure, and the caller must count it.
 */
static __always_inline enum wire_reason find_wait_places(struct wait_stack *stack,
							 enum wait_scratch which)
{
	uint32_t index = which;

	stack->ring = ring_of_this_cpu();
	if (!stack->ring)
		return WIRE_END_RING_MISSING;
	stack->scratch = bpf_map_lookup_elem(&wait_scratches, &index);
	if (!stack->scratch)
		return WIRE_END_SCRATCH_MISSING;
	return WIRE_ENDS_COUNT;
}

#endif
