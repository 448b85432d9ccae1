/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler_fixture.h - the in-kernel sampler on every CPU, and a child whose stack is known
 *
 * The records from the rings are kept in lists, because whether a stack came before the samples
 * that name it can only be decided for all CPUs together. The test fails if any object cannot be
 * made.
 */
#ifndef ASSAY_TESTS_SAMPLER_FIXTURE_H
#define ASSAY_TESTS_SAMPLER_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"
#include "sampler/bpf_ring.h"
#include "sampler/bpf_sampler.h"
#include "perf/cpus.h"
#include "sampler/wire_record.h"
#include "support/known_stack.h"

#define PERIOD_NS 250000

struct seen_stack {
	struct wire_stack stack;
	uint64_t kernel[WIRE_KERNEL_FRAMES_MAX];
	uint64_t user[WIRE_USER_FRAMES_MAX];
};

struct seen_raw {
	struct wire_raw raw;
	uint8_t bytes[WIRE_RAW_BYTES];
};

struct seen_wait {
	struct wire_wait wait;
	struct wire_waker waker;
};

struct sampling {
	struct bpf_sampler *sampler;
	struct cpus cpus;
	VEC(struct bpf_ring) rings;	/* one per entry of cpus */
	VEC(int) events;
	VEC(struct wire_sample) samples;
	VEC(struct seen_stack) stacks;
	VEC(struct seen_raw) raws;
	VEC(struct seen_wait) waits;
};

/* Exit status of a test program that could not run here. */
#define SAMPLING_SKIPPED 77

/*
 * Returns false and prints the reason if this machine has no known stack or does not support such a
 * sampler.
 */
bool sampling_is_possible(const struct bpf_sampler_options *options);

/* Returns NULL and sets @err if this kernel or user does not permit it. */
struct sampling *sampling_new(const struct bpf_sampler_options *options, struct err *err);
/*
 * The same as sampling_new(), but the test fails on an error. The second function samples @child,
 * with rings of that size.
 */
struct sampling *sampling_start(const struct bpf_sampler_options *options);
struct sampling *sampling_start_with_room(pid_t child, size_t ring_bytes);
void sampling_free(struct sampling *sampling);

/* Samples for @duration_ms, or longer if the targets get little CPU time, and reads the rings. */
void sampling_run(struct sampling *sampling, unsigned int duration_ms);
/* does not run longer */
void sampling_run_once(struct sampling *sampling, unsigned int duration_ms);
void sampling_clear(struct sampling *sampling);	/* empties the lists */
void sampling_drain(struct sampling *sampling);	/* reads the rings */

/* Sums the counters of @event over all CPUs. WIRE_EVENT_WAITS selects those of waits. */
struct wire_counters sampling_counters_of(const struct sampling *sampling, uint32_t event);
/* The same for event 0. */
struct wire_counters sampling_counters(const struct sampling *sampling);

/* Checks that each tick (hit, wait) has ended exactly once. */
void sampling_assert_ends(const struct wire_counters *counters);
/* Checks the same, and that everything that was sent arrived and no record lacked room. */
void sampling_assert_counted(const struct sampling *sampling);

/* Returns the stack that had been sent when @sample was taken, or NULL. */
const struct seen_stack *sampling_stack_of(const struct sampling *sampling,
					   const struct wire_sample *sample);

/* Starts a child that spins in @known, @depth frames deep. End it with child_end(). */
pid_t child_start(const struct known_stack *known, uint32_t depth);
void child_end(pid_t child);

/*
 * Returns the id of the process's life (bpf/wire.h), read from a sampler started for this purpose.
 */
uint64_t process_life(pid_t process);

/* Returns the first raw sample of the process, taken by a sampler started for this purpose. */
struct wire_raw process_raw(pid_t process);

#endif
