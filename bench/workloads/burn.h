/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.h - uses CPU time in equal units
 *
 * A unit is a chain of multiplications in which each one needs the result of the one before. So on
 * any out-of-order core its time is the multiplier's latency times the number of steps, no matter
 * how the loop is aligned.
 */
#ifndef WORKLOADS_BURN_H
#define WORKLOADS_BURN_H

#include <stdint.h>
#include <time.h>

static inline __attribute__((always_inline)) uint64_t burn_steps(uint64_t seed, uint64_t steps)
{
	for (uint64_t i = 0; i < steps; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(seed)); /* the compiler must not move or merge steps */
	}
	return seed;
}

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Returns the number of steps that take a microsecond on this machine, the best of several short
 * attempts.
 */
static inline uint64_t burn_steps_per_us(void)
{
	const uint64_t steps = 200000;
	uint64_t best_ns = UINT64_MAX;

	for (int try = 0; try < 20; try++) {
		uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

		burn_steps(start_ns, steps);
		uint64_t took_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;

		if (took_ns < best_ns)
			best_ns = took_ns;
	}
	return steps * 1000 / best_ns;
}

#endif
