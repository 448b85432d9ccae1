/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler_fixture.h - the in-kernel sampler on every CPU, and a child whose stack is known
 *
 * What is read from the rings is kept in lists: whether a stack came before the samples that name
 * it is a question about all CPUs together.  Anything that cannot be made fails the test.
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
	VEC(struct bpf_ring) rings;	/* by place in cpus */
	VEC(int) events;
	VEC(struct wire_sample) samples;
	VEC(struct seen_stack) stacks;
	VEC(struct seen_raw) raws;
	VEC(struct seen_wait) waits;
};

/* Of a test program: there was nothing to try it with. */
#define SAMPLING_SKIPPED 77

/* False, and why on standard output, where this machine has no known stack or no such sampler. */
bool sampling_is_possible(const struct bpf_sampler_options *options);

/* NULL, and why in @err, where this kernel or this user cannot have it. */
struct sampling *sampling_new(const struct bpf_sampler_options *options, struct err *err);
/* As sampling_new(), or the test fails; the other one for a child, with rings of that size. */
struct sampling *sampling_start(const struct bpf_sampler_options *options);
struct sampling *sampling_start_with_room(pid_t child, size_t ring_bytes);
void sampling_free(struct sampling *sampling);

/* Samples for so long, longer where the targets get little of it, and reads the rings. */
void sampling_run(struct sampling *sampling, unsigned int duration_ms);
void sampling_run_once(struct sampling *sampling, unsigned int duration_ms); /* no longer */
void sampling_clear(struct sampling *sampling);	/* the lists */
void sampling_drain(struct sampling *sampling);	/* reads the rings */

/* Of all CPUs together; of an event's, or those of WIRE_EVENT_WAITS. */
struct wire_counters sampling_counters_of(const struct sampling *sampling, uint32_t event);
/* Of event 0. */
struct wire_counters sampling_counters(const struct sampling *sampling);

/* Each tick (hit, wait) has ended once. */
void sampling_assert_ends(const struct wire_counters *counters);
/* That, what was sent came, and nothing lacked room. */
void sampling_assert_counted(const struct sampling *sampling);

/* The stack that had been sent when that sample was taken; NULL: none. */
const struct seen_stack *sampling_stack_of(const struct sampling *sampling,
					   const struct wire_sample *sample);

/* A child that stands in @known, @depth deep; end it with child_end(). */
pid_t child_start(const struct known_stack *known, uint32_t depth);
void child_end(pid_t child);

/* What the sampler calls the process's life (bpf/wire.h): asks one of its own. */
uint64_t process_life(pid_t process);

/* The first raw sample of the process, by a sampler of its own. */
struct wire_raw process_raw(pid_t process);

#endif
