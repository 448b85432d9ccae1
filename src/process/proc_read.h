/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_read.h - reads what /proc shows of a process
 *
 * A process may exit between any two of these calls. Each function then returns a negative errno
 * (-ENOENT, -ESRCH) and leaves its outputs unchanged. Names may contain any byte except NUL; they
 * are unescaped and cut to the sizes below. Source: proc(5); fs/proc/array.c and task_mmu.c of
 * 6.18.
 */
#ifndef ASSAY_PROCESS_PROC_READ_H
#define ASSAY_PROCESS_PROC_READ_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "perf/record.h"

#define PROC_COMM_MAX 64 /* more than TASK_COMM_LEN: a kernel worker's comm also names its work */
#define PROC_PATH_MAX PATH_MAX

struct proc_task {
	char comm[PROC_COMM_MAX];
	char state;		/* 'R', 'S', ...; 'Z' and 'X' are dead */
	bool kernel_thread;
	uint32_t parent_tgid;
	uint64_t start_ns;	/* CLOCK_MONOTONIC, to 1/USER_HZ s; 1 if started before time 0 */
	uint64_t start_ticks;	/* start as in /proc: units of 1/USER_HZ s since boot */
	/* both 0: no address space, in the middle of exec(), or access denied */
	uint64_t start_code, start_stack;
};

/* Converts a CLOCK_BOOTTIME time to the unit of start_ticks. */
uint64_t proc_ticks(uint64_t boot_ns);

/* Read and parse a task's /proc/TGID/task/TID/stat. */
int proc_read_task(uint32_t tgid, uint32_t tid, struct proc_task *ret_task);
int proc_parse_task(const char *line, size_t length, struct proc_task *ret_task);

/* Reads the program's path, without " (deleted)". -ENOENT also for kernel threads. */
int proc_read_exe(uint32_t tgid, char ret_path[static PROC_PATH_MAX]);

/* Reads the real uid, and the tgid in the process's own pid namespace. */
int proc_read_status(uint32_t tgid, uint32_t *ret_uid, uint32_t *ret_inner_tgid);

/*
 * Returns true if we run in a pid namespace other than the initial one; false also if that is
 * unknown.
 */
bool proc_is_in_pid_namespace(void);

/*
 * Checks that /proc shows this process under its own tgid. If a pid namespace was entered without
 * mounting its own /proc, everything in /proc is about other processes with the same ids.
 */
int proc_check_namespace(struct err *err);

/*
 * Returns true only if the process has certainly exited. This check costs a tenth of a failed
 * look-up in /proc.
 */
bool proc_is_gone(uint32_t tgid);

/*
 * Reads the path in the v2 hierarchy; in the perf_event hierarchy if the v2 path is missing or "/".
 */
int proc_read_cgroup(uint32_t tgid, char ret_path[static PROC_PATH_MAX]);

/*
 * Returns true if the path from proc_read_cgroup() may be in a cgroup v1 hierarchy; false also if
 * that is unknown.
 */
bool proc_has_cgroup_v1(void);

/*
 * Calls @visit for each executable mapping. A negative return value of @visit ends the reading and
 * is returned.
 */
typedef int (*proc_mapping_fn)(void *context, const struct record_mmap *mapping);
int proc_read_maps(uint32_t tgid, proc_mapping_fn visit, void *context);

/*
 * Parses one line of maps. @line is modified, and ret_mapping->path points into it. Returns false
 * if the mapping is not executable.
 */
bool proc_parse_mapping(char *line, struct record_mmap *ret_mapping);

/*
 * Calls @visit for each tid of a process, or for each tgid if @tgid is 0. A negative return value
 * of @visit ends the loop and is returned.
 */
typedef int (*proc_id_fn)(void *context, uint32_t id);
int proc_each_id(uint32_t tgid, proc_id_fn visit, void *context);

/* Removes " (deleted)" from the end of a path, in place. */
void proc_strip_deleted(char *path);

#endif
