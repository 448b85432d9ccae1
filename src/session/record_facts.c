/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/record_facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/small_file.h"
#include "symbolize/symbolize.h"

int record_check_symbols(const struct record_options *options, struct err *err)
{
	uint8_t build_id[BUILD_ID_MAX];
	size_t size = 0;
	int rc;

	if (options->kallsyms) {
		rc = symbolize_check_kallsyms(options->kallsyms, err);
		if (rc < 0)
			return rc;
	}
	if (!options->vmlinux)
		return 0;
	rc = symbolize_kernel_build_id(build_id, &size, err);
	if (rc < 0)
		return rc;
	return symbolize_check_vmlinux(options->vmlinux, build_id, size, err);
}

void record_facts(const struct record_options *options, struct model *model)
{
	static const char *const targets[] = {
		[TARGET_SYSTEM] = "system",	  [TARGET_COMMAND] = "command",
		[TARGET_PROCESSES] = "processes", [TARGET_THREADS] = "threads",
		[TARGET_CGROUP] = "cgroup",	  [TARGET_USER] = "user",
	};
	struct utsname name;
	char command[2048], boot_id[64];

	workload_command_line(options->command, command, sizeof(command));
	model_fact_set(model, FACT_COMMAND, "%s", command);
	model_fact_set(model, FACT_TARGET, "%s", targets[options->capture.target]);
	model_fact_set(model, FACT_ASSAY_VERSION, "%s", ASSAY_VERSION);
	model_fact_set_u64(model, FACT_FLUSH_MS, options->flush_ms);
	model_fact_set_u64(model, FACT_SELF_TGID, (uint64_t)getpid());
	model_fact_set_u64(model, FACT_START_REALTIME_NS, clock_read_ns(CLOCK_REALTIME));
	if (small_file_read("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id)) == 0)
		model_fact_set(model, FACT_BOOT_ID, "%s", boot_id);
	if (uname(&name) == 0) {
		model_fact_set(model, FACT_HOST, "%s", name.nodename);
		model_fact_set(model, FACT_KERNEL, "%s %s", name.release, name.version);
		model_fact_set(model, FACT_ARCH, "%s", name.machine);
	}
}
