/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h - which kind of work the CPU was doing: user code, a system call, an interrupt
 *
 * If a sample is taken while a network card's interrupt handler runs, the process that happens to
 * be current did not cause that work. The context records this, so that every table can be shown
 * with and without interrupt time.
 *
 * The context is derived only from the kernel's own text ranges. context_of_chain() looks up the
 * range of each frame of the kernel callchain, innermost frame first. The bounds of the ranges are
 * the marker symbols that the kernel's linker script defines (vmlinux.lds.S: __irqentry_text_start
 * and similar) and kallsyms lists. No list of function names is used. The markers alone leave two
 * cases ambiguous (x86_64, kernels 5.15 to 6.18):
 *   - __irqentry_text holds the entry stubs of both exceptions and device interrupts. The stubs
 *     that DECLARE_IDTENTRY() generates for exceptions have the prefix asm_exc_, from which
 *     elf/kallsyms makes a table of sub-ranges.
 *   - Since 6.10, __softirqentry_text holds only a stub. The bounds of the softirq loop itself are
 *     added as a range.
 * The scheduler can run on top of an interrupt frame, if the interrupt preempts the task on return.
 * So if a frame in __sched_text is nearer to the leaf than an interrupt frame, the sample does not
 * count as interrupt.
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
	CONTEXT_IDLE,		/* the idle task, idling: in a __cpuidle_text function */
	CONTEXT_KTHREAD,	/* a kernel thread, or the idle task while it does other work */
	CONTEXT_KERNEL,		/* kernel mode, entry unknown (no callchain or no kallsyms) */
	CONTEXT_COUNT
};

/* Returns the name that tables, JSON and filters use for @context: "user", "syscall", ... */
const char *context_name(enum context context);

/* Returns the context with the name @name, or -1. */
int context_of_name(const char *name);

/*
 * Returns true for hardware and software interrupts, whose time does not belong to the current
 * task.
 */
static inline bool context_is_interrupt(enum context context)
{
	return context == CONTEXT_SOFTIRQ || context == CONTEXT_HARDIRQ || context == CONTEXT_NMI;
}

/* Kinds of text ranges. The kind of range that a frame lies in helps to determine the context. */
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
