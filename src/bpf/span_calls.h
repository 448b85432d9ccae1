/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_calls.h - calls: the stack of spans of each task
 *
 * Part of stopwatch.bpf.c, which includes it.
 *
 * User functions are at the bottom of the stack, then perhaps a system call, then functions of the
 * kernel. Stack pointers of the kernel are greater than those of the user. They are compared only
 * if they are on the same stack, because the kernel handles interrupts on others.
 */
#ifndef ASSAY_BPF_SPAN_CALLS_H
#define ASSAY_BPF_SPAN_CALLS_H

#include "bpf/kernel_types.h"
#include "bpf/span.h"
#include "bpf/span_groups.h"
#include "bpf/span_sums.h"
#include "bpf/span_targets.h"

/* ---- set before loading ---- */

const volatile uint64_t probe_ns[SPAN_COSTS] = { 0 };	/* what a call with probes takes longer */

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct span_stack);
} stacks SEC(".maps");

/* ---- the stack ---- */

#define KERNEL_STACK_BYTES 16384u	/* of tasks and interrupts, and aligned to this */

static __always_inline int is_kernel_sp(uint64_t sp)
{
	return (int64_t)sp < 0;
}

/* Returns true if the call with stack pointer @sp is over when the stack pointer is @now. */
static __always_inline int was_left(uint64_t sp, uint64_t now)
{
	if (is_kernel_sp(sp) && is_kernel_sp(now))
		return (sp ^ now) < KERNEL_STACK_BYTES && sp < now;
	return is_kernel_sp(sp) || (!is_kernel_sp(now) && sp < now);
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

/* Leaves the spans above @depth, which have not returned and will not. */
static __always_inline void leave_open(struct span_stack *stack, uint32_t depth)
{
	for (uint32_t i = 0; i < SPAN_DEPTH; i++) {
		uint32_t top = stack->depth - 1;

		if (stack->depth <= depth)
			break;
		miss(frame_at(stack, top)->span, SPAN_OPEN);
		stack->depth = top;
	}
}

/*
 * Returns the number of spans that are still in use when the stack pointer is @sp: stacks grow
 * down, so what is below @sp was left.
 */
static __always_inline uint32_t used_depth(struct span_stack *stack, uint64_t sp)
{
	uint32_t depth = stack->depth;

	for (uint32_t i = 0; i < SPAN_DEPTH; i++) {
		uint32_t top = depth - 1;

		if (depth == 0 || !was_left(frame_at(stack, top)->sp, sp))
			break;
		depth = top;
	}
	return depth;
}

/* Returns where the function that was just entered returns to. */
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
	leave_open(stack, used_depth(stack, sp));
	if (stack->depth == 0 || frame_at(stack, stack->depth - 1)->sp != sp ||
	    is_tail_call(task, ctx))
		return;
	leave_open(stack, used_depth(stack, sp + 1));
}

/* ---- entry and return ---- */

static __always_inline int push(struct span_stack *stack, uint32_t span, uint64_t sp,
				uint64_t value)
{
	uint32_t depth = stack->depth;
	struct span_frame *frame;

	if (depth >= SPAN_DEPTH) {
		miss(span, SPAN_TOO_DEEP);
		return 0;
	}
	frame = frame_at(stack, depth);
	frame->span = span;
	frame->sp = sp;
	frame->probes_ns = 0;
	frame->value = value;
	stack->depth = depth + 1;
	frame->start_ns = bpf_ktime_get_ns();
	return 0;
}

/*
 * @ctx has the registers of a user function. For a system call, it is NULL and @sp is 0; for a
 * function of the kernel, it is NULL. @value: by which spans are grouped, or 0.
 */
static __always_inline int enter(uint32_t span, uint64_t sp, struct pt_regs *ctx, uint64_t value)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct span_stack *stack;

	if (!enabled || !is_target(current_tgid()))
		return 0;
	stack = stack_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!stack) {
		miss(span, SPAN_NO_MEMORY);
		return 0;
	}
	if (ctx)
		leave_before(stack, task, sp, ctx);
	else
		leave_open(stack, used_depth(stack, sp));
	return push(stack, span, sp, value);
}

/* How a call has ended. */
struct span_end {
	uint64_t now_ns;
	uint64_t result;
};

/* Takes the top frame, whose call has returned. The call around it took longer by its probes. */
static __always_inline int pop(struct span_stack *stack, uint64_t cookie,
			       const struct span_end *end)
{
	uint32_t top = stack->depth - 1;
	struct span_frame *frame = frame_at(stack, top);
	uint64_t ns = end->now_ns - frame->start_ns, probes_ns = frame->probes_ns;
	struct span_group group;
	struct span_sum *sum;

	stack->depth = top;
	group_of(bpf_get_current_task_btf(), by == SPAN_BY_RESULT ? end->result : frame->value,
		 &group);
	sum = measured(span_of_cookie(cookie), &group, ns > probes_ns ? ns - probes_ns : 0);
	if (sum && probes_ns)
		add(&sum->probes_ns, probes_ns);
	if (top)
		frame_at(stack, top - 1)->probes_ns += probes_ns +
						       probe_ns[span_cost_of_cookie(cookie)];
	return 0;
}

/* Of a user function, or of a system call. @sp is what the stack pointer was at the entry. */
static __always_inline int leave(uint64_t cookie, uint64_t sp, const struct span_end *end)
{
	uint32_t span = span_of_cookie(cookie);
	struct span_stack *stack = stack_of(bpf_get_current_task_btf(), 0);
	struct span_frame *frame;

	if (!stack)
		return had_no_entry(span);
	leave_open(stack, used_depth(stack, sp));
	frame = frame_at(stack, stack->depth - 1);
	/* The span was too deep, or this is a jump inside a function that is still in use. */
	if (stack->depth && frame->sp > sp)
		return 0;
	if (stack->depth == 0 || frame->span != span || frame->sp != sp)
		return had_no_entry(span);
	return pop(stack, cookie, end);
}

/*
 * Functions of the kernel always return, in the reverse order of their entries, but the kernel may
 * have skipped the probe of a return.
 */
static __always_inline int leave_kernel(uint64_t cookie, const struct span_end *end)
{
	uint32_t span = span_of_cookie(cookie), depth;
	struct span_stack *stack = stack_of(bpf_get_current_task_btf(), 0);

	if (!stack)
		return had_no_entry(span);
	depth = stack->depth;
	for (uint32_t i = 0; i < SPAN_DEPTH; i++) {
		struct span_frame *frame = frame_at(stack, depth - 1);

		if (depth == 0 || !is_kernel_sp(frame->sp))
			return had_no_entry(span);
		if (frame->span == span)
			break;
		depth--;
	}
	leave_open(stack, depth);
	return stack->depth ? pop(stack, cookie, end) : 0;
}

#endif
