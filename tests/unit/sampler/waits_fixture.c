/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "waits_fixture.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "process/proc_read.h"
#include "sampler/bpf_feed.h"

#if defined(__x86_64__)

__asm__(".text\n"
	".globl nap, nap_resumes\n"
	"nap: push %rbp\n"
	"mov %rsp, %rbp\n"
	"xor %esi, %esi\n"
	"mov $35, %eax\n" /* nanosleep */
	"syscall\n"
	"nap_resumes: pop %rbp\n"
	"ret\n");

#elif defined(__aarch64__)

__asm__(".text\n"
	".globl nap, nap_resumes\n"
	"nap: stp x29, x30, [sp, #-16]!\n"
	"mov x29, sp\n"
	"mov x1, #0\n"
	"mov x8, #101\n" /* nanosleep */
	"svc #0\n"
	"nap_resumes: ldp x29, x30, [sp], #16\n"
	"ret\n");

#else
#error "no frame of a known shape for this machine"
#endif

struct sampling *waits_start(struct bpf_sampler_options options)
{
	options.off_cpu = true;
	options.cgroup_fd = -1;
	options.ring_bytes = 16u << 20;
	return sampling_start(&options);
}

/* Starts sampling of waits. Nothing is sent before. */
void waits_begin(struct sampling *sampling)
{
	struct err err;

	if (bpf_sampler_start_waits(sampling->sampler, &err) < 0)
		fail_msg("%s", err.text);
}

void waits_end(struct sampling *sampling)
{
	assert_int_equal(bpf_sampler_close_waits(sampling->sampler, NULL), 0);
	sampling_drain(sampling);
}

void walk_by_frame_pointer(struct sampling *sampling, pid_t child, uint64_t start_addr,
			   uint64_t end_addr)
{
	const struct wire_process process = {
		.first = 9, .count = 1, .life = process_life(child), .space = 3
	};

	bpf_sampler_mappings(sampling->sampler)[9] = (struct wire_mapping){
		.start_addr = start_addr,
		.end_addr = end_addr,
		.table = WIRE_NO_TABLE,
		.space = 3,
	};
	assert_int_equal(bpf_sampler_set_process(sampling->sampler, (uint32_t)child, &process), 0);
}

bool waits_end_at_switch(void)
{
	static const char name[] = "btf_trace_sched_exit_tp";
	FILE *file = fopen("/sys/kernel/btf/vmlinux", "re");
	char *text = NULL;
	size_t capacity = 0;
	bool found = false;
	ssize_t length;

	assert_non_null(file);
	while (!found && (length = getdelim(&text, &capacity, '\0', file)) > 0)
		found = strcmp(text, name) == 0;
	free(text);
	(void)fclose(file);
	return found;
}

/* Checks that every wait that reached the sampler ended in exactly one way. */
void waits_assert_counted(const struct sampling *sampling)
{
	struct wire_counters counters = sampling_counters_of(sampling, WIRE_EVENT_WAITS);

	sampling_assert_ends(&counters);
	assert_int_equal(counters.reasons[WIRE_END_SENT], sampling->waits.count);
	assert_int_equal(counters.reasons[WIRE_END_RING_FULL], 0);
	assert_int_equal(counters.reasons[WIRE_END_TASK_STORAGE_MISSING], 0);
}

const struct seen_stack *waits_stack_of(const struct sampling *sampling, uint64_t hash,
					uint64_t time_ns)
{
	return sampling_stack_of(sampling,
				 &(struct wire_sample){ .stack = hash, .time_ns = time_ns });
}

const struct seen_raw *waits_copy_of(const struct sampling *sampling, uint64_t number)
{
	for (size_t i = 0; i < sampling->raws.count; i++)
		if (sampling->raws.at[i].raw.sample.stack == number)
			return &sampling->raws.at[i];
	return NULL;
}

pid_t fork_child(void)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0)
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

void run_on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

__attribute__((noinline, noreturn)) void nap_for_ever(void)
{
	static const struct timespec how_long = { .tv_nsec = NAP_MS * (long)NS_PER_MSEC };

	for (;;)
		(void)nap(&how_long);
}

__attribute__((noreturn)) void answer(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1)
		(void)!write(out, &byte, 1);
	_exit(0);
}

void exchange(int in, int out, size_t count)
{
	char byte = 0;

	for (size_t i = 0; i < count; i++) {
		assert_int_equal(write(out, &byte, 1), 1);
		assert_int_equal(read(in, &byte, 1), 1);
	}
}

/* Enough on the busiest machine. If it takes longer, the test is broken. */
#define PATIENCE_NS (60 * NS_PER_SEC)

static void until_in_state(pid_t child, char state)
{
	uint64_t end_ns = clock_monotonic_ns() + PATIENCE_NS;
	struct proc_task task = { 0 };

	while (task.state != state) {
		assert_true(clock_monotonic_ns() < end_ns);
		(void)usleep(500);
		assert_int_equal(proc_read_task((uint32_t)child, (uint32_t)child, &task), 0);
	}
}

void until_asleep(pid_t child)
{
	until_in_state(child, 'S');
}

void until_able_to_run(pid_t child)
{
	until_in_state(child, 'R');
}

void until_switched(pid_t child, uint64_t switches)
{
	uint64_t end_ns = clock_monotonic_ns() + PATIENCE_NS;

	while (task_account_of(child).switches < switches) {
		assert_true(clock_monotonic_ns() < end_ns);
		(void)usleep(NAP_MS * 1000 / 2);
	}
}

void run_first(void)
{
	const struct sched_param param = { .sched_priority = 2 };

	(void)sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
}

void run_as_others(void)
{
	(void)sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
}

struct task_account task_account_of(pid_t tid)
{
	struct task_account account = { .now_ns = clock_monotonic_ns() };
	unsigned long long run = 0, delay = 0, count = 0;
	char path[64], line[256];
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)tid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%llu %llu", &run, &delay), 2);
	(void)fclose(file);
	account.run_ns = run;
	account.delay_ns = delay;
	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "voluntary_ctxt_switches: %llu", &count) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %llu", &count) == 1)
			account.switches += count;
	(void)fclose(file);
	return account;
}

struct waited waits_of(const struct sampling *sampling, pid_t pid)
{
	struct waited sum = { 0 };

	for (size_t i = 0; i < sampling->waits.count; i++) {
		const struct wire_wait *wait = &sampling->waits.at[i].wait;
		uint64_t wait_ns = wait->blocked_ns + wait->runnable_ns;

		if (wait->tid != (uint32_t)pid)
			continue;
		assert_int_equal(wait->tgid, pid);
		sum.blocked_ns += wait->blocked_ns;
		sum.runnable_ns += wait->runnable_ns;
		sum.count += wait->count;
		if (wait->flags & WIRE_WAIT_UNINTERRUPTIBLE)
			sum.uninterruptible_ns += wait->blocked_ns;
		if (wait->flags & WIRE_WAIT_SHORT) {
			sum.short_ns += wait_ns;
			continue;
		}
		sum.long_count++;
		if (wait_ns > sum.longest_ns)
			sum.longest_ns = wait_ns;
	}
	return sum;
}
