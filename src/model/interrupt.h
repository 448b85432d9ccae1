/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h - measured time of interrupts, in addition to samples in interrupts
 *
 * Samples alone give a poor picture of interrupts: the sampling clock cannot fire while interrupts
 * are off, and it cannot sample its own interrupt. Therefore each run of an interrupt handler is
 * timed, if the kernel allows it (sampler/irq_time.h). All interrupts that occur on the recorded
 * CPUs during the measurement are timed, no matter which processes are recorded.
 *
 * The time of a softirq excludes the hardirqs that interrupted it. The kernel's own work around a
 * handler (entry, exit, interrupt controller) is not included in any time.
 *
 * New rows are only appended. The counts of existing rows grow.
 */
#ifndef ASSAY_MODEL_INTERRUPT_H
#define ASSAY_MODEL_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum interrupt_kind {
	INTERRUPT_DEVICE,	/* hardirq of a device; vector is the kernel's irq number */
	/* the CPU's own hardirq; vector is its index in bpf/irq_vectors.def */
	INTERRUPT_CPU,
	INTERRUPT_SOFTIRQ,	/* vector is the kernel's softirq number */
	/*
	 * hardirq without a tracepoint, counted but not timed; vector is its row in
	 * /proc/interrupts
	 */
	INTERRUPT_UNTIMED,
	/*
	 * The kernel sometimes skips the tracepoints that are used to time interrupts. An interrupt
	 * that the kernel counted, but that could therefore not be timed, counts under
	 * INTERRUPT_SKIPPED_* and not under the kinds above. INTERRUPT_SKIPPED_DEVICE is for
	 * INTERRUPT_DEVICE.
	 */
	INTERRUPT_SKIPPED_DEVICE,
	INTERRUPT_SKIPPED_CPU,		/* for INTERRUPT_CPU */
	INTERRUPT_SKIPPED_SOFTIRQ,	/* for INTERRUPT_SOFTIRQ */
	INTERRUPT_KIND_COUNT
};

struct interrupt_time {
	enum interrupt_kind kind;
	uint32_t vector;
	uint32_t cpu;
	uint32_t name;		/* string, such as "local timer", "virtio1-req.0" or "NET_RX" */
	uint64_t count, ns;	/* ns is 0 for INTERRUPT_UNTIMED and the kinds after it */
};

#define INTERRUPT_OTHERS UINT32_MAX	/* tgid of the sum of all processes above the limit */
/*
 * A tgid of INTERRUPT_BRIEF or more is not a real tgid (the kernel assigns no tgid above 2^22). The
 * row is the sum of all processes with one name that spent little time in interrupts. Without such
 * sums, thousands of short-lived processes per second would each need a row.
 */
#define INTERRUPT_BRIEF (UINT32_C(1) << 31)

/*
 * Number and total duration of the interrupts that ran while a process was current. Samples taken
 * in these interrupts are attributed to that process.
 */
struct interrupt_victim {
	uint32_t tgid;		/* 0: the idle task; INTERRUPT_BRIEF or more: several processes */
	uint32_t name;		/* string: last seen comm of any thread of the process */
	bool soft;		/* true: softirqs; false: hardirqs */
	uint64_t count, ns;
};

struct interrupts {
	VEC(struct interrupt_time) times;	/* unique by kind, vector and cpu */
	VEC(struct interrupt_victim) victims;	/* unique by tgid and soft */
};

const char *interrupt_kind_name(enum interrupt_kind kind);	/* returns "device", "cpu", ... */
int interrupt_kind_of_name(const char *name);			/* returns -1 for an unknown name */

/*
 * Returns the kind under which skipped interrupts of the kind @timed are counted. @timed is one of
 * the first three kinds.
 */
static inline enum interrupt_kind interrupt_kind_skipped(enum interrupt_kind timed)
{
	return timed + INTERRUPT_SKIPPED_DEVICE;
}

void interrupts_fini(struct interrupts *interrupts);

#endif
