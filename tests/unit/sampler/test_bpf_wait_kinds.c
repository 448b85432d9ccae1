/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits, live: each kind of wait, how it begins and how it ends. */
#include "support/test.h"

#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "waits_fixture.h"

/*
 * Returns how long the parent of a vfork() waited for the child's _exit(). No signal would end that
 * wait.
 */
static uint64_t uninterruptible_ns(void)
{
	struct sampling *sampling = waits_start(
		(struct bpf_sampler_options){ .leave_out_self = true });
	struct waited sum;
	pid_t child;

	waits_begin(sampling);
	child = fork_child();
	if (child == 0) {
		if (vfork() == 0) {
			(void)nap(&(struct timespec){ .tv_nsec = NAP_MS * (long)NS_PER_MSEC });
			_exit(0);
		}
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	waits_end(sampling);
	sum = waits_of(sampling, child);
	sampling_free(sampling);
	return sum.uninterruptible_ns;
}

/*
 * A task may leave its CPU before its wait can be examined. This is counted, and the test tries
 * again.
 */
static void test_uninterruptible(void **state)
{
	uint64_t least_ns = (NAP_MS - 10) * NS_PER_MSEC;
	int tries = 0;

	while (uninterruptible_ns() < least_ns)
		assert_true(++tries < 3);
}

/* Returns how long a child was blocked that naps and exits, by the sum of its short waits. */
static uint64_t short_waits_ns(void)
{
	struct sampling *sampling = waits_start((struct bpf_sampler_options){
		.leave_out_self = true, .off_cpu_min_ns = 100 * NS_PER_SEC });
	const struct wire_wait *wait = NULL;
	uint64_t blocked_ns = 0;
	size_t last = 0;
	pid_t child;

	waits_begin(sampling);
	child = fork_child();
	if (child == 0) {
		(void)nap(&(struct timespec){ .tv_nsec = NAP_MS * (long)NS_PER_MSEC });
		(void)nap(&(struct timespec){ .tv_nsec = 1 });
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	waits_end(sampling);
	for (size_t i = 0; i < sampling->waits.count; i++) {
		wait = &sampling->waits.at[i].wait;
		if (wait->tid != (uint32_t)child)
			continue;
		assert_true(wait->flags & WIRE_WAIT_SHORT);
		assert_int_equal(wait->stack, 0);
		blocked_ns += wait->blocked_ns;
		last += (wait->flags & WIRE_WAIT_EXIT) != 0;
	}
	assert_int_equal(last, 1);
	sampling_free(sampling);
	return blocked_ns;
}

/*
 * All waits of the task are shorter than the minimum duration. The last record says that it has
 * exited. Some virtual machines do not trace switches from process 1: if it ran while the child
 * slept, the end of the nap is not seen, and the test tries again.
 */
static void test_exit(void **state)
{
	uint64_t least_ns = (NAP_MS - 10) * NS_PER_MSEC;
	int tries = 0;

	while (short_waits_ns() < least_ns)
		assert_true(++tries < 3);
}

/* ---- at the start and end of the recording ---- */

/* The child sleeps before, during and after the recording: one wait, which has not ended. */
static void test_open_wait(void **state)
{
	struct sampling *sampling = waits_start(
		(struct bpf_sampler_options){ .leave_out_self = true });
	pid_t child = fork_child();
	uint64_t begin_ns, longest_ns;
	size_t open_count = 0;

	if (child == 0) {
		volatile uint8_t mark = 0x5a;	/* on the stack, above the frame of pause() */

		for (;;)
			(void)(pause() + mark);
	}
	until_asleep(child);
	begin_ns = clock_monotonic_ns();
	waits_begin(sampling);
	(void)usleep(NAP_MS * 1000);
	waits_end(sampling);
	longest_ns = clock_monotonic_ns() - begin_ns;
	child_end(child);
	for (size_t i = 0; i < sampling->waits.count; i++) {
		const struct wire_wait *wait = &sampling->waits.at[i].wait;
		const struct seen_raw *copy;

		if (wait->tid != (uint32_t)child || wait->flags & WIRE_WAIT_SHORT)
			continue;
		assert_int_equal(wait->flags, WIRE_WAIT_OPEN);
		assert_in_range(wait->blocked_ns, (NAP_MS - 1) * NS_PER_MSEC, longest_ns);
		/* the memory of another task, read while that task sleeps */
		copy = waits_copy_of(sampling, wait->stack);
		assert_non_null(copy);
		assert_true(copy->raw.user_ip != 0 && copy->raw.kernel_count > 2);
		assert_int_equal(copy->raw.stack_addr, copy->raw.user_sp);
		assert_true(copy->raw.size_bytes > 64);
		assert_true(memchr(copy->bytes, 0x5a, copy->raw.size_bytes) != NULL);
		open_count++;
	}
	assert_int_equal(open_count, 1);
	sampling_free(sampling);
}

/*
 * Starts a child that occupies a CPU from the time that a byte comes from @in until it is killed.
 */
static pid_t hog(int cpu, int in)
{
	pid_t child = fork_child();

	if (child == 0) {
		const struct sched_param first = { .sched_priority = 1 };
		char byte;

		run_on_cpu(cpu);
		if (sched_setscheduler(0, SCHED_FIFO, &first) < 0 || read(in, &byte, 1) != 1)
			_exit(1);
		for (;;)
			;
	}
	return child;
}

static void nap_once_on(int cpu)
{
	run_on_cpu(cpu);
	(void)nap(&(struct timespec){ .tv_nsec = NAP_MS * (long)NS_PER_MSEC });
	_exit(0);
}

/* The child has slept and could run now, so the rest of its wait is for the CPU. */
static void test_open_wait_of_one_that_was_woken(void **state)
{
	struct sampling *sampling = waits_start(
		(struct bpf_sampler_options){ .leave_out_self = true });
	pid_t sleeper, first;
	uint64_t begin_ns, longest_ns;
	struct waited sum;
	int cpu, status, start[2];

	if (sampling->cpus.count < 2) {
		print_message("skipped: needs two CPUs\n");
		sampling_free(sampling);
		skip();
	}
	cpu = sampling->cpus.at[1];
	run_on_cpu(sampling->cpus.at[0]);
	assert_int_equal(pipe(start), 0);
	first = hog(cpu, start[0]);
	until_asleep(first);
	waits_begin(sampling);
	run_first();	/* the steps that follow must not take longer than the nap */
	begin_ns = clock_monotonic_ns();
	sleeper = fork_child();
	if (sleeper == 0)
		nap_once_on(cpu);
	until_asleep(sleeper);
	assert_int_equal(write(start[1], "", 1), 1);
	until_able_to_run(sleeper);
	(void)usleep(2 * NAP_MS * 1000);
	waits_end(sampling);
	longest_ns = clock_monotonic_ns() - begin_ns;
	run_as_others();
	assert_int_equal(waitpid(first, &status, WNOHANG), 0);	/* it is still running */
	child_end(first);
	child_end(sleeper);
	sum = waits_of(sampling, sleeper);
	assert_true(sum.blocked_ns >= (NAP_MS - 10) * NS_PER_MSEC);
	assert_true(sum.runnable_ns >= 2 * NAP_MS * NS_PER_MSEC);
	assert_in_range(sum.blocked_ns + sum.runnable_ns, 0, longest_ns);
	sampling_free(sampling);
}

/* ---- wakers ---- */

static void test_waker(void **state)
{
	struct sampling *sampling = waits_start(
		(struct bpf_sampler_options){ .off_cpu_wakers = true });
	int there[2], back[2];
	size_t woken = 0;
	pid_t child;

	assert_int_equal(pipe(there), 0);
	assert_int_equal(pipe(back), 0);
	child = fork_child();
	if (child == 0)
		answer(there[0], back[1]);
	exchange(back[0], there[1], 1);
	waits_begin(sampling);
	for (size_t i = 0; i < 5; i++) {
		until_asleep(child);
		(void)usleep(10000);
		exchange(back[0], there[1], 1);
	}
	waits_end(sampling);
	child_end(child);
	for (size_t i = 0; i < sampling->waits.count; i++) {
		const struct seen_wait *seen = &sampling->waits.at[i];

		if (seen->wait.tid != (uint32_t)child || !(seen->wait.flags & WIRE_WAIT_WAKER))
			continue;
		assert_int_equal(seen->waker.tid, getpid());
		assert_int_equal(seen->waker.tgid, getpid());
		/* nobody told the sampler about this process, so its stack is a copy */
		assert_non_null(waits_copy_of(sampling, seen->waker.stack));
		woken++;
	}
	assert_in_range(woken, 4, 6);
	sampling_free(sampling);
}

/* ---- targets ---- */

static void test_only_targets(void **state)
{
	struct sampling *sampling = waits_start(
		(struct bpf_sampler_options){ .only_targets = true });
	pid_t child = fork_child(), other = child ? fork_child() : 0;

	if (child == 0 || other == 0)
		nap_for_ever();
	assert_int_equal(bpf_sampler_add_target(sampling->sampler, (uint32_t)child), 0);
	waits_begin(sampling);
	until_switched(child, task_account_of(child).switches + 5);
	waits_end(sampling);
	child_end(child);
	child_end(other);
	assert_true(sampling->waits.count >= 3);
	for (size_t i = 0; i < sampling->waits.count; i++)
		assert_int_equal(sampling->waits.at[i].wait.tgid, child);
	waits_assert_counted(sampling);
	sampling_free(sampling);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uninterruptible),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_open_wait),
		cmocka_unit_test(test_open_wait_of_one_that_was_woken),
		cmocka_unit_test(test_waker),
		cmocka_unit_test(test_only_targets),
	};
	const struct bpf_sampler_options options = { .off_cpu = true, .cgroup_fd = -1 };

	if (!sampling_is_possible(&options))
		return SAMPLING_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
