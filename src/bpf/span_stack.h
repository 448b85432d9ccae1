/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_stack.h - the calls that a task is in
 *
 * Part of stopwatch.bpf.c, which includes it.
 *
 * User functions are at the bottom of the stack, then perhaps a system call, then functions of the
 * kernel. Stack pointers of the kernel are greater than those of the user. They are compared only
 * if they are on the same stack, because the kernel handles interrupts on others, and a task may
 * have a stack for signal handlers.
 */
#ifndef ASSAY_BPF_SPAN_STACK_H
#define ASSAY_BPF_SPAN_STACK_H

#include "bpf/kernel_types.h"
#include "bpf/span.h"
#include "bpf/span_sums.h"

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct span_stack);
} stacks SEC(".maps");

#define KERNEL_STACK_BYTES 16384u	/* of tasks and interrupts, and aligned to this */

static __always_inline int is_kernel_sp(uint64_t sp)
{
	return (int64_t)sp < 0;
}

/* The stack of a task's signal handlers (sigaltstack(2)), which may be anywhere; or 0 bytes. */
struct signal_stack {
	uint64_t start_addr;
	uint64_t size_bytes;
};

static __always_inline int is_on(const struct signal_stack *stack, uint64_t sp)
{
	return sp - stack->start_addr < stack->size_bytes;
}

/*
 * Returns true if the call with stack pointer @sp is over if the stack pointer is @now. Handlers on
 * the stack for signals interrupt what is on the other one. @sp is 0 for a system call, which is
 * over before that.
 */
static __always_inline int was_left(const struct signal_stack *signals, uint64_t sp, uint64_t now)
{
	int on_signals = is_on(signals, sp);

	if (is_kernel_sp(sp) && is_kernel_sp(now))
		return (sp ^ now) < KERNEL_STACK_BYTES && sp < now;
	if (is_kernel_sp(sp) || is_kernel_sp(now))
		return is_kernel_sp(sp);
	return sp && on_signals != is_on(signals, now) ? on_signals : sp < now;
}

static __always_inline struct span_stack *stack_of(struct task_struct *task, uint64_t flags)
{
	return bpf_task_storage_get(&stacks, task, NULL, flags);
}

/* The barrier keeps the compiler from leaving out the mask, which the verifier wants to see. */
static __always_inline struct span_frame *frame_at(struct span_stack *stack, uint32_t i)
{
	barrier_var(i);
	return &stack->frames[i & (SPAN_DEPTH - 1)];
}

/*
 * Reads the depth from memory. A number that the verifier knows nothing about makes all iterations
 * of a loop look the same to it, so it looks at few of them. It would follow each value that it can
 * tell apart.
 */
static __always_inline uint32_t depth_of(const struct span_stack *stack)
{
	return *(const volatile uint32_t *)&stack->depth;
}

/* Leaves the innermost span, which has not returned and will not. */
static __always_inline void leave_open(struct span_stack *stack, uint32_t depth)
{
	const struct span_frame *frame = frame_at(stack, depth - 1);

	struct span_sum *sum = sum_of(frame->span);

	if (sum)	/* without a second branch, which the verifier would follow, too */
		add(&sum->misses[SPAN_OPEN], 1 - (frame->is_inherited & 1));
	stack->depth = depth - 1;
}

static __always_inline void leave_all(struct span_stack *stack)
{
	for (uint32_t i = 0; i < SPAN_DEPTH; i++) {
		uint32_t depth = depth_of(stack);

		if (depth == 0)
			break;
		leave_open(stack, depth);
	}
}

/* Leaves the spans that are no longer in use when the stack pointer is @sp: stacks grow down. */
static __always_inline void leave_below(struct span_stack *stack, const struct task_struct *task,
					uint64_t sp)
{
	struct signal_stack signals = { task->sas_ss_sp, task->sas_ss_size };

	for (uint32_t i = 0; i < SPAN_DEPTH; i++) {
		uint32_t depth = depth_of(stack);

		if (depth == 0 || !was_left(&signals, frame_at(stack, depth - 1)->sp, sp))
			break;
		leave_open(stack, depth);
	}
}

/*
 * Gives a new task the calls that it will return from, too: of a new process, all but functions of
 * the kernel; of a new thread, which has another stack, only the system call.
 */
static __always_inline void inherit_calls(struct task_struct *parent, struct task_struct *child)
{
	struct span_stack *from = stack_of(parent, 0), *to;

	if (!from || !from->depth)
		return;
	to = stack_of(child, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!to)
		return;
	to->off_at_ns = bpf_ktime_get_ns();
	for (uint32_t i = 0; i < SPAN_DEPTH; i++) {
		struct span_frame *frame = frame_at(from, i), *copy;
		uint32_t depth = depth_of(to);

		if (i >= depth_of(from))
			break;
		if (is_kernel_sp(frame->sp) || (parent->tgid == child->tgid && frame->sp != 0))
			continue;
		copy = frame_at(to, depth);
		*copy = *frame;
		copy->is_inherited = 1;
		copy->off_ns = copy->run_queue_ns = copy->probes_ns = 0;
		for (uint32_t k = 0; k < SPAN_COUNTERS; k++)
			copy->counts[k] = copy->probe_counts[k] = 0;
		copy->counter_errors = 0;
		to->depth = depth + 1;
	}
}

/* Returns where a function returns to, when it was just entered or returns now. */
static __always_inline uint64_t return_address(struct pt_regs *ctx)
{
#if defined(__TARGET_ARCH_x86)
	uint64_t addr = 0;

	(void)bpf_probe_read_user(&addr, sizeof(addr), (const void *)PT_REGS_SP(ctx));
	return addr;
#else
	return PT_REGS_RET(ctx);
#endif
}

/*
 * Returns true if the function that was just entered returns to the kernel's trampoline: it was not
 * called, but a function with a return probe has jumped to it (a tail call).
 */
static __always_inline int is_tail_call(struct task_struct *task, struct pt_regs *ctx)
{
	struct mm_struct *mm = task->mm;
	struct xol_area *area = mm ? mm->uprobes_state.xol_area : NULL;

	return ctx && area && area->vaddr == return_address(ctx);
}

/*
 * Leaves the spans that were left without a return before the current entry. A call at the same
 * stack pointer as the last one is a tail call from it, or the last one was left.
 */
static __always_inline void leave_before(struct span_stack *stack, struct task_struct *task,
					 uint64_t sp, struct pt_regs *ctx)
{
	uint32_t depth;

	leave_below(stack, task, sp);
	depth = depth_of(stack);
	if (depth == 0 || frame_at(stack, depth - 1)->sp != sp || is_tail_call(task, ctx))
		return;
	leave_below(stack, task, sp + 1);
}

#endif
