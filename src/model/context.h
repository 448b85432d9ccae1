/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h - on whose behalf was the CPU running?
 *
 * A sample taken while a network card's interrupt ran belongs to the process that happened to
 * be current only by accident.  The context says so, and lets every table be read with and
 * without interrupt time.
 *
 * It is decided from structure alone: in which of the kernel's own text ranges the frames of
 * the kernel callchain lie, innermost first.  The ranges come from the marker symbols that the
 * kernel's linker script defines (vmlinux.lds.S: __irqentry_text_start and its like), which
 * kallsyms lists; no list of function names is involved.  Two things the markers alone do not
 * say, and how they are settled (x86_64, kernels 5.15 to 6.18):
 *   - __irqentry_text holds the entry stubs of exceptions and of device interrupts alike.  The
 *     stubs that DECLARE_IDTENTRY() generates for exceptions carry the prefix asm_exc_;
 *     elf/kallsyms turns that into a table of sub-ranges.
 *   - since 6.10 __softirqentry_text holds a stub; the loop's own bounds are added as a range.
 * A frame in __sched_text nearer to the leaf than an interrupt frame means that the interrupt
 * preempted the task on its way out: what runs is the scheduler, not the interrupt.
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
	CONTEXT_IDLE,		/* the idle task in a __cpuidle_text function */
	CONTEXT_KTHREAD,	/* a kernel thread, or the idle task outside of idling */
	CONTEXT_KERNEL,		/* kernel mode, entry unknown (no callchain or no kallsyms) */
	CONTEXT_COUNT
};

/* "user", "syscall", ... as tables, JSON and filters spell them. */
const char *context_name(enum context context);

/* The context called @name, or -1. */
int context_of_name(const char *name);

/* Hardware and software interrupts: time that is not the current task's own. */
static inline bool context_is_interrupt(enum context context)
{
	return context == CONTEXT_SOFTIRQ || context == CONTEXT_HARDIRQ || context == CONTEXT_NMI;
}

/* What a frame in a range proves. */
enum text_kind {
	TEXT_OTHER,
	TEXT_ENTRY,	/* __entry_text: system call entry */
	TEXT_EXCEPTION,
	TEXT_HARDIRQ,
	TEXT_NMI,
	TEXT_SOFTIRQ,
	TEXT_CPUIDLE,
	TEXT_SCHED,
};

struct text_range {
	uint64_t start_addr;
	uint64_t end_addr;	/* one past */
	enum text_kind kind;
};

/* Sorted by start_addr, not overlapping; empty when kallsyms could not be read. */
struct kernel_text {
	VEC(struct text_range) ranges;
};

void kernel_text_fini(struct kernel_text *text);
enum text_kind kernel_text_kind(const struct kernel_text *text, uint64_t addr);

/*
 * The context of a sample in kernel mode: @addrs are the kernel frames, innermost first
 * (at least the sampled address itself).  @kernel_task: the current task has no user part;
 * @idle_task: it is the idle task (tid 0).
 */
enum context context_of_chain(const struct kernel_text *text, const uint64_t *addrs, size_t count,
			      bool kernel_task, bool idle_task);

#endif
