/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - perf's records, decoded
 *
 * One struct perf_record for every kind that is used; kinds that are not become RECORD_OTHER.
 * Pointers lead into the bytes that were decoded (the ring, or its bounce buffer) and are valid
 * until the next record of that ring is looked at.  The same decoder reads perf.data, so it
 * trusts nothing: every size and count is checked against the record's end, and -EINVAL says
 * that they disagree.  Raw data, which only files carry, is passed over.
 * Source: perf_event_open(2); include/uapi/linux/perf_event.h of 6.18.
 */
#ifndef ASSAY_PERF_RECORD_H
#define ASSAY_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/wire.h"
#include "model/image.h"
#include "unwind/rule.h"

enum record_kind {
	RECORD_OTHER,
	RECORD_SAMPLE,
	RECORD_MMAP,		/* MMAP and MMAP2 of executable mappings */
	RECORD_COMM,
	RECORD_FORK,
	RECORD_EXIT,
	RECORD_LOST,		/* LOST and LOST_SAMPLES */
	RECORD_THROTTLE,
	RECORD_UNTHROTTLE,
	RECORD_KSYMBOL,
	RECORD_STACK,		/* of the in-kernel sampler: what later samples name */
	RECORD_WAIT,		/* and that a task did not run */
};

#define RECORD_COUNTERS_MAX 16
#define SAMPLED_EVENTS_MAX WIRE_EVENTS_MAX	/* as many as the in-kernel sampler tells apart */
#define RECORD_BRANCH_COUNTERS (UINT64_C(1) << 19)	/* PERF_SAMPLE_BRANCH_COUNTERS */

/* Whose a task is, as the in-kernel sampler has it. */
struct record_owner {
	uint64_t cgroup_id;	/* in the unified hierarchy */
	uint32_t uid;
	bool in_namespace;	/* has other ids in a pid namespace of its own */
	uint64_t start_ns;	/* 0: it and what follows is not known */
	uint64_t start_boot_ns;	/* the same by CLOCK_BOOTTIME */
	uint64_t start_code, start_stack;	/* as in /proc/TGID/stat; 0: it has no memory */
	char comm[WIRE_COMM_BYTES];
};

struct record_sample {
	uint64_t addr;			/* PERF_SAMPLE_IP */
	uint64_t period;		/* 0: the record does not tell it */
	const uint64_t *chain;		/* as the kernel wrote it, with PERF_CONTEXT_* marks; may be
					   unaligned-safe only through memcpy when from a file */
	size_t chain_count;
	/* PERF_SAMPLE_BRANCH_STACK of a call stack: struct perf_branch_entry, the call of the
	   sampled function first. To be read by memcpy. */
	const uint8_t *calls;
	size_t call_count;
	/* PERF_SAMPLE_READ of a group: the values after the leader's, in order; more than
	   RECORD_COUNTERS_MAX are left out. */
	uint64_t counters[RECORD_COUNTERS_MAX];
	size_t counter_count;
	/* PERF_SAMPLE_REGS_USER: values of the bits of record_layout.regs_user, in their order;
	   NULL where the task has no user part. To be read by memcpy. */
	const void *regs;
	size_t reg_count;
	unsigned int regs_bits;		/* of the program: 64 or 32; 0: not known */
	/* PERF_SAMPLE_STACK_USER: from the stack pointer on; the sampler's may begin above it. */
	const uint8_t *stack;
	uint64_t stack_addr;		/* by_sampler: of its first byte */
	size_t stack_bytes;
	bool stack_is_cut;		/* as many as were asked for: there may be more */
	/*
	 * Of the in-kernel sampler, which walks stacks itself: perf_record.id is the event's index,
	 * and there is no chain.  The frames came before, in a RECORD_STACK, or (walk_hash 0) the
	 * user part is still to be walked from registers and stack.
	 */
	bool by_sampler;
	bool has_user;			/* the task has a user part */
	uint64_t walk_hash;		/* says whose the sample is, too */
	uint64_t life;			/* with a copied stack: bpf/wire.h, */
	struct record_owner owner;
	uint32_t code_pages;
	struct unwind_regs user_regs;
	const uint64_t *kernel;		/* with a copied stack: the kernel part, innermost first */
	size_t kernel_count;
};

/* A stack, before the samples that name it; addresses are innermost first. */
struct record_stack {
	uint64_t hash;
	enum unwind_stop stop;		/* of the user part; NOT: it was not walked */
	const uint64_t *kernel, *user;
	size_t kernel_count, user_count;
	uint64_t life;			/* of record.tgid, 0: not known; */
	struct record_owner owner;
};

struct record_wait {
	struct wire_wait wait;
	struct wire_waker waker;	/* zeros unless the flags have WIRE_WAIT_WAKER */
};

struct record_mmap {
	uint64_t start_addr, size_bytes, offset;
	uint64_t dev, inode, inode_generation;	/* 0 when a build-id came instead */
	uint8_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
	const char *path;
};

struct perf_record {
	enum record_kind kind;
	uint32_t tgid, tid;	/* whom it is about: MMAP, COMM, SAMPLE; FORK, EXIT: the child */
	uint32_t parent_tgid, parent_tid;	/* FORK, EXIT */
	uint32_t cpu;		/* UINT32_MAX where the record carries none */
	uint64_t time_ns;	/* 0 where the record carries none */
	uint64_t id;		/* perf's id of the event that wrote it */
	bool kernel_mode;	/* SAMPLE: PERF_RECORD_MISC_CPUMODE is kernel */
	bool exec;		/* COMM: by exec, not by prctl */
	bool was_there;		/* FORK: no fork, but perf's way to list who lived before */
	union {
		struct record_sample sample;
		struct record_mmap mmap;
		struct record_stack stack;
		struct record_wait wait;
		struct {
			const char *name;
		} comm;
		struct {
			uint64_t count;
			bool samples;	/* LOST_SAMPLES: by the kernel, before the ring */
			bool process_events;	/* the ring carried process events */
			uint64_t until_ns;	/* see capture/stream.h */
		} lost;
		struct {
			uint64_t addr;
			uint32_t size_bytes;
			bool bpf;
			bool gone;	/* unregistered */
			const char *name;
		} ksymbol;
	};
};

/* What perf_event_attr said; it decides the layout of every record of that event. */
struct record_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t regs_user;	/* attr.sample_regs_user */
	uint64_t branches;	/* attr.branch_sample_type */
	bool sample_id_all;
	bool no_build_ids;	/* attr.build_id was not set */
};

/* 0, or -EINVAL, and what *ret_record holds then is of no use. */
int record_decode(const void *bytes, size_t size_bytes, const struct record_layout *layout,
		  struct perf_record *ret_record);

/* Of a PERF_RECORD_SAMPLE its time alone, for who puts them in order; 0 where it carries none. */
int record_sample_time(const void *bytes, size_t size_bytes, const struct record_layout *layout,
		       uint64_t *ret_time_ns);

#endif
