/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - a process and its threads, as the tracker knows them while they live
 *
 * The tracker owns these and changes them as process events arrive (tracker.h). Others read them,
 * and keep a few marks of their own in them, as the comments say.
 */
#ifndef ASSAY_PROCESS_LIVE_H
#define ASSAY_PROCESS_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "process/address_space.h"
#include "process/budget.h"
#include "process/proc_read.h"

#define LIVE_COMM_MAX 16	/* TASK_COMM_LEN */

/* The tgid and tid that perf writes for a task whose ids were already released. */
#define LIVE_ID_GONE UINT32_MAX

struct live_process {
	uint32_t tgid, parent_tgid;
	uint64_t start_ns, exec_ns;
	uint32_t application, instance;	/* application 0: not known yet */
	uint32_t main_pin;		/* pin of the program's file; 0: unknown */
	uint32_t exe;			/* path of the program, as in struct process */
	/* Its own, or inherited by fork. 0 and UINT32_MAX mean: not known for certain. */
	uint32_t cgroup, uid;
	/* The tgid in its own pid namespace; equal to tgid until was_read */
	uint32_t inner_tgid;
	/* Row in the model; 0 until sampled, and again after exec */
	uint32_t model_process;
	uint32_t thread_count;		/* including exited threads in their grace period */
	bool kernel_thread;
	bool is_target;			/* the command, or chosen by -p or -t; inherited by fork */
	/*
	 * True if space was read from /proc or built from fork and exec records. If false, /proc
	 * must be read before space is used.
	 */
	bool maps_known;
	bool was_read;			/* cgroup and uid were read from /proc */
	bool uid_told;			/* uid came from the in-kernel sampler */
	bool unknown;			/* only its ids are known */
	bool unverified;		/* unknown because records are missing */
	bool distrusted;		/* records after verified_ns may be missing */
	uint64_t verified_ns;		/* record time up to which its state is certain */
	bool gone;			/* /proc shows another process under its tgid, or none */
	uint64_t start_ticks;		/* as in struct identity; 0: unknown */
	uint64_t start_code, start_stack;
	uint64_t seen_ns;		/* if unknown: when /proc was last read for it; 0: never */
	struct proc_task seen;		/* if unknown: what /proc showed then for the leader */
	uint64_t scanned_ns;		/* when the whole process was read from /proc; 0: never */
	uint64_t maps_ns;		/* when its mappings were read from /proc */
	/* Record time of the last read of /proc because of a sample */
	uint64_t reread_ns;
	struct address_space *space;	/* NULL: nothing mapped */
	struct budget new_callers;	/* limits new callers, see chain.h */
	struct budget new_nodes;	/* limits new nodes of stacks, see chain.h */
	struct budget new_mappings;	/* limits new mappings, see tracker_mapping_of_caller() */
	struct live_thread *threads;	/* list linked by next_sibling */
	bool dump_was_seen;		/* a jitdump was opened for the program of dump_exec_ns */
	uint64_t dump_exec_ns;		/* exec_ns of that program */
	uint32_t nowhere_count;		/* see capture/bpf_collector.c */
	/* Number of its life in the in-kernel sampler (bpf/wire.h); 0: unknown */
	uint64_t life;
	/*
	 * Stamp of the address space with which the in-kernel sampler unwinds the process; 0:
	 * unknown, or it does not.
	 */
	uint64_t walked_stamp;
	uint64_t walked_tables;		/* image_tables_made() at that time */
};

struct live_thread {
	uint32_t tid;
	uint32_t model_thread;		/* row in the model; 0 until sampled under this comm */
	char comm[LIVE_COMM_MAX];
	uint64_t start_ns;
	uint64_t exit_ns;		/* 0 while it lives */
	uint64_t sampled_ns;		/* time of the last sample in its grace period; 0: none */
	uint64_t scanned_ns;		/* when the thread was read from /proc; 0: never */
	struct live_process *process;
	struct live_thread *next_sibling, *previous_sibling;
	struct live_thread *next_exited;
};

#endif
