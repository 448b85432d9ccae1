/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h - measured time of interrupts, beside what samples say of them
 *
 * Samples see interrupts badly: the clock cannot fire where interrupts are off, and cannot sample
 * its own.  Where the kernel allows it their handlers are timed one by one (sampler/irq_time.h):
 * all that came while measuring, on every CPU that was recorded, whoever was asked for.
 *
 * The time of a softirq is without the hardirqs that came in its midst.  What the kernel does
 * around a handler (entry, exit, the controller) is in neither.
 *
 * Rows are appended once, their counts grow.
 */
#ifndef ASSAY_MODEL_INTERRUPT_H
#define ASSAY_MODEL_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum interrupt_kind {
	INTERRUPT_DEVICE,	/* hardirq of a device; vector: the kernel's number of it */
	INTERRUPT_CPU,		/* hardirq of a CPU's own; vector: line of bpf/irq_vectors.def */
	INTERRUPT_SOFTIRQ,	/* vector: the kernel's number of it */
	INTERRUPT_UNTIMED,	/* hardirq without a tracepoint, only counted; vector: line of
				   /proc/interrupts */
	INTERRUPT_SKIPPED_DEVICE,	/* of the first three: counted by the kernel, which at */
	INTERRUPT_SKIPPED_CPU,		/* times passes by its own tracepoints; not in their */
	INTERRUPT_SKIPPED_SOFTIRQ,	/* counts */
	INTERRUPT_KIND_COUNT
};

struct interrupt_time {
	enum interrupt_kind kind;
	uint32_t vector;
	uint32_t cpu;
	uint32_t name;		/* string: "local timer", "virtio1-req.0", "NET_RX" */
	uint64_t count, ns;	/* ns is 0 from INTERRUPT_UNTIMED on */
};

#define INTERRUPT_OTHERS UINT32_MAX	/* tgid of processes that there was no room for */
/*
 * From here on a tgid (the kernel gives none above 2^22) is that of all processes of one name that
 * saw little of interrupts, together: thousands of short lives a second would each be a row.
 */
#define INTERRUPT_BRIEF (UINT32_C(1) << 31)

/* What interrupts took while a process was current, as in the context of samples. */
struct interrupt_victim {
	uint32_t tgid;		/* 0: the idle task; from INTERRUPT_BRIEF on several */
	uint32_t name;		/* string: comm of a thread of it, as last seen */
	bool soft;		/* softirqs, else hardirqs */
	uint64_t count, ns;
};

struct interrupts {
	VEC(struct interrupt_time) times;	/* unique by kind, vector and cpu */
	VEC(struct interrupt_victim) victims;	/* unique by tgid and soft */
};

const char *interrupt_kind_name(enum interrupt_kind kind);	/* "device", "cpu", ... */
int interrupt_kind_of_name(const char *name);			/* -1: none */

/* Of the first three kinds: what became of those that were not timed. */
static inline enum interrupt_kind interrupt_kind_skipped(enum interrupt_kind timed)
{
	return timed + INTERRUPT_SKIPPED_DEVICE;
}

void interrupts_fini(struct interrupts *interrupts);

#endif
