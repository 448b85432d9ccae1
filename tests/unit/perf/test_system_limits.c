/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's limits compared with other readings of the same limits, and the error messages
 * about them.
 */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "perf/perf_open.h"
#include "perf/system_limits.h"

static void test_every_member_is_written(void **state)
{
	struct system_limits limits;
	struct rlimit files;

	memset(&limits, 0x55, sizeof(limits));
	system_limits_read(&limits);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	assert_int_equal(limits.open_files, files.rlim_cur);
	assert_int_equal(limits.has_btf, access("/sys/kernel/btf/vmlinux", R_OK) == 0);
	assert_in_range(limits.perf_event_paranoid + 1, 0, 8);
	assert_in_range(limits.kptr_restrict + 1, 0, 3);
	assert_in_range(limits.cap_perfmon + 1, 0, 2);
	assert_in_range(limits.cap_ipc_lock + 1, 0, 2);
	assert_in_range(limits.has_pmu + 1, 0, 2);
	assert_in_range(limits.is_virtual + 1, 0, 2);
	assert_in_range(limits.has_kernel_symbols + 1, 0, 2);
	assert_in_range(limits.has_tracefs, 0, 1);
	assert_in_range(limits.bpf_errno, 0, 200);
	assert_in_range((int)limits.lockdown + 1, 0, 3);
}

static bool bit_of_status(const char *field, unsigned int bit)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, field, strlen(field)) == 0)
			return strtoull(line + strlen(field), NULL, 16) >> bit & 1;
	fail_msg("no %s", field);
	return false;
}

/* The numbers are those of linux/capability.h. The result is checked against /proc. */
static void test_capabilities_agree_with_proc(void **state)
{
	struct system_limits limits;

	system_limits_read(&limits);
	assert_int_equal(limits.cap_ipc_lock, bit_of_status("CapEff:", 14));
	assert_int_equal(limits.cap_sys_ptrace, bit_of_status("CapEff:", 19));
	assert_int_equal(limits.cap_sys_admin, bit_of_status("CapEff:", 21));
	assert_int_equal(limits.cap_syslog, bit_of_status("CapEff:", 34));
	assert_int_equal(limits.cap_perfmon, bit_of_status("CapEff:", 38));
	assert_int_equal(limits.cap_bpf, bit_of_status("CapEff:", 39));
}

static void assert_explained(int code, const struct event_spec *spec, bool cpu_wide,
			     const char *hint)
{
	struct err err = { 0 };

	assert_int_equal(perf_explain(&err, code, spec, cpu_wide), code);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, hint))
		fail_msg("no '%s' in: %s", hint, err.text);
}

static void test_errors_say_what_would_help(void **state)
{
	struct event_spec cycles = { .name = "cycles", .attr.type = PERF_TYPE_HARDWARE };
	struct event_spec point = { .name = "a:b", .attr.type = PERF_TYPE_TRACEPOINT };

	assert_explained(-ENOENT, &cycles, true, "hypervisor");
	assert_explained(-EOPNOTSUPP, &point, true, "not supported");
	assert_explained(-EMFILE, &cycles, true, "ulimit -n");
	assert_explained(-ENOSYS, &cycles, true, "CONFIG_PERF_EVENTS");
	assert_explained(-EINVAL, &cycles, true, "'cycles'");
	assert_explained(-EACCES, &cycles, true, "CAP_PERFMON");
	assert_explained(-ENOTTY, &cycles, true, strerror(ENOTTY));
	if (system_paranoid() > 0)
		assert_explained(-EACCES, &cycles, true, "kernel.perf_event_paranoid=0");
	if (system_paranoid() > 1)
		assert_explained(-EACCES, &cycles, false, ":u");
	if (system_paranoid() > -1)
		assert_explained(-EACCES, &point, false, "kernel.perf_event_paranoid=-1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_member_is_written),
		cmocka_unit_test(test_capabilities_agree_with_proc),
		cmocka_unit_test(test_errors_say_what_would_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
