/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The in-kernel sampler, live: what it reports about a child whose stack is known. */
#include "support/test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sampler_fixture.h"
#include "base/clock.h"
#include "process/identity.h"
#include "intake/wire_table.h"
#include "sampler/bpf_feed.h"

#define DEPTH 30
#define DEEP 1500	/* deeper than what is copied of a stack of unknown size */
#define RUN_MS 80
#define SOME 20	/* samples required of the CPU's 320 ticks; most may hit other processes */
#define ROOM_BYTES (32u << 20)	/* size of a ring that only has to hold raw samples */
#define RUNS_MAX 20
#define SPACE 9
#define RULES_AT 7	/* not 0, so that a test fails if the value is ignored */

static struct sampling *start_for(pid_t child)
{
	return sampling_start_with_room(child, ROOM_BYTES);
}

static void set_mapping(struct sampling *sampling, pid_t child, const struct wire_mapping *mapping)
{
	struct wire_mapping *mappings = bpf_sampler_mappings(sampling->sampler);
	const struct wire_mapping below = { .start_addr = 4096, .end_addr = 8192 };
	const struct wire_mapping above = { .start_addr = UINT64_MAX - 1, .end_addr = UINT64_MAX };
	const struct wire_process process = {
		.first = 100, .count = 3, .life = process_life(child), .space = SPACE
	};

	mappings[100] = below;
	mappings[101] = *mapping;
	mappings[102] = above;
	for (int i = 100; i < 103; i++)
		mappings[i].space = SPACE;
	assert_int_equal(bpf_sampler_set_process(sampling->sampler, (uint32_t)child, &process), 0);
}

static void walk_by_frame_pointer(struct sampling *sampling, pid_t child,
				  const struct known_stack *known)
{
	set_mapping(sampling, child,
		    &(struct wire_mapping){ .start_addr = known->start_addr,
					    .end_addr = known->end_addr,
					    .table = WIRE_NO_TABLE });
}

static void walk_by_table(struct sampling *sampling, pid_t child, const struct known_stack *known)
{
	struct unwind_row rows[KNOWN_STACK_ROWS];
	const struct unwind_table table = {
		.rows = { .at = rows, .count = KNOWN_STACK_ROWS },
		.rules = { .at = (struct unwind_rule *)(uintptr_t)known_stack_rules,
			   .count = KNOWN_STACK_RULES },
	};
	struct wire_table_size size;
	struct wire_line *lines;
	uint32_t slot = 5;
	int fd;

	known_stack_rows(rows);
	size = wire_table_size(&table);
	fd = bpf_sampler_make_table(size.line_count, &lines, NULL);
	assert_true(fd >= 0);
	wire_table_fill(&table, lines);
	memcpy(bpf_sampler_rules(sampling->sampler) + RULES_AT, known_stack_rules,
	       sizeof(known_stack_rules));
	assert_int_equal(bpf_sampler_set_tables(sampling->sampler, &slot, &fd, 1, NULL), 0);
	bpf_sampler_unmap_table(lines, size.line_count);
	(void)close(fd);
	set_mapping(sampling, child,
		    &(struct wire_mapping){ .start_addr = known->start_addr,
					    .end_addr = known->end_addr,
					    .bias = known->start_addr,
					    .table = slot,
					    .page_count = (uint32_t)size.page_count,
					    .rules_at = RULES_AT,
					    .serial = 1 });
}

static void assert_user_part(const uint64_t *user, size_t count, uint32_t depth,
			     const struct known_stack *known)
{
	size_t shown = depth + 1 < WIRE_USER_FRAMES_MAX ? depth + 1 : WIRE_USER_FRAMES_MAX;

	assert_int_equal(count, shown);
	assert_in_range(user[0], known->leaf_addr, known->leaf_end_addr);
	for (size_t i = 1; i < shown; i++)
		assert_int_equal(user[i],
				 i == depth ? known->root_return_addr : known->return_addr);
}

static void assert_kernel_part(const struct wire_sample *sample, const uint64_t *kernel,
			       size_t count)
{
	assert_int_equal(count > 0, (sample->flags & WIRE_IN_KERNEL) != 0);
	assert_int_equal((int64_t)sample->ip<0, count> 0);
	for (size_t i = 0; i < count; i++)
		assert_true((int64_t)kernel[i] < 0);
	if (count > 0)
		assert_int_equal(kernel[0], sample->ip);
}

static void assert_sample(const struct sampling *sampling, const struct wire_sample *sample,
			  pid_t child)
{
	const struct seen_stack *seen = sampling_stack_of(sampling, sample);

	assert_non_null(seen);
	assert_int_equal(sample->tgid, child);
	assert_int_equal(sample->tid, child);
	assert_int_equal(seen->stack.tgid, child);
	assert_int_equal(sample->period, PERIOD_NS);
	assert_true(sample->flags & WIRE_HAS_USER);
	assert_kernel_part(sample, seen->kernel, seen->stack.kernel_count);
	if (!(sample->flags & WIRE_IN_KERNEL))
		assert_int_equal(seen->user[0], sample->ip);
}

/*
 * Only for chosen targets. If all processes are sampled, a task that exits has no memory any more.
 */
static void assert_nothing_lacks(const struct sampling *sampling)
{
	struct wire_counters counters = sampling_counters(sampling);

	for (size_t i = WIRE_ENDS_COUNT; i < WIRE_REASON_COUNT; i++)
		assert_int_equal(counters.reasons[i], 0);
}

/* Checks that all samples of a child at that depth are complete and end as @stop says. */
static void check_child(struct known_stack known, uint32_t depth, enum unwind_stop stop,
			void (*walk_by)(struct sampling *sampling, pid_t child,
					const struct known_stack *known))
{
	pid_t child = child_start(&known, depth);
	struct sampling *sampling = start_for(child);
	size_t in_kernel = 0;

	walk_by(sampling, child, &known);
	sampling_run(sampling, RUN_MS);
	child_end(child);
	assert_true(sampling->samples.count >= SOME);
	for (size_t i = 0; i < sampling->samples.count; i++) {
		in_kernel += (sampling->samples.at[i].flags & WIRE_IN_KERNEL) != 0;
		assert_sample(sampling, &sampling->samples.at[i], child);
	}
	for (size_t i = 0; i < sampling->stacks.count; i++) {
		const struct seen_stack *seen = &sampling->stacks.at[i];

		assert_int_equal(seen->stack.stop, stop);
		assert_user_part(seen->user, seen->stack.user_count, depth, &known);
	}
	assert_in_range(in_kernel, 0, sampling->samples.count - 1);
	sampling_assert_counted(sampling);
	assert_nothing_lacks(sampling);
	sampling_free(sampling);
}

static void test_frame_pointers(void **state)
{
	check_child(known_stack_frame_pointer(), DEPTH, UNWIND_STOP_END, walk_by_frame_pointer);
}

static void test_table(void **state)
{
	check_child(known_stack_plain(), DEPTH, UNWIND_STOP_END, walk_by_table);
}

static void test_as_deep_as_allowed(void **state)
{
	check_child(known_stack_plain(), WIRE_USER_FRAMES_MAX - 1, UNWIND_STOP_END, walk_by_table);
	check_child(known_stack_plain(), WIRE_USER_FRAMES_MAX, UNWIND_STOP_DEEP, walk_by_table);
	check_child(known_stack_frame_pointer(), 2000, UNWIND_STOP_DEEP, walk_by_frame_pointer);
}

/*
 * A ring too small for any raw sample still takes plain samples. The raw samples that did not fit
 * are counted.
 */
static void test_full_ring_is_counted(void **state)
{
	struct known_stack known = known_stack_plain();
	pid_t child = child_start(&known, DEPTH);
	struct sampling *sampling = sampling_start(&(struct bpf_sampler_options){
		.ring_bytes = 4096, .only_targets = true, .cgroup_fd = -1 });
	struct wire_counters counters;

	assert_int_equal(bpf_sampler_add_target(sampling->sampler, (uint32_t)child), 0);
	sampling_run(sampling, 5 * RUN_MS);
	child_end(child);
	counters = sampling_counters(sampling);
	sampling_assert_ends(&counters);
	assert_true(counters.reasons[WIRE_LACK_RAW_ROOM] > 0);
	assert_true(counters.reasons[WIRE_END_SENT] > 0);
	assert_true(counters.reasons[WIRE_END_RING_FULL] > 0);
	assert_int_equal(counters.reasons[WIRE_END_SENT], sampling->samples.count);
	sampling_free(sampling);
}

/*
 * If a walk needs a table that is missing, and its stack memory does not fit in the ring, its end
 * is unknown.
 */
static void test_what_did_not_fit_has_no_end(void **state)
{
	struct known_stack known = known_stack_plain();
	pid_t child = child_start(&known, DEPTH);
	struct sampling *sampling = sampling_start(&(struct bpf_sampler_options){
		.ring_bytes = 4096, .only_targets = true, .cgroup_fd = -1 });

	assert_int_equal(bpf_sampler_add_target(sampling->sampler, (uint32_t)child), 0);
	set_mapping(sampling, child,
		    &(struct wire_mapping){ .start_addr = known.start_addr,
					    .end_addr = known.end_addr,
					    .table = WIRE_TABLE_LATER });
	sampling_run(sampling, 5 * RUN_MS);
	child_end(child);
	assert_true(sampling_counters(sampling).reasons[WIRE_LACK_RAW_ROOM] > 0);
	assert_true(sampling->stacks.count > 0);
	for (size_t i = 0; i < sampling->stacks.count; i++)
		assert_int_equal(sampling->stacks.at[i].stack.stop, UNWIND_STOP_NOT);
	sampling_free(sampling);
}

static void assert_no_stack_twice(const struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->stacks.count; i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(sampling->stacks.at[i].stack.stack,
					     sampling->stacks.at[k].stack.stack);
}

static void test_stacks_are_sent_once_until_forgotten(void **state)
{
	struct known_stack known = known_stack_plain();
	pid_t child = child_start(&known, DEPTH);
	struct sampling *sampling = start_for(child);
	size_t later_count = 0;
	uint64_t epoch_ns;

	walk_by_table(sampling, child, &known);
	sampling_run(sampling, RUN_MS);
	sampling_run(sampling, RUN_MS);
	assert_no_stack_twice(sampling);
	epoch_ns = bpf_sampler_forget_stacks(sampling->sampler);
	sampling_clear(sampling);
	sampling_run(sampling, RUN_MS);
	child_end(child);
	for (size_t i = 0; i < sampling->samples.count; i++) {
		if (sampling->samples.at[i].time_ns < epoch_ns)
			continue;
		assert_non_null(sampling_stack_of(sampling, &sampling->samples.at[i]));
		later_count++;
	}
	assert_true(later_count >= SOME);
	sampling_free(sampling);
}

struct fired_ticks {
	uint64_t fired, skipped;
};

/* Returns the ticks of the clock on that CPU. */
static struct fired_ticks fired_ticks(const struct sampling *sampling, int cpu)
{
	size_t cpu_count = (size_t)bpf_sampler_cpu_count(sampling->sampler);
	struct tick_clocks *clocks = calloc(cpu_count, sizeof(*clocks));
	struct wire_counters *counters = calloc(cpu_count, sizeof(*counters));
	struct fired_ticks ticks;

	assert_true(clocks && counters);
	if (bpf_sampler_clocks(sampling->sampler, clocks) < 0)
		skip();
	bpf_sampler_counters(sampling->sampler, 0, counters);
	ticks.fired = clocks[cpu].clocks[0].fired;
	ticks.skipped = tick_clock_skipped(&clocks[cpu].clocks[0], counters[cpu].ticks);
	free(clocks);
	free(counters);
	return ticks;
}

/*
 * Keeps other processes off the CPU while this one runs. Their BPF programs would also make the
 * kernel skip ticks.
 */
static void have_for_oneself(int cpu)
{
	const struct sched_param param = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
	assert_int_equal(sched_setscheduler(0, SCHED_FIFO, &param), 0);
}

static void share_again(const cpu_set_t *set)
{
	const struct sched_param param = { 0 };

	assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &param), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(*set), set), 0);
}

/*
 * Ids from here on belong to no process. If a process had such an id, its exit would remove the
 * entry.
 */
#define NOBODY (1u << 23)

/*
 * The kernel skips a tick that comes while its CPU changes a map in bpf(2). Here this is a fifth of
 * all ticks. It also skips a few for other processes' programs on the way into bpf(2).
 */
static void test_ticks_come_while_processes_are_entered(void **state)
{
	struct sampling *sampling = sampling_start(&(struct bpf_sampler_options){
		.clock_events = 1, .only_targets = true, .cgroup_fd = -1 });
	const struct wire_process process = { .first = 100, .count = 3, .life = 1, .space = SPACE };
	int cpu = sampling->cpus.at[0];
	struct fired_ticks ticks = { 0 };
	cpu_set_t before;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(ioctl(sampling->events.at[0], PERF_EVENT_IOC_ENABLE, 0), 0);
	have_for_oneself(cpu);
	while (ticks.fired < 10 * SOME) {
		for (uint32_t tgid = NOBODY; tgid < NOBODY + 1000; tgid++)
			assert_int_equal(bpf_sampler_set_process(sampling->sampler, tgid, &process),
					 0);
		for (uint32_t tgid = NOBODY; tgid < NOBODY + 1000; tgid++)
			assert_int_equal(bpf_sampler_remove_process(sampling->sampler, tgid), 0);
		ticks = fired_ticks(sampling, cpu);
	}
	share_again(&before);
	assert_int_equal(bpf_sampler_remove_process(sampling->sampler, NOBODY), -ENOENT);
	assert_in_range(ticks.skipped, 0, ticks.fired / 8);
	sampling_free(sampling);
}

/*
 * Samples all processes, whatever else this machine runs. Nothing may be lost without being
 * counted.
 */
static void test_every_tick_is_counted(void **state)
{
	struct known_stack known = known_stack_plain();
	pid_t child = child_start(&known, DEPTH);
	struct sampling *sampling = sampling_start(&(struct bpf_sampler_options){
		.ring_bytes = ROOM_BYTES, .leave_out_self = true, .cgroup_fd = -1 });
	struct wire_counters counters;
	int runs = 0;

	walk_by_table(sampling, child, &known);
	do {	/* until a tick hits this process, which other processes may delay */
		sampling_run(sampling, RUN_MS);
		counters = sampling_counters(sampling);
	} while (counters.reasons[WIRE_END_OWN_PROCESS] == 0 && ++runs < RUNS_MAX);
	child_end(child);
	assert_true(counters.ticks >= SOME);
	assert_true(sampling->samples.count >= SOME);
	for (size_t i = 0; i < sampling->samples.count; i++)
		assert_int_not_equal(sampling->samples.at[i].tgid, getpid());
	assert_true(counters.reasons[WIRE_END_OWN_PROCESS] > 0);
	sampling_assert_counted(sampling);
	sampling_free(sampling);
}

/* A caller's mistake is rejected before the kernel sees it. */
static void test_too_many_events(void **state)
{
	struct sampling *sampling = sampling_start(
		&(struct bpf_sampler_options){ .cgroup_fd = -1 });
	struct err err;

	assert_int_equal(bpf_sampler_attach(sampling->sampler, sampling->events.at[0],
					    WIRE_EVENTS_MAX, &err),
			 -E2BIG);
	assert_true(bpf_sampler_attach(sampling->sampler, STDIN_FILENO, 0, &err) < 0);
	sampling_free(sampling);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_pointers),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_as_deep_as_allowed),
		cmocka_unit_test(test_full_ring_is_counted),
		cmocka_unit_test(test_what_did_not_fit_has_no_end),
		cmocka_unit_test(test_stacks_are_sent_once_until_forgotten),
		cmocka_unit_test(test_ticks_come_while_processes_are_entered),
		cmocka_unit_test(test_every_tick_is_counted),
		cmocka_unit_test(test_too_many_events),
	};

	if (!sampling_is_possible(&(struct bpf_sampler_options){ .cgroup_fd = -1 }))
		return SAMPLING_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
