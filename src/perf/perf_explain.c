/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/perf_open.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "perf/system_limits.h"

/*
 * Returns the highest value of kernel.perf_event_paranoid at which a user without privileges may
 * open the event. See perf_allow_cpu(), perf_allow_kernel() and perf_allow_tracepoint() in the
 * kernel.
 */
static int paranoid_needed(const struct event_spec *spec, bool cpu_wide)
{
	if (spec->attr.type == PERF_TYPE_TRACEPOINT)
		return -1;
	if (cpu_wide)
		return 0;
	return spec->attr.exclude_kernel ? 2 : 1;
}

static int explain_refused(struct err *err, int code, const struct event_spec *spec, bool cpu_wide)
{
	const char *scope = cpu_wide ? "on whole CPUs" : "for these tasks";
	int64_t paranoid = system_paranoid();
	int needed = paranoid_needed(spec, cpu_wide);

	if (paranoid > needed)
		return err_set(err, code,
			       "the kernel refuses event '%s' %s: kernel.perf_event_paranoid is "
			       "%" PRId64 " (sysctl kernel.perf_event_paranoid=%d allows it, so "
			       "does CAP_PERFMON or root%s)",
			       spec->name, scope, paranoid, needed,
			       !cpu_wide && !spec->attr.exclude_kernel
				       ? "; or leave the kernel out with the modifier :u"
				       : "");
	return err_set(err, code,
		       "the kernel refuses event '%s' %s: the process is not your own "
		       "(CAP_PERFMON or root allows it), or a container's seccomp "
		       "filter or the kernel's lockdown forbids perf_event_open",
		       spec->name, scope);
}

static int explain_unsupported(struct err *err, int code, const struct event_spec *spec)
{
	switch (spec->attr.type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return err_set(
			err, code,
			"event '%s' is not supported here: this machine has no such hardware "
			"counter, or its hypervisor does not pass the PMU on (cpu-clock "
			"always works)",
			spec->name);
	default:
		return err_set(err, code, "event '%s' is not supported by this kernel or device",
			       spec->name);
	}
}

int perf_explain(struct err *err, int code, const struct event_spec *spec, bool cpu_wide)
{
	switch (-code) {
	case EACCES:
	case EPERM:
		return explain_refused(err, code, spec, cpu_wide);
	case ENOENT:
	case EOPNOTSUPP:
	case ENXIO:
		return explain_unsupported(err, code, spec);
	case ENODEV:
		return err_set(err, code,
			       "event '%s': the CPU is offline, or its PMU does not have the event",
			       spec->name);
	case ESRCH:
		return err_set(err, code, "event '%s': the process has exited", spec->name);
	case EMFILE:
	case ENFILE:
		return err_set(err, code,
			       "event '%s': no file descriptors are left; each event needs one per "
			       "CPU (raise ulimit -n, or sysctl fs.file-max)",
			       spec->name);
	case EBUSY:
		return err_set(err, code, "event '%s': another program holds the PMU exclusively",
			       spec->name);
	case ENOSPC:
		return err_set(err, code,
			       "event '%s': all breakpoint or counter slots of the CPU are taken",
			       spec->name);
	case EINVAL:
		return err_set(err, code,
			       "the kernel finds event '%s' invalid: its type, configuration or "
			       "modifiers do not fit the PMU, or the rate is above "
			       "kernel.perf_event_max_sample_rate",
			       spec->name);
	case ENOSYS:
		return err_set(err, code, "this kernel has no perf events (CONFIG_PERF_EVENTS)");
	default:
		return err_sys(err, code, "cannot open event '%s'", spec->name);
	}
}
