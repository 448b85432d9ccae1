/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_limits.h - what this machine, its administrator and its kernel let us do
 *
 * Read for `assay doctor` and for error messages, never to decide in advance: whether an event
 * opens is found out by opening it.  Everything is read afresh at each call; what cannot be
 * read is -1 ("unknown"), which is not the same as 0 ("no").
 * Source: Documentation/admin-guide/sysctl/kernel.rst, perf-security.rst, capabilities(7).
 */
#ifndef ASSAY_PERF_SYSTEM_LIMITS_H
#define ASSAY_PERF_SYSTEM_LIMITS_H

#include <stdint.h>

enum lockdown {
	LOCKDOWN_UNKNOWN = -1,	/* no lockdown in this kernel, or securityfs is not mounted */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
};

/* Members that answer a question: 1 yes, 0 no, -1 unknown. */
struct system_limits {
	/* sysctls below kernel. */
	int64_t perf_event_paranoid;
	int64_t perf_event_mlock_kb;
	int64_t perf_event_max_sample_rate;	/* Hz */
	int64_t perf_event_max_stack;		/* frames */
	int64_t perf_cpu_time_max_percent;
	int64_t kptr_restrict;
	int64_t unprivileged_bpf_disabled;

	int64_t memlock_bytes;			/* RLIMIT_MEMLOCK; INT64_MAX: unlimited */
	int64_t open_files;			/* RLIMIT_NOFILE, soft */
	int64_t open_files_hard;

	/* capabilities, effective ones */
	int cap_perfmon;
	int cap_bpf;
	int cap_sys_admin;
	int cap_sys_ptrace;
	int cap_syslog;
	int cap_ipc_lock;

	int has_pmu;		/* a cycle counter opens, or sysfs shows a cpu PMU */
	int has_btf;		/* /sys/kernel/btf/vmlinux is readable */
	int bpf_errno;		/* of loading a trivial program: 0 works, EPERM, ENOSYS, ... */
	int has_tracefs;	/* mounted, and event ids are readable */
	int has_kernel_symbols;	/* kallsyms shows addresses */
	int is_virtual;		/* a hypervisor is below */
	enum lockdown lockdown;
};

/* Never fails. */
void system_limits_read(struct system_limits *ret_limits);

/* Is a hypervisor below? 1, 0, or -1: nothing says so (aarch64 with no tables of a firmware). */
int system_is_virtual(void);

/* Only kernel.perf_event_paranoid, or -1 (which is also its most permissive value) unread. */
int64_t system_paranoid(void);

/* Only kernel.perf_event_max_sample_rate, in Hz, or -1: the kernel lowers it while it runs. */
int64_t system_max_sample_rate(void);

#endif
