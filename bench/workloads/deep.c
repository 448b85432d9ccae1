/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deep FRAMES: computes forever, at the end of a stack of about FRAMES frames.
 *
 * Four functions call each other in turn. Their frames differ as those of real code do: one has a
 * buffer, one has a single value to save, one has several, one has none.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

#define OTHERS 5	/* main() and its callers, innermost(), and one of the four */
#define STEPS 100000

typedef uint64_t frame_fn(long depth, uint64_t seed);

static frame_fn with_buffer, with_value, with_values, with_nothing;

__attribute__((noinline)) static uint64_t innermost(uint64_t seed)
{
	return burn_steps(seed, STEPS);
}

static uint64_t with_buffer(long depth, uint64_t seed)
{
	char buffer[72];

	memset(buffer, (int)seed, sizeof(buffer));
	__asm__ volatile("" : : "r"(buffer) : "memory");
	seed = depth > 0 ? with_value(depth - 1, seed) : innermost(seed);
	return seed + (unsigned char)buffer[seed % sizeof(buffer)];
}

static uint64_t with_value(long depth, uint64_t seed)
{
	return (depth > 0 ? with_values(depth - 1, seed * 3) : innermost(seed)) ^ seed;
}

static uint64_t with_values(long depth, uint64_t seed)
{
	uint64_t a = seed * 5, b = seed * 7, c = seed * 11;

	/* so that they are not recomputed after the call */
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c));
	seed = depth > 0 ? with_nothing(depth - 1, seed ^ a) : innermost(seed);
	return seed + a + b + c;
}

static uint64_t with_nothing(long depth, uint64_t seed)
{
	return depth > 0 ? with_buffer(depth - 1, seed) * 3 : innermost(seed) + 1;
}

int main(int argc, char **argv)
{
	volatile uint64_t seed = 1;
	long depth = argc == 2 ? strtol(argv[1], NULL, 10) - OTHERS - 1 : -1;

	if (depth < 0) {
		fprintf(stderr, "usage: deep FRAMES (%d or more)\n", OTHERS + 1);
		return 2;
	}
	for (;;)
		seed = with_buffer(depth, seed);
}
