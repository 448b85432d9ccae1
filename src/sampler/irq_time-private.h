/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq_time-private.h - declarations shared by the irq_time*.c files */
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
 * One number in /proc/interrupts or /proc/softirqs: its value when timing was turned on, and the
 * increase since then.
 */
struct irq_count {
	enum interrupt_kind kind;	/* kind of the interrupt; INTERRUPT_UNTIMED if not timed */
	uint32_t vector;
	uint32_t cpu;
	uint64_t first, since;
};

/* A row of /proc/interrupts whose interrupts are not timed. */
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
	uint32_t device_slots;		/* number of slots that each CPU has in `devices` */
	/* mapped; has cpu_count + 1 entries, the last is for calibration */
	struct irq_cpu *cpus;
	struct irq_sum *devices;	/* mapped */
	struct bpf_ring ring;		/* ring of struct irq_victim */
	uint64_t pair_ns;

	/* (kind, vector, cpu) -> index in the model's interrupts.times */
	struct u64map time_rows;
	/* (tgid, level) -> index in the model's interrupts.victims */
	struct u64map victim_rows;
	/*
	 * indexed like interrupts.victims: for each victim, the sum of its entries that were read
	 * from the ring
	 */
	VEC(struct irq_sum) drained;
	VEC(struct irq_count) counts;
	struct u64map count_at;		/* (kind, vector, cpu) -> index in counts */
	VEC(struct irq_untimed) untimed;
	/* true: BPF programs are attached to both tracepoints of the vector */
	bool timed[IRQ_VECTOR_COUNT];
};

/*
 * Opens, loads and maps the BPF programs. The caller must call irq_time_unload() even after a
 * failure.
 */
int irq_time_load(struct irq_time *irq_time, struct err *err);
void irq_time_unload(struct irq_time *irq_time);

/* Attaches each program whose tracepoint exists in this kernel. */
int irq_time_attach(struct irq_time *irq_time, struct err *err);

/* Turns timing on or off, for interrupts that begin from now on. */
void irq_time_switch(struct irq_time *irq_time, bool on);

/*
 * These functions read the kernel's interrupt counts. Call irq_time_count_first() just after timing
 * was turned on, and irq_time_count_since() just before it is turned off. An interrupt between the
 * turning on or off and the reading is then timed but not counted. In the opposite order, such an
 * interrupt would be counted but not timed, and would look like an interrupt that the programs
 * missed. If the files in /proc cannot be read, there are no counts.
 */
void irq_time_count_first(struct irq_time *irq_time);
void irq_time_count_since(struct irq_time *irq_time);
void irq_time_counts_fini(struct irq_time *irq_time);

/*
 * Adds rows to the model for interrupts that the kernel counted but that were not timed. Must be
 * called after irq_time_count_since(). Returns 0 or -ENOMEM.
 */
int irq_time_put_counts(struct irq_time *irq_time, struct model *model);

/* Copies the measured times of all CPUs and processes to the model. Returns 0 or -ENOMEM. */
int irq_time_put_times(struct irq_time *irq_time, struct model *model);

/*
 * Adds or updates the row of the model for one kind, vector and CPU. If time.name is 0, looks the
 * name up. Returns 0 or -ENOMEM.
 */
int irq_time_put(struct irq_time *irq_time, struct model *model, struct interrupt_time time,
		 const struct irq_sum *sum);

/*
 * Returns the name of an interrupt. @kind is INTERRUPT_DEVICE, INTERRUPT_CPU or INTERRUPT_SOFTIRQ.
 */
uint32_t irq_time_name(struct model *model, enum interrupt_kind kind, uint32_t vector);

bool irq_time_wants(const struct irq_time *irq_time, uint32_t cpu);

static inline uint64_t irq_time_key(enum interrupt_kind kind, uint32_t vector, uint32_t cpu)
{
	return (uint64_t)kind << 60 | (uint64_t)vector << 28 | cpu;
}

/* Reads a number that a BPF program may be changing at this moment. */
static inline uint64_t irq_time_read_u64(const uint64_t *number)
{
	return *(const volatile uint64_t *)number;
}

#endif
