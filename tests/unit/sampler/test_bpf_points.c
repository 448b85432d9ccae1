/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints, live: children that make a known number of system calls, compared with the count of
 * an ordinary perf event.
 */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf/perf_open.h"
#include "perf/tracefs.h"
#include "waits_fixture.h"

#define ROOM_BYTES (32u << 20)	/* size of a ring that only has to hold raw samples */
#define HITS 400
#define PERIOD 7
#define NAPS_MS (6 * NAP_MS)
#define EVENT 3

/* Opens a perf event of the tracepoint. If @pid is -1, it counts all processes on the first CPU. */
static int open_point(const char *group, const char *name, pid_t pid)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .disabled = pid == -1 };
	struct perf_place place = { .pid = pid, .cpu = pid == -1 ? 0 : -1, .group_fd = -1 };
	struct perf_features features = { 0 };
	uint64_t id;
	int fd;

	assert_int_equal(tracefs_event_id(group, name, &id, NULL), 0);
	attr.config = id;
	fd = perf_open(&attr, &place, &features);
	assert_true(fd >= 0);
	return fd;
}

static struct sampling *start(const char *group, const char *name, struct wire_point point,
			      struct bpf_sampler_options options)
{
	struct sampling *sampling;
	int fd;

	options.points = true;
	options.cgroup_fd = -1;
	options.ring_bytes = ROOM_BYTES;
	sampling = sampling_start(&options);
	fd = open_point(group, name, -1);
	assert_int_equal(bpf_sampler_attach_point(sampling->sampler, fd, EVENT, &point, NULL), 0);
	(void)close(fd);
	return sampling;
}

/* ---- a child that calls getppid(2) on request ---- */

struct caller {
	pid_t pid;
	int to, from;
};

static struct caller caller_start(void)
{
	int to[2], from[2];
	struct caller caller;
	char byte;

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	caller = (struct caller){ .pid = fork_child(), .to = to[1], .from = from[0] };
	if (caller.pid == 0) {
		run_on_cpu(0);	/* so that no period is split between CPUs */
		while (read(to[0], &byte, 1) == 1) {
			for (int i = 0; i < HITS; i++)
				(void)syscall(SYS_getppid);
			(void)!write(from[1], &byte, 1);
		}
		_exit(0);
	}
	(void)close(to[0]);
	(void)close(from[1]);
	return caller;
}

static void caller_end(const struct caller *caller)
{
	child_end(caller->pid);
	(void)close(caller->to);
	(void)close(caller->from);
}

/* Runs one round with the tracepoints enabled, one round before that, and one after. */
static void run(struct sampling *sampling, const struct caller *caller)
{
	exchange(caller->from, caller->to, 1);
	bpf_sampler_enable_points(sampling->sampler, true);
	exchange(caller->from, caller->to, 1);
	bpf_sampler_enable_points(sampling->sampler, false);
	exchange(caller->from, caller->to, 1);
	sampling_drain(sampling);
}

static struct wire_counters assert_counted(const struct sampling *sampling)
{
	struct wire_counters counters = sampling_counters_of(sampling, EVENT);

	sampling_assert_ends(&counters);
	assert_int_equal(counters.reasons[WIRE_END_SENT], sampling->samples.count);
	assert_int_equal(counters.reasons[WIRE_END_SENT_RAW], sampling->raws.count);
	assert_int_equal(counters.reasons[WIRE_END_RING_FULL], 0);
	return counters;
}

static void assert_user_hit(const struct wire_sample *sample, pid_t pid, uint32_t period)
{
	assert_int_equal(sample->event, EVENT);
	assert_int_equal(sample->tgid, pid);
	assert_int_equal(sample->tid, pid);
	assert_int_equal(sample->period, period);
	assert_int_equal(sample->flags, WIRE_HAS_USER);
	assert_true(sample->ip > 4096 && (int64_t)sample->ip > 0);
}

/* ---- how often ---- */

static const struct wire_point each = { .period = 1, .in_user = 1 };

/* perf, whose own events the sampler does not disturb, must count the same number. */
static void test_each_hit_of_a_target(void **state)
{
	struct caller caller = caller_start();
	struct sampling *sampling = start("syscalls", "sys_enter_getppid", each,
					  (struct bpf_sampler_options){ .only_targets = true });
	int perf = open_point("syscalls", "sys_enter_getppid", caller.pid);
	struct wire_counters counters;
	uint64_t count;

	assert_int_equal(bpf_sampler_add_target(sampling->sampler, (uint32_t)caller.pid), 0);
	run(sampling, &caller);
	assert_int_equal(read(perf, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 3 * HITS);
	caller_end(&caller);
	counters = assert_counted(sampling);
	assert_int_equal(counters.ticks - counters.reasons[WIRE_END_NO_TARGET], HITS);
	assert_int_equal(sampling->samples.count + sampling->raws.count, HITS);
	for (size_t i = 0; i < sampling->raws.count; i++)
		assert_user_hit(&sampling->raws.at[i].raw.sample, caller.pid, 1);
	for (size_t i = 0; i < sampling->samples.count; i++)
		assert_user_hit(&sampling->samples.at[i], caller.pid, 1);
	(void)close(perf);
	sampling_free(sampling);
}

static void test_period(void **state)
{
	struct caller caller = caller_start();
	struct sampling *sampling = start("syscalls", "sys_enter_getppid",
					  (struct wire_point){ .period = PERIOD, .in_user = 1 },
					  (struct bpf_sampler_options){ .only_targets = true });
	struct wire_counters counters;

	assert_int_equal(bpf_sampler_add_target(sampling->sampler, (uint32_t)caller.pid), 0);
	run(sampling, &caller);
	caller_end(&caller);
	counters = assert_counted(sampling);
	assert_int_equal(sampling->samples.count + sampling->raws.count, HITS / PERIOD);
	assert_int_equal(counters.reasons[WIRE_END_IN_PERIOD], HITS - HITS / PERIOD);
	for (size_t i = 0; i < sampling->raws.count; i++)
		assert_user_hit(&sampling->raws.at[i].raw.sample, caller.pid, PERIOD);
	sampling_free(sampling);
}

static void test_others_are_left_out(void **state)
{
	struct caller caller = caller_start();
	struct sampling *sampling = start("syscalls", "sys_enter_getppid", each,
					  (struct bpf_sampler_options){ .only_targets = true });
	struct wire_counters counters;

	run(sampling, &caller);
	caller_end(&caller);
	counters = assert_counted(sampling);
	assert_true(counters.reasons[WIRE_END_NO_TARGET] >= HITS);
	assert_int_equal(counters.reasons[WIRE_END_NO_TARGET], counters.ticks);
	sampling_free(sampling);
}

/* ---- where hits are ---- */

/* At a context switch, the current task is the one that leaves the CPU, inside nanosleep(2). */
static void assert_switch(const struct sampling *sampling, const struct wire_sample *sample)
{
	const struct seen_stack *seen = sampling_stack_of(sampling, sample);
	uint64_t loop_addr = (uint64_t)(uintptr_t)nap_for_ever;

	assert_non_null(seen);
	assert_int_equal(sample->flags, WIRE_IN_KERNEL | WIRE_HAS_USER);
	assert_true(seen->stack.kernel_count > 2);
	assert_int_equal(seen->kernel[0], sample->ip);
	assert_true(seen->stack.user_count >= 2);
	assert_int_equal(seen->user[0], (uint64_t)(uintptr_t)nap_resumes);
	assert_in_range(seen->user[1], loop_addr, loop_addr + 256);
}

static void test_place_in_the_kernel(void **state)
{
	struct sampling *sampling = start("sched", "sched_switch",
					  (struct wire_point){ .period = 1 },
					  (struct bpf_sampler_options){ .only_targets = true });
	volatile int *tired = mmap(NULL, sizeof(*tired), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork_child();
	size_t naps = 0;

	assert_true(tired != MAP_FAILED);
	if (child == 0) {
		while (!*tired)	/* so that its life is sampled */
			;
		nap_for_ever();
	}
	assert_int_equal(bpf_sampler_add_target(sampling->sampler, (uint32_t)child), 0);
	walk_by_frame_pointer(sampling, child, 4096, INT64_MAX);
	*tired = 1;
	(void)usleep(NAP_MS * 1000);
	bpf_sampler_enable_points(sampling->sampler, true);
	(void)usleep(NAPS_MS * 1000);
	bpf_sampler_enable_points(sampling->sampler, false);
	child_end(child);
	sampling_drain(sampling);
	(void)assert_counted(sampling);
	for (size_t i = 0; i < sampling->samples.count; i++) {
		const struct seen_stack *seen = sampling_stack_of(sampling,
								  &sampling->samples.at[i]);

		if (!seen || seen->user[0] != (uint64_t)(uintptr_t)nap_resumes)
			continue;	/* this switch was a preemption */
		assert_switch(sampling, &sampling->samples.at[i]);
		naps++;
	}
	assert_in_range(naps, 2, sampling->samples.count);
	sampling_free(sampling);
	(void)munmap((void *)(uintptr_t)tired, sizeof(*tired));
}

/* ---- refusals ---- */

static void test_no_tracepoint(void **state)
{
	struct sampling *sampling = start("sched", "sched_switch", each,
					  (struct bpf_sampler_options){ 0 });
	struct err err;

	assert_true(bpf_sampler_attach_point(sampling->sampler, sampling->events.at[0], 0, &each,
					     &err) < 0);
	assert_int_equal(bpf_sampler_attach_point(sampling->sampler, sampling->events.at[0],
						  WIRE_EVENTS_MAX, &each, &err),
			 -E2BIG);
	sampling_free(sampling);
}

/* Mounts tracefs in a mount namespace of its own, where only this program sees it. */
static bool mount_tracefs(void)
{
	if (!tracefs_is_readable() &&
	    (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	     mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) < 0))
		(void)printf("skipped: tracefs is not mounted and may not be\n");
	return tracefs_is_readable();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_hit_of_a_target),
		cmocka_unit_test(test_period),
		cmocka_unit_test(test_others_are_left_out),
		cmocka_unit_test(test_place_in_the_kernel),
		cmocka_unit_test(test_no_tracepoint),
	};
	const struct bpf_sampler_options options = { .points = true, .cgroup_fd = -1 };

	if (!mount_tracefs() || !sampling_is_possible(&options))
		return SAMPLING_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
