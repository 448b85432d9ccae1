/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler/bpf_sampler-private.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sampler.skel.h"

/*
 * Defaults: the size of all rings together, and of one ring for few samples and for many. A ring
 * should hold what a CPU sends in a second if the stacks of all samples are copied, as those of new
 * processes are. But on a machine with many CPUs, the rings must not take too much memory.
 */
#define RINGS_BYTES (64u << 20)
#define RING_BYTES_FEW (2u << 20)
#define RING_BYTES_MANY (8u << 20)
#define RING_BYTES_LEAST (256u << 10)
#define TABLES_MAX 4096u

/*
 * Must be longer than the time between reading the clock in bpf_sampler_forget_stacks() and the
 * moment when all CPUs see the new epoch_ns.
 */
#define FORGET_DELAY_NS NS_PER_MSEC

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t whole_pages(size_t size_bytes)
{
	return (size_bytes + page_bytes() - 1) & ~(page_bytes() - 1);
}

static void default_to(uint32_t *option, uint32_t value)
{
	if (*option == 0)
		*option = value;
}

static size_t default_ring_bytes(const struct bpf_sampler_options *options)
{
	size_t all_bytes = options->rings_bytes ? options->rings_bytes : RINGS_BYTES;
	size_t size_bytes = RING_BYTES_MANY;
	long cpu_count = sysconf(_SC_NPROCESSORS_ONLN);

	while (options->rate_hz && size_bytes > RING_BYTES_FEW &&
	       options->rate_hz <= size_bytes / 2 / WIRE_RAW_BYTES_USUAL)
		size_bytes /= 2;
	while (size_bytes > RING_BYTES_LEAST && size_bytes * (size_t)cpu_count > all_bytes)
		size_bytes /= 2;
	return size_bytes;
}

static void put_defaults(struct bpf_sampler_options *options)
{
	size_t ring_bytes = page_bytes();

	if (!options->ring_bytes)
		options->ring_bytes = default_ring_bytes(options);
	while (ring_bytes < options->ring_bytes)
		ring_bytes *= 2;
	options->ring_bytes = ring_bytes;
	default_to(&options->processes_max, BPF_SAMPLER_PROCESSES);
	default_to(&options->mappings_max, BPF_SAMPLER_MAPPINGS);
	default_to(&options->tables_max, TABLES_MAX);
	default_to(&options->rules_max, BPF_SAMPLER_RULES);
}

/* Returns the number of bytes that an array map takes when it is mapped into memory. */
static size_t array_bytes(const struct bpf_map *map)
{
	return whole_pages((size_t)bpf_map__max_entries(map) * bpf_map__value_size(map));
}

/* Returns NULL with errno set if the map cannot be mapped. */
static void *map_array(const struct bpf_map *map, int protection)
{
	void *array = mmap(NULL, array_bytes(map), protection, MAP_SHARED, bpf_map__fd(map), 0);

	return array == MAP_FAILED ? NULL : array;
}

static void unmap_array(const void *array, const struct bpf_map *map)
{
	if (array)
		(void)munmap((void *)(uintptr_t)array, array_bytes(map));
}

static int map_arrays(struct bpf_sampler *sampler, struct err *err)
{
	const struct sampler_skel *skel = sampler->skel;

	sampler->mappings = map_array(skel->maps.spaces, PROT_READ | PROT_WRITE);
	if (sampler->mappings)
		sampler->rules = map_array(skel->maps.rules, PROT_READ | PROT_WRITE);
	if (sampler->rules)
		sampler->counters = map_array(skel->maps.counters, PROT_READ);
	if (sampler->counters)
		sampler->clocks = map_array(skel->maps.clocks, PROT_READ);
	if (!sampler->clocks)
		return err_sys(err, -errno, "cannot map the sampler's arrays");
	return 0;
}

static void unmap_arrays(struct bpf_sampler *sampler)
{
	const struct sampler_skel *skel = sampler->skel;

	if (!skel)
		return;
	unmap_array(sampler->mappings, skel->maps.spaces);
	unmap_array(sampler->rules, skel->maps.rules);
	unmap_array(sampler->counters, skel->maps.counters);
	unmap_array(sampler->clocks, skel->maps.clocks);
}

static int make_ring_list(struct bpf_sampler *sampler, struct err *err)
{
	sampler->cpu_count = libbpf_num_possible_cpus();
	if (sampler->cpu_count <= 0)
		return err_sys(err, sampler->cpu_count, "cannot count the CPUs");
	sampler->ring_fds = malloc((size_t)sampler->cpu_count * sizeof(*sampler->ring_fds));
	if (!sampler->ring_fds)
		return err_sys(err, -ENOMEM, "cannot load the sampler");
	for (int cpu = 0; cpu < sampler->cpu_count; cpu++)
		sampler->ring_fds[cpu] = -1;
	return 0;
}

static int enter_cgroup(struct bpf_sampler *sampler, struct err *err)
{
	uint32_t zero = 0;
	int code;

	if (sampler->options.cgroup_fd < 0)
		return 0;
	code = bpf_map_update_elem(bpf_map__fd(sampler->skel->maps.cgroups), &zero,
				   &sampler->options.cgroup_fd, BPF_ANY);
	return code < 0 ? err_sys(err, code,
				  "cannot sample this control group inside the kernel (it must "
				  "be of cgroup v2)")
			: 0;
}

static int attach_tracepoint(struct bpf_sampler *sampler, const struct bpf_program *program)
{
	int *link = vec_push(&sampler->links);

	if (!link)
		return -ENOMEM;
	*link = bpf_raw_tracepoint_open(NULL, bpf_program__fd(program));
	if (*link >= 0)
		return 0;
	return sampler->links.at[--sampler->links.count];
}

static int follow_forks(struct bpf_sampler *sampler, struct err *err)
{
	const struct bpf_program *const programs[] = {
		sampler->skel->progs.task_forked,
		sampler->skel->progs.task_executes,
		sampler->skel->progs.task_freed,
	};

	if (!sampler->follows_forks)
		return 0;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		int code = attach_tracepoint(sampler, programs[i]);

		if (code < 0)
			return err_sys(err, code, "cannot follow forks inside the kernel");
	}
	return 0;
}

/*
 * Attaches the program that watches timers. Without it, skipped ticks are not counted, but
 * everything else works.
 */
static void see_timers(struct bpf_sampler *sampler)
{
	if (sampler->sees_timers &&
	    attach_tracepoint(sampler, sampler->skel->progs.timer_expires) < 0)
		sampler->sees_timers = false;
}

static int fill(struct bpf_sampler *sampler, struct err *err)
{
	int code = make_ring_list(sampler, err);

	if (code < 0)
		return code;
	code = sampler_load(sampler, err);
	if (code < 0)
		return code;
	code = follow_forks(sampler, err);
	if (code < 0)
		return code;
	see_timers(sampler);
	code = map_arrays(sampler, err);
	if (code < 0)
		return code;
	return enter_cgroup(sampler, err);
}

int bpf_sampler_new(const struct bpf_sampler_options *options, struct bpf_sampler **ret_sampler,
		    struct err *err)
{
	struct bpf_sampler *sampler = calloc(1, sizeof(*sampler));
	int code;

	if (!sampler)
		return err_sys(err, -ENOMEM, "cannot load the sampler");
	sampler->options = *options;
	sampler->empty_table_fd = -1;
	put_defaults(&sampler->options);
	code = fill(sampler, err);
	if (code < 0) {
		bpf_sampler_free(sampler);
		return code;
	}
	*ret_sampler = sampler;
	return 0;
}

void bpf_sampler_free(struct bpf_sampler *sampler)
{
	if (!sampler)
		return;
	for (size_t i = 0; i < sampler->links.count; i++)
		(void)close(sampler->links.at[i]);
	vec_free(&sampler->links);
	if (sampler->empty_table_fd >= 0)
		(void)close(sampler->empty_table_fd);
	sampler_detach_waits(sampler);
	for (int cpu = 0; sampler->ring_fds && cpu < sampler->cpu_count; cpu++)
		if (sampler->ring_fds[cpu] >= 0)
			(void)close(sampler->ring_fds[cpu]);
	free(sampler->ring_fds);
	unmap_arrays(sampler);
	sampler_skel__destroy(sampler->skel);
	free(sampler);
}

const struct bpf_sampler_options *bpf_sampler_options(const struct bpf_sampler *sampler)
{
	return &sampler->options;
}

int sampler_link(struct bpf_sampler *sampler, const struct bpf_program *program, int event_fd,
		 uint32_t event, struct err *err)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event.bpf_cookie = event);
	int *link;
	int fd;

	if (event >= WIRE_EVENTS_MAX)
		return err_set(err, -E2BIG, "cannot sample more than %u events at once",
			       WIRE_EVENTS_MAX);
	link = vec_push(&sampler->links);
	if (!link)
		return err_sys(err, -ENOMEM, "cannot attach the sampler");
	fd = bpf_link_create(bpf_program__fd(program), event_fd, BPF_PERF_EVENT, &options);
	if (fd < 0) {
		sampler->links.count--;
		return err_sys(err, fd, "cannot attach the sampler to an event");
	}
	*link = fd;
	return 0;
}

int bpf_sampler_attach(struct bpf_sampler *sampler, int event_fd, uint32_t event, struct err *err)
{
	return sampler_link(sampler, sampler->skel->progs.sample_tick, event_fd, event, err);
}

/* ---- reading the sampler's data ---- */

int bpf_sampler_ring_fd(const struct bpf_sampler *sampler, int cpu)
{
	return cpu >= 0 && cpu < sampler->cpu_count ? sampler->ring_fds[cpu] : -1;
}

size_t bpf_sampler_ring_bytes(const struct bpf_sampler *sampler)
{
	return sampler->options.ring_bytes;
}

int bpf_sampler_cpu_count(const struct bpf_sampler *sampler)
{
	return sampler->cpu_count;
}

int bpf_sampler_counters_fd(const struct bpf_sampler *sampler)
{
	return bpf_map__fd(sampler->skel->maps.counters);
}

void bpf_sampler_counters(const struct bpf_sampler *sampler, uint32_t event,
			  struct wire_counters *ret_by_cpu)
{
	for (int cpu = 0; cpu < sampler->cpu_count; cpu++)
		ret_by_cpu[cpu] = sampler->counters[cpu * (int)WIRE_COUNTERS_COUNT + (int)event];
}

int bpf_sampler_clocks(const struct bpf_sampler *sampler, struct tick_clocks *ret_by_cpu)
{
	if (!sampler->sees_timers)
		return -EOPNOTSUPP;
	memcpy(ret_by_cpu, sampler->clocks, (size_t)sampler->cpu_count * sizeof(*ret_by_cpu));
	/*
	 * The caller reads the counters next. The fence prevents the CPU from reading them before
	 * the clocks.
	 */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return 0;
}

const char *bpf_sampler_tick_watch(const struct bpf_sampler *sampler)
{
	if (!sampler->options.clock_events)
		return NULL;
	return sampler->sees_timers ? "on"
				    : "the kernel does not show its timers (tracepoint "
				      "timer:hrtimer_expire_entry)";
}

bool bpf_sampler_filters(const struct bpf_sampler *sampler)
{
	return sampler->follows_forks;
}

void bpf_sampler_set_period(struct bpf_sampler *sampler, uint32_t event, uint64_t period_ns)
{
	if (event < TICK_CLOCKS_MAX)
		sampler->skel->bss->clock_periods_ns[event] = period_ns;
}

uint64_t bpf_sampler_children_lost(const struct bpf_sampler *sampler)
{
	return __atomic_load_n(&sampler->skel->bss->children_lost, __ATOMIC_RELAXED);
}

uint64_t bpf_sampler_forget_stacks(struct bpf_sampler *sampler)
{
	uint64_t epoch_ns = clock_monotonic_ns() + FORGET_DELAY_NS;

	sampler->skel->bss->epoch_ns = epoch_ns;
	return epoch_ns;
}
