/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - the state of a running process and of its threads
 *
 * The tracker owns these structs and changes them when process events arrive (tracker.h). Other
 * files only read them, except for a few fields. The comments of those fields name the files that
 * change them.
 */
#ifndef ASSAY_PROCESS_LIVE_H
#define ASSAY_PROCESS_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "process/address_space.h"
#include "process/budget.h"
#include "process/proc_read.h"

#define LIVE_COMM_MAX 16	/* TASK_COMM_LEN */

/* If the kernel has already released a task's ids, perf writes this value as tgid and tid. */
#define LIVE_ID_GONE UINT32_MAX

#define EXEC_GUESS_MAPS 4	/* exec maps the vdso after at most this many other mappings */

/* A COMM of the leader that may have been an exec. Used only by tracker_guess.c. */
struct exec_guess {
	bool is_open;		/* the next mapping may show that it was an exec */
	uint8_t count;
	uint64_t comm_ns;
	uint64_t start_addrs[EXEC_GUESS_MAPS];	/* of the mappings since the COMM */
};

struct live_process {
	uint32_t tgid, parent_tgid;
	uint64_t start_ns, exec_ns;
	/* application id in the model (0: not determined yet), and number of the instance */
	uint32_t application, instance;
	uint32_t main_pin;		/* pin of the program's file (pins.h); 0: unknown */
	/* path of the program: string id in the model, "" if unknown */
	uint32_t exe;
	/*
	 * Control group (string id in the model) and user id, determined for this process or copied
	 * from its parent at fork. cgroup 0 or uid UINT32_MAX: not certain.
	 */
	uint32_t cgroup, uid;
	/*
	 * The tgid as numbered in the process's own pid namespace. Equal to tgid if that number was
	 * not read from /proc
	 */
	uint32_t inner_tgid;
	/*
	 * what the program is called (program_name.h) and its command line, strings of the model;
	 * 0: unknown. @name_was_read: both were looked for
	 */
	uint32_t name, command_line;
	bool name_was_read;
	/* comm that exec gave to the process: the beginning of its file's name; "": unknown */
	char exec_comm[LIVE_COMM_MAX];
	/* Row in the model. 0 until the process is sampled; reset to 0 by exec */
	uint32_t model_process;
	/* release_count of the model when the row was last written (model_release_rows()) */
	uint32_t row_release;
	uint32_t thread_count;		/* including exited threads in their grace period */
	bool kernel_thread;
	/*
	 * the process is to be sampled: the user chose it (-a, -p, -t), we started it, or its
	 * parent is a target
	 */
	bool is_target;
	/*
	 * If false, the mappings must be read from /proc before space is used. True if space was
	 * read from /proc, if it is known from fork and exec records, or if /proc cannot show the
	 * mappings.
	 */
	bool maps_known;
	/* cgroup and uid are known, from /proc or from the in-kernel sampler */
	bool was_read;
	bool uid_told;			/* the in-kernel sampler sent uid */
	bool unknown;			/* we know only the tgid and the tids */
	bool unverified;		/* unknown is set, and the cause is a loss of records */
	/* records about this process may have been lost after verified_ns */
	bool distrusted;
	/* the state of the process is certain up to this record time */
	uint64_t verified_ns;
	/* /proc showed that this process or its program no longer has the tgid */
	bool gone;
	uint64_t start_ticks;		/* as in struct identity; 0: unknown */
	uint64_t start_code, start_stack;
	/* while unknown is set: time at which /proc was last read for this process; 0: never */
	uint64_t seen_ns;
	/* while unknown is set: the thread group leader as /proc showed it at seen_ns */
	struct proc_task seen;
	/* time at which process and threads were read from /proc; 0: never */
	uint64_t scanned_ns;
	/* time at which the mappings were read from /proc; 0: never */
	uint64_t maps_ns;
	/*
	 * Record time at which /proc was last read again for this process (TRACKER_REREAD_NS); 0:
	 * never
	 */
	uint64_t reread_ns;
	struct address_space *space;	/* NULL: nothing mapped */
	/* budget of callers not seen before; spent by chain.c, see chain.h */
	struct budget new_callers;
	/* budget of new nodes in the stack tree; spent by chain.c, see chain.h */
	struct budget new_nodes;
	/* budget of new rows for mappings, see tracker_mapping_of_caller() */
	struct budget new_mappings;
	struct live_thread *threads;	/* list linked by next_sibling */
	struct exec_guess guess;
	/* we tried to open a jitdump of the program that began at dump_exec_ns */
	bool dump_was_seen;
	uint64_t dump_exec_ns;		/* value of exec_ns when we tried to open the jitdump */
	/*
	 * number of successive samples whose unwinding stopped for lack of a mapping or an unwind
	 * table; set by bpf_collector.c
	 */
	uint32_t nowhere_count;
	/*
	 * Number that the in-kernel sampler gives to this process and the program it runs (its
	 * life, see bpf/wire.h); 0: unknown
	 */
	uint64_t life;
	/*
	 * Stamp of the address space that bpf_collector.c last sent to the in-kernel sampler for
	 * unwinding this process. 0: unknown, or the sampler does not unwind this process
	 */
	uint64_t walked_stamp;
	/* value of image_tables_made() when bpf_collector.c last checked walked_stamp */
	uint64_t walked_tables;
};

struct live_thread {
	uint32_t tid;
	/* row in the model; 0 until the thread is sampled under its current comm */
	uint32_t model_thread;
	uint32_t row_release;		/* as in struct live_process */
	char comm[LIVE_COMM_MAX];
	uint64_t start_ns;
	uint64_t exit_ns;		/* 0 while the thread is alive */
	uint64_t sampled_ns;		/* time of the last sample after exit; 0: none */
	uint64_t scanned_ns;		/* time at which the thread was read from /proc; 0: never */
	struct live_process *process;
	struct live_thread *next_sibling, *previous_sibling;
	struct live_thread *next_exited;
};

#endif
