/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopwatch.bpf.c - measures spans: the time from the entry of a function to its return, or from
 * one point to another
 *
 * Each attachment of a program has a cookie, which says what is done there. See span.h for the
 * cookie and for what is stored.
 */
#include "bpf/kernel_types.h"
#include "bpf/kernel_fields.h"
#include "bpf/span.h"
#include "bpf/span_sums.h"
#include "bpf/span_calls.h"
#include "bpf/span_caller.h"
#include "bpf/span_join.h"
#include "bpf/span_usdt.h"

char stopwatch_license[] SEC("license") = "GPL";

/* ---- set before loading ---- */

/* By number of the system call: the cookie plus 1, or 0. */
const volatile uint64_t call_entries[SPAN_CALLS] = { 0 }, call_returns[SPAN_CALLS] = { 0 };
const volatile uint32_t run_queue_span = 0;

/* ---- functions ---- */

#if defined(__TARGET_ARCH_x86)
#define RETURN_BYTES 8	/* a return takes its address from the stack */
#else
#define RETURN_BYTES 0
#endif

static __always_inline int join_entry(struct pt_regs *ctx, uint64_t cookie)
{
	uint64_t now_ns = bpf_ktime_get_ns();
	struct span_point point = point_of_entry(ctx);

	return join(&point, NULL, cookie, now_ns);
}

static __always_inline int join_return(const struct span_end *end, uint64_t cookie)
{
	struct span_point point = point_of_return(end->result);

	return join(&point, NULL, cookie, end->now_ns);
}

static __always_inline struct span_entry entry_at(const struct span_point *point, uint64_t cookie)
{
	return (struct span_entry){
		.values = by_values_at(point, NULL, cookie),
		.measured = measure == SPAN_ARGUMENT
				    ? entry_value_at(point, NULL, cookie, SPAN_MEASURED)
				    : 0,
	};
}

static __always_inline struct span_entry entry_of(struct pt_regs *ctx, uint64_t cookie)
{
	struct span_point point;

	if (by != SPAN_BY_VALUE && measure != SPAN_ARGUMENT)
		return (struct span_entry){ 0 };
	point = point_of_entry(ctx);
	return entry_at(&point, cookie);
}

static __always_inline struct span_end end_of(struct pt_regs *ctx)
{
	return (struct span_end){ .now_ns = bpf_ktime_get_ns(),
				  .result = (uint64_t)PT_REGS_RC(ctx) };
}

SEC("uprobe")
int BPF_KPROBE(function_entry)
{
	uint64_t cookie = bpf_get_attach_cookie(ctx);
	struct span_entry entry;

	if (is_joined(cookie))
		return join_entry(ctx, cookie);
	entry = entry_of(ctx, cookie);
	return enter(span_of_cookie(cookie), PT_REGS_SP(ctx), ctx, &entry);
}

/* At an instruction that returns: the stack pointer is what it was at the entry. */
SEC("uprobe")
int BPF_KPROBE(function_exit)
{
	struct span_end end = end_of(ctx);
	uint64_t cookie = bpf_get_attach_cookie(ctx);

	if (is_joined(cookie))
		return join_return(&end, cookie);
	return leave(cookie, PT_REGS_SP(ctx), &end);
}

SEC("uretprobe")
int BPF_KRETPROBE(function_return)
{
	struct span_end end = end_of(ctx);
	uint64_t cookie = bpf_get_attach_cookie(ctx);

	if (is_joined(cookie))
		return join_return(&end, cookie);
	return leave(cookie, PT_REGS_SP(ctx) - RETURN_BYTES, &end);
}

/* Programs of their own, because older kernels refuse a callback even where it is never called. */
SEC("uprobe")
int BPF_KPROBE(function_exit_by_caller)
{
	struct span_end end = end_of(ctx);

	find_caller(return_address(ctx), &end.caller);
	return leave(bpf_get_attach_cookie(ctx), PT_REGS_SP(ctx), &end);
}

/* The kernel has put the real return address back. */
SEC("uretprobe")
int BPF_KRETPROBE(function_return_by_caller)
{
	struct span_end end = end_of(ctx);

	find_caller(PT_REGS_IP(ctx), &end.caller);
	return leave(bpf_get_attach_cookie(ctx), PT_REGS_SP(ctx) - RETURN_BYTES, &end);
}

/* A static probe. If an argument cannot be read, the other end of the span finds that it lacks. */
SEC("uprobe")
int BPF_KPROBE(usdt_hit)
{
	uint64_t now_ns = bpf_ktime_get_ns(), cookie = bpf_get_attach_cookie(ctx);
	uint32_t place = span_place_of_cookie(cookie);
	struct span_point point = { 0 };

	if (place && read_arguments(ctx, place, &point))
		return 0;
	return is_joined(cookie) ? join(&point, NULL, cookie, now_ns)
				 : measure_here(&point, NULL, cookie);
}

/* ---- functions of the kernel ---- */

static __always_inline int kernel_entry(struct pt_regs *ctx)
{
	uint64_t cookie = bpf_get_attach_cookie(ctx);
	struct span_entry entry;

	if (is_joined(cookie))
		return join_entry(ctx, cookie);
	entry = entry_of(ctx, cookie);
	return enter(span_of_cookie(cookie), PT_REGS_SP(ctx), NULL, &entry);
}

static __always_inline int kernel_return(struct pt_regs *ctx)
{
	struct span_end end = end_of(ctx);
	uint64_t cookie = bpf_get_attach_cookie(ctx);

	if (is_joined(cookie))
		return join_return(&end, cookie);
	return leave_kernel(cookie, &end);
}

/* Many functions at once, with one link. */
SEC("kprobe.multi")
int BPF_KPROBE(kernel_entries)
{
	return kernel_entry(ctx);
}

SEC("kretprobe.multi")
int BPF_KRETPROBE(kernel_returns)
{
	return kernel_return(ctx);
}

/* One function with one perf event, where the kernel has no other way. */
SEC("kprobe")
int BPF_KPROBE(kernel_entry_alone)
{
	return kernel_entry(ctx);
}

SEC("kretprobe")
int BPF_KRETPROBE(kernel_return_alone)
{
	return kernel_return(ctx);
}

/* ---- system calls ---- */

static __always_inline long call_number(const struct pt_regs___kernel *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (long)regs->orig_ax;
#else
	return regs->syscallno;
#endif
}

/* System calls of 32-bit programs have other numbers. */
static __always_inline int runs_32bit_code(const struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return task->thread_info.status & TS_COMPAT;
#else
	return task->thread_info.flags & TIF_32BIT;
#endif
}

SEC("tp_btf/sys_enter")
int BPF_PROG(call_entry, struct pt_regs___kernel *regs, long number)
{
	uint64_t cookie = number >= 0 && number < SPAN_CALLS ? call_entries[number] : 0;
	struct span_point point;
	struct span_entry entry;

	if (!cookie || runs_32bit_code(bpf_get_current_task_btf()))
		return 0;
	cookie--;
	point = point_of_call(regs);
	if (is_joined(cookie))
		return join(&point, NULL, cookie, bpf_ktime_get_ns());
	entry = entry_at(&point, cookie);
	return enter(span_of_cookie(cookie), 0, NULL, &entry);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(call_return, struct pt_regs___kernel *regs, long result)
{
	struct span_end end = { .now_ns = bpf_ktime_get_ns(), .result = (uint64_t)result };
	long number = call_number(regs);
	uint64_t cookie = number >= 0 && number < SPAN_CALLS ? call_returns[number] : 0;

	if (!cookie || runs_32bit_code(bpf_get_current_task_btf()))
		return 0;
	cookie--;
	return is_joined(cookie) ? join_return(&end, cookie) : leave(cookie, 0, &end);
}

/* ---- tracepoints ---- */

SEC("tracepoint")
int tracepoint_hit(void *ctx)
{
	uint64_t now_ns = bpf_ktime_get_ns(), cookie = bpf_get_attach_cookie(ctx);
	struct span_point point = { 0 };

	return is_joined(cookie) ? join(&point, ctx, cookie, now_ns)
				 : measure_here(&point, ctx, cookie);
}

/* ---- the run queue ---- */

/* Tasks that could run wait here for a CPU, from the moment when they are woken or preempted. */
static __always_inline struct span_start_key run_queue_key(const struct task_struct *task)
{
	return (struct span_start_key){ .span = run_queue_span, .values = { (uint32_t)task->pid } };
}

static __always_inline void begin_wait(const struct task_struct *task)
{
	struct span_start_key key = run_queue_key(task);
	struct span_start start = { .now_ns = bpf_ktime_get_ns() };
	struct span_values values = { 0 };

	if (!enabled || !task->pid || !is_target((uint32_t)task->tgid))
		return;
	group_of(task, &values, &start.group);
	if (bpf_map_update_elem(&starts, &key, &start, BPF_ANY) < 0)
		miss(run_queue_span, SPAN_NO_MEMORY);
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(task_wakes, struct task_struct *task)
{
	begin_wait(task);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(task_begins, struct task_struct *task)
{
	begin_wait(task);
	return 0;
}

/* A task may be woken before it has gone to sleep: then it has not waited. */
SEC("tp_btf/sched_switch")
int BPF_PROG(task_switches, _Bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct span_start_key key = run_queue_key(next);

	(void)end(&key, bpf_ktime_get_ns(), (uint32_t)next->tgid, (uint32_t)next->pid);
	if (preempt || state_of(prev) == 0) {
		begin_wait(prev);
		return 0;
	}
	key = run_queue_key(prev);
	(void)bpf_map_delete_elem(&starts, &key);
	return 0;
}

/* ---- waits inside calls ---- */

/* Only tasks that are in a measured call have to be followed. */
SEC("tp_btf/sched_switch")
int BPF_PROG(call_waits, _Bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct span_stack *stack = stack_of(prev, 0);
	uint64_t now_ns = bpf_ktime_get_ns();

	if (stack && stack->depth) {
		if (counts_anything())
			counters_advance(stack);
		stack->off_at_ns = now_ns;
		stack->queued_at_ns = preempt || state_of(prev) == 0 ? now_ns : 0;
	}
	stack = stack_of(next, 0);
	if (stack)
		switched_in(stack, now_ns);
	return 0;
}

static __always_inline int call_is_woken(struct task_struct *task)
{
	struct span_stack *stack = stack_of(task, 0);

	if (stack && stack->off_at_ns && !stack->queued_at_ns)
		stack->queued_at_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(call_wakes, struct task_struct *task)
{
	return call_is_woken(task);
}

/* The child of a fork may return from the calls of its parent. */
SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(call_begins, struct task_struct *task)
{
	return call_is_woken(task);
}

/* ---- tasks ---- */

SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_forked, struct task_struct *parent, struct task_struct *child)
{
	uint32_t from = (uint32_t)parent->tgid, tgid = (uint32_t)child->tgid;
	uint8_t one = 1;

	inherit_calls(parent, child);
	if (from != tgid && bpf_map_lookup_elem(&targets, &from))
		(void)bpf_map_update_elem(&targets, &tgid, &one, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_exits, struct task_struct *task)
{
	struct span_stack *stack = stack_of(bpf_get_current_task_btf(), 0);

	if (stack)
		leave_all(stack);
	return 0;
}

/* The first task of a process may exit long before the others, but it is freed after them. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(task_freed, struct task_struct *task)
{
	uint32_t tgid = (uint32_t)task->tgid;

	if (task->pid == task->tgid)
		(void)bpf_map_delete_elem(&targets, &tgid);
	return 0;
}

/* Nothing of the old program returns but the system call. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(task_executes, struct task_struct *task)
{
	struct span_stack *stack = stack_of(bpf_get_current_task_btf(), 0);
	struct span_frame call;
	uint32_t top;

	if (!stack || !stack->depth)
		return 0;
	top = stack->depth - 1;
	call = *frame_at(stack, top);
	if (call.sp == 0)
		stack->depth = top;
	leave_all(stack);
	if (call.sp == 0) {
		stack->frames[0] = call;
		stack->depth = 1;
	}
	return 0;
}
