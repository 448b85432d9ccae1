/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_read.h - reads what /proc shows of a process
 *
 * A process may exit between any two of these calls. If it has, the function returns a negative
 * errno (-ENOENT, -ESRCH) and leaves its outputs unchanged. Names may contain any byte except NUL.
 * Escape sequences in names are decoded, and long names are truncated to the sizes below. Source:
 * proc(5); fs/proc/array.c and task_mmu.c of 6.18.
 */
#ifndef ASSAY_PROCESS_PROC_READ_H
#define ASSAY_PROCESS_PROC_READ_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "perf/record.h"

/* more than TASK_COMM_LEN, because /proc appends the current work item to a worker's comm */
#define PROC_COMM_MAX 64
#define PROC_PATH_MAX PATH_MAX

struct proc_task {
	char comm[PROC_COMM_MAX];
	char state;		/* 'R', 'S', ...; 'Z' and 'X': the task is dead */
	bool kernel_thread;
	uint32_t parent_tgid;
	/*
	 * start time in CLOCK_MONOTONIC, with a resolution of 1/USER_HZ s; 1 if the result would be
	 * negative
	 */
	uint64_t start_ns;
	/* start time as /proc shows it, in units of 1/USER_HZ s since boot */
	uint64_t start_ticks;
	/*
	 * Both are 0 if the task has no address space or is in the middle of exec(), or if we may
	 * not read them.
	 */
	uint64_t start_code, start_stack;
};

/* Converts a CLOCK_BOOTTIME time to the unit of start_ticks. */
uint64_t proc_ticks(uint64_t boot_ns);

/* Both parse a task's stat line; proc_read_task() reads the line from /proc/TGID/task/TID/stat. */
int proc_read_task(uint32_t tgid, uint32_t tid, struct proc_task *ret_task);
int proc_parse_task(const char *line, size_t length, struct proc_task *ret_task);

/*
 * Reads the path of the program's file, without " (deleted)". Returns -ENOENT also for kernel
 * threads.
 */
int proc_read_exe(uint32_t tgid, char ret_path[static PROC_PATH_MAX]);

/* Reads the real uid, and the tgid in the process's own pid namespace. */
int proc_read_status(uint32_t tgid, uint32_t *ret_uid, uint32_t *ret_inner_tgid);

/*
 * Returns true if we run in a pid namespace other than the initial one. Returns false in the
 * initial namespace, and if the namespace cannot be determined.
 */
bool proc_is_in_pid_namespace(void);

/*
 * Checks that /proc shows assay under its own tgid. If not, assay runs in a pid namespace that has
 * no /proc of its own, and everything in /proc is about other processes with the same ids.
 */
int proc_check_namespace(struct err *err);

/*
 * Returns true only if the process has certainly exited. This check takes a tenth of the time of a
 * failed look-up in /proc.
 */
bool proc_is_gone(uint32_t tgid);

/*
 * Reads the path of the process's control group in the v2 hierarchy. If the process has no path
 * there, or only "/", reads its path in the perf_event hierarchy of cgroup v1 instead, if that
 * exists.
 */
int proc_read_cgroup(uint32_t tgid, char ret_path[static PROC_PATH_MAX]);

/*
 * Returns true if there is a cgroup v1 hierarchy with perf_event, so that proc_read_cgroup() may
 * return a path in it. Returns false if there is none or if this cannot be determined.
 */
bool proc_has_cgroup_v1(void);

/*
 * Calls @visit for each executable mapping. If @visit returns a negative value, the function stops
 * reading and returns that value.
 */
typedef int (*proc_mapping_fn)(void *context, const struct record_mmap *mapping);
int proc_read_maps(uint32_t tgid, proc_mapping_fn visit, void *context);

/*
 * Parses one line of /proc/TGID/maps. @line is modified, and ret_mapping->path points into it.
 * Returns false if the mapping is not executable.
 */
bool proc_parse_mapping(char *line, struct record_mmap *ret_mapping);

/*
 * Calls @visit for each tid of process @tgid. If @tgid is 0, calls it for the tgid of each process
 * on the machine. If @visit returns a negative value, stops and returns that value.
 */
typedef int (*proc_id_fn)(void *context, uint32_t id);
int proc_each_id(uint32_t tgid, proc_id_fn visit, void *context);

/* Removes " (deleted)" from the end of a path, in place. */
void proc_strip_deleted(char *path);

#endif
