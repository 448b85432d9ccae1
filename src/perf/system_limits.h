/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_limits.h - what the machine, its administrator and its kernel permit
 *
 * These values are read for `assay doctor` and for error messages. They never decide in advance
 * what assay does: whether an event can be opened is found out by opening it. Every call reads all
 * values again. A value that cannot be read is -1 ("unknown"), which differs from 0 ("no").
 * Source: Documentation/admin-guide/sysctl/kernel.rst, perf-security.rst, capabilities(7).
 */
#ifndef ASSAY_PERF_SYSTEM_LIMITS_H
#define ASSAY_PERF_SYSTEM_LIMITS_H

#include <stdint.h>

enum lockdown {
	LOCKDOWN_UNKNOWN = -1,	/* this kernel has no lockdown, or securityfs is not mounted */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
};

/* Members that answer a yes/no question are 1 for yes, 0 for no and -1 for unknown. */
struct system_limits {
	/* sysctls in kernel.* */
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

	/* Effective capabilities */
	int cap_perfmon;
	int cap_bpf;
	int cap_sys_admin;
	int cap_sys_ptrace;
	int cap_syslog;
	int cap_ipc_lock;

	int has_pmu;		/* a cycle counter can be opened, or sysfs lists a CPU PMU */
	int has_btf;		/* /sys/kernel/btf/vmlinux is readable */
	/* Error of loading a trivial BPF program: 0 (it works), EPERM, ENOSYS, ... */
	int bpf_errno;
	int has_tracefs;	/* tracefs is mounted, and event ids are readable */
	int has_kernel_symbols;	/* /proc/kallsyms shows addresses */
	int is_virtual;		/* the machine runs on a hypervisor */
	enum lockdown lockdown;
};

/* Reads all limits. Never fails. */
void system_limits_read(struct system_limits *ret_limits);

/*
 * Returns 1 if the machine runs on a hypervisor, 0 if not, or -1 if nothing says so (aarch64
 * without firmware tables).
 */
int system_is_virtual(void);

/*
 * Returns kernel.perf_event_paranoid, or -1 if it cannot be read. -1 is also the most permissive
 * value of this sysctl.
 */
int64_t system_paranoid(void);

/*
 * Returns kernel.perf_event_max_sample_rate in Hz, or -1 if it cannot be read. The kernel lowers
 * this value at run time.
 */
int64_t system_max_sample_rate(void);

#endif
