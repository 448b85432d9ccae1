/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_regs.h - the user-mode registers of a task
 *
 * A sample in user mode already has these registers. For a sample in kernel mode, they are where
 * the kernel saved them when the task entered the kernel. Kernel threads have no user registers,
 * and in io_uring worker threads they are all 0. A task that exits releases its memory (mm) long
 * before the task itself disappears. A task that calls exec() has no memory until the new program
 * is loaded. A task without memory runs only in the kernel, so it has no user part.
 */
#ifndef ASSAY_BPF_USER_REGS_H
#define ASSAY_BPF_USER_REGS_H

#include "bpf/kernel_fields.h"
#include "bpf/user_memory.h"

/*
 * Some code follows pointers from a task to other structures. This code is in global (non-static)
 * functions, to reduce the loading time. For each such pointer, Linux 6.3 and later search all
 * types of the kernel several times during verification. A global function is verified only once.
 * When this code was inlined, it was verified again on every path, which took most of the loading
 * time.
 */

/*
 * Returns true if @addr is in user space, which is the lower half of the address space. Returns
 * false for 0. The address is checked because ARM has no segment register that would tell user mode
 * from kernel mode.
 */
static __always_inline int is_user_address(uint64_t addr)
{
	return (int64_t)addr > 0;
}

#if defined(__TARGET_ARCH_x86)
#define CONTEXT_EXTRA(from) ((from)->r10)
#define CONTEXT_KEPT(from) ((from)->rbx)
#define CONTEXT_LINK(from) ((from)->rdi)
#define ENTRY_EXTRA(from) ((from)->r10)
#define ENTRY_KEPT(from) ((from)->bx)
#define ENTRY_LINK(from) ((from)->di)
#define ENTRY_FP(from) ((from)->bp)
#define ENTRY_IP(from) ((from)->ip)
#define ENTRY_RESULT(from) ((from)->ax)
#else
#define CONTEXT_EXTRA(from) ((from)->regs[30])
#define CONTEXT_KEPT(from) ((from)->regs[19])
#define CONTEXT_LINK(from) ((from)->regs[30])
#define ENTRY_EXTRA(from) ((from)->regs[30])
#define ENTRY_KEPT(from) ((from)->regs[19])
#define ENTRY_LINK(from) ((from)->regs[30])
#define ENTRY_FP(from) ((from)->regs[29])
#define ENTRY_IP(from) ((from)->pc)
#define ENTRY_RESULT(from) ((from)->regs[0])
#endif

static __always_inline void user_regs_of_context(struct bpf_perf_event_data *context,
						 struct unwind_regs *ret_regs)
{
	uint64_t ip = PT_REGS_IP(&context->regs);
	uint64_t sp = PT_REGS_SP(&context->regs);
	uint64_t fp = PT_REGS_FP(&context->regs);
	uint64_t extra = CONTEXT_EXTRA(&context->regs);
	uint64_t kept = CONTEXT_KEPT(&context->regs);
	uint64_t link = CONTEXT_LINK(&context->regs);
	uint64_t result = PT_REGS_RC(&context->regs);

	/* The verifier requires that each register is read at a constant offset in the context. */
	barrier_var(ip);
	barrier_var(sp);
	barrier_var(fp);
	barrier_var(extra);
	barrier_var(kept);
	barrier_var(link);
	barrier_var(result);
	*ret_regs = (struct unwind_regs){
		.ip = ip,
		.sp = sp,
		.fp = fp,
		.extra = extra,
		.link = link,
		.kept = kept,
		.has_extra = 1,
		.exact = 1,
		.is_new = result == 0,
	};
}

/*
 * Returns true if the current task runs a 32-bit program. Such a program has an address space of at
 * most 4 GiB.
 */
__noinline int task_is_32bit(void)
{
	const struct mm_struct *mm = bpf_get_current_task_btf()->mm;
	uint64_t size = mm && has_task_size() ? mm->task_size : 0;

	return size != 0 && size <= 1ull << 32;
}

/*
 * Returns the number of code pages that the current task has mapped. The number changes after
 * dlopen() and similar calls.
 */
__noinline uint32_t code_pages(void)
{
	const struct mm_struct *mm = bpf_get_current_task_btf()->mm;

	return mm && has_exec_vm() ? (uint32_t)mm->exec_vm : 0;
}

/*
 * Returns the address of the top of the current task's first stack: the value that sp had when the
 * program was started (mm->start_stack). Returns 0 if the task has no memory (mm).
 */
__noinline uint64_t first_stack_addr(void)
{
	const struct mm_struct *mm = bpf_get_current_task_btf()->mm;

	return mm ? start_stack_of(mm) : 0;
}

/* Reads the user registers of @task. Returns false if @task has no user part. */
static __always_inline int user_regs_of(struct task_struct *task, struct unwind_regs *ret_regs)
{
	const struct pt_regs___kernel *regs;
	const struct mm_struct *mm = task->mm;

	if (is_kernel_thread(task) || !mm || is_being_filled(mm))
		return 0;
	regs = (const struct pt_regs___kernel *)bpf_task_pt_regs(task);
	*ret_regs = (struct unwind_regs){
		.ip = ENTRY_IP(regs),
		.sp = regs->sp,
		.fp = ENTRY_FP(regs),
		.extra = ENTRY_EXTRA(regs),
		.link = ENTRY_LINK(regs),
		.kept = ENTRY_KEPT(regs),
		.has_extra = 1,
		.exact = 1,
		.is_new = ENTRY_RESULT(regs) == 0,
	};
	return is_user_address(ret_regs->ip);
}

/* Reads the user registers of the current task, as user_regs_of() does. */
__noinline int user_regs_of_task(struct unwind_regs *ret_regs)
{
	return ret_regs && user_regs_of(bpf_get_current_task_btf(), ret_regs);
}

#endif
