/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq_time-private.h - what the files that time interrupts share */
#ifndef ASSAY_SAMPLER_IRQ_TIME_PRIVATE_H
#define ASSAY_SAMPLER_IRQ_TIME_PRIVATE_H

#include "sampler/irq_time.h"

#include "base/u64map.h"
#include "bpf/irq_time.h"
#include "sampler/bpf_ring.h"
#include "sampler/irq_names.h"

struct irq_time_skel;

#define PROC_INTERRUPTS "/proc/interrupts"
#define PROC_SOFTIRQS "/proc/softirqs"

/* A number of /proc/interrupts or /proc/softirqs as it was when we began, and how far it went. */
struct irq_count {
	enum interrupt_kind kind;	/* of whose interrupts it is: timed, or INTERRUPT_UNTIMED */
	uint32_t vector;
	uint32_t cpu;
	uint64_t first, since;
};

/* A line whose interrupts nothing times. */
struct irq_untimed {
	uint32_t line;
	char what[IRQ_NAME_MAX];
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
	VEC(struct irq_count) counts;
	struct u64map count_at;		/* kind, vector, cpu -> index of counts */
	VEC(struct irq_untimed) untimed;
	bool timed[IRQ_VECTOR_COUNT];	/* programs are on both of their tracepoints */
};

/* Opens, loads and maps; to be undone by irq_time_unload() after success and failure. */
int irq_time_load(struct irq_time *irq_time, struct err *err);
void irq_time_unload(struct irq_time *irq_time);

/* Attaches the programs to the tracepoints that the kernel has. */
int irq_time_attach(struct irq_time *irq_time, struct err *err);

/* Whether what begins from now on is timed. */
void irq_time_switch(struct irq_time *irq_time, bool on);

/*
 * What the kernel counts by now, as a beginning (just behind the switching on) or as an end (just
 * before the switching off): so nothing seems skipped that came in between. Unreadable: nothing.
 */
void irq_time_count_first(struct irq_time *irq_time);
void irq_time_count_since(struct irq_time *irq_time);
void irq_time_counts_fini(struct irq_time *irq_time);

/* Behind irq_time_count_since(): the rows of what was not timed. 0 or -ENOMEM. */
int irq_time_put_counts(struct irq_time *irq_time, struct model *model);

/* Enters or brings up to date one row, of any kind; a name of 0 is found. 0 or -ENOMEM. */
int irq_time_put(struct irq_time *irq_time, struct model *model, struct interrupt_time time,
		 const struct irq_sum *sum);

/* Of one of the first three kinds. */
uint32_t irq_time_name(struct model *model, enum interrupt_kind kind, uint32_t vector);

bool irq_time_wants(const struct irq_time *irq_time, uint32_t cpu);

static inline uint64_t irq_time_key(enum interrupt_kind kind, uint32_t vector, uint32_t cpu)
{
	return (uint64_t)kind << 60 | (uint64_t)vector << 28 | cpu;
}

/* A number that the kernel may be changing at this moment. */
static inline uint64_t irq_time_read_u64(const uint64_t *number)
{
	return *(const volatile uint64_t *)number;
}

#endif
