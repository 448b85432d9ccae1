/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_limits.h - what the machine, its administrator and its kernel permit
 *
 * These values are read for `assay doctor` and for error messages. They do not decide whether assay
 * opens an event: assay always tries to open the event. Every call reads all values again. A value
 * that cannot be read is -1 ("unknown"), which is different from 0 ("no"). Source:
 * Documentation/admin-guide/sysctl/kernel.rst, perf-security.rst, capabilities(7).
 */
#ifndef ASSAY_PERF_SYSTEM_LIMITS_H
#define ASSAY_PERF_SYSTEM_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

enum lockdown {
	LOCKDOWN_UNKNOWN = -1,	/* this kernel has no lockdown, or securityfs is not mounted */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
};

/* Members that answer a yes/no question are 1 for yes, 0 for no and -1 for unknown. */
struct system_limits {
	/* Values of the sysctls kernel.* */
	int64_t perf_event_paranoid;
	int64_t perf_event_mlock_kb;
	int64_t perf_event_max_sample_rate;	/* in Hz */
	int64_t perf_event_max_stack;		/* in frames */
	int64_t perf_cpu_time_max_percent;
	int64_t kptr_restrict;
	int64_t unprivileged_bpf_disabled;

	int64_t memlock_bytes;			/* RLIMIT_MEMLOCK; INT64_MAX: unlimited */
	int64_t open_files;			/* soft limit RLIMIT_NOFILE */
	int64_t open_files_hard;

	/* 1 if the process has the named capability in its effective set */
	int cap_perfmon;
	int cap_bpf;
	int cap_sys_admin;
	int cap_sys_ptrace;
	int cap_syslog;
	int cap_ipc_lock;

	int has_pmu;		/* a cycle counter can be opened, or sysfs lists a CPU PMU */
	int has_btf;		/* /sys/kernel/btf/vmlinux is readable */
	/*
	 * Result of loading a trivial BPF program: 0 (it works) or a positive errno such as EPERM
	 * or ENOSYS
	 */
	int bpf_errno;
	int has_tracefs;	/* tracefs is mounted, and event ids are readable */
	int has_kernel_symbols;	/* /proc/kallsyms shows addresses */
	int is_virtual;		/* the machine runs on a hypervisor */
	enum lockdown lockdown;
};

/* Reads all limits. Never fails; unreadable values are set to "unknown". */
void system_limits_read(struct system_limits *ret_limits);

/*
 * Returns 1 if the machine runs on a hypervisor, 0 if it does not, or -1 if unknown. The result is
 * -1 on CPUs other than x86 if neither sysfs, the device tree nor the firmware tables name a
 * hypervisor.
 */
int system_is_virtual(void);

/*
 * Returns kernel.perf_event_paranoid, or -1 if it cannot be read. -1 is also a valid value of this
 * sysctl, the most permissive one.
 */
int64_t system_paranoid(void);

/*
 * Returns false if the kernel will not let this process lock @bytes in all for rings of perf:
 * without CAP_IPC_LOCK, a user has perf_event_mlock_kb for each CPU, and RLIMIT_MEMLOCK. True if
 * unknown.
 */
bool system_may_lock(uint64_t bytes);

/*
 * Returns kernel.perf_event_max_sample_rate in Hz, or -1 if it cannot be read. The kernel lowers
 * this value at run time.
 */
int64_t system_max_sample_rate(void);

#endif
