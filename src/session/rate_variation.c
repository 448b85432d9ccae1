/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/rate_variation.h"

#include <stdlib.h>
#include <sys/random.h>

#include "base/clock.h"

#define STEP_NS UINT64_C(980000000)	/* one second, less a margin for early timers */

void rate_variation_init(struct rate_variation *variation)
{
	uint64_t now_ns = clock_monotonic_ns();

	variation->next_ns = 0;
	if (getrandom(variation->random, sizeof(variation->random), GRND_NONBLOCK) ==
	    sizeof(variation->random))
		return;
	/* early during boot the kernel has no random numbers yet */
	for (size_t i = 0; i < 3; i++)
		variation->random[i] = (unsigned short)(now_ns >> (8 * i));
}

bool rate_variation_is_due(const struct rate_variation *variation, uint64_t now_ns)
{
	return now_ns >= variation->next_ns;
}

uint64_t rate_variation_draw(struct rate_variation *variation, uint64_t now_ns, uint64_t asked_hz,
			     uint64_t most_hz)
{
	double percent = 100 + RATE_VARIATION_PERCENT * (2 * erand48(variation->random) - 1);
	uint64_t rate_hz = (uint64_t)((double)asked_hz * percent / 100 + 0.5);
	uint64_t ticks_ns;

	if (rate_hz > most_hz && rate_hz > asked_hz)
		rate_hz = most_hz > asked_hz ? most_hz : asked_hz;
	if (rate_hz == 0)
		rate_hz = 1;
	ticks_ns = RATE_VARIATION_TICKS * NS_PER_SEC / rate_hz;
	variation->next_ns = now_ns + (ticks_ns > STEP_NS ? ticks_ns : STEP_NS);
	return rate_hz;
}
