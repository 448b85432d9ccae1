/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "sampler_fixture.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "perf/perf_open.h"

/* set by the dynamic linker: the stack pointer at the program's entry */
extern const void *__libc_stack_end;

#define BUSY_MS 10 /* own CPU time, so that there are samples to leave out */
#define ROUNDS_MAX 50 /* other processes may occupy the CPUs, and so may other guests on the host */

static void add_event(struct sampling *sampling, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
		.disabled = 1,
	};
	struct perf_place place = { .pid = -1, .cpu = cpu, .group_fd = -1 };
	struct perf_features features = { 0 };
	int *event = vec_push(&sampling->events);
	struct bpf_ring *ring = vec_push(&sampling->rings);

	assert_true(event && ring);
	*event = perf_open(&attr, &place, &features);
	assert_true(*event >= 0);
	assert_int_equal(bpf_sampler_attach(sampling->sampler, *event, 0, NULL), 0);
	assert_int_equal(bpf_ring_map(ring, bpf_sampler_ring_fd(sampling->sampler, cpu),
				      bpf_sampler_ring_bytes(sampling->sampler), NULL),
			 0);
}

bool sampling_is_possible(const struct bpf_sampler_options *options)
{
	struct bpf_sampler *sampler = NULL;
	struct err err;

	if (!KNOWN_STACK)
		(void)printf("skipped: no known stack for this machine\n");
	else if (bpf_sampler_new(options, &sampler, &err) < 0)
		(void)printf("skipped: %s\n", err.text);
	bpf_sampler_free(sampler);
	return sampler != NULL;
}

struct sampling *sampling_new(const struct bpf_sampler_options *options, struct err *err)
{
	struct sampling *sampling = calloc(1, sizeof(*sampling));

	assert_non_null(sampling);
	if (bpf_sampler_new(options, &sampling->sampler, err) < 0) {
		free(sampling);
		return NULL;
	}
	assert_int_equal(cpus_online(&sampling->cpus, NULL), 0);
	assert_int_equal(bpf_sampler_add_rings(sampling->sampler, &sampling->cpus, NULL), 0);
	for (size_t i = 0; i < sampling->cpus.count; i++)
		add_event(sampling, sampling->cpus.at[i]);
	return sampling;
}

void sampling_clear(struct sampling *sampling)
{
	vec_clear(&sampling->samples);
	vec_clear(&sampling->stacks);
	vec_clear(&sampling->raws);
	vec_clear(&sampling->waits);
}

void sampling_free(struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->cpus.count; i++) {
		(void)close(sampling->events.at[i]);
		bpf_ring_unmap(&sampling->rings.at[i]);
	}
	vec_free(&sampling->events);
	vec_free(&sampling->rings);
	vec_free(&sampling->samples);
	vec_free(&sampling->stacks);
	vec_free(&sampling->raws);
	vec_free(&sampling->waits);
	cpus_fini(&sampling->cpus);
	bpf_sampler_free(sampling->sampler);
	free(sampling);
}

static void keep_stack(struct sampling *sampling, const struct wire_record *record)
{
	struct seen_stack *seen = vec_push(&sampling->stacks);

	assert_non_null(seen);
	seen->stack = record->stack;
	memcpy(seen->kernel, record->kernel, record->stack.kernel_count * sizeof(uint64_t));
	memcpy(seen->user, record->user, record->stack.user_count * sizeof(uint64_t));
}

static void keep_raw(struct sampling *sampling, const struct wire_record *record)
{
	struct seen_raw *seen = vec_push(&sampling->raws);

	assert_non_null(seen);
	seen->raw = record->raw;
	memcpy(seen->bytes, record->bytes, record->raw.size_bytes);
}

static void keep(struct sampling *sampling, const struct wire_record *record)
{
	if (record->kind == WIRE_STACK) {
		keep_stack(sampling, record);
	} else if (record->kind == WIRE_RAW) {
		keep_raw(sampling, record);
	} else if (record->kind == WIRE_WAIT) {
		struct seen_wait *seen = vec_push(&sampling->waits);

		assert_non_null(seen);
		*seen = (struct seen_wait){ record->wait, record->waker };
	} else {
		struct wire_sample *sample = vec_push(&sampling->samples);

		assert_non_null(sample);
		*sample = record->sample;
	}
}

static void drain(struct sampling *sampling, struct bpf_ring *ring)
{
	uint64_t last_ns = 0;
	const void *bytes;
	size_t size_bytes;

	bpf_ring_refresh(ring);
	while ((bytes = bpf_ring_peek(ring, &size_bytes)) != NULL) {
		struct wire_record record;

		assert_int_equal(wire_record_decode(bytes, size_bytes, &record), 0);
		assert_true(record.time_ns >= last_ns);
		last_ns = record.time_ns;
		keep(sampling, &record);
		bpf_ring_consume(ring, size_bytes);
	}
	bpf_ring_release(ring);
	/* otherwise more records may arrive */
	if (!bpf_sampler_options(sampling->sampler)->off_cpu)
		assert_int_equal(ring->tail, *ring->producer);
}

void sampling_drain(struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->rings.count; i++)
		drain(sampling, &sampling->rings.at[i]);
}

static void switch_events(const struct sampling *sampling, unsigned long request)
{
	for (size_t i = 0; i < sampling->events.count; i++)
		assert_int_equal(ioctl(sampling->events.at[i], request, 0), 0);
}

struct wire_counters sampling_counters_of(const struct sampling *sampling, uint32_t event)
{
	size_t cpu_count = (size_t)bpf_sampler_cpu_count(sampling->sampler);
	struct wire_counters *by_cpu = calloc(cpu_count, sizeof(*by_cpu));
	struct wire_counters sum = { 0 };

	assert_non_null(by_cpu);
	bpf_sampler_counters(sampling->sampler, event, by_cpu);
	for (size_t cpu = 0; cpu < cpu_count; cpu++) {
		sum.ticks += by_cpu[cpu].ticks;
		for (size_t i = 0; i < WIRE_REASON_COUNT; i++)
			sum.reasons[i] += by_cpu[cpu].reasons[i];
	}
	free(by_cpu);
	return sum;
}

struct wire_counters sampling_counters(const struct sampling *sampling)
{
	return sampling_counters_of(sampling, 0);
}

/* Returns the number of ticks of the processes that are sampled. */
static uint64_t wanted_ticks(const struct sampling *sampling)
{
	struct wire_counters counters = sampling_counters(sampling);

	return counters.reasons[WIRE_END_SENT] + counters.reasons[WIRE_END_SENT_RAW] +
	       counters.reasons[WIRE_END_RING_FULL];
}

/* Sleeps first, then spins. */
static void wait_ms(unsigned int duration_ms)
{
	uint64_t end_ns;

	(void)usleep((duration_ms - BUSY_MS) * 1000);
	end_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + BUSY_MS * NS_PER_MSEC;
	while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

void sampling_run(struct sampling *sampling, unsigned int duration_ms)
{
	uint64_t a_quarter = duration_ms * NS_PER_MSEC / PERIOD_NS / 4;
	uint64_t enough = wanted_ticks(sampling) + a_quarter;

	switch_events(sampling, PERF_EVENT_IOC_ENABLE);
	for (int i = 0; i < ROUNDS_MAX && wanted_ticks(sampling) < enough; i++)
		wait_ms(duration_ms);
	switch_events(sampling, PERF_EVENT_IOC_DISABLE);
	sampling_drain(sampling);
}

void sampling_run_once(struct sampling *sampling, unsigned int duration_ms)
{
	switch_events(sampling, PERF_EVENT_IOC_ENABLE);
	wait_ms(duration_ms);
	switch_events(sampling, PERF_EVENT_IOC_DISABLE);
	sampling_drain(sampling);
}

const struct seen_stack *sampling_stack_of(const struct sampling *sampling,
					   const struct wire_sample *sample)
{
	for (size_t i = 0; i < sampling->stacks.count; i++)
		if (sampling->stacks.at[i].stack.stack == sample->stack &&
		    sampling->stacks.at[i].stack.time_ns <= sample->time_ns)
			return &sampling->stacks.at[i];
	return NULL;
}

/*
 * Writes to the child's own stack. On CPUs that leave it to the kernel to note that a page is used
 * (aarch64 before 8.1), a BPF program cannot read a page that a child has not used since fork().
 */
__attribute__((no_sanitize_address)) static void use_own_stack(void)
{
	const volatile char *at = (const volatile char *)__builtin_frame_address(0);

	for (; at < (const char *)__libc_stack_end; at += 4096)
		(void)*at;
	(void)*(const volatile char *)__libc_stack_end;
}

pid_t child_start(const struct known_stack *known, uint32_t depth)
{
	uint32_t *ready = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			       0);
	pid_t child;

	assert_true(ready != MAP_FAILED);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		use_own_stack();
		known->root(depth, ready);
		_exit(1);
	}
	while (!__atomic_load_n(ready, __ATOMIC_ACQUIRE))
		(void)sched_yield();
	(void)munmap(ready, 4096);
	return child;
}

void child_end(pid_t child)
{
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
}

uint64_t process_life(pid_t process)
{
	return process_raw(process).life;
}

struct wire_raw process_raw(pid_t process)
{
	struct sampling *sampling = sampling_new(
		&(struct bpf_sampler_options){ .only_targets = true, .cgroup_fd = -1 }, NULL);
	struct wire_raw raw;

	assert_non_null(sampling);
	assert_int_equal(bpf_sampler_add_target(sampling->sampler, (uint32_t)process), 0);
	for (int i = 0; i < 50 && sampling->raws.count == 0; i++)
		sampling_run(sampling, BUSY_MS);
	assert_true(sampling->raws.count > 0);
	raw = sampling->raws.at[0].raw;
	sampling_free(sampling);
	return raw;
}

struct sampling *sampling_start(const struct bpf_sampler_options *options)
{
	struct err err;
	struct sampling *sampling = sampling_new(options, &err);

	if (!sampling)
		fail_msg("%s", err.text);
	return sampling;
}

struct sampling *sampling_start_with_room(pid_t child, size_t ring_bytes)
{
	struct sampling *sampling = sampling_start(&(struct bpf_sampler_options){
		.ring_bytes = ring_bytes, .only_targets = true, .cgroup_fd = -1 });

	assert_int_equal(bpf_sampler_add_target(sampling->sampler, (uint32_t)child), 0);
	return sampling;
}

void sampling_assert_ends(const struct wire_counters *counters)
{
	uint64_t ends = 0;

	for (size_t i = 0; i < WIRE_ENDS_COUNT; i++)
		ends += counters->reasons[i];
	assert_int_equal(ends, counters->ticks);
}

void sampling_assert_counted(const struct sampling *sampling)
{
	struct wire_counters counters = sampling_counters(sampling);

	sampling_assert_ends(&counters);
	assert_int_equal(counters.reasons[WIRE_END_SENT], sampling->samples.count);
	assert_int_equal(counters.reasons[WIRE_END_SENT_RAW], sampling->raws.count);
	assert_int_equal(counters.reasons[WIRE_END_RING_FULL], 0);
	assert_int_equal(counters.reasons[WIRE_LACK_STACK_ROOM], 0);
	assert_int_equal(counters.reasons[WIRE_LACK_RAW_ROOM], 0);
}
