/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slower FACTOR - the same work each time, except that lookup takes FACTOR times as long
 *
 *	main -> serve -> lookup
 *	     -> page -> render
 *	     -> parse
 *
 * Each function is called with pieces of work of many sizes. If the pieces were equal, the program
 * could be in step with the sampling clock.
 */
#include <stdint.h>
#include <stdlib.h>

#define ROUNDS 3000

#define WORK(name) \
	__attribute__((noipa)) uint64_t name(uint64_t steps) \
	{ \
		uint64_t seed = steps; \
\
		for (uint64_t i = 0; i < steps; i++) { \
			seed = seed * 6364136223846793005u + 1442695040888963407u; \
			__asm__ volatile("" : "+r"(seed)); \
		} \
		return seed; \
	}

#define CALLER(name, callee) \
	__attribute__((noipa)) uint64_t name(uint64_t steps) \
	{ \
		return callee(steps) + 1; \
	}

WORK(lookup)
WORK(render)
WORK(parse)
CALLER(serve, lookup)
CALLER(page, render)

int main(int argc, char **argv)
{
	uint64_t factor = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	uint64_t state = 1, sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t steps;

		state = state * 6364136223846793005u + 1442695040888963407u;
		steps = 20000 + (state >> 33) % 100000;
		sum += serve(factor * steps);
		sum += page(steps);
		sum += parse(steps);
	}
	return sum == 1;
}
