/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire.h - the records and shared data of the in-kernel sampler and the collector
 *
 * The sampler is the BPF program that takes samples, and the collector is the part in user space
 * that reads them. Both are compiled with this file. The including file must provide the
 * fixed-width types. Each CPU writes all its records to its own BPF ring buffer, in time order
 * (ring_order.h). The collector merges these rings with perf's process events in the same way as it
 * merges perf rings. Times are from bpf_ktime_get_ns(), which is CLOCK_MONOTONIC.
 *
 * A sample refers to its stack by a 64-bit hash. The stack itself is sent before the first sample
 * that refers to it. If the stack and the sample are from different CPUs, the stack's record has an
 * earlier time. If the times are equal, the stack's record comes first in the ring. When the
 * collector has too many stacks, it sets `epoch_ns` to a time in the near future and forgets the
 * stacks that were sent before that time. The sampler sends a stack again if it was last sent
 * before `epoch_ns`, and occasionally also without need. If a stack never arrives, its samples
 * still have their own address (ip).
 *
 * A life is one program run by one process (lives.h). The hash of a stack covers tgid, life, kernel
 * part and user part. Two programs therefore never share a stack, even if one of them later gets
 * the tgid of the other. That is necessary because the same address means different code in each
 * program. The stack alone thus identifies the program of a sample.
 */
#ifndef ASSAY_BPF_WIRE_H
#define ASSAY_BPF_WIRE_H

#include "bpf/wire_feed.h"

#define WIRE_KERNEL_FRAMES_MAX 127
#define WIRE_USER_FRAMES_MAX 512
#define WIRE_RAW_BYTES 65536u
#define WIRE_RAW_BYTES_USUAL 16384u	/* copied if the stack's size is unknown */
#define WIRE_RAW_BYTES_FEW 8192u	/* copied if the ring fills up; enough for most stacks */
#define WIRE_PAGE_BYTES 4096u	/* smallest page size; a page is readable entirely or not at all */
#define WIRE_EVENTS_MAX 63u
#define WIRE_EVENT_WAITS WIRE_EVENTS_MAX	/* waits are counted under this event number */
/* number of counters for each CPU: one for each event, and one for waits */
#define WIRE_COUNTERS_COUNT (WIRE_EVENTS_MAX + 1)

/*
 * The programs that build raw records. They can interrupt each other, so each has its own memory
 * for the record.
 */
enum raw_use { RAW_OF_TICK, RAW_OF_WAIT, RAW_OF_WAKER, RAW_USES };

enum wire_kind {
	WIRE_SAMPLE = 1,
	WIRE_STACK,
	/*
	 * a sample whose user part the collector must walk; if its event is WIRE_EVENT_WAITS, only
	 * the stack of a wait that is sent later
	 */
	WIRE_RAW,
	WIRE_WAIT,		/* a wait: a period in which a task did not run */
	WIRE_SPAN,		/* a span that the stopwatch measured, from its own ring */
};

#define WIRE_IN_KERNEL 1u	/* the CPU was in kernel mode */
#define WIRE_IN_IDLE 2u		/* the CPU was in kernel mode, and the idle task was current */
#define WIRE_HAS_USER 4u	/* the task has a user part */
#define WIRE_32BIT 8u		/* ... of a 32-bit program */

/* Every record begins with time_ns and kind. */
struct wire_sample {		/* 40 bytes; the sample was taken on the CPU of the ring */
	uint64_t time_ns;
	uint8_t kind;		/* WIRE_SAMPLE */
	uint8_t event;
	uint8_t flags;
	uint8_t unused;
	uint32_t period;	/* UINT32_MAX: the period is at least UINT32_MAX */
	uint64_t stack;		/* hash of the stack; 0: none */
	uint64_t ip;
	uint32_t tgid, tid;
};

_Static_assert(sizeof(struct wire_sample) == 40, "struct wire_sample is a layout");

#define WIRE_COMM_BYTES 16	/* TASK_COMM_LEN */

/*
 * The process that a task belongs to. Each stack record and each raw sample contains this struct.
 * Before the collector uses what /proc shows for the tgid, it compares the start time, start_code
 * and start_stack with /proc/TGID/stat, because another process may have the same tgid by then. A
 * different start_code or start_stack also reveals an exec(), because exec() puts code and stack at
 * new addresses.
 */
struct wire_owner {
	uint64_t cgroup_id;
	uint32_t uid;		/* user id in the first user namespace */
	uint32_t in_namespace;	/* 1: the process is, or may be, in a nested pid namespace */
	/* start time of the group leader; 0: this and all fields below are unknown */
	uint64_t start_ns;
	uint64_t start_boot_ns;	/* the same start time, on the clock CLOCK_BOOTTIME */
	uint64_t start_code, start_stack;	/* 0: the task has no memory (mm) */
	char comm[WIRE_COMM_BYTES];
};

_Static_assert(sizeof(struct wire_owner) == 64, "struct wire_owner is a layout");

/*
 * Followed by kernel_count + user_count addresses, innermost first. The addresses of the user part
 * are in the format of unwind_walk(). If a signal interrupted a caller, the address of this caller
 * is that of the interrupted instruction plus 1.
 */
struct wire_stack {
	uint64_t time_ns;
	uint8_t kind;		/* WIRE_STACK */
	uint8_t stop;		/* enum unwind_stop: why the walk of the user part ended */
	uint16_t kernel_count;
	uint16_t user_count;
	uint16_t unused;
	uint64_t stack;		/* hash of the stack */
	uint32_t tgid, tid;
	uint64_t life;			/* life of the process; 0: unknown */
	struct wire_owner owner;
};

_Static_assert(sizeof(struct wire_stack) == 104, "struct wire_stack is a layout");

/*
 * Followed by kernel_count addresses and then by size_bytes of the user stack. These bytes begin at
 * sp, or above sp if the pages at sp did not exist yet.
 *
 * The first stack of a program is copied up to its top: the value that sp had when the program was
 * started. So the record of a small stack is small, and a stack of 60 KiB is still copied
 * completely. The sizes of other threads' stacks and of coroutines' stacks are unknown. Of such a
 * stack, at most WIRE_RAW_BYTES_USUAL are copied. When the ring fills up, smaller limits apply to
 * all stacks.
 */
struct wire_raw {
	/*
	 * kind is WIRE_RAW; stack is 0, or for WIRE_EVENT_WAITS the number by which the wait refers
	 * to this stack
	 */
	struct wire_sample sample;
	uint64_t user_ip, user_sp, user_fp, user_extra, user_kept, user_link;
	uint64_t stack_addr;		/* address of the first copied byte */
	uint64_t life;			/* life of the process; see struct wire_process */
	struct wire_owner owner;
	uint32_t size_bytes;
	uint32_t code_pages;		/* number of code pages that the process has mapped */
	uint16_t kernel_count;
	/*
	 * 1: user_ip is the address of an interrupted instruction; 0: user_ip is a return address
	 */
	uint8_t exact;
	uint8_t is_cut;			/* 1: the stack may continue above the copied part */
	uint8_t is_new;			/* as is_new in struct unwind_regs */
	uint8_t unused[3];
};

_Static_assert(sizeof(struct wire_raw) == 184, "struct wire_raw is a layout");

#define WIRE_WAIT_PREEMPTED 1u		/* the task was able to run, but was switched out */
#define WIRE_WAIT_UNINTERRUPTIBLE 2u	/* the wait was uninterruptible or killable */
#define WIRE_WAIT_IO 4u			/* the kernel counted the wait as waiting for I/O */
#define WIRE_WAIT_STOPPED 8u		/* stopped by a signal or a debugger */
#define WIRE_WAIT_OPEN 16u		/* the wait had not ended at the end of the recording */
#define WIRE_WAIT_SHORT 32u		/* sum of `count` waits shorter than wait_min_ns */
#define WIRE_WAIT_EXIT 64u		/* the last record of this task */
#define WIRE_WAIT_WAKER 128u		/* a struct wire_waker follows */

/*
 * Sent when a task runs again after a wait. time_ns is the time of sending, usually shortly after
 * the task was switched in. At the end of the recording, waits that have not ended (WIRE_WAIT_OPEN)
 * and sums of short waits are sent. When a task exits, the sum of its short waits is sent
 * (WIRE_WAIT_EXIT).
 */
struct wire_wait {		/* 48 bytes */
	uint64_t time_ns;
	uint8_t kind;		/* WIRE_WAIT */
	uint8_t unused;
	uint16_t flags;
	uint32_t count;		/* number of waits: 1, except with WIRE_WAIT_SHORT */
	uint64_t stack;		/* hash of the stack where the task waited; 0: none */
	uint64_t blocked_ns;	/* duration of the sleep */
	uint64_t runnable_ns;	/* duration of waiting for a CPU, on a run queue */
	uint32_t tgid, tid;
};

_Static_assert(sizeof(struct wire_wait) == 48, "struct wire_wait is a layout");

/*
 * The waker: the task that was current when a waiting task was woken. If an interrupt woke the
 * waiting task, the waker is the interrupted task, and its stack shows the interrupt.
 */
struct wire_waker {		/* 16 bytes */
	uint64_t stack;		/* hash of the stack */
	uint32_t tgid, tid;
};

_Static_assert(sizeof(struct wire_waker) == 16, "struct wire_waker is a layout");

/* Sent by the stopwatch (bpf/span_record.h) when a span ends. */
#define WIRE_SPAN_AMOUNTS 8

struct wire_span {		/* 104 bytes */
	uint64_t time_ns;	/* the end of the span */
	uint8_t kind;		/* WIRE_SPAN */
	uint8_t unused;
	uint16_t cpu;		/* where it ended */
	uint32_t span;		/* its number; see bpf/span.h */
	uint64_t ns;		/* from its start to its end, with the probes in between */
	uint32_t tgid, tid;	/* of the task in which it ended */
	uint64_t other_ns;	/* of @ns: what probes of calls inside it, and the sampler, took */
	/* of a call: see bpf/span.h; those that are not measured are 0 */
	uint64_t amounts[WIRE_SPAN_AMOUNTS];
};

_Static_assert(sizeof(struct wire_span) == 104, "struct wire_span is a layout");

/* ---- the sampler's counters, for each event and CPU ---- */

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
	/*
	 * number of ticks that reached the sampler; equals the sum of the first WIRE_ENDS_COUNT
	 * elements of `reasons`
	 */
	uint64_t ticks;
	uint64_t reasons[WIRE_REASON_COUNT];
};

#endif
