/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares MILLISECONDS [A B C D]: runs four functions that burn A, B, C and D percent of
 * MILLISECONDS of CPU time (default: 49 30 16 5).
 *
 * All four run the same unit of work. Their order comes from a deck of a hundred cards: A cards for
 * burn_a and so on. The deck is shuffled each time it is used up, so the order has no period that
 * could match that of a sampler. Prints how many units each function ran, which is the truth to
 * compare a profile with.
 */
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

#define DECK 100
#define UNIT_US 10

typedef uint64_t burn_fn(uint64_t seed, uint64_t steps);

#define BURN(name) \
	__attribute__((noinline, aligned(64))) static uint64_t name(uint64_t seed, uint64_t steps) \
	{ \
		return burn_steps(seed, steps); \
	}

BURN(burn_a)
BURN(burn_b)
BURN(burn_c)
BURN(burn_d)

static burn_fn *const functions[4] = { burn_a, burn_b, burn_c, burn_d };

static void shuffle(unsigned char deck[static DECK], uint64_t *state)
{
	for (unsigned i = DECK - 1; i > 0; i--) {
		*state = burn_steps(*state, 1);
		unsigned other = (unsigned)((*state >> 33) % (i + 1));
		unsigned char card = deck[i];

		deck[i] = deck[other];
		deck[other] = card;
	}
}

int main(int argc, char **argv)
{
	unsigned percent[4] = { 49, 30, 16, 5 };
	unsigned long units[4] = { 0 };
	unsigned char deck[DECK];
	unsigned cards = 0;

	if (argc != 2 && argc != 6) {
		fprintf(stderr, "usage: shares MILLISECONDS [A B C D]\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		percent[i - 2] = (unsigned)strtoul(argv[i], NULL, 10);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < percent[i] && cards < DECK; k++)
			deck[cards++] = (unsigned char)i;
	if (cards != DECK) {
		fprintf(stderr, "shares: A B C D must add up to 100\n");
		return 2;
	}

	uint64_t steps = burn_steps_per_us() * UNIT_US;
	uint64_t end_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + strtoul(argv[1], NULL, 10) * 1000000;
	uint64_t state = clock_ns(CLOCK_MONOTONIC);

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns) {
		shuffle(deck, &state);
		for (unsigned i = 0; i < DECK; i++) {
			functions[deck[i]](state, steps);
			units[deck[i]]++;
		}
	}
	printf("%lu %lu %lu %lu\n", units[0], units[1], units[2], units[3]);
	return 0;
}
