/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard.h - gives up the rights to change the machine, and keeps those to observe it
 *
 * A session that samples all processes handles what they wrote: names, mappings, maps of generated
 * code. If a fault in assay lets one of them take the session over, it must not get the rights of
 * root with it. So once its events and its recording are open, guard_confine() leaves the session:
 *
 * - capabilities only for observing: CAP_PERFMON, CAP_BPF, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH,
 *   CAP_CHECKPOINT_RESTORE, CAP_SYSLOG and CAP_IPC_LOCK, as far as it had them. Kernels before 5.9
 *   know some of these only as CAP_SYS_ADMIN, which is then kept. A command that only reads a file
 *   of somebody else keeps CAP_DAC_READ_SEARCH and CAP_SYSLOG.
 * - a seccomp filter that refuses all calls that a session does not need: it can start no program,
 *   open no connection, load no BPF program, trace nobody and become no other user.
 * - to change files by name, or to end processes, it must ask the guard: a process that was made
 *   before. The kernel passes such a call to the guard (SECCOMP_RET_USER_NOTIF), which makes it for
 *   the session if it concerns the session's own files and children.
 *
 *	session ----- opens for writing, unlink, rename, kill, openat2 -----> kernel
 *	   ^                                                                    |
 *	   +---- the result, a descriptor ---- guard (own files only) <---------+
 *
 * Reading stays as it was, and costs nothing more. So a session that was taken over can read what
 * root can read, but it can send it nowhere.
 *
 * Nothing of this can be undone. Children made earlier are not concerned, such as the profiled
 * command.
 *
 * Sources: seccomp_unotify(2), capabilities(7), perf_event_open(2).
 */
#ifndef ASSAY_READERS_GUARD_H
#define ASSAY_READERS_GUARD_H

#include <stdint.h>

struct guard;

/* what a process does when it is confined */
enum guard_purpose {
	GUARD_OBSERVES,		/* processes and the kernel */
	GUARD_READS,		/* files: of the capabilities, only two are left */
};

/*
 * Starts the guard, which keeps the rights of this process and ends with it. Call it while this
 * process is small. The struct is never freed, because a confined process always needs it. Returns
 * 0, -ENODATA if this process has no rights that it could give up, or another negative errno.
 */
int guard_new(struct guard **ret_guard);

/*
 * Lets the session change @path and all files of the same directory whose names begin like it, such
 * as the journals of a recording. If @path ends in a slash, all files of the directory. Returns 0
 * or a negative errno.
 */
int guard_allow(struct guard *guard, const char *path);

/* Lets the session create files in @directory, but not change others there. */
int guard_allow_new(struct guard *guard, const char *directory);

/*
 * Gives up the rights. Returns 0, or a negative errno if the kernel has no filter that asks the
 * guard (before 5.9), or another one is in force already. Nothing was given up then.
 */
int guard_confine(struct guard *guard, enum guard_purpose purpose);

/* Returns the CPU time that the guard has used. */
uint64_t guard_cpu_ns(const struct guard *guard);

#endif
