/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stopwatch/stopwatch-private.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sampler/bpf_explain.h"
#include "stopwatch.skel.h"

/* Of newer kernels. Source: include/uapi/linux/bpf.h of 6.6. */
#define ATTACH_UPROBE_MULTI 48

#define SUMS_BYTES_MAX (64u << 20)	/* of all spans, if more than one CPU has its own */

/* ---- loading ---- */

/* Only the programs that are needed: each may need something that the kernel lacks. */
static void choose_programs(const struct stopwatch *stopwatch)
{
	struct stopwatch_skel *skel = stopwatch->skel;
	bool functions = stopwatch->images.count > 0, kernel = stopwatch->kernel.count > 0;
	bool by_kernel = stopwatch->options.return_probes;
	bool run_queue = stopwatch->options.what.run_queue;
	bool by_caller = stopwatch->options.by == SPAN_BY_CALLER;
	const struct {
		struct bpf_program *program;
		bool is_needed;
	} programs[] = {
		{ skel->progs.function_entry, functions },
		{ skel->progs.function_exit, functions && !by_kernel && !by_caller },
		{ skel->progs.function_return, functions && by_kernel && !by_caller },
		{ skel->progs.function_exit_by_caller, functions && !by_kernel && by_caller },
		{ skel->progs.function_return_by_caller, functions && by_kernel && by_caller },
		{ skel->progs.usdt_hit, stopwatch->usdt.count > 0 },
		{ skel->progs.kernel_entries, kernel },
		{ skel->progs.kernel_returns, kernel },
		{ skel->progs.kernel_entry_alone, kernel },
		{ skel->progs.kernel_return_alone, kernel },
		{ skel->progs.call_entry, stopwatch->calls.count > 0 },
		{ skel->progs.call_return, stopwatch->calls.count > 0 },
		{ skel->progs.tracepoint_hit, stopwatch->tracepoints.count > 0 },
		{ skel->progs.task_wakes, run_queue },
		{ skel->progs.task_begins, run_queue },
		{ skel->progs.task_switches, run_queue },
		{ skel->progs.call_waits, follows_switches(&stopwatch->options) },
		{ skel->progs.call_wakes, stopwatch->options.waits },
		{ skel->progs.call_begins, stopwatch->options.waits },
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		(void)bpf_program__set_autoload(programs[i].program, programs[i].is_needed);
	for (size_t i = 0; i < 6; i++)
		(void)bpf_program__set_expected_attach_type(programs[i].program,
							    ATTACH_UPROBE_MULTI);
}

static void set_calls(const struct stopwatch *stopwatch)
{
	for (size_t i = 0; i < stopwatch->calls.count; i++) {
		const struct watched_call *call = &stopwatch->calls.at[i];
		uint64_t cookie = site_cookie(&call->site, 0, PROBE_CALL);

		if (site_is_call(&call->site) || !call->site.at_return)
			stopwatch->skel->rodata->call_entries[call->number] = cookie + 1;
		if (site_is_call(&call->site) || call->site.at_return)
			stopwatch->skel->rodata->call_returns[call->number] = cookie + 1;
	}
}

static void set_records(const struct stopwatch *stopwatch)
{
	const struct stopwatch_records *records = &stopwatch->options.records;

	if (!records->ring_bytes)
		return;
	stopwatch->skel->rodata->records_spans = 1;
	stopwatch->skel->rodata->sampled_events = records->event_count;
	stopwatch->skel->rodata->tick_ns = records->tick_ns;
	stopwatch->skel->rodata->recorded_wait_ns = records->wait_ns;
	stopwatch->skel->rodata->span_wakeup_bytes = records->ring_bytes / 8;
}

static void set_constants(const struct stopwatch *stopwatch)
{
	const struct stopwatch_options *options = &stopwatch->options;

	stopwatch->skel->rodata->span_count = (uint32_t)stopwatch->spans.count;
	stopwatch->skel->rodata->shard_count = stopwatch->shard_count;
	stopwatch->skel->rodata->all_processes = options->tgid_count == 0;
	stopwatch->skel->rodata->run_queue_span = 0;	/* the first one, if it is there */
	stopwatch->skel->rodata->measures_waits = options->waits;
	stopwatch->skel->rodata->measure = options->measure;
	stopwatch->skel->rodata->by = options->by;
	stopwatch->skel->rodata->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	stopwatch->skel->rodata->first_group = stopwatch->shard_count *
					       stopwatch->skel->rodata->span_count;
	for (size_t i = 0; options->probe_ns && i < PROBE_COSTS; i++)
		stopwatch->skel->rodata->probe_ns[i] = options->probe_ns[i];
	stopwatch->skel->rodata->event_count = (uint32_t)options->counters.count;
	stopwatch->skel->rodata->measures_interrupts = options->interrupts != NULL;
	if (options->probe_counts)
		memcpy((void *)stopwatch->skel->rodata->probe_counts, options->probe_counts->at,
		       sizeof(options->probe_counts->at));
	if (stopwatch->keys.count)
		memcpy((void *)stopwatch->skel->rodata->keys, stopwatch->keys.at,
		       stopwatch->keys.count * sizeof(*stopwatch->keys.at));
	set_calls(stopwatch);
	set_records(stopwatch);
}

static size_t sum_count(const struct stopwatch *stopwatch)
{
	return stopwatch->shard_count * stopwatch->spans.count +
	       (stopwatch->options.by ? SPAN_GROUPS_MAX : 0);
}

static int size_record_maps(const struct stopwatch *stopwatch)
{
	const struct stopwatch_records *records = &stopwatch->options.records;
	const struct stopwatch_skel *skel = stopwatch->skel;
	int rc = bpf_map__set_max_entries(skel->maps.span_records, (uint32_t)records->ring_bytes);

	if (rc == 0)
		rc = bpf_map__set_max_entries(skel->maps.thresholds,
					      (uint32_t)stopwatch->spans.count);
	return rc == 0 ? bpf_map__reuse_fd(skel->maps.sampler_counters, records->ticks_fd) : rc;
}

/* Returns how many values the longest key has. The run queue has a key of one. */
static uint32_t key_values(const struct stopwatch *stopwatch)
{
	uint32_t count = 1;

	for (size_t i = 0; i < stopwatch->keys.count; i++)
		for (uint32_t k = count; k < SPAN_VALUES; k++)
			if (stopwatch->keys.at[i].values[k].kind != SPAN_VALUE_NONE)
				count = k + 1;
	return count;
}

static int size_maps(const struct stopwatch *stopwatch, uint32_t cpu_count)
{
	const struct stopwatch_skel *skel = stopwatch->skel;
	int rc = bpf_map__set_max_entries(skel->maps.sums, (uint32_t)sum_count(stopwatch));

	if (rc == 0 && !stopwatch->options.what.join_count && !stopwatch->options.what.run_queue)
		rc = bpf_map__set_max_entries(skel->maps.starts, 1);
	if (rc == 0)
		rc = bpf_map__set_key_size(skel->maps.starts, (uint32_t)sizeof(uint64_t) *
								      (1 + key_values(stopwatch)));
	if (rc == 0 && stopwatch->places.count)
		rc = bpf_map__set_max_entries(skel->maps.places, (uint32_t)stopwatch->places.count);
	if (rc == 0 && stopwatch->options.counters.count)
		rc = bpf_map__set_max_entries(skel->maps.events, cpu_count * SPAN_EVENTS);
	if (rc == 0 && stopwatch->options.interrupts)
		rc = bpf_map__reuse_fd(skel->maps.interrupts,
				       irq_time_cpus_fd(stopwatch->options.interrupts));
	if (rc == 0 && stopwatch->options.records.ring_bytes)
		rc = size_record_maps(stopwatch);
	if (rc == 0 && !stopwatch->options.by)
		rc = bpf_map__set_max_entries(skel->maps.groups, 1);
	if (rc == 0 && !stopwatch->options.by)
		rc = bpf_map__set_max_entries(skel->maps.group_numbers, 1);
	return rc;
}

/* With very many spans, or CPUs, several CPUs share their sums, which would become huge. */
static uint32_t shards(uint32_t cpu_count, size_t span_count)
{
	uint32_t count = cpu_count;

	while (count > 1 && count * span_count * sizeof(struct span_sum) > SUMS_BYTES_MAX)
		count = (count + 1) / 2;
	return count;
}

static int open_and_load(void *context, const struct bpf_object_open_opts *options, struct err *err)
{
	struct stopwatch *stopwatch = context;
	int cpu_count = libbpf_num_possible_cpus();

	if (cpu_count <= 0)
		return cpu_count < 0 ? cpu_count : -EINVAL;
	stopwatch->shard_count = shards((uint32_t)cpu_count, stopwatch->spans.count);
	stopwatch->skel = stopwatch_skel__open_opts(options);
	if (!stopwatch->skel)
		return -errno;
	choose_programs(stopwatch);
	set_constants(stopwatch);
	return size_maps(stopwatch, (uint32_t)cpu_count) < 0
		       ? -EINVAL
		       : stopwatch_skel__load(stopwatch->skel);
}

static int map_array(const struct bpf_map *map, size_t bytes, int protection, void **ret_at,
		     size_t *ret_bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *at;

	bytes = (bytes + page_bytes - 1) & ~(page_bytes - 1);
	at = mmap(NULL, bytes, protection, MAP_SHARED, bpf_map__fd(map), 0);
	if (at == MAP_FAILED)
		return -errno;
	*ret_at = at;
	*ret_bytes = bytes;
	return 0;
}

static int map_memory(struct stopwatch *stopwatch, struct err *err)
{
	const struct stopwatch_skel *skel = stopwatch->skel;
	int rc = map_array(skel->maps.sums, sum_count(stopwatch) * sizeof(struct span_sum),
			   PROT_READ, (void **)&stopwatch->sums, &stopwatch->sums_bytes);

	if (rc == 0 && stopwatch->options.records.ring_bytes)
		rc = map_array(skel->maps.thresholds, stopwatch->spans.count * sizeof(uint64_t),
			       PROT_READ | PROT_WRITE, (void **)&stopwatch->thresholds,
			       &stopwatch->thresholds_bytes);
	return rc < 0 ? err_sys(err, rc, "cannot map the sums of the spans") : 0;
}

static int set_counters(const struct stopwatch *stopwatch, struct err *err)
{
	const struct stopwatch_counters *counters = &stopwatch->options.counters;
	int map_fd = bpf_map__fd(stopwatch->skel->maps.events);

	for (size_t i = 0; i < counters->cpu_count * counters->count; i++) {
		uint32_t index = (uint32_t)counters->cpus[i / counters->count] * SPAN_EVENTS +
				 (uint32_t)(i % counters->count);
		int rc = bpf_map_update_elem(map_fd, &index, &counters->fds[i], BPF_ANY);

		if (rc < 0)
			return err_sys(err, rc, "cannot count events in calls");
	}
	return 0;
}

static int set_places(const struct stopwatch *stopwatch, struct err *err)
{
	int map_fd = bpf_map__fd(stopwatch->skel->maps.places), rc = 0;

	for (uint32_t i = 0; i < stopwatch->places.count && rc == 0; i++)
		rc = bpf_map_update_elem(map_fd, &i, &stopwatch->places.at[i], BPF_ANY);
	return rc < 0 ? err_sys(err, rc, "cannot read the arguments of static probes") : 0;
}

int stopwatch_load(struct stopwatch *stopwatch, struct err *err)
{
	int rc;

	if (stopwatch->options.by == SPAN_BY_CALLER &&
	    libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_find_vma, NULL) == 0)
		return err_set(err, -EOPNOTSUPP,
			       "to tell calls apart by caller, Linux 5.17 is needed");
	rc = bpf_load_explained("the stopwatch", open_and_load, stopwatch, err);
	if (rc == 0)
		rc = map_memory(stopwatch, err);
	if (rc == 0)
		rc = set_counters(stopwatch, err);
	if (rc == 0)
		rc = set_places(stopwatch, err);
	for (size_t i = 0; i < stopwatch->options.tgid_count && rc == 0; i++)
		rc = stopwatch_add_process(stopwatch, stopwatch->options.tgids[i], err);
	return rc < 0 ? rc : stopwatch_attach(stopwatch, err);
}

int stopwatch_add_process(struct stopwatch *stopwatch, uint32_t tgid, struct err *err)
{
	const uint8_t one = 1;
	int rc = bpf_map_update_elem(bpf_map__fd(stopwatch->skel->maps.targets), &tgid, &one,
				     BPF_ANY);

	return rc < 0 ? err_sys(err, rc, "cannot measure process %u", tgid) : 0;
}

/* ---- running ---- */

void stopwatch_enable(struct stopwatch *stopwatch)
{
	stopwatch->skel->bss->enabled = 1;
}

void stopwatch_disable(struct stopwatch *stopwatch)
{
	stopwatch->skel->bss->enabled = 0;
	stopwatch_detach(stopwatch);
}

int stopwatch_records_fd(const struct stopwatch *stopwatch)
{
	return stopwatch->thresholds ? bpf_map__fd(stopwatch->skel->maps.span_records) : -1;
}

void stopwatch_send_above(struct stopwatch *stopwatch, size_t i, uint64_t ns)
{
	if (stopwatch->thresholds && i < stopwatch->spans.count)
		*(volatile uint64_t *)&stopwatch->thresholds[i] = ns;
}

static uint64_t skipped(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size_bytes = sizeof(info);
	int fd = bpf_program__fd(program);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size_bytes) < 0)
		return 0;
	return info.recursion_misses;
}

uint64_t stopwatch_skipped(const struct stopwatch *stopwatch)
{
	struct bpf_program *program;
	uint64_t count = 0;

	bpf_object__for_each_program(program, stopwatch->skel->obj) count += skipped(program);
	return count;
}

size_t stopwatch_group_count(const struct stopwatch *stopwatch)
{
	uint32_t count = stopwatch->skel->bss->group_count;

	return count < SPAN_GROUPS_MAX ? count : SPAN_GROUPS_MAX;
}

int stopwatch_group(const struct stopwatch *stopwatch, size_t i, struct span_group *ret_group)
{
	uint32_t number = (uint32_t)i;

	return bpf_map_lookup_elem(bpf_map__fd(stopwatch->skel->maps.groups), &number, ret_group);
}

void stopwatch_unload(struct stopwatch *stopwatch)
{
	stopwatch_detach(stopwatch);
	vec_free(&stopwatch->links);
	if (stopwatch->sums)
		(void)munmap(stopwatch->sums, stopwatch->sums_bytes);
	if (stopwatch->thresholds)
		(void)munmap(stopwatch->thresholds, stopwatch->thresholds_bytes);
	stopwatch_skel__destroy(stopwatch->skel);
}
