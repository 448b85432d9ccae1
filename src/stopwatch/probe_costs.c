/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/probe_costs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/proc_read.h"
#include "stopwatch/stopwatch-private.h"

#define BATCHES 9
#define CALLS 50	/* of a batch */
#define RING_BYTES 65536u	/* of single spans, which are not sent here */

/* Functions that do nothing, named after their first instruction. */
#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define KERNEL_GETUID "__x64_sys_getuid"
__asm__(".pushsection .text\n"
	"assay_empty_nop5: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\tret\n"
	".balign 16\n"
	"assay_empty_push: push %rbp\n\tpop %rbp\n\tret\n"
	".balign 16\n"
	"assay_empty_xor: xor %eax, %eax\n\tret\n"
	".balign 16\n"
	".popsection\n");
#else
#define MACHINE EM_AARCH64
#define KERNEL_GETUID "__arm64_sys_getuid"
__asm__(".pushsection .text\n"
	"assay_empty_nop5: nop\n\tret\n"
	"assay_empty_push: nop\n\tret\n"
	"assay_empty_xor: nop\n\tret\n"
	".popsection\n");
#endif

void assay_empty_nop5(void);
void assay_empty_push(void);
void assay_empty_xor(void);

static const struct {
	void (*call)(void);
	uint32_t exit;		/* where it returns, in bytes from its beginning */
} empty[] = {
#if defined(__x86_64__)
	[PROBE_NOP5] = { assay_empty_nop5, 5 },
	[PROBE_EMULATED] = { assay_empty_push, 2 },
	[PROBE_STEPPED] = { assay_empty_xor, 2 },
	[PROBE_UNKNOWN] = { assay_empty_push, 2 },
#else
	[PROBE_NOP5] = { assay_empty_nop5, 4 },
	[PROBE_EMULATED] = { assay_empty_push, 4 },
	[PROBE_STEPPED] = { assay_empty_xor, 4 },
	[PROBE_UNKNOWN] = { assay_empty_push, 4 },
#endif
};

/* A function of this program, and where in its file it is. */
struct place {
	uintptr_t addr;
	uint64_t offset;
};

static int see_mapping(void *context, const struct record_mmap *mapping)
{
	struct place *place = context;

	if (place->addr - mapping->start_addr >= mapping->size_bytes)
		return 0;
	place->offset = place->addr - mapping->start_addr + mapping->offset;
	return -EEXIST;		/* found: do not look further */
}

/* Finds where in our own file a function is. */
static bool own_offset(uintptr_t addr, uint64_t *ret_offset)
{
	struct place place = { .addr = addr };

	if (proc_read_maps((uint32_t)getpid(), see_mapping, &place) != -EEXIST)
		return false;
	*ret_offset = place.offset;
	return true;
}

static int add_own_functions(struct stopwatch *stopwatch)
{
	struct watched_image *image = vec_push(&stopwatch->images);

	if (!image)
		return -ENOMEM;
	*image = (struct watched_image){ .fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC) };
	image->path = strdup("assay");
	image->functions.machine = MACHINE;
	if (image->fd < 0 || !image->path)
		return image->fd < 0 ? -errno : -ENOMEM;
	for (size_t i = 0; i < PROBE_ENTRIES; i++) {
		struct found_function *function = vec_push(&image->functions.list);
		uint64_t *exit = vec_push(&image->functions.exits);
		uintptr_t addr = (uintptr_t)empty[i].call;

		if (!function || !exit)
			return -ENOMEM;
		if (!own_offset(addr, &function->offset))
			return -ENOENT;
		function->name = "";
		function->is_decoded = true;
		function->first_exit = (uint32_t)i;
		function->exit_count = 1;
		*exit = function->offset + empty[i].exit;
		memcpy(function->code, (const void *)addr, sizeof(function->code));
	}
	return 0;
}

static int add_call(struct stopwatch *stopwatch)
{
	struct watched_call *call = vec_push(&stopwatch->calls);

	if (!call)
		return -ENOMEM;
	*call = (struct watched_call){ SYS_getppid, { .span = PROBE_CALL } };
	return 0;
}

static int add_kernel(struct stopwatch *stopwatch, const struct kallsyms *kallsyms)
{
	uint64_t addr = kallsyms_addr(kallsyms, KERNEL_GETUID);
	struct watched_kernel *function = addr ? vec_push(&stopwatch->kernel) : NULL;

	if (function)
		*function = (struct watched_kernel){ addr, { .span = PROBE_KERNEL } };
	return addr && !function ? -ENOMEM : 0;
}

/* The number of a span is its kind of cost. */
static int add_all(struct stopwatch *stopwatch, const struct stopwatch_options *options)
{
	static const struct stopwatch_span span = { .name = "" };
	int rc = 0;

	for (size_t i = 0; i < PROBE_COSTS && rc == 0; i++)
		rc = stopwatch_add_span(stopwatch, &span);
	if (rc == 0 && span_points_have_calls(&options->what, POINT_FUNCTION))
		rc = add_own_functions(stopwatch);
	if (rc == 0 && span_points_have_calls(&options->what, POINT_CALL))
		rc = add_call(stopwatch);
	if (rc == 0 && span_points_have_calls(&options->what, POINT_KERNEL))
		rc = add_kernel(stopwatch, options->kallsyms);
	return rc;
}

/* ---- measuring ---- */

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* What is measured of a call: the time, then the counters. */
#define FIGURES (1 + SPAN_COUNTERS)

/* The cost of a call: what is inside its span, and what it takes altogether. */
struct cost {
	uint64_t inside[FIGURES], call[FIGURES];
};

/* By figure, then by batch. */
typedef uint64_t batches[FIGURES][BATCHES];

/* Returns the medians, so that an interrupt does not count. */
static void take_medians(batches values, uint64_t ret_medians[static FIGURES])
{
	for (size_t i = 0; i < FIGURES; i++) {
		qsort(values[i], BATCHES, sizeof(values[i][0]), compare);
		ret_medians[i] = values[i][BATCHES / 2];
	}
}

/* Reads the time, and the counters of the CPU that @leader_fd counts on. */
static void read_now(const struct stopwatch_counters *counters, int leader_fd,
		     uint64_t ret_figures[static FIGURES])
{
	uint64_t group[3 + SPAN_EVENTS] = { 0 };	/* number, two times, values */

	memset(ret_figures, 0, FIGURES * sizeof(*ret_figures));
	if (counters->count > 1 && read(leader_fd, group, sizeof(group)) > 0)
		memcpy(ret_figures + 1, group + 3, counters->count * sizeof(*group));
	else if (counters->count == 1 && read(leader_fd, group, sizeof(group)) > 0)
		ret_figures[1] = group[0];
	ret_figures[0] = clock_monotonic_ns();
}

static void read_spans(struct stopwatch *stopwatch, size_t kind,
		       uint64_t ret_figures[static FIGURES])
{
	struct span_times times = { 0 }, of_group;
	struct span_group group;

	if (stopwatch)
		stopwatch_read(stopwatch, kind, &times);
	for (size_t i = 0; stopwatch && i < stopwatch_group_count(stopwatch); i++)
		if (stopwatch_group(stopwatch, i, &group) == 0 && group.span == kind) {
			stopwatch_read_group(stopwatch, i, &of_group);
			span_times_merge(&times, &of_group);
		}
	ret_figures[0] = (uint64_t)times.total_ns;
	for (size_t i = 0; i < SPAN_COUNTERS; i++)
		ret_figures[1 + i] = (uint64_t)times.counts[i];
}

static void call_many(size_t kind)
{
	for (int n = 0; n < CALLS; n++)
		if (kind < PROBE_ENTRIES)
			empty[kind].call();
		else
			(void)syscall(kind == PROBE_KERNEL ? SYS_getuid : SYS_getppid);
}

/* Of a call. @stopwatch is NULL if nothing is attached. */
static struct cost measure(struct stopwatch *stopwatch, const struct stopwatch_counters *counters,
			   int leader_fd, size_t kind)
{
	uint64_t spans[2][FIGURES], all[2][FIGURES];
	batches inside, call;
	struct cost cost;

	for (size_t k = 0; k < BATCHES; k++) {
		read_spans(stopwatch, kind, spans[0]);
		read_now(counters, leader_fd, all[0]);
		call_many(kind);
		read_now(counters, leader_fd, all[1]);
		read_spans(stopwatch, kind, spans[1]);
		for (size_t i = 0; i < FIGURES; i++) {
			inside[i][k] = (spans[1][i] - spans[0][i]) / CALLS;
			call[i][k] = (all[1][i] - all[0][i]) / CALLS;
		}
	}
	take_medians(inside, cost.inside);
	take_medians(call, cost.call);
	return cost;
}

static uint64_t more(uint64_t value, uint64_t bare)
{
	return value > bare ? value - bare : 0;
}

static void measure_all(struct stopwatch *stopwatch, const struct span_points *what, int leader_fd,
			const struct cost bare[static PROBE_COSTS], struct probe_costs *ret_costs)
{
	const bool functions = span_points_have_calls(what, POINT_FUNCTION);
	const bool is_wanted[PROBE_COSTS] = {
		[PROBE_NOP5] = functions,
		[PROBE_EMULATED] = functions,
		[PROBE_STEPPED] = functions,
		[PROBE_UNKNOWN] = functions,
		[PROBE_CALL] = span_points_have_calls(what, POINT_CALL),
		[PROBE_KERNEL] = span_points_have_calls(what, POINT_KERNEL),
	};

	for (size_t i = 0; i < PROBE_COSTS; i++) {
		struct cost cost;

		if (!is_wanted[i])
			continue;
		cost = measure(stopwatch, &stopwatch->options.counters, leader_fd, i);
		ret_costs->inside_ns[i] = cost.inside[0];
		ret_costs->call_ns[i] = more(cost.call[0], bare[i].call[0]);
		for (size_t k = 0; k < SPAN_COUNTERS; k++) {
			ret_costs->inside.at[i][k] = cost.inside[1 + k];
			ret_costs->call.at[i][k] = more(cost.call[1 + k], bare[i].call[1 + k]);
		}
	}
}

/*
 * Stays on the CPU where this thread is, so that its counters can be read. Returns the leading
 * counter, or -1 if there is none.
 */
static int stay(const struct stopwatch_counters *counters)
{
	int cpu = sched_getcpu();
	cpu_set_t only;

	for (size_t i = 0; i < counters->cpu_count && counters->count; i++) {
		if (counters->cpus[i] != cpu || cpu >= CPU_SETSIZE)
			continue;
		CPU_ZERO(&only);
		CPU_SET((size_t)cpu, &only);
		return sched_setaffinity(0, sizeof(only), &only) < 0
			       ? -1
			       : counters->fds[i * counters->count];
	}
	return -1;
}

/* As the caller's, but for calls of this process. */
static void set_options(struct stopwatch *stopwatch, const struct stopwatch_options *options,
			const uint32_t *own_tgid)
{
	stopwatch->options.counters = options->counters;
	stopwatch->options.records = options->records;
	if (options->records.ring_bytes)
		stopwatch->options.records.ring_bytes = RING_BYTES;
	stopwatch->options.return_probes = options->return_probes;
	/* Other groups cost little, but finding the caller does. */
	if (options->by == SPAN_BY_CALLER)
		stopwatch->options.by = SPAN_BY_CALLER;
	stopwatch->options.tgids = own_tgid;
	stopwatch->options.tgid_count = !proc_is_in_pid_namespace();
}

int probe_costs_measure(const struct stopwatch_options *options, struct probe_costs *ret_costs,
			struct err *err)
{
	uint32_t own_tgid = (uint32_t)getpid();
	struct stopwatch *stopwatch;
	struct cost bare[PROBE_COSTS];
	cpu_set_t allowed;
	bool may_return;
	int leader_fd, rc;

	*ret_costs = (struct probe_costs){ 0 };
	if (!options->what.point_count)
		return 0;
	stopwatch = calloc(1, sizeof(*stopwatch));
	if (!stopwatch)
		return err_sys(err, -ENOMEM, "cannot measure the cost of probes");
	may_return = sched_getaffinity(0, sizeof(allowed), &allowed) == 0;
	leader_fd = may_return ? stay(&options->counters) : -1;
	for (size_t i = 0; i < PROBE_COSTS; i++)
		bare[i] = measure(NULL, &options->counters, leader_fd, i);
	set_options(stopwatch, options, &own_tgid);
	rc = add_all(stopwatch, options);
	if (rc < 0)
		rc = err_sys(err, rc, "cannot measure the cost of probes");
	if (rc == 0)
		rc = stopwatch_load(stopwatch, err);
	if (rc == 0) {
		for (size_t i = 0; i < PROBE_COSTS; i++)
			stopwatch_send_above(stopwatch, i, UINT64_MAX);
		stopwatch_enable(stopwatch);
		measure_all(stopwatch, &options->what, leader_fd, bare, ret_costs);
	}
	if (leader_fd >= 0)
		(void)sched_setaffinity(0, sizeof(allowed), &allowed);
	stopwatch_free(stopwatch);
	return rc;
}

/* ---- overhead ---- */

uint64_t probe_costs_most_ns(const struct probe_costs *costs, const struct stopwatch *stopwatch,
			     size_t *ret_slow_count)
{
	uint64_t most_ns = 0;

	*ret_slow_count = 0;
	for (size_t i = 0; i < stopwatch_span_count(stopwatch); i++) {
		uint64_t ns = costs->call_ns[stopwatch_span(stopwatch, i).cost];

		*ret_slow_count += ns > PROBE_SLOW_NS;
		most_ns = ns > most_ns ? ns : most_ns;
	}
	return most_ns;
}

void probe_overhead_begin(struct probe_overhead *overhead, uint64_t now_ns)
{
	*overhead = (struct probe_overhead){
		.checked_ns = now_ns,
		.cpu_count = (size_t)sysconf(_SC_NPROCESSORS_ONLN),
	};
}

double probe_overhead_percent(struct probe_overhead *overhead, const struct stopwatch *stopwatch,
			      const struct probe_costs *costs, uint64_t now_ns)
{
	uint64_t calls[PROBE_COSTS];
	double cost_ns = 0, percent;

	stopwatch_count_calls(stopwatch, calls);
	for (size_t i = 0; i < PROBE_COSTS; i++)
		cost_ns += (double)calls[i] * (double)costs->call_ns[i];
	percent = 100 * (cost_ns - overhead->checked_cost_ns) /
		  ((double)(now_ns - overhead->checked_ns) * (double)overhead->cpu_count);
	overhead->checked_ns = now_ns;
	overhead->checked_cost_ns = cost_ns;
	return percent;
}
