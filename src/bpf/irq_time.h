/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irq_time.h - how interrupt times are stored by the BPF programs and read by the collector
 *
 * There is one struct irq_cpu for each CPU. Only that CPU writes to it. The collector may read it
 * at any time. Each single number that the collector reads is consistent, but two numbers may be
 * from different moments. A hardirq can interrupt a softirq, and it can interrupt the program that
 * measures the end of the softirq. A softirq never interrupts a hardirq. The data of hardirqs is
 * therefore kept apart from the data of softirqs, and no lock is needed.
 *
 * Handlers of hardirqs run with interrupts off. A handler begins inside another handler only if the
 * outer handler calls it. That happens if a device is connected to an interrupt controller that
 * itself raises an interrupt (GPIO lines). The time of an inner handler is not counted as time of
 * the outer handler.
 *
 * Each running handler has a frame (struct irq_frame). At the end of a handler, its frame is found
 * by the number of the interrupt. It would not be enough to take the innermost frame, because the
 * kernel does not always report both the beginning and the end. A frame whose handler's end was not
 * reported is dropped in one of these cases:
 * - The same interrupt begins again.
 * - One of the CPU's own interrupts (timer, IPI) begins. No handler calls such an interrupt, so no
 *   earlier handler can still be running.
 * - An outer handler ends.
 * - A handler begins when all IRQ_DEPTH frames are in use. All these frames are dropped.
 *
 * The duration of a softirq is measured with a clock that stops during hardirqs: the current time
 * minus the total time that the CPU has spent in hardirqs.
 *
 * Included by bpf/irq_time.bpf.c (which provides the fixed-width types), by sampler/ and by tests.
 */
#ifndef ASSAY_BPF_IRQ_TIME_H
#define ASSAY_BPF_IRQ_TIME_H

enum irq_vector {
#define IRQ_VECTOR(tracepoint, name, label) IRQ_VECTOR_##tracepoint,
#include "bpf/irq_vectors.def"
#undef IRQ_VECTOR
	IRQ_VECTOR_COUNT
};

enum irq_level { IRQ_HARD, IRQ_SOFT, IRQ_LEVELS };

#define IRQ_VECTOR_SLOTS 16u
#define IRQ_SOFTIRQ_SLOTS 16u	/* the kernel has 10; the verifier needs a power of two */
#define IRQ_VICTIM_SLOTS 256u	/* number of slots for each CPU and level; a power of two */
#define IRQ_COMM_BYTES 16

_Static_assert(IRQ_VECTOR_COUNT <= IRQ_VECTOR_SLOTS, "a slot for each vector");

struct irq_sum {
	uint64_t count, ns;
};

/*
 * The number and total time of the interrupts that occurred while a process (the victim) was the
 * current process. For each CPU and level, all processes with the same tgid modulo IRQ_VICTIM_SLOTS
 * share a slot. The slot belongs to one of these processes at a time, usually to the last one that
 * was interrupted. When another process gets the slot, the struct of the previous process is sent
 * to the ring `evicted`.
 */
struct irq_victim {
	uint32_t tgid;			/* 0: the idle task */
	uint8_t level;			/* enum irq_level */
	uint8_t used;
	uint16_t cpu;
	struct irq_sum sum;
	/* comm of the thread that was current when the process got the slot; see take_slot() */
	char comm[IRQ_COMM_BYTES];
};

#define IRQ_DEPTH 4u	/* maximum number of nested handlers */

/*
 * A hardirq is identified by a number. For a device this is the irq number. For one of the CPU's
 * own interrupts (timer, IPI) it is IRQ_OF_CPU plus the vector.
 */
#define IRQ_OF_CPU 0x80000000u

struct irq_frame {
	uint64_t start_ns;
	uint64_t inner_ns;	/* time spent in handlers that ran inside this one */
	uint32_t irq;
	uint32_t unused;
};

struct irq_clock {
	uint64_t hard_ns;		/* total time that this CPU has spent in hardirqs */
	uint64_t soft_ns;		/* total time that this CPU has spent in softirqs */
	uint64_t soft_start_ns;		/* irq_soft_now() when the softirq began; 0: unknown */
	uint32_t depth;			/* number of hardirq handlers that are running */
	uint32_t unused;
	struct irq_frame frames[IRQ_DEPTH];	/* outermost handler first */
};

struct irq_cpu {
	struct irq_clock clock;
	/* time of interrupts whose victim got no slot, because the ring was full */
	struct irq_sum other_victims[IRQ_LEVELS];
	struct irq_sum vectors[IRQ_VECTOR_SLOTS];
	struct irq_sum softirqs[IRQ_SOFTIRQ_SLOTS];
	struct irq_victim victims[IRQ_LEVELS][IRQ_VICTIM_SLOTS];
} __attribute__((aligned(64)));

static inline void irq_sum_add(struct irq_sum *sum, uint64_t ns)
{
	sum->count++;
	sum->ns += ns;
}

/*
 * Computes the duration since *@start_ns and resets *@start_ns to 0. Returns false if *@start_ns is
 * 0, which means that the beginning was not seen.
 */
static inline int irq_close(uint64_t *start_ns, uint64_t now_ns, uint64_t *ret_ns)
{
	if (*start_ns == 0)
		return 0;
	*ret_ns = now_ns > *start_ns ? now_ns - *start_ns : 0;
	*start_ns = 0;
	return 1;
}

/* Returns the index of the frame of interrupt @irq, or IRQ_DEPTH if this interrupt has no frame. */
static inline uint32_t irq_find(const struct irq_clock *clock, uint32_t irq)
{
	for (uint32_t i = IRQ_DEPTH; i-- > 0;)
		if (i < clock->depth && clock->frames[i].irq == irq)
			return i;
	return IRQ_DEPTH;
}

static inline void irq_hard_begin(struct irq_clock *clock, uint32_t irq, uint64_t now_ns)
{
	uint32_t at = irq & IRQ_OF_CPU ? 0 : irq_find(clock, irq);

	if (at >= IRQ_DEPTH)
		at = clock->depth < IRQ_DEPTH ? clock->depth : 0;
	clock->frames[at] = (struct irq_frame){ .start_ns = now_ns, .irq = irq };
	clock->depth = at + 1;
}

/*
 * Computes the duration of the handler, excluding inner handlers. Returns false if the beginning of
 * the handler was not seen.
 */
static inline int irq_hard_end(struct irq_clock *clock, uint32_t irq, uint64_t now_ns,
			       uint64_t *ret_ns)
{
	uint32_t at = irq_find(clock, irq);
	uint64_t whole_ns, inner_ns;

	if (at >= IRQ_DEPTH)
		return 0;
	inner_ns = clock->frames[at].inner_ns;
	whole_ns = now_ns > clock->frames[at].start_ns ? now_ns - clock->frames[at].start_ns : 0;
	*ret_ns = whole_ns > inner_ns ? whole_ns - inner_ns : 0;
	clock->hard_ns += *ret_ns;
	clock->depth = at;
	if (at > 0)
		clock->frames[at - 1].inner_ns += whole_ns;
	return 1;
}

/*
 * Returns the time of a clock that stops during hardirqs, in ns: the current time minus hard_ns.
 * @now_ns returns the current time (bpf_ktime_get_ns()). The two numbers are read one after the
 * other. If a hardirq changes hard_ns between these reads, both numbers are read again. After
 * IRQ_SOFT_READS failed attempts, returns 0 (unknown). Any other result could be wrong by the
 * duration of a hardirq.
 */
#define IRQ_SOFT_READS 4

static inline __attribute__((always_inline)) uint64_t irq_soft_now(const struct irq_clock *clock,
								   uint64_t (*now_ns)(void))
{
	uint64_t hard_ns = *(const volatile uint64_t *)&clock->hard_ns;

	for (int i = 0; i < IRQ_SOFT_READS; i++) {
		uint64_t time_ns = now_ns(), before_ns = hard_ns;

		hard_ns = *(const volatile uint64_t *)&clock->hard_ns;
		if (hard_ns == before_ns)
			return time_ns - hard_ns;
	}
	return 0;
}

/* Stores the time at which a softirq begins. @soft_now_ns is what irq_soft_now() returned. */
static inline void irq_soft_begin(struct irq_clock *clock, uint64_t soft_now_ns)
{
	clock->soft_start_ns = soft_now_ns;
}

/*
 * Computes the duration of the softirq. Returns false if the timestamp of its beginning or of its
 * end is unknown.
 */
static inline int irq_soft_end(struct irq_clock *clock, uint64_t soft_now_ns, uint64_t *ret_ns)
{
	if (soft_now_ns == 0)
		clock->soft_start_ns = 0;
	if (!irq_close(&clock->soft_start_ns, soft_now_ns, ret_ns))
		return 0;
	clock->soft_ns += *ret_ns;
	return 1;
}

#endif
