/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/doctor_checks.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "sampler/bpf_sampler.h"
#include "sampler/kernel_lacks.h"
#include "perf/cpus.h"
#include "perf/perf_open.h"
#include "perf/ring.h"
#include "capture/event_plan.h"
#include "perf/system_limits.h"
#include "cli/cache_dir.h"
#include "session/calibration.h"
#include "session/rate_control.h"
#include "unwind/table_cache.h"

/* size of one perf ring; a recording has two rings per CPU */
#define RING_BYTES (512u * 1024)
#define RING_BYTES_LEAST (8u * 1024)
#define RATE_WANTED_HZ 10000
#define FILES_PER_CPU 16

struct patient {
	struct system_limits limits;
	struct cpus cpus;
	char program[PATH_MAX];		/* path of this executable, shown in setcap commands */
};

typedef void (*check_fn)(const struct patient *patient, struct check *check);

static void set_text(char *text, size_t size_bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void set_text(char *text, size_t size_bytes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, size_bytes, format, args);
	va_end(args);
}

#define state_is(check, ...) set_text((check)->state, sizeof((check)->state), __VA_ARGS__)
#define enabled_by(check, ...) set_text((check)->enable, sizeof((check)->enable), __VA_ARGS__)

static void answer(struct check *check, int known)
{
	check->verdict = known > 0 ? VERDICT_GOOD : known ? VERDICT_UNKNOWN : VERDICT_LIMITED;
	state_is(check, "%s", known > 0 ? "yes" : known ? "unknown" : "no");
}

/* ---- which tasks may be sampled ---- */

/*
 * Tries to open a cpu-clock event for @pid on @cpu. If @user_only is true, the event excludes the
 * kernel. Returns 0 or a negative errno.
 */
static int try_clock(pid_t pid, int cpu, bool user_only)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP,
		.exclude_kernel = user_only,
		.exclude_hv = 1,
		.disabled = 1,
	};
	struct perf_place place = { .pid = pid, .cpu = cpu, .group_fd = -1 };
	struct perf_features features = { 0 };
	_cleanup_close_ int fd = perf_open(&attr, &place, &features);

	return fd < 0 ? fd : 0;
}

static void tried(const struct patient *patient, struct check *check, int rc, int paranoid)
{
	if (rc == 0) {
		answer(check, 1);
		return;
	}
	check->verdict = VERDICT_LIMITED;
	state_is(check, "no: %s (kernel.perf_event_paranoid is %lld)", strerror(-rc),
		 (long long)patient->limits.perf_event_paranoid);
	enabled_by(check, "sysctl -w kernel.perf_event_paranoid=%d", paranoid);
}

static void check_own(const struct patient *patient, struct check *check)
{
	check->what = "own processes";
	check->cost = "nothing can be profiled";
	tried(patient, check, try_clock(0, -1, true), 2);
}

static void check_kernel(const struct patient *patient, struct check *check)
{
	check->what = "kernel time";
	check->cost = "only user code is sampled; contexts and kernel profiles are missing";
	tried(patient, check, try_clock(0, -1, false), 1);
}

static void check_machine(const struct patient *patient, struct check *check)
{
	int cpu = patient->cpus.count ? patient->cpus.at[0] : 0;

	check->what = "whole machine";
	check->cost = "-a, -C and -G are refused; children that exit within one period are missed";
	tried(patient, check, try_clock(-1, cpu, false), -1);
	if (check->verdict != VERDICT_GOOD)
		enabled_by(check, "setcap cap_perfmon,cap_sys_ptrace,cap_syslog+ep %s",
			   patient->program);
}

static void check_files(const struct patient *patient, struct check *check)
{
	check->what = "files of other users";
	check->cost = "functions of programs that run as other users or in other "
		      "mount namespaces may have no names";
	answer(check, patient->limits.cap_sys_ptrace);
	if (check->verdict != VERDICT_GOOD)
		enabled_by(check, "setcap cap_perfmon,cap_sys_ptrace,cap_syslog+ep %s",
			   patient->program);
}

static void check_kernel_symbols(const struct patient *patient, struct check *check)
{
	check->what = "kernel symbols";
	check->cost = "kernel functions have no names, and assay cannot distinguish "
		      "contexts such as syscall and softirq";
	answer(check, patient->limits.has_kernel_symbols);
	if (check->verdict == VERDICT_GOOD)
		return;
	state_is(check, "no (kernel.kptr_restrict is %lld)",
		 (long long)patient->limits.kptr_restrict);
	if (patient->limits.kptr_restrict == 2)
		enabled_by(check, "sysctl -w kernel.kptr_restrict=1");
	else
		enabled_by(check, "setcap cap_perfmon,cap_sys_ptrace,cap_syslog+ep %s",
			   patient->program);
}

/* ---- which events are available ---- */

static void check_pmu(const struct patient *patient, struct check *check)
{
	check->what = "hardware counters";
	check->cost = "CPU time is sampled with a timer, which cannot sample while "
		      "interrupts are off; cache misses and other hardware events "
		      "cannot be counted";
	answer(check, patient->limits.has_pmu);
	if (check->verdict == VERDICT_GOOD)
		return;
	if (patient->limits.is_virtual > 0) {
		state_is(check, "no (this is a virtual machine)");
		enabled_by(check, "qemu-system-x86_64 -cpu host,pmu=on ...   # on the host");
	}
}

/*
 * Tries to open the default event for whole CPUs or, if the kernel refuses that, for assay's own
 * threads.
 */
static void check_default_event(const struct patient *patient, struct check *check)
{
	struct capture_options options = {
		.target = TARGET_SYSTEM,
		.ids = (uint32_t[]){ (uint32_t)getpid() },
		.id_count = 1,
		.period = NS_PER_SEC,
	};
	struct event_plan plan;
	struct err err = { 0 };
	int rc = event_plan_make(&plan, &options, &err);

	(void)patient;
	if (rc < 0) {
		event_plan_fini(&plan);
		options.target = TARGET_PROCESSES;
		rc = event_plan_make(&plan, &options, &err);
	}
	check->what = "default event";
	check->cost = "nothing is sampled unless -e names an event";
	check->verdict = rc < 0 ? VERDICT_LIMITED : VERDICT_GOOD;
	state_is(check, "%s", rc < 0 ? err.text : plan.event_why);
	event_plan_fini(&plan);
}

static void check_tracepoints(const struct patient *patient, struct check *check)
{
	struct statfs mounted;

	check->what = "tracepoints";
	check->cost = "events of the form system:name are refused";
	answer(check, patient->limits.has_tracefs);
	if (check->verdict == VERDICT_GOOD)
		return;
	if (statfs("/sys/kernel/tracing", &mounted) == 0 && mounted.f_type == TRACEFS_MAGIC)
		enabled_by(check, "mount -o remount,mode=755 /sys/kernel/tracing");
	else
		enabled_by(check, "mount -t tracefs nodev /sys/kernel/tracing");
}

static void check_bpf(const struct patient *patient, struct check *check)
{
	check->what = "BPF";
	check->cost = "assay cannot run code inside the kernel; see below";
	if (patient->limits.bpf_errno == 0) {
		answer(check, 1);
		return;
	}
	check->verdict = VERDICT_LIMITED;
	state_is(check, "no: %s", strerror(patient->limits.bpf_errno));
	if (patient->limits.bpf_errno == EPERM)
		enabled_by(check, "setcap cap_perfmon,cap_bpf,cap_sys_ptrace,cap_syslog+ep %s",
			   patient->program);
}

static void check_btf(const struct patient *patient, struct check *check)
{
	check->what = "BTF";
	check->cost = "assay cannot run code inside the kernel; see below";
	answer(check, patient->limits.has_btf);
}

/*
 * Tries to load the in-kernel sampler. If the kernel refuses the sampler or a part of it, sets the
 * check's state to the kernel's reason.
 */
static void load(const struct patient *patient, struct check *check,
		 const struct bpf_sampler_options *options)
{
	struct bpf_sampler *sampler = NULL;
	struct err err = { 0 };
	int rc = bpf_sampler_new(options, &sampler, &err);
	const char *watch = rc == 0 ? bpf_sampler_tick_watch(sampler) : NULL;

	bpf_sampler_free(sampler);
	if (rc == 0 && (!watch || strcmp(watch, "on") == 0)) {
		answer(check, 1);
		return;
	}
	check->verdict = VERDICT_LIMITED;
	state_is(check, "no: %s", watch ? watch : err.text);
	if (rc == -EPERM)
		enabled_by(check, "setcap cap_perfmon,cap_bpf,cap_sys_ptrace,cap_syslog+ep %s",
			   patient->program);
}

static void check_sampler(const struct patient *patient, struct check *check)
{
	check->what = "in-kernel sampler";
	check->cost = "assay samples with perf rings: stacks of code without frame "
		      "pointers are broken unless --call-graph=dwarf copies them, and "
		      "-u is refused";
	load(patient, check, &(struct bpf_sampler_options){ .cgroup_fd = -1 });
}

static void check_tick_watch(const struct patient *patient, struct check *check)
{
	check->what = "watch on ticks";
	check->cost = "ticks that never reach the in-kernel sampler are not counted";
	load(patient, check, &(struct bpf_sampler_options){ .clock_events = 1, .cgroup_fd = -1 });
}

static void check_waits(const struct patient *patient, struct check *check)
{
	check->what = "waits";
	check->cost = "--off-cpu is refused";
	load(patient, check,
	     &(struct bpf_sampler_options){
		     .off_cpu = true, .off_cpu_wakers = true, .cgroup_fd = -1 });
}

static void check_lockdown(const struct patient *patient, struct check *check)
{
	static const char *const names[] = { "off", "integrity", "confidentiality" };
	enum lockdown lockdown = patient->limits.lockdown;

	check->what = "lockdown";
	check->cost = "in confidentiality mode the kernel refuses tracepoints";
	if (lockdown == LOCKDOWN_UNKNOWN) {
		check->verdict = VERDICT_UNKNOWN;
		state_is(check, "/sys/kernel/security/lockdown cannot be read");
		enabled_by(check, "mount -t securityfs nodev /sys/kernel/security");
		return;
	}
	state_is(check, "%s", names[lockdown]);
	if (lockdown == LOCKDOWN_CONFIDENTIALITY) {
		check->verdict = VERDICT_LIMITED;
		enabled_by(check, "boot with lockdown=integrity");
	}
}

/* ---- limits ---- */

struct mapped {
	int fd;
	struct ring ring;
};

static int open_ring(int cpu, struct mapped *ret_mapped)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = 1,
	};
	struct perf_place place = { .cpu = cpu, .group_fd = -1 };
	struct perf_features features = { 0 };
	struct mapped mapped = { .fd = perf_open(&attr, &place, &features) };
	int rc;

	if (mapped.fd < 0)
		return mapped.fd;
	rc = ring_map(&mapped.ring, mapped.fd, RING_BYTES, RING_BYTES_LEAST, NULL);
	if (rc < 0) {
		(void)close(mapped.fd);
		return rc;
	}
	*ret_mapped = mapped;
	return 0;
}

/*
 * Opens and maps two rings for each CPU. All rings stay mapped until the last one has been mapped,
 * as in a recording. Returns the size of the smallest ring in bytes, or 0 if a ring could not be
 * opened or mapped.
 */
static size_t smallest_ring_bytes(const struct cpus *cpus)
{
	VEC(struct mapped) all = VEC_INIT;
	size_t smallest = RING_BYTES;

	for (size_t i = 0; i < 2 * cpus->count && smallest; i++) {
		struct mapped *mapped = vec_push(&all);

		if (!mapped)
			break;
		if (open_ring(cpus->at[i / 2], mapped) < 0) {
			all.count--;
			smallest = 0;
		} else if (mapped->ring.size_bytes < smallest) {
			smallest = mapped->ring.size_bytes;
		}
	}
	for (size_t i = 0; i < all.count; i++) {
		ring_unmap(&all.at[i].ring);
		(void)close(all.at[i].fd);
	}
	vec_free(&all);
	return smallest;
}

static void check_rings(const struct patient *patient, struct check *check)
{
	size_t bytes = smallest_ring_bytes(&patient->cpus);

	check->what = "ring memory";
	check->cost = "smaller rings fill up sooner, and samples are lost";
	check->verdict = bytes == RING_BYTES ? VERDICT_GOOD : VERDICT_LIMITED;
	if (bytes)
		state_is(check, "%zu KiB for each of two rings per CPU", bytes / 1024);
	else
		state_is(check, "refused (kernel.perf_event_mlock_kb is %lld)",
			 (long long)patient->limits.perf_event_mlock_kb);
	if (check->verdict != VERDICT_GOOD)
		enabled_by(check, "sysctl -w kernel.perf_event_mlock_kb=%u",
			   2 * (RING_BYTES / 1024 + 4));
}

static void check_rate(const struct patient *patient, struct check *check)
{
	int64_t rate_hz = patient->limits.perf_event_max_sample_rate;

	check->what = "sampling rate";
	check->cost = "-F above this rate is refused";
	check->verdict = rate_hz < 0		    ? VERDICT_UNKNOWN
			 : rate_hz < RATE_WANTED_HZ ? VERDICT_LIMITED
						    : VERDICT_GOOD;
	state_is(check, "at most %lld Hz", (long long)rate_hz);
	if (check->verdict == VERDICT_LIMITED)
		enabled_by(check, "sysctl -w kernel.perf_event_max_sample_rate=100000");
}

/*
 * Measures how much CPU time one sampling interrupt takes. Caches the result, so that recordings
 * can use it until the next boot.
 */
static void check_interrupts(const struct patient *patient, struct check *check)
{
	struct interrupt_cost cost;
	char cache[PATH_MAX];
	struct err err = { 0 };

	check->what = "interrupt cost";
	check->cost = "in a virtual machine each sample causes an exit to the host: sampling "
		      "above 2000 Hz slows down the profiled programs";
	if (calibration_renew(cache_dir(cache, sizeof(cache)), &cost, &err) < 0) {
		check->verdict = VERDICT_UNKNOWN;
		check->cost = "how much sampling slows down programs is unknown";
		state_is(check, "%s", err.text);
		return;
	}
	check->verdict = patient->limits.is_virtual > 0 ? VERDICT_LIMITED : VERDICT_GOOD;
	state_is(check,
		 "about %.1f us [%.1f-%.1f]: %.1f %% of each CPU at 999 Hz, %.0f %% at 10000 Hz",
		 (double)cost.cost_ns / 1e3, (double)cost.low_ns / 1e3, (double)cost.high_ns / 1e3,
		 100 * interrupt_share(cost.cost_ns, 999),
		 100 * interrupt_share(cost.cost_ns, 10000));
	if (check->verdict == VERDICT_LIMITED)
		enabled_by(check, "assay record -F 999 --max-overhead 1 ...");
}

static void check_depth(const struct patient *patient, struct check *check)
{
	int64_t frames = patient->limits.perf_event_max_stack;

	check->what = "stack depth";
	check->cost = "the outermost frames of deeper stacks are cut off";
	check->verdict = frames < 0	? VERDICT_UNKNOWN
			 : frames < 127 ? VERDICT_LIMITED
					: VERDICT_GOOD;
	state_is(check, "%lld frames", (long long)frames);
	if (check->verdict == VERDICT_LIMITED)
		enabled_by(check, "sysctl -w kernel.perf_event_max_stack=127");
}

static void check_open_files(const struct patient *patient, struct check *check)
{
	int64_t wanted = 256 + (int64_t)(FILES_PER_CPU * patient->cpus.count);
	int64_t limit = patient->limits.open_files;

	check->what = "open files";
	check->cost = "recordings of many events, CPUs or short-lived programs may be "
		      "unable to open all files that they need";
	check->verdict = limit < wanted ? VERDICT_LIMITED : VERDICT_GOOD;
	state_is(check, "%lld", (long long)limit);
	if (check->verdict == VERDICT_LIMITED)
		enabled_by(check, "ulimit -n %lld", (long long)wanted);
}

static void check_table_cache(const struct patient *patient, struct check *check)
{
	_cleanup_(table_cache_close) struct table_cache cache = TABLE_CACHE_CLOSED;
	char path[PATH_MAX];
	struct err err = { 0 };

	check->what = "unwind table cache";
	check->cost = "each recording builds the unwind tables of all programs again";
	if (!cache_dir(path, sizeof(path))) {
		check->verdict = VERDICT_LIMITED;
		state_is(check, "no directory of this user for caches");
		enabled_by(check, "export XDG_CACHE_HOME=DIR");
		return;
	}
	if (table_cache_open(path, TABLE_CACHE_BYTES_MAX, &cache, &err) < 0) {
		check->verdict = VERDICT_LIMITED;
		state_is(check, "%s", err.text);
		return;
	}
	check->verdict = VERDICT_GOOD;
	state_is(check, "%.1f of at most %u MiB in %s", (double)cache.size_bytes / 1048576,
		 (unsigned int)(TABLE_CACHE_BYTES_MAX >> 20), path);
}

static const check_fn all_checks[] = {
	check_own,	     check_kernel,	   check_machine,
	check_files,	     check_kernel_symbols, check_pmu,
	check_default_event, check_tracepoints,	   check_bpf,
	check_btf,	     check_lockdown,	   check_sampler,
	check_tick_watch,    check_waits,	   check_rings,
	check_rate,	     check_interrupts,	   check_depth,
	check_open_files,    check_table_cache,
};

#define CHECK_COUNT (sizeof(all_checks) / sizeof(all_checks[0]))

_Static_assert(CHECK_COUNT + KERNEL_LACKS_MAX <= CHECKS_MAX, "room for every check");

/*
 * Adds one check for each field that the kernel lacks, or a single one if it lacks none. Returns
 * their number.
 */
static size_t check_fields(struct check checks[static KERNEL_LACKS_MAX])
{
	struct kernel_lack lacks[KERNEL_LACKS_MAX];
	struct err err = { 0 };
	size_t count = 0;
	int rc = kernel_lacks_find(NULL, lacks, &count, &err);

	for (size_t i = 0; i < count; i++) {
		checks[i] = (struct check){ .what = "kernel fields",
					    .verdict = VERDICT_LIMITED,
					    .cost = lacks[i].cost };
		state_is(&checks[i], "no %s.%s", lacks[i].structure, lacks[i].member);
	}
	if (count > 0)
		return count;
	checks[0] = (struct check){
		.what = "kernel fields",
		.verdict = rc < 0 ? VERDICT_UNKNOWN : VERDICT_GOOD,
		.cost = "single features of the in-kernel sampler may be worse"
	};
	state_is(&checks[0], "%s", rc < 0 ? err.text : "yes");
	return 1;
}

static void patient_fini(struct patient *patient)
{
	cpus_fini(&patient->cpus);
}

size_t doctor_checks(struct check checks[static CHECKS_MAX], bool *ret_usable)
{
	_cleanup_(patient_fini) struct patient patient = { .cpus = VEC_INIT };

	system_limits_read(&patient.limits);
	(void)cpus_online(&patient.cpus, NULL);
	if (readlink("/proc/self/exe", patient.program, sizeof(patient.program) - 1) < 0)
		(void)snprintf(patient.program, sizeof(patient.program), "assay");
	for (size_t i = 0; i < CHECK_COUNT; i++) {
		checks[i] = (struct check){ 0 };
		all_checks[i](&patient, &checks[i]);
	}
	*ret_usable = checks[0].verdict == VERDICT_GOOD;
	return CHECK_COUNT + check_fields(&checks[CHECK_COUNT]);
}
