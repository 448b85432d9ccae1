/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h - applications, processes and threads
 *
 * An application is a program, identified by name. Its instances are the processes that run the
 * program, numbered in the order in which assay saw them. The kernel can reuse a pid, but the pair
 * of name and instance number stays unique (called appid in SLEEPY).
 *
 * A process row describes one program run by one tgid. exec begins a new row with the same tgid and
 * start time and a later exec_ns. A thread row describes one tid under one name (comm). A new name
 * begins a new row. Rows do not change once written. Only processes and threads that were sampled
 * have rows. The other processes are only counted in their application.
 */
#ifndef ASSAY_MODEL_PROCESS_H
#define ASSAY_MODEL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

struct application {
	/*
	 * string: what the program is called, with its script if it is an interpreter
	 * (process/program_name.h); or comm of a kernel thread
	 */
	uint32_t name;
	uint32_t instance_count;	/* number of all instances seen, sampled or not */
};

struct process {
	uint32_t tgid;			/* in the pid namespace of the recording */
	uint32_t parent_tgid;
	/* id of the parent process; 0 if the parent was never sampled */
	uint32_t parent;
	uint32_t application;
	uint32_t instance;		/* instance number within the application, from 1 */
	uint32_t uid;			/* UINT32_MAX: unknown */
	uint32_t exe;			/* string: path of the program, "" for kernel threads */
	uint32_t cgroup;		/* string: path in the v2 (or perf_event) hierarchy */
	uint32_t command_line;		/* string; "": not recorded, or unknown */
	uint64_t start_ns;		/* CLOCK_MONOTONIC; 0: unknown */
	/* time at which this process began to run this program; 0: before the recording */
	uint64_t exec_ns;
	bool kernel_thread;
};

struct thread {
	uint32_t process;
	uint32_t tid;
	uint32_t comm;			/* string */
	uint64_t start_ns;
};

#endif
