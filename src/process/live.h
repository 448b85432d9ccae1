/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - the state of a running process and of its threads
 *
 * The tracker owns these structs and changes them as process events arrive (tracker.h). Other files
 * only read them, except for a few fields whose comments name another user.
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
	uint32_t application, instance;	/* application 0: not determined yet */
	uint32_t main_pin;		/* pin of the program's file; 0: unknown */
	uint32_t exe;			/* path of the program, as in struct process */
	/*
	 * From this process, or inherited by fork; cgroup 0 or uid UINT32_MAX: not known for
	 * certain
	 */
	uint32_t cgroup, uid;
	/* The tgid in the process's own pid namespace; equal to tgid until was_read is set */
	uint32_t inner_tgid;
	/* Row in the model; 0 until the process is sampled, and again after exec */
	uint32_t model_process;
	uint32_t thread_count;		/* including exited threads in their grace period */
	bool kernel_thread;
	/* to be sampled: the started command or chosen by -p or -t; inherited by fork */
	bool is_target;
	/*
	 * True if space was read from /proc or built from fork and exec records. If false, /proc
	 * must be read before space is used.
	 */
	bool maps_known;
	bool was_read;			/* cgroup and uid were read from /proc */
	bool uid_told;			/* uid was sent by the in-kernel sampler */
	bool unknown;			/* only tgid and tids are known */
	bool unverified;		/* unknown is set because records are missing */
	bool distrusted;		/* records written after verified_ns may be missing */
	/* record time up to which the state of the process is certain */
	uint64_t verified_ns;
	bool gone;			/* /proc no longer shows this process under its tgid */
	uint64_t start_ticks;		/* as in struct identity; 0: unknown */
	uint64_t start_code, start_stack;
	/* while unknown is set: when /proc was last read for this process; 0: never */
	uint64_t seen_ns;
	/* while unknown is set: what /proc showed for the thread group leader at seen_ns */
	struct proc_task seen;
	uint64_t scanned_ns;		/* when the whole process was read from /proc; 0: never */
	uint64_t maps_ns;		/* when the mappings of the process were read from /proc */
	/* Record time of the last read of /proc because of a sample */
	uint64_t reread_ns;
	struct address_space *space;	/* NULL: nothing mapped */
	struct budget new_callers;	/* limits new callers, see chain.h */
	struct budget new_nodes;	/* limits new nodes in the stack tree; chain.h */
	struct budget new_mappings;	/* limits new mappings, see tracker_mapping_of_caller() */
	struct live_thread *threads;	/* list linked by next_sibling */
	/* a jitdump of the program that began at dump_exec_ns was opened */
	bool dump_was_seen;
	uint64_t dump_exec_ns;		/* value of exec_ns when the jitdump was opened */
	/*
	 * number of successive samples whose unwinding found no mapping or table, see
	 * bpf_collector.c
	 */
	uint32_t nowhere_count;
	/*
	 * Number of the running program in the in-kernel sampler (see life in bpf/wire.h); 0:
	 * unknown
	 */
	uint64_t life;
	/*
	 * Stamp of the address space that the in-kernel sampler last received for unwinding this
	 * process; 0: unknown, or the sampler does not unwind this process
	 */
	uint64_t walked_stamp;
	uint64_t walked_tables;		/* image_tables_made() when walked_stamp was last checked */
};

struct live_thread {
	uint32_t tid;
	uint32_t model_thread;		/* row in the model; 0 until sampled under this comm */
	char comm[LIVE_COMM_MAX];
	uint64_t start_ns;
	uint64_t exit_ns;		/* 0 while the thread is alive */
	uint64_t sampled_ns;		/* time of the last sample after exit; 0: none */
	uint64_t scanned_ns;		/* when the thread was read from /proc; 0: never */
	struct live_process *process;
	struct live_thread *next_sibling, *previous_sibling;
	struct live_thread *next_exited;
};

#endif
