/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irq_time.h - times every interrupt handler of the machine (bpf/irq_time.bpf.c)
 *
 * Programs on the tracepoints around the handlers of devices' interrupts, of the CPUs' own where
 * the kernel has tracepoints around these (x86: timer, rescheduling, function calls ...) and of
 * softirqs.  Hardirqs that no tracepoint sees are counted from /proc/interrupts and have no time
 * (INTERRUPT_UNTIMED).  At times the kernel passes by its own tracepoints: what it counts more
 * than was timed is in rows of its own (INTERRUPT_SKIPPED_...), at the end.  Of an interrupt that
 * several devices share each handler is timed, and the kernel counts one: nothing seems skipped.
 *
 *	irq_time_new()		loads, measures its own cost, attaches
 *	irq_time_enable()	from now on
 *	irq_time_read()		at each flush: the counts so far into model->interrupts
 *	irq_time_disable()	until now; exact from here on: read once more
 *
 * While it runs the counts of one reading may be of slightly different moments.  All CPUs are
 * measured; those that were not asked for are left out on reading.  No process is: victims are
 * whoever was hit.
 *
 * Why the memory is read in place and not through bpf(2): a CPU that is inside bpf(2) is one
 * whose programs for perf events do not run; the sampler would miss ticks.  Why processes go to
 * a small table of each CPU and from there to a ring, and not to a hash: a hash adds 30 ns
 * where the table adds 7, and entries of processes that are gone cannot be taken out exactly.
 *
 * In a pid namespace the kernel's tgids are not those that /proc shows: there are no victims then.
 *
 * Needs CAP_BPF and CAP_PERFMON, Linux 5.17.
 */
#ifndef ASSAY_SAMPLER_IRQ_TIME_H
#define ASSAY_SAMPLER_IRQ_TIME_H

#include "base/err.h"
#include "perf/cpus.h"
#include "model/model.h"

/* Processes that saw less than this at once may be told apart by name alone: INTERRUPT_BRIEF. */
#define IRQ_TIME_BRIEF_NS 200000

/* Rows of victims in one recording; processes beyond are INTERRUPT_OTHERS. */
#define IRQ_TIME_VICTIMS_MAX 16384

struct irq_time;

/*
 * @cpus is copied; NULL or empty: all.  @brief_by_name: the brief victims share a row by name, for
 * where nobody will ask which of them belong to a command.  -EPERM: no privilege; -EOPNOTSUPP: the
 * kernel cannot, and what it lacks; others: what the verifier said last.
 */
int irq_time_new(const struct cpus *cpus, bool brief_by_name, struct irq_time **ret_irq_time,
		 struct err *err);
void irq_time_free(struct irq_time *irq_time);	/* NULL is fine */

/* Once each; what is being handled when they are called is not timed, or still is. */
void irq_time_enable(struct irq_time *irq_time);
void irq_time_disable(struct irq_time *irq_time);

/* The rows of an earlier reading of the same model are brought up to date. 0 or -ENOMEM. */
int irq_time_read(struct irq_time *irq_time, struct model *model);

/*
 * What a pair of programs around one handler takes: measured when they were loaded, on this CPU,
 * with warm caches; the way to the programs and back is not in it.
 */
uint64_t irq_time_pair_ns(const struct irq_time *irq_time);

#endif
