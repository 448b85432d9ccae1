/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_calls.h - calls: what happens when a function is entered and when it returns
 *
 * Part of stopwatch.bpf.c, which includes it.
 */
#ifndef ASSAY_BPF_SPAN_CALLS_H
#define ASSAY_BPF_SPAN_CALLS_H

#include "bpf/kernel_types.h"
#include "bpf/span.h"
#include "bpf/span_counters.h"
#include "bpf/span_groups.h"
#include "bpf/span_sent_calls.h"
#include "bpf/span_stack.h"
#include "bpf/span_sums.h"
#include "bpf/span_targets.h"

/* ---- set before loading ---- */

const volatile uint64_t probe_ns[SPAN_COSTS] = { 0 };	/* what a call with probes takes longer */
const volatile uint32_t measure = SPAN_TIME;

static __always_inline int measures_time(void)
{
	return measure == SPAN_TIME || records_spans;
}

/* ---- on and off CPUs ---- */

/* The task has come back to a CPU. */
static __always_inline void switched_in(struct span_stack *stack, uint64_t now_ns)
{
	if (!stack->off_at_ns)
		return;
	if (counts_anything())
		counters_begin(stack);
	stack->off_ns += now_ns - stack->off_at_ns;
	if (stack->queued_at_ns)
		stack->run_queue_ns += now_ns - stack->queued_at_ns;
	stack->off_at_ns = stack->queued_at_ns = 0;
}

/*
 * Called where the task executes. If the kernel has not told that it came back, what it counted
 * since then is not known. In some virtual machines, switches from certain tasks are not traced.
 */
static __always_inline void seen_running(struct span_stack *stack)
{
	if (!stack->off_at_ns)
		return;
	stack->counter_errors++;
	switched_in(stack, bpf_ktime_get_ns());
}

/* ---- entry and return ---- */

/* The values that a call has where it begins. */
struct span_entry {
	struct span_values values;	/* by which spans are grouped, or 0 */
	uint64_t measured;	/* the argument that is measured, or 0 */
};

static __always_inline int push(struct span_stack *stack, uint32_t span, uint64_t sp,
				const struct span_entry *entry)
{
	uint32_t depth = stack->depth;
	struct span_frame *frame;

	if (depth >= SPAN_DEPTH) {
		miss(span, SPAN_TOO_DEEP);
		return 0;
	}
	seen_running(stack);
	frame = frame_at(stack, depth);
	frame->span = span;
	frame->sp = sp;
	frame->probes_ns = 0;
	frame->is_inherited = 0;
	frame->values = entry->values;
	frame->measured = entry->measured;
	if (measures_waits) {
		frame->off_ns = stack->off_ns;
		frame->run_queue_ns = stack->run_queue_ns;
	}
	stack->depth = depth + 1;
	if (counts_anything()) {
		counters_advance(stack);
		counters_at_entry(stack, frame);
	}
	frame->start_ns = bpf_ktime_get_ns();
	return 0;
}

/*
 * @ctx has the registers of a user function. For a system call, it is NULL and @sp is 0; for a
 * function of the kernel, it is NULL.
 */
static __always_inline int enter(uint32_t span, uint64_t sp, struct pt_regs *ctx,
				 const struct span_entry *entry)
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
		leave_below(stack, task, sp);
	return push(stack, span, sp, entry);
}

/* How a call has ended. */
struct span_end {
	uint64_t now_ns;
	uint64_t result;
	struct span_caller caller;	/* for SPAN_BY_CALLER */
};

/* Takes the top frame, whose call has returned. The call around it took longer by its probes. */
static __always_inline int pop(struct span_stack *stack, uint64_t cookie,
			       const struct span_end *end)
{
	uint32_t top = stack->depth - 1;
	struct span_frame *frame = frame_at(stack, top);
	uint64_t ns = end->now_ns - frame->start_ns, probes_ns = frame->probes_ns;
	struct ended_span ended = {
		.start_ns = frame->start_ns,
		.end_ns = end->now_ns,
		.span = span_of_cookie(cookie),
	};
	struct span_values values = frame->values;
	struct span_group group;
	struct span_sum *sum;

	if (by >= SPAN_BY_RESULT)
		values.first = end->result;
	seen_running(stack);
	if (counts_anything())
		counters_advance(stack);
	ended.other_ns = probes_ns + sampler_ns(stack, frame);
	ns = ns > ended.other_ns ? ns - ended.other_ns : 0;
	stack->depth = top;
	if (by == SPAN_BY_CALLER)
		group = (struct span_group){ .id = end->caller.place,
					     .file = end->caller.file,
					     .mapping = end->caller.mapping };
	else
		group_of(bpf_get_current_task_btf(), &values, &group);
	if (measure == SPAN_RESULT)
		ended.value = (uint64_t)span_signed(end->result);
	else if (measure == SPAN_ARGUMENT)
		ended.value = frame->measured;
	if (measures_time())
		sum = measured(ended.span, &group, ns);
	else
		sum = measured_value(ended.span, &group, ended.value);
	if (measures_time() && measure != SPAN_TIME)
		add_value(sum, ended.value);
	if (sum && ended.other_ns && measures_time())
		add(&sum->probes_ns, ended.other_ns);
	if (sum && measures_waits && stack->off_ns != frame->off_ns) {
		add(&sum->off_ns, stack->off_ns - frame->off_ns);
		add(&sum->run_queue_ns, stack->run_queue_ns - frame->run_queue_ns);
	}
	record_call(stack, frame, &ended, ns);
	if (counts_anything())
		counters_at_return(stack, frame, span_cost_of_cookie(cookie), sum,
				   top ? frame_at(stack, top - 1) : NULL);
	if (top)
		frame_at(stack, top - 1)->probes_ns += probes_ns +
						       probe_ns[span_cost_of_cookie(cookie)];
	return 0;
}

/* Of a user function, or of a system call. @sp is what the stack pointer was at the entry. */
static __always_inline int leave(uint64_t cookie, uint64_t sp, const struct span_end *end)
{
	uint32_t span = span_of_cookie(cookie);
	struct task_struct *task = bpf_get_current_task_btf();
	struct span_stack *stack = stack_of(task, 0);
	struct span_frame *frame;

	if (!stack)
		return had_no_entry(span);
	leave_below(stack, task, sp);
	frame = frame_at(stack, stack->depth - 1);
	/* The span was too deep, or this is a jump inside a function that is still in use. */
	if (stack->depth && frame->sp > sp)
		return 0;
	if (stack->depth == 0 || frame->span != span || frame->sp != sp)
		return had_no_entry(span);
	return pop(stack, cookie, end);
}

/* Returns true if the task is in a call of this function of the kernel. */
static __always_inline int is_in_kernel_span(const struct span_stack *stack, uint32_t span)
{
	for (uint32_t i = 0; i < SPAN_DEPTH; i++) {
		uint32_t at = depth_of(stack) - 1 - i;
		const struct span_frame *frame = frame_at((struct span_stack *)stack, at);

		if (at >= SPAN_DEPTH || !is_kernel_sp(frame->sp))
			return 0;
		if (frame->span == span)
			return 1;
	}
	return 0;
}

/*
 * Functions of the kernel always return, in the reverse order of their entries, but the kernel may
 * have skipped the probe of a return.
 */
static __always_inline int leave_kernel(uint64_t cookie, const struct span_end *end)
{
	uint32_t span = span_of_cookie(cookie);
	struct span_stack *stack = stack_of(bpf_get_current_task_btf(), 0);

	if (!stack || !is_in_kernel_span(stack, span))
		return had_no_entry(span);
	for (uint32_t i = 0; i < SPAN_DEPTH; i++) {
		uint32_t depth = depth_of(stack);

		if (depth == 0 || frame_at(stack, depth - 1)->span == span)
			break;
		leave_open(stack, depth);
	}
	return stack->depth ? pop(stack, cookie, end) : 0;
}

#endif
