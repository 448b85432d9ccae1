/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irq_time.bpf.c - measures the time of each interrupt, and which process it interrupted
 *
 * These programs run on the kernel's tracepoints around interrupt handlers. Time outside of these
 * tracepoints (entry and exit of the interrupt itself, the flow handler of the controller) is not
 * measured. One program runs at the beginning of an interrupt and one at its end. Usually each of
 * them only reads the clock, and the second one adds the duration to sums. More work is needed only
 * if the interrupted process does not yet own its slot (struct irq_victim), which is rare.
 *
 * These are raw tracepoint programs and follow no kernel pointers. They therefore need no kernel
 * type information (BTF). So they also load on kernels without BTF, and they load in a fraction of
 * the time.
 */
#include "bpf/kernel_types.h"
#include "bpf/irq_time.h"

char irq_time_license[] SEC("license") = "GPL";

#define CALIBRATION_PAIRS 1000u

/* ---- set before loading ---- */

/*
 * number of slots in `devices` for each CPU; the last slot is for irq device_slots - 1 and all
 * higher irq numbers
 */
const volatile uint32_t device_slots = 1;
/* index of an entry of `cpus` that belongs to no CPU; the calibration uses it */
const volatile uint32_t scratch_cpu = 0;
const volatile uint8_t want_victims = 1;

/* ---- set while running ---- */

volatile uint8_t enabled = 0;	/* interrupts that begin while this is 0 are not timed */

/* Sizes of 1 are placeholders. The loader (sampler/irq_time_load.c) sets the real sizes. */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct irq_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct irq_sum);
} devices SEC(".maps");	/* indexed by CPU, then by irq number */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} evicted SEC(".maps");

/* ---- victims: the processes that were interrupted ---- */

/*
 * Makes the current process the owner of the slot. If another process used the slot before, first
 * sends the data of that process to the ring `evicted`. If that ring is full, returns false and
 * changes nothing.
 */
static __noinline int take_slot(struct irq_victim *slot, uint32_t tgid, uint8_t level)
{
	struct irq_victim *out;

	if (slot->used) {
		out = bpf_ringbuf_reserve(&evicted, sizeof(*out), 0);
		if (!out)
			return 0;
		*out = *slot;
		bpf_ringbuf_submit(out, BPF_RB_NO_WAKEUP);
	}
	slot->sum = (struct irq_sum){ 0 };
	bpf_get_current_comm(slot->comm, sizeof(slot->comm));
	slot->tgid = tgid;
	slot->level = level;
	slot->cpu = (uint16_t)bpf_get_smp_processor_id();
	slot->used = 1;
	return 1;
}

static __always_inline void charge(struct irq_cpu *cpu, enum irq_level level, uint64_t ns)
{
	uint32_t tgid = (uint32_t)(bpf_get_current_pid_tgid() >> 32);
	struct irq_victim *slot = &cpu->victims[level][tgid & (IRQ_VICTIM_SLOTS - 1)];

	if (!want_victims)
		return;
	if ((slot->tgid == tgid && slot->used) || take_slot(slot, tgid, level))
		irq_sum_add(&slot->sum, ns);
	else
		irq_sum_add(&cpu->other_victims[level], ns);
}

/* ---- hardirqs ---- */

static __always_inline struct irq_cpu *entry_of(uint32_t cpu)
{
	return bpf_map_lookup_elem(&cpus, &cpu);
}

static __always_inline struct irq_cpu *this_cpu(void)
{
	return entry_of(bpf_get_smp_processor_id());
}

static __always_inline int hard_begin(uint32_t irq)
{
	struct irq_cpu *cpu = this_cpu();

	if (cpu && enabled)
		irq_hard_begin(&cpu->clock, irq, bpf_ktime_get_ns());
	return 0;
}

/*
 * Ends the hardirq handler of @irq. Computes the duration of the handler and adds it to the time of
 * the interrupted process. Returns false if the beginning of the handler was not seen. Such an
 * interrupt is not counted.
 */
static __always_inline int hard_end(struct irq_cpu *cpu, uint32_t irq, uint64_t *ret_ns)
{
	if (!irq_hard_end(&cpu->clock, irq, bpf_ktime_get_ns(), ret_ns))
		return 0;
	charge(cpu, IRQ_HARD, *ret_ns);
	return 1;
}

static __always_inline int vector_end(struct irq_cpu *cpu, enum irq_vector line, uint32_t vector)
{
	uint64_t ns;

	if (cpu && hard_end(cpu, IRQ_OF_CPU | vector, &ns))
		irq_sum_add(&cpu->vectors[line], ns);
	return 0;
}

/*
 * This one program is attached to the entry tracepoint of each interrupt vector that the kernel
 * has.
 */
SEC("raw_tp")
int BPF_PROG(vector_entry, int vector)
{
	return hard_begin(IRQ_OF_CPU | (uint32_t)vector);
}

#define IRQ_VECTOR(tracepoint, name, label)				\
	SEC("raw_tp")							\
	int BPF_PROG(tracepoint##_exit, int vector)			\
	{								\
		return vector_end(this_cpu(), IRQ_VECTOR_##tracepoint, (uint32_t)vector); \
	}
#include "bpf/irq_vectors.def"

SEC("raw_tp")
int BPF_PROG(irq_handler_entry, int irq)
{
	return hard_begin((uint32_t)irq);
}

SEC("raw_tp")
int BPF_PROG(irq_handler_exit, int irq)
{
	uint32_t at = (uint32_t)irq < device_slots ? (uint32_t)irq : device_slots - 1;
	struct irq_cpu *cpu = this_cpu();
	struct irq_sum *sum;
	uint64_t ns;

	if (!cpu || !hard_end(cpu, (uint32_t)irq, &ns))
		return 0;
	at += bpf_get_smp_processor_id() * device_slots;
	sum = bpf_map_lookup_elem(&devices, &at);
	if (sum)
		irq_sum_add(sum, ns);
	return 0;
}

/* ---- softirqs ---- */

static __always_inline uint64_t now_ns(void)
{
	return bpf_ktime_get_ns();
}

SEC("raw_tp")
int softirq_entry(void *context)
{
	struct irq_cpu *cpu = this_cpu();

	if (cpu && enabled)
		irq_soft_begin(&cpu->clock, irq_soft_now(&cpu->clock, now_ns));
	return 0;
}

SEC("raw_tp")
int BPF_PROG(softirq_exit, unsigned int vector)
{
	struct irq_cpu *cpu = this_cpu();
	uint64_t ns;

	if (!cpu || !irq_soft_end(&cpu->clock, irq_soft_now(&cpu->clock, now_ns), &ns))
		return 0;
	irq_sum_add(&cpu->softirqs[vector & (IRQ_SOFTIRQ_SLOTS - 1)], ns);
	charge(cpu, IRQ_SOFT, ns);
	return 0;
}

/* ---- calibration ---- */

static long measured_pair(uint32_t index, void *unused)
{
	struct irq_cpu *cpu = entry_of(scratch_cpu);

	if (!cpu)
		return 1;
	irq_hard_begin(&cpu->clock, IRQ_OF_CPU, bpf_ktime_get_ns());
	(void)vector_end(entry_of(scratch_cpu), IRQ_VECTOR_local_timer, 0);
	return 0;
}

/*
 * Handles CALIBRATION_PAIRS pairs of a simulated begin and end. Returns the total duration in ns.
 * This program is not attached to a tracepoint: the collector runs it once.
 */
SEC("raw_tp")
int calibrate(void *context)
{
	uint64_t start_ns = bpf_ktime_get_ns();

	bpf_loop(CALIBRATION_PAIRS, measured_pair, NULL, 0);
	return (int)(bpf_ktime_get_ns() - start_ns);
}
