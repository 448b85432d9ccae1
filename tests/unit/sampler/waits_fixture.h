/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits_fixture.h - children whose waiting is known, and the sampler that watches them
 *
 * Anything that cannot be made fails the test.
 */
#ifndef ASSAY_TESTS_WAITS_FIXTURE_H
#define ASSAY_TESTS_WAITS_FIXTURE_H

#include <time.h>

#include "base/clock.h"
#include "sampler_fixture.h"

#define NAP_MS 50

/* A frame, and a system call that returns to a known address: nanosleep(2). */
long nap(const struct timespec *how_long);
extern const uint8_t nap_resumes[];

/* ---- what a child does ---- */

pid_t fork_child(void);		/* it dies with us */
void run_on_cpu(int cpu);	/* and so will all children */
__attribute__((noinline, noreturn)) void nap_for_ever(void);	/* NAP_MS each time */
__attribute__((noreturn)) void answer(int in, int out);	/* with each byte that comes */
void exchange(int in, int out, size_t count);	/* with somebody who answers */

/* Returns when it sleeps; when it was switched out so often (task_account_of()). */
void until_asleep(pid_t child);
void until_switched(pid_t child, uint64_t switches);

/* From now on we run before all others, our children as everybody; where that is allowed. */
void run_first(void);
void run_as_others(void);

/* ---- the sampler, with off_cpu ---- */

struct sampling *waits_start(struct bpf_sampler_options options);
void waits_begin(struct sampling *sampling);	/* before it nothing is sent */
void waits_end(struct sampling *sampling);
void walk_by_frame_pointer(struct sampling *sampling, pid_t child, uint64_t start_addr,
			   uint64_t end_addr);

/* Does this kernel let a wait be looked at before its task goes on in user mode (Linux 6.16)? */
bool waits_end_at_switch(void);

/* Each wait that reached the sampler ended in one way, and none for want of room. */
void waits_assert_counted(const struct sampling *sampling);
const struct seen_stack *waits_stack_of(const struct sampling *sampling, uint64_t hash,
					uint64_t time_ns);

/* ---- what the kernel itself says of a task ---- */

struct task_account {
	uint64_t now_ns;	/* when it was read */
	uint64_t run_ns;
	uint64_t delay_ns;	/* on a run queue, waiting for a CPU */
	uint64_t switches;	/* of either kind */
};

struct task_account task_account_of(pid_t tid);

/* ---- and what the sampler says ---- */

struct waited {
	uint64_t blocked_ns, runnable_ns, uninterruptible_ns, short_ns, count;
	uint64_t longest_ns;	/* without the short ones */
	size_t long_count;
};

struct waited waits_of(const struct sampling *sampling, pid_t pid);

#endif
