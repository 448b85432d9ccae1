/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h - measured time of interrupts, in addition to samples in interrupts
 *
 * Samples show interrupts badly: the clock cannot fire while interrupts are off, and it cannot
 * sample its own interrupt. If the kernel allows it, the interrupt handlers are timed one by one
 * (sampler/irq_time.h). All interrupts that occur during the measurement on the recorded CPUs are
 * timed, regardless of which processes are recorded.
 *
 * The time of a softirq excludes the hardirqs that interrupted it. The kernel's own work around a
 * handler (entry, exit, interrupt controller) is not part of any time.
 *
 * Rows are only appended. The counts of existing rows grow.
 */
#ifndef ASSAY_MODEL_INTERRUPT_H
#define ASSAY_MODEL_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum interrupt_kind {
	INTERRUPT_DEVICE,	/* hardirq of a device; vector: the kernel's irq number */
	INTERRUPT_CPU,		/* hardirq of the CPU itself; vector: line of bpf/irq_vectors.def */
	INTERRUPT_SOFTIRQ,	/* vector: the kernel's softirq number */
	/* hardirq without a tracepoint, counted but not timed; vector: line of /proc/interrupts */
	INTERRUPT_UNTIMED,
	/*
	 * The kernel sometimes skips its own tracepoints. The interrupts that it counted but that
	 * were not timed are here, one kind for each of the first three kinds, and not in the
	 * counts of those.
	 */
	INTERRUPT_SKIPPED_DEVICE,
	INTERRUPT_SKIPPED_CPU,		/* as above, for INTERRUPT_CPU */
	INTERRUPT_SKIPPED_SOFTIRQ,	/* as above, for INTERRUPT_SOFTIRQ */
	INTERRUPT_KIND_COUNT
};

struct interrupt_time {
	enum interrupt_kind kind;
	uint32_t vector;
	uint32_t cpu;
	uint32_t name;		/* string: "local timer", "virtio1-req.0", "NET_RX" */
	uint64_t count, ns;	/* ns is 0 for INTERRUPT_UNTIMED and the kinds after it */
};

#define INTERRUPT_OTHERS UINT32_MAX	/* tgid of all processes for which there was no room */
/*
 * A tgid from this value on stands for all processes of one name that spent little time in
 * interrupts. The kernel gives out no tgid above 2^22. Without this, each of thousands of
 * short-lived processes a second would need a row.
 */
#define INTERRUPT_BRIEF (UINT32_C(1) << 31)

/*
 * Time of interrupts while a process was current. The process is the same one to which samples are
 * attributed.
 */
struct interrupt_victim {
	uint32_t tgid;		/* 0: the idle task; from INTERRUPT_BRIEF on: several processes */
	uint32_t name;		/* string: last seen comm of one of its threads */
	bool soft;		/* true: softirqs; false: hardirqs */
	uint64_t count, ns;
};

struct interrupts {
	VEC(struct interrupt_time) times;	/* unique by kind, vector and cpu */
	VEC(struct interrupt_victim) victims;	/* unique by tgid and soft */
};

const char *interrupt_kind_name(enum interrupt_kind kind);	/* "device", "cpu", ... */
int interrupt_kind_of_name(const char *name);			/* or -1 */

/* Returns the kind that counts the skipped interrupts of @timed, one of the first three kinds. */
static inline enum interrupt_kind interrupt_kind_skipped(enum interrupt_kind timed)
{
	return timed + INTERRUPT_SKIPPED_DEVICE;
}

void interrupts_fini(struct interrupts *interrupts);

#endif
