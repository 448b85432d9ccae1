/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_read.h - what /proc says of a process
 *
 * A process may vanish between any two of these calls: every function then returns a negative
 * errno (-ENOENT, -ESRCH) and leaves its outputs alone.  Names contain anything but NUL; they
 * are taken out of their escapes and cut at the sizes below.
 * Source: proc(5); fs/proc/array.c and task_mmu.c of 6.18.
 */
#ifndef ASSAY_PROCESS_PROC_READ_H
#define ASSAY_PROCESS_PROC_READ_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "perf/record.h"

#define PROC_COMM_MAX 64 /* a worker's comm tells its work too: more than TASK_COMM_LEN */
#define PROC_PATH_MAX PATH_MAX

struct proc_task {
	char comm[PROC_COMM_MAX];
	char state;		/* 'R', 'S', ... 'Z' and 'X': dead */
	bool kernel_thread;
	uint32_t parent_tgid;
	uint64_t start_ns;	/* CLOCK_MONOTONIC, to 1/USER_HZ s; 1 for what began before it */
	uint64_t start_ticks;	/* the same as it is written: 1/USER_HZ s since boot */
	uint64_t start_code, start_stack;	/* 0, both: no memory, in the midst of exec(), or we
						   may not see it */
};

/* What a time by CLOCK_BOOTTIME is as start_ticks. */
uint64_t proc_ticks(uint64_t boot_ns);

/* A task's line of /proc/TGID/task/TID/stat. */
int proc_read_task(uint32_t tgid, uint32_t tid, struct proc_task *ret_task);
int proc_parse_task(const char *line, size_t length, struct proc_task *ret_task);

/* The program's path without " (deleted)"; -ENOENT for kernel threads too. */
int proc_read_exe(uint32_t tgid, char ret_path[static PROC_PATH_MAX]);

/* Real uid, and the tgid in the process's own pid namespace. */
int proc_read_status(uint32_t tgid, uint32_t *ret_uid, uint32_t *ret_inner_tgid);

/* False also where it cannot be told. */
bool proc_is_in_pid_namespace(void);

/*
 * Does /proc show this process under the tgid it knows itself by?  Where a pid namespace was
 * entered without a /proc of its own, all it says is about other processes of the same ids.
 */
int proc_check_namespace(struct err *err);

/* For sure: asking costs a tenth of what it costs to find nothing in /proc. */
bool proc_is_gone(uint32_t tgid);

/* Path in the v2 hierarchy, or in that of perf_event where the v2 path is missing or "/". */
int proc_read_cgroup(uint32_t tgid, char ret_path[static PROC_PATH_MAX]);

/* May that be a path in a hierarchy of cgroup v1? False also where nothing is told. */
bool proc_has_cgroup_v1(void);

/* Calls @visit for each executable mapping; a negative answer of it ends the reading. */
typedef int (*proc_mapping_fn)(void *context, const struct record_mmap *mapping);
int proc_read_maps(uint32_t tgid, proc_mapping_fn visit, void *context);

/* One line of maps; @line is written to, the path points into it. False: not executable. */
bool proc_parse_mapping(char *line, struct record_mmap *ret_mapping);

/* Calls @visit for each tid of a process, or for each tgid when @tgid is 0. */
typedef int (*proc_id_fn)(void *context, uint32_t id);
int proc_each_id(uint32_t tgid, proc_id_fn visit, void *context);

/* Takes " (deleted)" off a path, in place. */
void proc_strip_deleted(char *path);

#endif
