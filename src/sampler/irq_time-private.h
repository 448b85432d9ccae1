/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq_time-private.h - shared by the irq_time*.c files */
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

/*
 * One number of /proc/interrupts or /proc/softirqs: its value at the start of timing, and its
 * increase since then.
 */
struct irq_count {
	enum interrupt_kind kind;	/* what it counts; INTERRUPT_UNTIMED if not timed */
	uint32_t vector;
	uint32_t cpu;
	uint64_t first, since;
};

/* A line of /proc/interrupts whose interrupts are not timed. */
struct irq_untimed {
	uint32_t line;
	char what[IRQ_NAME_MAX];
};

struct irq_time {
	struct irq_time_skel *skel;
	struct cpus wanted;		/* CPUs to report; count 0: all */
	VEC(int) links;			/* descriptors of attached programs */
	bool brief_by_name;
	uint32_t cpu_count;		/* number of possible CPUs */
	uint32_t device_slots;		/* number of slots of each CPU in devices */
	struct irq_cpu *cpus;		/* mapped; one more than cpu_count, for calibration */
	struct irq_sum *devices;	/* mapped */
	struct bpf_ring ring;		/* ring of struct irq_victim */
	uint64_t pair_ns;

	struct u64map time_rows;	/* (kind, vector, cpu) -> row of the model */
	struct u64map victim_rows;	/* (tgid, level) -> row of the model */
	VEC(struct irq_sum) drained;	/* by row: sums of the entries that came through the ring */
	VEC(struct irq_count) counts;
	struct u64map count_at;		/* (kind, vector, cpu) -> index in counts */
	VEC(struct irq_untimed) untimed;
	bool timed[IRQ_VECTOR_COUNT];	/* programs are on both tracepoints */
};

/*
 * Opens, loads and maps the BPF programs. The caller must call irq_time_unload(), after success as
 * well as after failure.
 */
int irq_time_load(struct irq_time *irq_time, struct err *err);
void irq_time_unload(struct irq_time *irq_time);

/* Attaches the programs to those tracepoints that the kernel has. */
int irq_time_attach(struct irq_time *irq_time, struct err *err);

/* Switches the timing of interrupts that begin from now on. */
void irq_time_switch(struct irq_time *irq_time, bool on);

/*
 * Read the kernel's interrupt counts: irq_time_count_first() just after timing was switched on,
 * irq_time_count_since() just before it is switched off. An interrupt between switch and reading is
 * then timed but not counted, and so does not appear as skipped. If the files cannot be read, there
 * are no counts.
 */
void irq_time_count_first(struct irq_time *irq_time);
void irq_time_count_since(struct irq_time *irq_time);
void irq_time_counts_fini(struct irq_time *irq_time);

/*
 * Enters the rows of interrupts that were not timed. To be called after irq_time_count_since().
 * Returns 0 or -ENOMEM.
 */
int irq_time_put_counts(struct irq_time *irq_time, struct model *model);

/*
 * Adds or updates one row, of any kind. If @time has no name (0), the name is looked up. Returns 0
 * or -ENOMEM.
 */
int irq_time_put(struct irq_time *irq_time, struct model *model, struct interrupt_time time,
		 const struct irq_sum *sum);

/* Returns the name of an interrupt; @kind is one of the first three kinds. */
uint32_t irq_time_name(struct model *model, enum interrupt_kind kind, uint32_t vector);

bool irq_time_wants(const struct irq_time *irq_time, uint32_t cpu);

static inline uint64_t irq_time_key(enum interrupt_kind kind, uint32_t vector, uint32_t cpu)
{
	return (uint64_t)kind << 60 | (uint64_t)vector << 28 | cpu;
}

/* Reads a number that the kernel may be changing at this moment. */
static inline uint64_t irq_time_read_u64(const uint64_t *number)
{
	return *(const volatile uint64_t *)number;
}

#endif
