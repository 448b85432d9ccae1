/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h - which kind of work the CPU was doing: user code, a system call, an interrupt
 *
 * If a sample is taken while a network card's interrupt handler runs, the process that happens to
 * be current did not cause that work. The context records this, so that every table can be shown
 * with and without interrupt time.
 *
 * The context is derived only from the text ranges of the kernel. context_of_chain() takes the
 * frames of the kernel callchain, innermost first, and looks up the range that contains each frame.
 * Most ranges are the sections between two marker symbols. The kernel's linker script defines the
 * markers (vmlinux.lds.S: __irqentry_text_start and similar), and kallsyms lists them. In two cases
 * (x86_64, kernels 5.15 to 6.18) the markers are not enough, so process/kernel_text.c adds ranges:
 *   - __irqentry_text contains the entry stubs of both exceptions and device interrupts. The stubs
 *     of exceptions, which DECLARE_IDTENTRY() generates, get ranges of their own. Their names have
 *     the prefix asm_exc_.
 *   - Since 6.10, __softirqentry_text contains only a stub. The softirq loop, which is now outside
 *     this section, gets a range of its own.
 * If a hardware interrupt preempts the current task, the scheduler runs while the frame of the
 * interrupt is still on the stack. So if a frame in __sched_text is nearer to the leaf than the
 * frame of a hardware interrupt, the sample does not count as interrupt time.
 */
#ifndef ASSAY_MODEL_CONTEXT_H
#define ASSAY_MODEL_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum context {
	CONTEXT_USER,		/* user mode */
	CONTEXT_SYSCALL,	/* kernel mode, entered by a system call */
	CONTEXT_EXCEPTION,	/* kernel mode, entered by a fault or trap of the task */
	CONTEXT_SOFTIRQ,
	CONTEXT_HARDIRQ,
	CONTEXT_NMI,
	CONTEXT_IDLE,		/* the idle task, in a function of __cpuidle_text */
	CONTEXT_KTHREAD,	/* a kernel thread, or the idle task when it is not idling */
	CONTEXT_KERNEL,		/* kernel mode, entry unknown (no callchain or no kallsyms) */
	CONTEXT_COUNT
};

/* Returns the name that tables, JSON and filters use for @context: "user", "syscall", ... */
const char *context_name(enum context context);

/* Returns the context with the name @name, or -1. */
int context_of_name(const char *name);

/*
 * Returns true if @context is an interrupt: a hardware interrupt, a softirq or an NMI. The time of
 * an interrupt does not belong to the current task.
 */
static inline bool context_is_interrupt(enum context context)
{
	return context == CONTEXT_SOFTIRQ || context == CONTEXT_HARDIRQ || context == CONTEXT_NMI;
}

/* Kinds of text ranges. The kinds of the ranges that contain the frames determine the context. */
enum text_kind {
	TEXT_OTHER,
	TEXT_ENTRY,	/* __entry_text: entry code of system calls */
	TEXT_EXCEPTION,
	TEXT_HARDIRQ,
	TEXT_NMI,
	TEXT_SOFTIRQ,
	TEXT_CPUIDLE,
	TEXT_SCHED,
};

struct text_range {
	uint64_t start_addr;
	uint64_t end_addr;	/* first address after the range */
	enum text_kind kind;
};

/*
 * The kernel's text ranges, sorted by start_addr and not overlapping. Empty if kallsyms could not
 * be read.
 */
struct kernel_text {
	VEC(struct text_range) ranges;
};

void kernel_text_fini(struct kernel_text *text);
enum text_kind kernel_text_kind(const struct kernel_text *text, uint64_t addr);

/*
 * Returns the context of a sample in kernel mode.
 *
 * @addrs: the kernel frames, innermost first; at least one, because the sampled address is a frame
 * @kernel_task: the current task has no user part
 * @idle_task: the current task is the idle task (tid 0)
 */
enum context context_of_chain(const struct kernel_text *text, const uint64_t *addrs, size_t count,
			      bool kernel_task, bool idle_task);

#endif
