/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq_time-private.h - what the files that time interrupts share */
#ifndef ASSAY_CAPTURE_IRQ_TIME_PRIVATE_H
#define ASSAY_CAPTURE_IRQ_TIME_PRIVATE_H

#include "capture/irq_time.h"

#include "base/u64map.h"
#include "bpf/irq_time.h"
#include "capture/bpf_ring.h"
#include "capture/irq_names.h"

struct irq_time_skel;

/* A number of /proc/interrupts as it was when we began, and how far it went since. */
struct irq_count {
	char label[IRQ_LABEL_MAX];
	char what[IRQ_NAME_MAX];
	uint32_t line, cpu;
	uint64_t first, since;
};

struct irq_time {
	struct irq_time_skel *skel;
	struct cpus wanted;		/* count 0: every CPU */
	VEC(int) links;			/* attached */
	bool brief_by_name;
	uint32_t cpu_count;		/* possible CPUs */
	uint32_t device_slots;		/* of each CPU */
	struct irq_cpu *cpus;		/* mapped: one more than cpu_count, for the calibration */
	struct irq_sum *devices;	/* mapped */
	struct bpf_ring ring;		/* of struct irq_victim */
	uint64_t pair_ns;

	struct u64map time_rows;	/* kind, vector, cpu -> row of the model */
	struct u64map victim_rows;	/* tgid, level -> likewise */
	VEC(struct irq_sum) drained;	/* by row: what came through the ring */
	VEC(struct irq_count) counts;	/* sorted as in the file */
	bool timed[IRQ_VECTOR_COUNT];	/* their programs are loaded */
};

/* Opens, loads and maps; to be undone by irq_time_unload() after success and failure. */
int irq_time_load(struct irq_time *irq_time, struct err *err);
void irq_time_unload(struct irq_time *irq_time);

/* Attaches every loaded program to its tracepoint. */
int irq_time_attach(struct irq_time *irq_time, struct err *err);

/* Whether what begins from now on is timed. */
void irq_time_switch(struct irq_time *irq_time, bool on);

/* What /proc/interrupts says now, as a beginning or as an end. Unreadable: as if all were 0. */
void irq_time_count_first(struct irq_time *irq_time);
void irq_time_count_since(struct irq_time *irq_time);

#endif
