/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits, live: what the sampler reports about children whose waits are known, compared with the
 * kernel's own figures (/proc/PID/schedstat: ns run, ns waited for a CPU).
 */
#include "support/test.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "waits_fixture.h"

#define RUN_MS 450
#define DEPTH 30
#define ROUND_TRIPS 3000

/*
 * Two measurements of the same time may differ for three reasons: the time between their readings,
 * during which the test itself may have to wait for a CPU; up to a tick at either end; and up to
 * one percent of time that one of them counts as interrupt time.
 */
#define SLACK_NS (100 * NS_PER_MSEC)

struct watched {
	struct task_account before, after;
	uint64_t slack_ns;
};

static void watch(struct sampling *sampling, pid_t child, struct watched *watched)
{
	watched->before = task_account_of(child);
	waits_begin(sampling);
	watched->slack_ns = SLACK_NS + clock_monotonic_ns() - watched->before.now_ns;
}

static void watch_no_more(struct sampling *sampling, pid_t child, struct watched *watched)
{
	uint64_t end_ns = clock_monotonic_ns();

	waits_end(sampling);
	watched->after = task_account_of(child);
	watched->slack_ns += clock_monotonic_ns() - end_ns;
}

static void assert_near(uint64_t ours_ns, uint64_t theirs_ns, uint64_t slack_ns)
{
	assert_in_range(ours_ns + slack_ns, theirs_ns - theirs_ns / 100,
			theirs_ns + theirs_ns / 100 + 2 * slack_ns);
}

/* The kernel counted a wait when it is over: one of before is its, one that goes on is ours. */
static void assert_waited(const struct watched *watched, const struct waited *sum)
{
	assert_near(sum->runnable_ns, watched->after.delay_ns - watched->before.delay_ns,
		    watched->slack_ns + sum->longest_ns);
}

/* At every moment the task either waited or ran. */
static void assert_waited_or_ran(const struct watched *watched, const struct waited *sum)
{
	assert_waited(watched, sum);
	assert_near(sum->blocked_ns + sum->runnable_ns + watched->after.run_ns -
			    watched->before.run_ns,
		    watched->after.now_ns - watched->before.now_ns, watched->slack_ns);
}

/* ---- asleep ---- */

/* Checks the frame of nap() and that of its caller. Memory is read when the nap is over. */
static void assert_naps(const struct sampling *sampling, pid_t child, uint64_t duration_ns)
{
	uint64_t loop_addr = (uint64_t)(uintptr_t)nap_for_ever;
	size_t naps = 0;

	for (size_t i = 0; i < sampling->waits.count; i++) {
		const struct wire_wait *wait = &sampling->waits.at[i].wait;
		const struct seen_stack *seen;

		if (wait->tid != (uint32_t)child || wait->flags != 0)
			continue;
		/*
		 * A nap can be shorter than its timer: a busy machine may have kept the child from
		 * running between the start of the timer and sleep. assert_waited_or_ran() checks
		 * the times.
		 */
		assert_true(wait->blocked_ns > 0 && wait->blocked_ns <= duration_ns);
		seen = waits_stack_of(sampling, wait->stack, wait->time_ns);
		assert_non_null(seen);
		assert_true(seen->stack.kernel_count > 2);
		assert_true(seen->stack.user_count >= 2);
		assert_int_equal(seen->user[0], (uint64_t)(uintptr_t)nap_resumes);
		assert_in_range(seen->user[1], loop_addr, loop_addr + 256);
		naps++;
	}
	assert_in_range(naps, 2, duration_ns / (NAP_MS * NS_PER_MSEC) + 1);
}

static void check_naps(struct bpf_sampler_options options)
{
	struct sampling *sampling = waits_start(options);
	volatile int *tired = mmap(NULL, sizeof(*tired), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork_child();
	struct watched watched;
	struct waited sum;

	assert_true(tired != MAP_FAILED);
	if (child == 0) {
		while (!*tired)	/* so that its life is sampled */
			;
		nap_for_ever();
	}
	assert_int_equal(bpf_sampler_add_target(sampling->sampler, (uint32_t)child), 0);
	walk_by_frame_pointer(sampling, child, 4096, INT64_MAX);
	*tired = 1;
	watch(sampling, child, &watched);
	sampling_run_once(sampling, RUN_MS);
	until_switched(child, watched.before.switches + 4);
	watch_no_more(sampling, child, &watched);
	child_end(child);
	sum = waits_of(sampling, child);
	assert_waited_or_ran(&watched, &sum);
	assert_naps(sampling, child, watched.after.now_ns - watched.before.now_ns);
	waits_assert_counted(sampling);
	sampling_free(sampling);
	(void)munmap((void *)(uintptr_t)tired, sizeof(*tired));
}

/* Nothing is known about the child, which is never sampled by a tick. */
static void a_wait_of_an_unknown_process_brings_its_stack(void **state)
{
	struct sampling *sampling = waits_start(
		(struct bpf_sampler_options){ .leave_out_self = true });
	pid_t child = fork_child();
	size_t naps = 0;

	if (child == 0)
		nap_for_ever();
	waits_begin(sampling);
	until_switched(child, task_account_of(child).switches + 5);
	waits_end(sampling);
	child_end(child);
	for (size_t i = 0; i < sampling->waits.count; i++) {
		const struct wire_wait *wait = &sampling->waits.at[i].wait;
		const struct seen_raw *copy;

		if (wait->tid != (uint32_t)child || wait->flags != 0)
			continue;
		copy = waits_copy_of(sampling, wait->stack);
		assert_non_null(copy);
		assert_int_equal(copy->raw.sample.event, WIRE_EVENT_WAITS);
		assert_int_equal(copy->raw.sample.tid, child);
		assert_int_equal(copy->raw.user_ip, (uint64_t)(uintptr_t)nap_resumes);
		assert_true(copy->raw.kernel_count > 2);
		assert_true(copy->raw.size_bytes > 16);
		assert_true(copy->raw.sample.time_ns < wait->time_ns);
		naps++;
	}
	assert_in_range(naps, 3, 7);
	waits_assert_counted(sampling);
	sampling_free(sampling);
}

static void test_sleep(void **state)
{
	check_naps((struct bpf_sampler_options){ .only_targets = true });
}

static void test_sleep_as_on_older_kernels(void **state)
{
	check_naps((struct bpf_sampler_options){ .only_targets = true, .off_cpu_late = true });
}

/* ---- preempted ---- */

/* In older kernels, a task may already run in user mode when its wait is examined. */
static bool may_have_gone_on(const struct bpf_sampler_options *options)
{
	return options->off_cpu_late || !waits_end_at_switch();
}

static void assert_preempted_stacks(const struct sampling *sampling, pid_t child,
				    const struct known_stack *known, bool may_lack)
{
	struct wire_counters counters = sampling_counters_of(sampling, WIRE_EVENT_WAITS);
	size_t seen_count = 0, lacking = 0;

	for (size_t i = 0; i < sampling->waits.count; i++) {
		const struct wire_wait *wait = &sampling->waits.at[i].wait;
		const struct seen_stack *seen = waits_stack_of(sampling, wait->stack,
							       wait->time_ns);

		if (wait->tid != (uint32_t)child || wait->flags != WIRE_WAIT_PREEMPTED)
			continue;
		assert_non_null(seen);
		seen_count++;
		if (may_lack && seen->stack.user_count == 0) {
			lacking++;
			continue;
		}
		assert_int_equal(seen->stack.user_count, DEPTH + 1);
		assert_int_equal(seen->user[DEPTH], known->root_return_addr);
	}
	assert_true(seen_count > 0);
	assert_in_range(counters.reasons[WIRE_LACK_USER_STACK], lacking, lacking + 1);
}

/*
 * Two spinning children share a CPU. If the minimum duration is above all waits, only the sum of
 * the waits is known.
 */
static void check_preemption(struct bpf_sampler_options options)
{
	struct known_stack known = known_stack_frame_pointer();
	struct sampling *sampling = waits_start(options);
	struct watched watched;
	pid_t child, other;
	struct waited sum;

	run_on_cpu(sampling->cpus.at[0]);
	child = child_start(&known, DEPTH);
	other = child_start(&known, DEPTH);
	assert_int_equal(bpf_sampler_add_target(sampling->sampler, (uint32_t)child), 0);
	walk_by_frame_pointer(sampling, child, known.start_addr, known.end_addr);
	watch(sampling, child, &watched);
	sampling_run_once(sampling, RUN_MS);
	watch_no_more(sampling, child, &watched);
	child_end(child);
	child_end(other);
	sum = waits_of(sampling, child);
	assert_waited(&watched, &sum);
	assert_true(sum.runnable_ns > RUN_MS * NS_PER_MSEC / 5);
	assert_true(sum.blocked_ns < watched.slack_ns);
	if (!options.off_cpu_min_ns)
		assert_preempted_stacks(sampling, child, &known, may_have_gone_on(&options));
	waits_assert_counted(sampling);
	sampling_free(sampling);
}

static void test_preemption(void **state)
{
	check_preemption((struct bpf_sampler_options){ .only_targets = true });
}

static void test_preemption_as_on_older_kernels(void **state)
{
	check_preemption(
		(struct bpf_sampler_options){ .only_targets = true, .off_cpu_late = true });
}

static void test_preemption_in_sums(void **state)
{
	check_preemption((struct bpf_sampler_options){ .only_targets = true,
						       .off_cpu_min_ns = 100 * NS_PER_SEC });
}

/* ---- many short waits ---- */

/* The sums of short waits contain every short wait. Their number must equal the kernel's, too. */
static void test_short_waits(void **state)
{
	struct sampling *sampling = waits_start(
		(struct bpf_sampler_options){ .leave_out_self = true });
	int there[2], back[2];
	struct watched watched;
	struct waited sum;
	uint64_t switches;
	pid_t child;

	assert_int_equal(pipe(there), 0);
	assert_int_equal(pipe(back), 0);
	run_on_cpu(sampling->cpus.at[0]);
	child = fork_child();
	if (child == 0)
		answer(there[0], back[1]);
	exchange(back[0], there[1], 1);
	watch(sampling, child, &watched);
	exchange(back[0], there[1], ROUND_TRIPS);
	watch_no_more(sampling, child, &watched);
	child_end(child);
	sum = waits_of(sampling, child);
	switches = watched.after.switches - watched.before.switches;
	assert_in_range(sum.count, switches - 2, switches + 3);
	assert_true(sum.count >= ROUND_TRIPS - 2);
	assert_true(sum.short_ns > 0);
	assert_waited_or_ran(&watched, &sum);
	waits_assert_counted(sampling);
	sampling_free(sampling);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_of_an_unknown_process_brings_its_stack),
		cmocka_unit_test(test_sleep),
		cmocka_unit_test(test_sleep_as_on_older_kernels),
		cmocka_unit_test(test_preemption),
		cmocka_unit_test(test_preemption_as_on_older_kernels),
		cmocka_unit_test(test_preemption_in_sums),
		cmocka_unit_test(test_short_waits),
	};
	const struct bpf_sampler_options options = { .off_cpu = true, .cgroup_fd = -1 };

	if (!sampling_is_possible(&options))
		return SAMPLING_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
