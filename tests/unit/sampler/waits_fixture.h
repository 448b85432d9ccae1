/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits_fixture.h - children whose waits are known, and the sampler that watches them
 *
 * The test fails if any object cannot be made.
 */
#ifndef ASSAY_TESTS_WAITS_FIXTURE_H
#define ASSAY_TESTS_WAITS_FIXTURE_H

#include <time.h>

#include "base/clock.h"
#include "sampler_fixture.h"

#define NAP_MS 50

/* Has a frame and makes a system call that returns to a known address: nanosleep(2). */
long nap(const struct timespec *how_long);
extern const uint8_t nap_resumes[];

/* ---- actions of children ---- */

pid_t fork_child(void);		/* the child dies with this process */
void run_on_cpu(int cpu);	/* also affects children */
__attribute__((noinline, noreturn)) void nap_for_ever(void);	/* naps for NAP_MS each time */
__attribute__((noreturn)) void answer(int in, int out);	/* answers each byte */
void exchange(int in, int out, size_t count);	/* the other side must call answer() */

/*
 * Return when the child sleeps, can run, or has been switched out @switches times
 * (task_account_of()).
 */
void until_asleep(pid_t child);
void until_able_to_run(pid_t child);
void until_switched(pid_t child, uint64_t switches);

/*
 * From this call on, this process runs before all others, if permitted; its children run as usual.
 */
void run_first(void);
void run_as_others(void);

/* ---- the sampler, with off_cpu ---- */

struct sampling *waits_start(struct bpf_sampler_options options);
void waits_begin(struct sampling *sampling);	/* nothing is sent before this call */
void waits_end(struct sampling *sampling);
void walk_by_frame_pointer(struct sampling *sampling, pid_t child, uint64_t start_addr,
			   uint64_t end_addr);

/*
 * Returns whether this kernel lets a BPF program examine a wait before its task continues in user
 * mode (Linux 6.16).
 */
bool waits_end_at_switch(void);

/*
 * Checks that each wait that reached the sampler ended in exactly one way, and none for lack of
 * room.
 */
void waits_assert_counted(const struct sampling *sampling);
/* Returns the copied stack to which a wait or a waker refers, or NULL. */
const struct seen_raw *waits_copy_of(const struct sampling *sampling, uint64_t number);
const struct seen_stack *waits_stack_of(const struct sampling *sampling, uint64_t hash,
					uint64_t time_ns);

/* ---- the kernel's figures for a task ---- */

struct task_account {
	uint64_t now_ns;	/* time of the reading */
	uint64_t run_ns;
	uint64_t delay_ns;	/* time on a run queue, waiting for a CPU */
	uint64_t switches;	/* voluntary and involuntary */
};

struct task_account task_account_of(pid_t tid);

/* ---- the sampler's figures ---- */

struct waited {
	uint64_t blocked_ns, runnable_ns, uninterruptible_ns, short_ns, count;
	uint64_t longest_ns;	/* without the short waits */
	size_t long_count;
};

struct waited waits_of(const struct sampling *sampling, pid_t pid);

#endif
