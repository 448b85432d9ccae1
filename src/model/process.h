/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h - who ran
 *
 * An application is a program by name; its instances are numbered in the order in which they
 * were seen, so that a name stays unique when the kernel reuses a pid (SLEEPY's appid).  A
 * process here is one program run by one tgid: exec begins a new one, with the same tgid and
 * start time and a later exec_ns.  A thread is one tid under one name: a changed comm begins
 * a new row.  Rows are immutable once written and exist only for what was sampled; what was
 * never sampled is counted in its application.
 */
#ifndef ASSAY_MODEL_PROCESS_H
#define ASSAY_MODEL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

struct application {
	uint32_t name;			/* string: file name of the program, comm of a kthread */
	uint32_t instance_count;	/* all that were seen, sampled or not */
};

struct process {
	uint32_t tgid;			/* as the recording saw it (its own pid namespace) */
	uint32_t parent_tgid;
	uint32_t parent;		/* process, 0 where the parent was never sampled */
	uint32_t application;
	uint32_t instance;		/* 1, 2, ... within the application */
	uint32_t uid;			/* UINT32_MAX: unknown */
	uint32_t exe;			/* string: path of the program, "" for kernel threads */
	uint32_t cgroup;		/* string: path in the v2 (or perf_event) hierarchy */
	uint64_t start_ns;		/* CLOCK_MONOTONIC; 0: unknown */
	uint64_t exec_ns;		/* this program began; 0: before the recording */
	bool kernel_thread;
};

struct thread {
	uint32_t process;
	uint32_t tid;
	uint32_t comm;			/* string */
	uint64_t start_ns;
};

#endif
