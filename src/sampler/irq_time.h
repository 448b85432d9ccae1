/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irq_time.h - times every interrupt handler of the machine (bpf/irq_time.bpf.c)
 *
 * BPF programs are attached to tracepoints before and after the handlers of three kinds of
 * interrupts: device interrupts, softirqs, and those of the CPUs' own interrupts that have
 * tracepoints (x86: timer, rescheduling, function calls ...). Hardirqs without a tracepoint are
 * counted from /proc/interrupts and have no time (INTERRUPT_UNTIMED). Sometimes the kernel handles
 * an interrupt without running its tracepoints. Interrupts that the kernel counted but that were
 * not timed get rows of their own at the end (INTERRUPT_SKIPPED_...). If several devices share an
 * interrupt, the kernel counts one interrupt, but each of the handlers is timed. Skipped interrupts
 * cannot be detected in this case.
 *
 *	irq_time_new()		loads the programs, measures their cost, attaches them
 *	irq_time_enable()	starts timing
 *	irq_time_read()		at each flush: copies the counts so far to model->interrupts
 *	irq_time_disable()	stops timing; the next irq_time_read() gets the exact final counts
 *
 * While timing runs, the counts of one reading may be from slightly different moments. All CPUs are
 * measured; CPUs that the user did not request are left out when the counts are read. Processes are
 * not filtered: a victim is any process that was interrupted.
 *
 * The counts are read from mapped memory, not with bpf(2). If bpf(2) were used, the sampler would
 * miss ticks, because BPF programs for perf events do not run on a CPU that is inside bpf(2). Each
 * CPU stores its victims in a small table. When a process needs a slot that another process has,
 * the entry of the other process is sent through a ring. A hash is not used for two reasons: an
 * update takes 30 ns instead of 7, and entries of exited processes cannot be removed from a hash
 * without losing counts.
 *
 * In a pid namespace, the kernel's tgids differ from the tgids in /proc, so no victims are recorded
 * there.
 *
 * Needs CAP_BPF and CAP_PERFMON, Linux 5.17.
 */
#ifndef ASSAY_SAMPLER_IRQ_TIME_H
#define ASSAY_SAMPLER_IRQ_TIME_H

#include "base/err.h"
#include "perf/cpus.h"
#include "model/model.h"

/*
 * A victim is brief if the interrupts that hit it took less than IRQ_TIME_BRIEF_NS. Brief victims
 * of the same name may share one row (INTERRUPT_BRIEF).
 */
#define IRQ_TIME_BRIEF_NS 200000

/*
 * Maximum number of victim rows in a recording. Processes for which no row is left share the row
 * INTERRUPT_OTHERS.
 */
#define IRQ_TIME_VICTIMS_MAX 16384

struct irq_time;

/*
 * Copies @cpus; NULL or empty means all CPUs. If @brief_by_name is true, brief victims of the same
 * name share a row. Use this only if the report need not show which victims belong to the recorded
 * command. Returns 0, -EPERM if the caller lacks the privilege, -EOPNOTSUPP if the kernel lacks a
 * feature or refuses the programs, or another negative errno. The message in *@err names the
 * missing feature, or contains the last line of the verifier's log.
 */
int irq_time_new(const struct cpus *cpus, bool brief_by_name, struct irq_time **ret_irq_time,
		 struct err *err);
void irq_time_free(struct irq_time *irq_time);	/* @irq_time may be NULL */

/*
 * irq_time_enable() and irq_time_disable() must be called once each. An interrupt that is being
 * handled during irq_time_enable() is not timed. An interrupt that is being handled during
 * irq_time_disable() is still timed.
 */
void irq_time_enable(struct irq_time *irq_time);
void irq_time_disable(struct irq_time *irq_time);

/*
 * Copies the current counts to the model: updates the rows of earlier calls and adds new ones.
 * Returns 0 or -ENOMEM.
 */
int irq_time_read(struct irq_time *irq_time, struct model *model);

/* Returns the descriptor of the map of struct irq_cpu by CPU (bpf/irq_time.h), for BPF programs. */
int irq_time_cpus_fd(const struct irq_time *irq_time);

/*
 * Returns how many ns the two BPF programs before and after a handler take together. This was
 * measured when the programs were loaded, on one CPU with warm caches. The cost of calling the
 * programs and returning from them is not included.
 */
uint64_t irq_time_pair_ns(const struct irq_time *irq_time);

#endif
