/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/system_limits.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "perf/perf_open.h"
#include "base/small_file.h"
#include "perf/tracefs.h"

#define SYSCTL "/proc/sys/kernel/"

static int64_t number_or_unknown(const char *path)
{
	int64_t number = -1;

	(void)small_file_number(path, &number);
	return number;
}

static void read_sysctls(struct system_limits *limits)
{
	limits->perf_event_paranoid = number_or_unknown(SYSCTL "perf_event_paranoid");
	limits->perf_event_mlock_kb = number_or_unknown(SYSCTL "perf_event_mlock_kb");
	limits->perf_event_max_sample_rate = number_or_unknown(SYSCTL "perf_event_max_sample_rate");
	limits->perf_event_max_stack = number_or_unknown(SYSCTL "perf_event_max_stack");
	limits->perf_cpu_time_max_percent = number_or_unknown(SYSCTL "perf_cpu_time_max_percent");
	limits->kptr_restrict = number_or_unknown(SYSCTL "kptr_restrict");
	limits->unprivileged_bpf_disabled = number_or_unknown(SYSCTL "unprivileged_bpf_disabled");
}

static int64_t limit_value(rlim_t limit)
{
	return limit > INT64_MAX ? INT64_MAX : (int64_t)limit;
}

static void read_rlimits(struct system_limits *limits)
{
	struct rlimit limit;

	limits->memlock_bytes = -1;
	limits->open_files = -1;
	limits->open_files_hard = -1;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
		limits->memlock_bytes = limit_value(limit.rlim_cur);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limits->open_files = limit_value(limit.rlim_cur);
		limits->open_files_hard = limit_value(limit.rlim_max);
	}
}

static int effective(cap_t caps, cap_value_t cap)
{
	cap_flag_value_t value;

	if (!caps || cap_get_flag(caps, cap, CAP_EFFECTIVE, &value) < 0)
		return -1;
	return value == CAP_SET;
}

static void read_capabilities(struct system_limits *limits)
{
	cap_t caps = cap_get_proc();

	limits->cap_perfmon = effective(caps, CAP_PERFMON);
	limits->cap_bpf = effective(caps, CAP_BPF);
	limits->cap_sys_admin = effective(caps, CAP_SYS_ADMIN);
	limits->cap_sys_ptrace = effective(caps, CAP_SYS_PTRACE);
	limits->cap_syslog = effective(caps, CAP_SYSLOG);
	limits->cap_ipc_lock = effective(caps, CAP_IPC_LOCK);
	if (caps)
		(void)cap_free(caps);
}

/* Returns true if sysfs lists a PMU of the CPU, under any of the names that kernels use. */
static bool sysfs_shows_pmu(void)
{
	static const char *const paths[] = {
		"/sys/bus/event_source/devices/cpu",
		"/sys/bus/event_source/devices/cpu_core",
		"/sys/bus/event_source/devices/armv8_pmuv3",
		"/sys/bus/event_source/devices/armv8_pmuv3_0",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (access(paths[i], F_OK) == 0)
			return true;
	return false;
}

static int probe_pmu(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = 1,
	};
	struct perf_place place = { .cpu = -1, .group_fd = -1 };
	struct perf_features features = { 0 };
	_cleanup_close_ int fd = perf_open(&attr, &place, &features);

	if (fd >= 0 || sysfs_shows_pmu())
		return 1;
	return fd == -EACCES || fd == -EPERM || fd == -ENOSYS ? -1 : 0;
}

/* Tries to load the smallest possible program: r0 = 0; exit. Returns 0 or a positive errno. */
static int probe_bpf(void)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const char license[] = "GPL";
	union bpf_attr attr;
	_cleanup_close_ int fd = -1;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	attr.insns = (uint64_t)(uintptr_t)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (uint64_t)(uintptr_t)license;
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	return fd < 0 ? errno : 0;
}

static enum lockdown read_lockdown(void)
{
	char text[128];

	/*
	 * The text looks like "none [integrity] confidentiality", with the current mode in
	 * brackets.
	 */
	if (small_file_read("/sys/kernel/security/lockdown", text, sizeof(text)) < 0)
		return LOCKDOWN_UNKNOWN;
	if (strstr(text, "[none]"))
		return LOCKDOWN_NONE;
	if (strstr(text, "[integrity]"))
		return LOCKDOWN_INTEGRITY;
	return strstr(text, "[confidentiality]") ? LOCKDOWN_CONFIDENTIALITY : LOCKDOWN_UNKNOWN;
}

/*
 * Returns true if the firmware tables give the name of a hypervisor as the vendor or product of the
 * machine.
 */
static bool firmware_is_virtual(void)
{
	static const char *const paths[] = {
		"/sys/class/dmi/id/sys_vendor",
		"/sys/class/dmi/id/product_name",
	};
	static const char *const names[] = {
		"QEMU",	 "KVM",	      "VMware",		 "innotek GmbH",	  "Xen",
		"Bochs", "Parallels", "Virtual Machine", "Google Compute Engine", "OpenStack",
	};
	char text[128];

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++)
			if (small_file_read(paths[i], text, sizeof(text)) == 0 &&
			    strstr(text, names[j]))
				return true;
	return false;
}

/*
 * On x86, the CPU flags show whether there is a hypervisor. On other machines, sysfs, the device
 * tree or the firmware tables may name a hypervisor. If none of them does, the result is "unknown".
 */
int system_is_virtual(void)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/cpuinfo", "re");
	char line[8192];

	if (access("/sys/hypervisor/type", F_OK) == 0 ||
	    access("/proc/device-tree/hypervisor", F_OK) == 0)
		return 1;
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "flags", 5) == 0)
			return strstr(line, " hypervisor") != NULL;
	return firmware_is_virtual() ? 1 : -1;
}

/*
 * Returns 1 if /proc/kallsyms shows addresses, 0 if it shows only zeros because we lack the
 * permission, or -1 if it cannot be opened.
 */
static int probe_kernel_symbols(void)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/kallsyms", "re");
	char line[1024];

	for (int i = 0; file && i < 64 && fgets(line, sizeof(line), file); i++)
		if (strtoull(line, NULL, 16) != 0)
			return 1;
	return file ? 0 : -1;
}

int64_t system_paranoid(void)
{
	return number_or_unknown(SYSCTL "perf_event_paranoid");
}

/* As perf_mmap() of kernel/events/core.c decides. */
bool system_may_lock(uint64_t bytes)
{
	struct system_limits limits = { 0 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	read_capabilities(&limits);
	if (limits.cap_ipc_lock != 0)
		return true;
	read_sysctls(&limits);
	read_rlimits(&limits);
	if (limits.perf_event_paranoid < 0 || limits.perf_event_mlock_kb < 0 ||
	    limits.memlock_bytes == INT64_MAX || cpus < 1)
		return true;
	return bytes <= (uint64_t)limits.perf_event_mlock_kb * 1024 * (uint64_t)cpus +
				(uint64_t)limits.memlock_bytes;
}

int64_t system_max_sample_rate(void)
{
	return number_or_unknown(SYSCTL "perf_event_max_sample_rate");
}

void system_limits_read(struct system_limits *ret_limits)
{
	struct system_limits limits = { 0 };

	read_sysctls(&limits);
	read_rlimits(&limits);
	read_capabilities(&limits);
	limits.has_pmu = probe_pmu();
	limits.has_btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	limits.bpf_errno = probe_bpf();
	limits.has_tracefs = tracefs_is_readable();
	limits.has_kernel_symbols = probe_kernel_symbols();
	limits.is_virtual = system_is_virtual();
	limits.lockdown = read_lockdown();
	*ret_limits = limits;
}
