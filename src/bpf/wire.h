/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire.h - what the in-kernel sampler and the collector say to each other
 *
 * Compiled on both sides; whoever includes it has the fixed-width types.  All records of a CPU go
 * into that CPU's own BPF ring buffer, so that each is in time order by itself and the collector
 * merges them with perf's process events as it does its own rings.  Times are
 * bpf_ktime_get_ns(), which is CLOCK_MONOTONIC.
 *
 * A sample names its stack by a 64-bit hash.  The stack itself is sent before the first sample that
 * names it: on any CPU the record with the stack has an earlier time, or the same and stands before
 * it in the ring.  It is sent again when the last time was before `epoch_ns`, with which the
 * collector says that it forgets all stacks sent before that moment, and now and then without
 * need.  A sample whose stack never came still has its own address.
 *
 * A hash covers tgid, life, kernel part and user part, so two programs never share a stack, also
 * where one had the tgid of the other: equal addresses mean something else in each, and whose a
 * sample is can be told from its stack alone.
 */
#ifndef ASSAY_BPF_WIRE_H
#define ASSAY_BPF_WIRE_H

#define WIRE_KERNEL_FRAMES_MAX 127
#define WIRE_USER_FRAMES_MAX 512
#define WIRE_RAW_BYTES 65536u
#define WIRE_RAW_BYTES_USUAL 16384u	/* where nobody knows how large the stack is */
#define WIRE_RAW_BYTES_FEW 8192u	/* most stacks get along with it: in a ring that fills */
#define WIRE_PAGE_BYTES 4096u	/* at least this stands between two borders of readable memory */
#define WIRE_EVENTS_MAX 63u
#define WIRE_EVENT_WAITS WIRE_EVENTS_MAX	/* where waits are counted */
#define WIRE_COUNTERS_COUNT (WIRE_EVENTS_MAX + 1)	/* of a CPU */

enum wire_kind {
	WIRE_SAMPLE = 1,
	WIRE_STACK,
	WIRE_RAW,		/* the user part must still be walked, by the collector */
	WIRE_WAIT,		/* a task did not run for a while */
};

#define WIRE_IN_KERNEL 1u	/* the sample hit kernel mode */
#define WIRE_IN_IDLE 2u		/* ... while the idle task was current */
#define WIRE_HAS_USER 4u	/* the task has a user part */
#define WIRE_32BIT 8u		/* ... of a program of 32 bits */

/* time_ns and kind stand first in every record. */
struct wire_sample {		/* 40 bytes; the CPU is the ring's */
	uint64_t time_ns;
	uint8_t kind;		/* WIRE_SAMPLE */
	uint8_t event;
	uint8_t flags;
	uint8_t unused;
	uint32_t period;	/* UINT32_MAX: that or more */
	uint64_t stack;		/* hash; 0: none */
	uint64_t ip;
	uint32_t tgid, tid;
};

_Static_assert(sizeof(struct wire_sample) == 40, "struct wire_sample is a layout");

#define WIRE_COMM_BYTES 16	/* TASK_COMM_LEN */

/*
 * Whose the task is; each stack brings it, and each raw sample.  What follows in_namespace can be
 * compared with /proc/TGID/stat, so that nothing is taken from there that is about somebody else
 * by then: exec() puts code and stack at addresses of their own.
 */
struct wire_owner {
	uint64_t cgroup_id;
	uint32_t uid;		/* as the first user namespace has it */
	uint32_t in_namespace;	/* of pids, below the first */
	uint64_t start_ns;	/* of the leader; 0: nothing from here on is known */
	uint64_t start_boot_ns;	/* the same by CLOCK_BOOTTIME */
	uint64_t start_code, start_stack;	/* 0: it has no memory */
	char comm[WIRE_COMM_BYTES];
};

_Static_assert(sizeof(struct wire_owner) == 64, "struct wire_owner is a layout");

/*
 * Followed by kernel_count + user_count addresses, innermost first.  Those of the user part are as
 * unwind_walk() writes them: of a caller that a signal interrupted, one more than where it was.
 */
struct wire_stack {
	uint64_t time_ns;
	uint8_t kind;		/* WIRE_STACK */
	uint8_t stop;		/* enum unwind_stop of the user part */
	uint16_t kernel_count;
	uint16_t user_count;
	uint16_t unused;
	uint64_t stack;		/* hash */
	uint32_t tgid, tid;
	uint64_t life;			/* of the process, 0: not known */
	struct wire_owner owner;
};

_Static_assert(sizeof(struct wire_stack) == 104, "struct wire_stack is a layout");

/*
 * Followed by kernel_count addresses, then by size_bytes of the user stack.  They begin at sp, or
 * above, where the pages that sp points to were not there yet.
 *
 * A program's first stack is copied up to where the program was entered, so a small one is a small
 * record, and one of 60 KiB comes whole.  How large a thread's or a coroutine's is, nobody
 * knows: of these come WIRE_RAW_BYTES_USUAL, as of all when the ring fills up.
 */
struct wire_raw {
	struct wire_sample sample;	/* its stack is 0; kind is WIRE_RAW */
	uint64_t user_ip, user_sp, user_fp, user_extra, user_kept, user_link;
	uint64_t stack_addr;		/* of the first byte */
	uint64_t life;			/* of the process: see wire_process */
	struct wire_owner owner;
	uint32_t size_bytes;
	uint32_t code_pages;		/* that the process has mapped */
	uint16_t kernel_count;
	uint8_t exact;			/* user_ip was interrupted; else it is a return address */
	uint8_t is_cut;			/* there may be more of the stack */
	uint8_t is_new;			/* struct unwind_regs */
	uint8_t unused[3];
};

_Static_assert(sizeof(struct wire_raw) == 184, "struct wire_raw is a layout");

#define WIRE_WAIT_PREEMPTED 1u		/* it could have gone on */
#define WIRE_WAIT_UNINTERRUPTIBLE 2u	/* no signal would have ended it */
#define WIRE_WAIT_IO 4u			/* ... and the kernel counted it as waiting for a disk */
#define WIRE_WAIT_STOPPED 8u		/* by a signal or a debugger */
#define WIRE_WAIT_OPEN 16u		/* it has not ended yet, but the recording does */
#define WIRE_WAIT_SHORT 32u		/* a sum of `count` waits below the least duration */
#define WIRE_WAIT_EXIT 64u		/* the last of this task */
#define WIRE_WAIT_WAKER 128u		/* a struct wire_waker follows */

/* Sent when the task runs again; it was switched in shortly before time_ns. */
struct wire_wait {		/* 48 bytes */
	uint64_t time_ns;
	uint8_t kind;		/* WIRE_WAIT */
	uint8_t unused;
	uint16_t flags;
	uint32_t count;		/* 1, but for WIRE_WAIT_SHORT */
	uint64_t stack;		/* hash: where it waited; 0: none */
	uint64_t blocked_ns;	/* asleep */
	uint64_t runnable_ns;	/* on a run queue, while others ran */
	uint32_t tgid, tid;
};

_Static_assert(sizeof(struct wire_wait) == 48, "struct wire_wait is a layout");

/* Who was current when the task was woken: where that was in an interrupt, the stack shows it. */
struct wire_waker {		/* 16 bytes */
	uint64_t stack;		/* hash */
	uint32_t tgid, tid;
};

_Static_assert(sizeof(struct wire_waker) == 16, "struct wire_waker is a layout");

/* ---- what the sampler counts, for each event and CPU ---- */

enum wire_reason {
#define ENDS(name, text) WIRE_END_##name,
#define LACKS(name, text)
#include "bpf/reasons.def"
	WIRE_ENDS_COUNT,
#undef ENDS
#undef LACKS
#define ENDS(name, text)
#define LACKS(name, text) WIRE_LACK_##name,
	WIRE_ENDS_LAST = WIRE_ENDS_COUNT - 1,
#include "bpf/reasons.def"
	WIRE_REASON_COUNT
#undef ENDS
#undef LACKS
};

struct wire_counters {
	uint64_t ticks;		/* that reached the sampler: the sum of the first WIRE_ENDS_COUNT */
	uint64_t reasons[WIRE_REASON_COUNT];
};

/* ---- what the collector tells the sampler ---- */

/*
 * A process that may be walked: a slice of the array `spaces`, sorted by rising address.  The
 * collector writes a new slice first and names it here afterwards, in one update.
 *
 * Two numbers keep what is old from being used.  `life` tells programs apart that had one tgid one
 * after the other, by fork or by exec: the sampler computes it from the task, so that a process
 * that the collector enters a moment after it called exec() is not walked as what it was.  `space`
 * stands in each mapping of the slice, too, and is never given twice: when the slice is somebody
 * else's by now, nothing is found in it.
 */
struct wire_process {
	uint32_t first, count;	/* of `spaces` */
	uint64_t life;
	uint64_t space;
	uint32_t flags;
	uint32_t code_pages;	/* WIRE_SETTLED: while it has so many mapped */
};

/* Whom wire_process is about; the argument of the programs with which the collector tells it. */
struct wire_entry {
	struct wire_process process;
	uint32_t tgid;
	uint32_t unused;
};

#define WIRE_SETTLED 1u		/* what lies in no mapping does not get clearer by its memory */

#define WIRE_MAPPINGS_SHIFT 17	/* a process has less than 1 << this */

#define WIRE_NO_TABLE UINT32_MAX
#define WIRE_TABLE_LATER (UINT32_MAX - 1)	/* it was not made yet: come raw */

#define WIRE_SERIAL_BITS 27

struct wire_mapping {		/* 48 bytes */
	uint64_t start_addr, end_addr;
	uint64_t bias;		/* address - bias = distance from the table's base_vaddr */
	uint32_t table;		/* slot of `tables`, or WIRE_NO_TABLE: walk by frame pointers */
	uint32_t page_count;	/* of the table: what lies behind has no rule */
	uint32_t rules_at;	/* of the image's rule 0 in `rules` */
	uint32_t serial;	/* of what is in the slot: never given twice; 0: it has none */
	uint64_t space;		/* whose slice it is in; 0: nobody's any more */
};

_Static_assert(sizeof(struct wire_mapping) == 48, "struct wire_mapping is a layout");

/* A tracepoint that is sampled, by event. */
struct wire_point {
	uint64_t period;	/* in hits of who is wanted, on each CPU */
	uint32_t in_user;	/* its place is in user code: a system call's begin or end */
	uint32_t unused;
};

_Static_assert(sizeof(struct wire_point) == 16, "struct wire_point is a layout");

/* A table is a BPF array of struct wire_line (bpf/wire_line.h). */

#endif
