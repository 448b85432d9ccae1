/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - decoded perf records
 *
 * One struct perf_record represents every kind of record that assay uses. All other kinds become
 * RECORD_OTHER. Pointers point into the decoded bytes (in the ring, or in the ring's bounce
 * buffer). They are valid until the next record of that ring is read.
 *
 * The same decoder reads perf.data files, so it does not trust its input: every size and count is
 * checked against the end of the record, and a mismatch returns -EINVAL. Raw data
 * (PERF_SAMPLE_RAW), which occurs only in files, is skipped. Source: perf_event_open(2);
 * include/uapi/linux/perf_event.h of 6.18.
 */
#ifndef ASSAY_PERF_RECORD_H
#define ASSAY_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/wire.h"
#include "model/image.h"
#include "model/sample_field.h"
#include "unwind/rule.h"

enum record_kind {
	RECORD_OTHER,
	RECORD_SAMPLE,
	RECORD_MMAP,		/* PERF_RECORD_MMAP and MMAP2 of executable mappings */
	RECORD_COMM,
	RECORD_FORK,
	RECORD_EXIT,
	RECORD_LOST,		/* PERF_RECORD_LOST and LOST_SAMPLES */
	RECORD_THROTTLE,
	RECORD_UNTHROTTLE,
	RECORD_KSYMBOL,
	/* The others are written by BPF programs (bpf/wire.h), not by perf. */
	RECORD_STACK,		/* a stack; later samples refer to it by its hash */
	RECORD_WAIT,		/* a period in which a task did not run */
	RECORD_SPAN,		/* a span that the stopwatch measured */
};

#define RECORD_COUNTERS_MAX 16
/* maximum number of events that the in-kernel sampler can handle */
#define SAMPLED_EVENTS_MAX WIRE_EVENTS_MAX
#define RECORD_BRANCH_COUNTERS (UINT64_C(1) << 19)	/* PERF_SAMPLE_BRANCH_COUNTERS */

/* What the in-kernel sampler sends about a task's process: cgroup, user, start and name. */
struct record_owner {
	uint64_t cgroup_id;	/* id of the control group in the unified hierarchy */
	uint32_t uid;
	/* the task is in a pid namespace other than the initial one, and has other ids there */
	bool in_namespace;
	/*
	 * Time at which the thread group leader started, in CLOCK_MONOTONIC. 0: this field and all
	 * fields below are unknown.
	 */
	uint64_t start_ns;
	uint64_t start_boot_ns;	/* the same point in time in CLOCK_BOOTTIME */
	/* Same values as in /proc/TGID/stat; 0: the task has no address space */
	uint64_t start_code, start_stack;
	char comm[WIRE_COMM_BYTES];
};

struct record_sample {
	uint64_t addr;			/* PERF_SAMPLE_IP */
	/* number of events between two samples; 0: not in the record */
	uint64_t period;
	/*
	 * The callchain as the kernel wrote it, including the PERF_CONTEXT_* markers. In a file it
	 * may be unaligned, so read it with memcpy.
	 */
	const uint64_t *chain;
	size_t chain_count;
	/*
	 * PERF_SAMPLE_BRANCH_STACK in call-stack mode: an array of struct perf_branch_entry. The
	 * first entry is the call that entered the sampled function. The array may be unaligned, so
	 * read it with memcpy.
	 */
	const uint8_t *calls;
	size_t call_count;
	/*
	 * PERF_SAMPLE_READ of a group: the counter values of all members except the leader, in the
	 * order in which the members were added. If there are more than RECORD_COUNTERS_MAX, the
	 * rest is dropped.
	 */
	uint64_t counters[RECORD_COUNTERS_MAX];
	size_t counter_count;
	uint64_t fields[FIELD_COUNT];	/* by enum sample_field; 0: not in the record */
	/*
	 * PERF_SAMPLE_REGS_USER: one value for each bit set in record_layout.regs_user, in bit
	 * order. NULL if the task has no user-space registers (a kernel thread). The values may be
	 * unaligned, so read them with memcpy.
	 */
	const void *regs;
	size_t reg_count;
	/* width of the registers that the sampled program uses, in bits: 64 or 32; 0: unknown */
	unsigned int regs_bits;
	/*
	 * PERF_SAMPLE_STACK_USER: copy of a part of the user stack. If perf made the copy, it
	 * begins at the stack pointer. If the in-kernel sampler made it, it may begin above the
	 * stack pointer.
	 */
	const uint8_t *stack;
	/* Only if by_sampler is set: address of the first byte of the copy */
	uint64_t stack_addr;
	size_t stack_bytes;
	/* The copy reached its size limit, so the stack may continue */
	bool stack_is_cut;
	/*
	 * The in-kernel sampler wrote this sample. Such a sample has no chain, because the sampler
	 * unwinds stacks itself, and perf_record.id is the index of the event. If walk_hash is not
	 * 0, the frames are in an earlier RECORD_STACK with this hash. If walk_hash is 0, we must
	 * unwind the user part from user_regs and the copied stack.
	 */
	bool by_sampler;
	/* the stack has a user part (the task is not a kernel thread) */
	bool has_user;
	/*
	 * Hash of the stack's addresses, of the tgid, and of the life of the process (see
	 * bpf/wire.h)
	 */
	uint64_t walk_hash;
	/*
	 * Not 0: this is no sample, but the stack of a wait whose record refers to it by this
	 * number
	 */
	uint64_t copy_hash;
	/*
	 * life and all fields below are set only if the in-kernel sampler copied the user stack
	 * instead of unwinding it (WIRE_RAW, see bpf/wire.h).
	 */
	uint64_t life;
	struct record_owner owner;
	uint32_t code_pages;
	struct unwind_regs user_regs;
	/* Addresses of the kernel part of the stack, innermost first */
	const uint64_t *kernel;
	size_t kernel_count;
};

/*
 * A stack that the in-kernel sampler unwound. The sampler sends it before the samples that refer to
 * it by its hash. The addresses of the innermost frames come first.
 */
struct record_stack {
	uint64_t hash;
	/* reason why unwinding of the user part stopped; UNWIND_STOP_NOT: not unwound */
	enum unwind_stop stop;
	const uint64_t *kernel, *user;
	size_t kernel_count, user_count;
	/*
	 * number that identifies the process and the program it ran (its life, see bpf/wire.h); 0:
	 * unknown
	 */
	uint64_t life;
	struct record_owner owner;
};

struct record_wait {
	struct wire_wait wait;
	struct wire_waker waker;	/* all zeros unless wait.flags contains WIRE_WAIT_WAKER */
};

struct record_mmap {
	uint64_t start_addr, size_bytes, offset;
	uint64_t dev, inode, inode_generation;	/* 0 if the record has a build-id instead */
	uint8_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
	const char *path;
};

struct perf_record {
	enum record_kind kind;
	/* the task that the record describes; for FORK and EXIT, the child */
	uint32_t tgid, tid;
	uint32_t parent_tgid, parent_tid;	/* FORK and EXIT only */
	uint32_t cpu;		/* UINT32_MAX if not in the record */
	uint64_t time_ns;	/* 0 if not in the record */
	/*
	 * perf's id of the event that wrote the record; with sample.by_sampler, the event's index
	 */
	uint64_t id;
	bool kernel_mode;	/* SAMPLE: the CPU was in kernel mode (PERF_RECORD_MISC_KERNEL) */
	bool exec;		/* COMM: the new comm was set by exec, not by prctl */
	/*
	 * FORK: the task already existed when the recording began. Only the perf tool writes such
	 * records, not the kernel.
	 */
	bool was_there;
	union {
		struct record_sample sample;
		struct record_mmap mmap;
		struct record_stack stack;
		struct record_wait wait;
		struct wire_span span;
		struct {
			const char *name;
		} comm;
		struct {
			uint64_t count;
			/* LOST_SAMPLES: the kernel dropped samples before they reached the ring */
			bool samples;
			/* the ring that lost records contains process events */
			bool process_events;
			uint64_t until_ns;	/* end time of the loss, see capture/stream.h */
		} lost;
		struct {
			uint64_t addr;
			uint32_t size_bytes;
			bool bpf;
			bool gone;	/* the symbol was unregistered */
			const char *name;
		} ksymbol;
	};
};

/* The fields of perf_event_attr that decide the layout of every record of an event. */
struct record_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t regs_user;	/* attr.sample_regs_user */
	uint64_t branches;	/* attr.branch_sample_type */
	bool sample_id_all;
	bool no_build_ids;	/* attr.build_id was 0 */
};

/*
 * Returns true if a MMAP2 record contains a build-id. @first_byte is the first byte of the field
 * that holds either a build-id or a device number.
 */
bool record_has_build_id(const struct perf_event_header *header, uint8_t first_byte,
			 const struct record_layout *layout);

/*
 * Decodes the record at @bytes. Returns 0 or -EINVAL; after -EINVAL the contents of *ret_record are
 * undefined.
 */
int record_decode(const void *bytes, size_t size_bytes, const struct record_layout *layout,
		  struct perf_record *ret_record);

/*
 * Reads only the time of a PERF_RECORD_SAMPLE, for callers that sort records. *ret_time_ns is 0 if
 * the record has no time. Returns 0 or -EINVAL.
 */
int record_sample_time(const void *bytes, size_t size_bytes, const struct record_layout *layout,
		       uint64_t *ret_time_ns);

#endif
