/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopwatch.bpf.c - measures spans: the time from the entry of a function to its return
 *
 * The programs are attached at the entries and returns of user functions and system calls. Each
 * attachment has the number of its span as its cookie. See span.h for what is stored.
 */
#include "bpf/kernel_types.h"
#include "bpf/span.h"

char stopwatch_license[] SEC("license") = "GPL";

/* ---- set before loading ---- */

const volatile uint32_t span_count = 1;
const volatile uint8_t all_processes = 1;	/* 0: only those in `targets` */
const volatile uint32_t call_spans[SPAN_CALLS] = { 0 };	/* by number: the span plus 1, or 0 */

/* ---- set while running ---- */

volatile uint8_t enabled = 0;	/* spans that begin while this is 0 are not measured */

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct span_stack);
} stacks SEC(".maps");

/* Indexed by CPU, then by span. The loader sets the real size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct span_sum);
} sums SEC(".maps");

/* tgid -> 1. Children of these processes join them when they are forked. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPAN_TARGETS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, uint32_t);
	__type(value, uint8_t);
} targets SEC(".maps");

/* ---- sums ---- */

static __always_inline struct span_sum *sum_of(uint32_t span)
{
	uint32_t at = bpf_get_smp_processor_id() * span_count + span;

	return span < span_count ? bpf_map_lookup_elem(&sums, &at) : NULL;
}

static __always_inline void add(uint64_t *number, uint64_t value)
{
	__sync_fetch_and_add(number, value);
}

static __always_inline void miss(uint32_t span, enum span_miss why)
{
	struct span_sum *sum = sum_of(span);

	if (sum)
		add(&sum->misses[why], 1);
}

/* Makes *@number at least @value. Gives up if others change it all the time. */
static __always_inline void raise(uint64_t *number, uint64_t value)
{
	for (int i = 0; i < 8; i++) {
		uint64_t now = *(volatile uint64_t *)number;

		if (now >= value || __sync_val_compare_and_swap(number, now, value) == now)
			return;
	}
}

/* Adds the square of @ns, which does not fit into 64 bits if @ns does not fit into 32. */
static __always_inline void add_square(struct span_sum *sum, uint64_t ns)
{
	uint64_t square;

	if (ns >> 32) {
		ns >>= 16;
		add(&sum->square_high, ns * ns);
		return;
	}
	square = ns * ns;
	add(&sum->square_low, square & UINT32_MAX);
	add(&sum->square_high, square >> 32);
}

static __always_inline void measured(uint32_t span, uint64_t ns)
{
	struct span_sum *sum = sum_of(span);
	uint32_t bucket = span_bucket(ns);

	if (!sum || bucket >= SPAN_BUCKETS)
		return;
	add(&sum->count, 1);
	add(&sum->ns, ns);
	add_square(sum, ns);
	if (*(volatile uint64_t *)&sum->least < ~ns)
		raise(&sum->least, ~ns);
	if (*(volatile uint64_t *)&sum->most_ns < ns)
		raise(&sum->most_ns, ns);
	add(&sum->buckets[bucket], 1);
}

/* ---- spans of the current task ---- */

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
 * Returns the number of spans that are still in use when the stack pointer is @sp: the stack grows
 * down, so what is below @sp was left.
 */
static __always_inline uint32_t used_depth(struct span_stack *stack, uint64_t sp)
{
	uint32_t depth = stack->depth;

	for (uint32_t i = 0; i < SPAN_DEPTH; i++) {
		uint32_t top = depth - 1;

		if (depth == 0 || frame_at(stack, top)->sp >= sp)
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

static __always_inline int is_target(void)
{
	uint32_t tgid = (uint32_t)(bpf_get_current_pid_tgid() >> 32);

	return all_processes || bpf_map_lookup_elem(&targets, &tgid);
}

/* @ctx has the registers of a function. For a system call, it is NULL and @sp is 0. */
static __always_inline int enter(uint32_t span, uint64_t sp, struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct span_stack *stack;
	struct span_frame *frame;
	uint32_t depth;

	if (!enabled || !is_target())
		return 0;
	stack = stack_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!stack) {
		miss(span, SPAN_NO_MEMORY);
		return 0;
	}
	leave_before(stack, task, sp, ctx);
	depth = stack->depth;
	if (depth >= SPAN_DEPTH) {
		miss(span, SPAN_TOO_DEEP);
		return 0;
	}
	frame = frame_at(stack, depth);
	frame->span = span;
	frame->sp = sp;
	stack->depth = depth + 1;
	frame->start_ns = bpf_ktime_get_ns();
	return 0;
}

/* @sp is what the stack pointer was at the entry. */
static __always_inline int leave(uint32_t span, uint64_t sp, uint64_t now_ns)
{
	struct span_stack *stack = stack_of(bpf_get_current_task_btf(), 0);
	struct span_frame *frame;
	uint32_t top;

	if (!stack) {
		if (enabled && is_target())
			miss(span, SPAN_NO_ENTRY);
		return 0;
	}
	leave_open(stack, used_depth(stack, sp));
	top = stack->depth - 1;
	frame = frame_at(stack, top);
	/* The span was too deep, or this is a jump inside a function that is still in use. */
	if (stack->depth && frame->sp > sp)
		return 0;
	if (stack->depth == 0 || frame->span != span || frame->sp != sp) {
		if (enabled && is_target())
			miss(span, SPAN_NO_ENTRY);
		return 0;
	}
	stack->depth = top;
	measured(span, now_ns - frame->start_ns);
	return 0;
}

/* ---- points ---- */

static __always_inline long call_number(const struct pt_regs___kernel *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (long)regs->orig_ax;
#else
	return regs->syscallno;
#endif
}

static __always_inline int runs_32bit_code(const struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return task->thread_info.status & TS_COMPAT;
#else
	return task->thread_info.flags & TIF_32BIT;
#endif
}

#if defined(__TARGET_ARCH_x86)
#define RETURN_BYTES 8	/* a return takes its address from the stack */
#else
#define RETURN_BYTES 0
#endif

SEC("uprobe")
int BPF_KPROBE(function_entry)
{
	return enter((uint32_t)bpf_get_attach_cookie(ctx), PT_REGS_SP(ctx), ctx);
}

/* At an instruction that returns: the stack pointer is what it was at the entry. */
SEC("uprobe")
int BPF_KPROBE(function_exit)
{
	uint64_t now_ns = bpf_ktime_get_ns();

	return leave((uint32_t)bpf_get_attach_cookie(ctx), PT_REGS_SP(ctx), now_ns);
}

SEC("uretprobe")
int BPF_KRETPROBE(function_return)
{
	uint64_t now_ns = bpf_ktime_get_ns();

	return leave((uint32_t)bpf_get_attach_cookie(ctx), PT_REGS_SP(ctx) - RETURN_BYTES, now_ns);
}

/* Returns the span of the current task's system call plus 1, or 0. */
static __always_inline uint32_t span_of_call(long number)
{
	/* System calls of 32-bit programs have other numbers. */
	return number >= 0 && number < SPAN_CALLS && !runs_32bit_code(bpf_get_current_task_btf())
		       ? call_spans[number]
		       : 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(call_entry, struct pt_regs___kernel *regs, long number)
{
	uint32_t span = span_of_call(number);

	return span ? enter(span - 1, 0, NULL) : 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(call_return, struct pt_regs___kernel *regs, long result)
{
	uint64_t now_ns = bpf_ktime_get_ns();
	uint32_t span = span_of_call(call_number(regs));

	return span ? leave(span - 1, 0, now_ns) : 0;
}

/* ---- tasks ---- */

SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_forked, struct task_struct *parent, struct task_struct *child)
{
	uint32_t from = (uint32_t)parent->tgid, tgid = (uint32_t)child->tgid;
	uint8_t one = 1;

	if (from != tgid && bpf_map_lookup_elem(&targets, &from))
		(void)bpf_map_update_elem(&targets, &tgid, &one, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_exits, struct task_struct *task)
{
	struct span_stack *stack = stack_of(bpf_get_current_task_btf(), 0);

	if (stack)
		leave_open(stack, 0);
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
	leave_open(stack, 0);
	if (call.sp == 0) {
		stack->frames[0] = call;
		stack->depth = 1;
	}
	return 0;
}
