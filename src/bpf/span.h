/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span.h - how the durations of spans are stored by the BPF programs and read by the stopwatch
 *
 * A span is the time between two points. Spans are numbered; the cookie of the program at a point
 * has the number. There are two kinds:
 *
 * - A call, from the entry of a function or system call to its return. Each task has a stack of the
 *   calls that it is in (struct span_stack), so recursion, other functions in between, and a change
 *   of the CPU do no harm.
 * - Two points joined by a key, that is by values that are the same at both, such as the number of
 *   a sector. Any task may pass either point.
 *
 * Where only a value is measured, at a tracepoint or static probe, nothing begins or ends. The
 * value is counted as if it were the duration of such a span.
 *
 * A function need not return: longjmp(3) and C++ exceptions leave it, and so does the end of the
 * task. Such a span is open: it has no duration. It is recognized by the stack pointer, because the
 * stack of what was left is above that of what is entered or returns later. The kernel forgets its
 * own return probes by the same rule.
 *
 * A call that makes a process returns twice. The child inherits the calls that its parent is in,
 * and its own returns end them, too. If they do not return there, as before execve(2), nothing is
 * counted.
 *
 * Each CPU adds to sums of its own, or shares them with some others if there are very many. The
 * programs can be preempted, so all additions are atomic.
 *
 * Included by bpf/stopwatch.bpf.c (which provides the fixed-width types), by stopwatch/ and by
 * tests.
 */
#ifndef ASSAY_BPF_SPAN_H
#define ASSAY_BPF_SPAN_H

#include "bpf/span_point.h"

#define SPAN_DEPTH 64u		/* spans that one task can be in; a power of two */
#define SPAN_CALLS 1024u	/* numbers of system calls are below this */
#define SPAN_TARGETS_MAX 16384u	/* processes that are measured, if only some are */
#define SPAN_STARTS_MAX 65536u	/* spans with a key that have begun and not ended */
#define SPAN_GROUPS_MAX 2048u	/* of one run; further ones are counted together */
#define SPAN_EVENTS 4u		/* that are counted in calls */
/* What is counted in calls: the events, the time of interrupts in ns, and the sampler's ticks. */
#define SPAN_INTERRUPTS SPAN_EVENTS
#define SPAN_TICKS (SPAN_EVENTS + 1)
#define SPAN_COUNTERS (SPAN_EVENTS + 2)
/* What single calls are sent with: the events, and these. See WIRE_SPAN_AMOUNTS. */
#define SPAN_SENT_VALUE SPAN_EVENTS
#define SPAN_SENT_INTERRUPTS (SPAN_EVENTS + 1)
#define SPAN_SENT_RUNNABLE (SPAN_EVENTS + 2)
#define SPAN_SENT_BLOCKED (SPAN_EVENTS + 3)
#define SPAN_SENT_COUNT (SPAN_EVENTS + 4)
#define SPAN_SAMPLED_EVENTS 4u	/* of a recording: of those, ticks are known */

/* Why a span was not measured. */
enum span_miss {
	/* it was left without a return, its task ended, or its first point was passed again */
	SPAN_OPEN,
	SPAN_NO_ENTRY,		/* it had begun before the stopwatch was started */
	SPAN_TOO_DEEP,		/* its task was in SPAN_DEPTH spans already */
	SPAN_NO_MEMORY,		/* there was no memory to remember its begin */
	SPAN_MISSES
};

/* By what the spans of a point are told apart. */
enum span_by {
	SPAN_BY_NOTHING,
	SPAN_BY_APPLICATION,
	SPAN_BY_PROCESS,
	SPAN_BY_THREAD,
	SPAN_BY_CPU,
	SPAN_BY_CGROUP,		/* of cgroup v2 */
	SPAN_BY_VALUE,		/* an argument or field where they begin */
	SPAN_BY_RESULT,		/* what a call returns */
	SPAN_BY_SIGN,		/* whether that is negative, 0 or positive: -1, 0 or 1 */
	SPAN_BY_CALLER,		/* where a function was called */
};

/*
 * What is measured of a call: how long it takes, or how large a value is. Of calls that are sent
 * one by one, the time is measured in any case, and the value besides.
 */
enum span_measure {
	SPAN_TIME,
	SPAN_RESULT,
	SPAN_ARGUMENT,	/* as SPAN_MEASURED says (span_point.h) */
};

/* Larger values are likely to be addresses. The sum has room for 262,144 of this size. */
#define SPAN_MEASURED_MAX (1ull << 46)

/*
 * A function that returns an int leaves the upper half of the register undefined, mostly 0. Then
 * negative error numbers, which are small, look like large numbers. Returns them as 64 bits.
 */
static inline int64_t span_signed(uint64_t value)
{
	return value <= UINT32_MAX && value > UINT32_MAX - 4095 ? (int32_t)value : (int64_t)value;
}

#define SPAN_COMM_BYTES 16u

/* A file that a process has mapped. With overlayfs, this is the file below. */
struct span_file {
	uint64_t inode;		/* 0: there is no file */
	uint32_t dev;		/* as the kernel has it: the major number, then 20 bits */
	uint32_t unused;
};

/* Where the file is mapped, in one of the processes that have it. */
struct span_mapping {
	uint64_t start_addr;
	uint32_t tgid, parent_tgid;
};

/* Where a function was called: the last byte of the instruction that called it. */
struct span_caller {
	uint64_t place;		/* offset in the file; SPAN_NO_CALLER: not known */
	struct span_file file;
	struct span_mapping mapping;
};

#define SPAN_NO_CALLER (~0ull)

/* Spans that are counted together. */
struct span_group {
	/* of the process, thread, CPU or cgroup; the value; the place of the caller; or 0 */
	uint64_t id;
	union {
		char comm[SPAN_COMM_BYTES];	/* of the process or thread; may lack its NUL */
		struct span_file file;		/* of the caller */
		uint64_t second;		/* the second value, if there are two */
	};
	uint32_t span;
	uint32_t unused;
	struct span_mapping mapping;	/* of the first caller; not compared */
};

/* For SPAN_BY_VALUE; without a second value, that is 0. */
struct span_values {
	uint64_t first, second;
};

struct span_frame {
	uint64_t start_ns;
	/* The stack pointer at the entry, of the user or of the kernel; 0: a system call. */
	uint64_t sp;
	uint64_t probes_ns;	/* what the probes of measured calls inside this one have cost */
	struct span_values values;
	uint64_t measured;	/* the argument that is measured */
	uint64_t off_ns, run_queue_ns;	/* of the task, at the entry */
	uint64_t counts[SPAN_COUNTERS];		/* of the task, at the entry */
	uint64_t probe_counts[SPAN_COUNTERS];	/* as probes_ns */
	uint32_t span;
	uint32_t is_inherited;	/* the parent was in this call when it was forked */
	uint32_t counter_errors;	/* of the task, at the entry */
	uint32_t unused;
};

struct span_stack {
	uint32_t depth;
	uint32_t counter_errors;	/* how often something was not counted */
	uint64_t off_ns;	/* how long the task was not on a CPU, since it has this stack */
	uint64_t off_at_ns;	/* since when it is not; 0: it is */
	uint64_t run_queue_ns;	/* of off_ns: how long it waited for one */
	uint64_t queued_at_ns;	/* since when it waits for one; 0: it does not */
	uint64_t counts[SPAN_COUNTERS];	/* of the task, while it was in calls */
	uint64_t bases[SPAN_COUNTERS];	/* of its CPU, up to which `counts` has them */
	struct span_frame frames[SPAN_DEPTH];	/* outermost span first */
};

/*
 * Durations are counted in buckets whose width grows with them: SPAN_STEPS for each power of two,
 * from one nanosecond on. So a bucket is at most 1/SPAN_STEPS wide, relative to its values.
 */
#define SPAN_STEP_BITS 3
#define SPAN_STEPS (1u << SPAN_STEP_BITS)
#define SPAN_BUCKETS 384u	/* the last one begins at 2^50 ns, 13 days */

/*
 * What one CPU has counted of one span. Zeros are nothing. If values are measured, those take the
 * place of durations.
 */
struct span_sum {
	uint64_t count;
	uint64_t ns;
	uint64_t least;		/* UINT64_MAX minus the shortest duration */
	uint64_t most_ns;
	/* sum of the squares of the durations: square_high * 2^32 + square_low */
	uint64_t square_low, square_high;
	uint64_t probes_ns;	/* of nested calls, and of the sampler; not in the durations */
	uint64_t off_ns;	/* in which the task of a call was not on a CPU */
	uint64_t run_queue_ns;	/* of these, in which it waited for one */
	uint64_t counts[SPAN_COUNTERS];	/* of calls, without the probes of nested calls */
	uint64_t incomplete;	/* calls of which a part of their counts is missing */
	uint64_t no_amount;	/* calls whose value was negative, or above SPAN_MEASURED_MAX */
	uint64_t values;	/* the values of the others, if the time is measured, too */
	uint64_t unsent;	/* spans that a recording lacks, because the ring was full */
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
