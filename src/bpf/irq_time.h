/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irq_time.h - how the time of interrupts is kept, inside the kernel and by who reads it there
 *
 * One struct irq_cpu for each CPU, written by that CPU alone and read at any time by the
 * collector: each number is whole, but two of them may be of different moments.  A hardirq comes
 * in the midst of a softirq, and of the program that measures the softirq's end; never the other
 * way round.  So what is written for hardirqs and for softirqs is kept apart, and needs no lock.
 *
 * Handlers run with interrupts off.  One begins in the midst of another only where it is called by
 * it: that of a device behind a controller that has an interrupt itself (GPIO lines).  The time of
 * the outer one is without that of the inner ones.  Its beginning is found by the interrupt's
 * number, because the kernel does not always say both beginning and end: a frame that nobody ended
 * is given up when its interrupt begins anew, or one of the CPU's own, which no handler calls.
 *
 * A softirq is timed by a clock that stands still during hardirqs: the time of day less the time
 * that the CPU spent in hardirqs so far.
 *
 * Included by the program (bpf/irq_time.bpf.c, which brings the types), by capture/ and by tests.
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
#define IRQ_SOFTIRQ_SLOTS 16u	/* the kernel has 10; a power of two is one the verifier believes */
#define IRQ_VICTIM_SLOTS 256u	/* of a CPU and level; likewise */
#define IRQ_COMM_BYTES 16

_Static_assert(IRQ_VECTOR_COUNT <= IRQ_VECTOR_SLOTS, "a slot for each vector");

struct irq_sum {
	uint64_t count, ns;
};

/*
 * What interrupts took while the process was current.  A slot holds the process that came last
 * of all whose tgid is the same modulo IRQ_VICTIM_SLOTS; the one before it goes to the ring, as
 * the same structure.
 */
struct irq_victim {
	uint32_t tgid;			/* 0: the idle task */
	uint8_t level;			/* enum irq_level */
	uint8_t used;
	uint16_t cpu;
	struct irq_sum sum;
	char comm[IRQ_COMM_BYTES];	/* of the thread that was current when the slot was taken */
};

#define IRQ_DEPTH 4u	/* handlers in handlers */

/* Which hardirq: a device's number, or this and the CPU's vector. */
#define IRQ_OF_CPU 0x80000000u

struct irq_frame {
	uint64_t start_ns;
	uint64_t inner_ns;	/* that others took meanwhile */
	uint32_t irq;
	uint32_t unused;
};

struct irq_clock {
	uint64_t hard_ns;		/* spent in hardirqs so far */
	uint64_t soft_start_ns;		/* of the softirq that runs, on its own clock */
	uint32_t depth;			/* hardirqs that run */
	uint32_t unused;
	struct irq_frame frames[IRQ_DEPTH];	/* outermost first */
};

struct irq_cpu {
	struct irq_clock clock;
	struct irq_sum other_victims[IRQ_LEVELS];	/* when the ring was full */
	struct irq_sum vectors[IRQ_VECTOR_SLOTS];
	struct irq_sum softirqs[IRQ_SOFTIRQ_SLOTS];
	struct irq_victim victims[IRQ_LEVELS][IRQ_VICTIM_SLOTS];
} __attribute__((aligned(64)));

static inline void irq_sum_add(struct irq_sum *sum, uint64_t ns)
{
	sum->count++;
	sum->ns += ns;
}

/* How long it took, once; false: its beginning was not seen. */
static inline int irq_close(uint64_t *start_ns, uint64_t now_ns, uint64_t *ret_ns)
{
	if (*start_ns == 0)
		return 0;
	*ret_ns = now_ns > *start_ns ? now_ns - *start_ns : 0;
	*start_ns = 0;
	return 1;
}

/* Its place among the frames; IRQ_DEPTH: none. */
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

/* How long it took by itself; false: its beginning was not seen. */
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
 * The clock that stands still during hardirqs.  A hardirq may come between reading one of its two
 * parts and the other; then both are read again, and after IRQ_SOFT_READS times it is 0: not
 * known, rather than wrong by a hardirq.  @now_ns is bpf_ktime_get_ns().
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

/* Of @soft_now_ns from irq_soft_now(). */
static inline void irq_soft_begin(struct irq_clock *clock, uint64_t soft_now_ns)
{
	clock->soft_start_ns = soft_now_ns;
}

/* False also where the time of its end is not known. */
static inline int irq_soft_end(struct irq_clock *clock, uint64_t soft_now_ns, uint64_t *ret_ns)
{
	if (soft_now_ns == 0)
		clock->soft_start_ns = 0;
	return irq_close(&clock->soft_start_ns, soft_now_ns, ret_ns);
}

#endif
