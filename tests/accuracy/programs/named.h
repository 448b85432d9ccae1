/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h - functions whose names identify the code that runs
 *
 * NAMED(alpha) defines call_alpha(), which calls burn_alpha(), which burns CPU time. Neither uses
 * data or calls any other function, so the code can be moved anywhere. It is compiled without frame
 * pointers, as distributions compile.
 */
#ifndef TESTS_NAMED_H
#define TESTS_NAMED_H

#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>

#define STEPS 200000ul	/* takes some tenths of a millisecond */

#define NAMED(name) \
	__attribute__((noipa)) uint64_t burn_##name(uint64_t steps) \
	{ \
		uint64_t seed = steps; \
\
		for (uint64_t i = 0; i < steps; i++) { \
			seed = seed * 6364136223846793005u + 1442695040888963407u; \
			__asm__ volatile("" : "+r"(seed)); \
		} \
		return seed; \
	} \
\
	__attribute__((noipa)) uint64_t call_##name(uint64_t steps) \
	{ \
		return burn_##name(steps) ^ 1; /* prevents a tail call */ \
	}

typedef uint64_t call_fn(uint64_t steps);

static inline uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Burns @ms of CPU time in @call, under a thread name that identifies the code. */
static __attribute__((noipa, unused)) void run_as(const char *name, call_fn *call, uint64_t ms)
{
	uint64_t end_ns = thread_ns() + ms * 1000000;

	prctl(PR_SET_NAME, name);
	while (thread_ns() < end_ns)
		(void)call(STEPS);
	prctl(PR_SET_NAME, "between");
}

#endif
