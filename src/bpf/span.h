/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span.h - how the durations of spans are stored by the BPF programs and read by the stopwatch
 *
 * A span is the time between two points that one task passes, such as the entry and the return of a
 * function. Spans are numbered; the number is the cookie of the programs at its points. Each task
 * has a stack of the spans that it is in (struct span_stack), so recursion, other functions in
 * between, and a change of the CPU do no harm.
 *
 * A function need not return: longjmp(3) and C++ exceptions leave it, and so does the end of the
 * task. Such a span is open: it has no duration. It is recognized by the stack pointer, because the
 * stack of what was left is above that of what is entered or returns later. The kernel forgets its
 * own return probes by the same rule.
 *
 * Each CPU adds to its own sums. The programs can be preempted, so even these additions are atomic.
 *
 * Included by bpf/stopwatch.bpf.c (which provides the fixed-width types), by stopwatch/ and by
 * tests.
 */
#ifndef ASSAY_BPF_SPAN_H
#define ASSAY_BPF_SPAN_H

#define SPAN_DEPTH 64u		/* spans that one task can be in; a power of two */
#define SPAN_CALLS 1024u	/* numbers of system calls are below this */
#define SPAN_TARGETS_MAX 16384u	/* processes that are measured, if only some are */

/* Why a span was not measured. */
enum span_miss {
	SPAN_OPEN,		/* it was left without a return, or its task ended */
	SPAN_NO_ENTRY,		/* it had begun before the stopwatch was started */
	SPAN_TOO_DEEP,		/* its task was in SPAN_DEPTH spans already */
	SPAN_NO_MEMORY,		/* the kernel had no memory for the task's stack of spans */
	SPAN_MISSES
};

struct span_frame {
	uint64_t start_ns;
	uint64_t sp;		/* the user's stack pointer at the entry; 0: a system call */
	uint32_t span;
	uint32_t unused;
};

struct span_stack {
	uint32_t depth;
	uint32_t unused;
	struct span_frame frames[SPAN_DEPTH];	/* outermost span first */
};

/*
 * Durations are counted in buckets whose width grows with them: SPAN_STEPS for each power of two,
 * from one nanosecond on. So a bucket is at most 1/SPAN_STEPS wide, relative to its values.
 */
#define SPAN_STEP_BITS 3
#define SPAN_STEPS (1u << SPAN_STEP_BITS)
#define SPAN_BUCKETS 384u	/* the last one begins at 2^50 ns, 13 days */

/* What one CPU has counted of one span. Zeros are nothing. */
struct span_sum {
	uint64_t count;
	uint64_t ns;
	uint64_t least;		/* UINT64_MAX minus the shortest duration */
	uint64_t most_ns;
	/* sum of the squares of the durations: square_high * 2^32 + square_low */
	uint64_t square_low, square_high;
	uint64_t misses[SPAN_MISSES];
	uint64_t buckets[SPAN_BUCKETS];
};

/* Returns the position of the highest bit that is set, without a loop. @value must not be 0. */
static inline uint32_t span_log2(uint64_t value)
{
	uint32_t log = 0;

	for (uint32_t bits = 32; bits; bits >>= 1)
		if (value >> bits) {
			value >>= bits;
			log += bits;
		}
	return log;
}

static inline uint32_t span_bucket(uint64_t ns)
{
	uint32_t log, bucket;

	if (ns < SPAN_STEPS)
		return (uint32_t)ns;
	log = span_log2(ns);
	bucket = (log - SPAN_STEP_BITS + 1) * SPAN_STEPS +
		 (uint32_t)(ns >> (log - SPAN_STEP_BITS) & (SPAN_STEPS - 1));
	return bucket < SPAN_BUCKETS ? bucket : SPAN_BUCKETS - 1;
}

/* Returns the shortest duration in @bucket. The bucket ends where the next one begins. */
static inline uint64_t span_bucket_start_ns(uint32_t bucket)
{
	uint32_t octave = bucket / SPAN_STEPS;

	if (octave == 0)
		return bucket;
	return (uint64_t)(SPAN_STEPS + bucket % SPAN_STEPS) << (octave - 1);
}

#endif
