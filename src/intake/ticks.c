/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/ticks.h"

/*
 * Returns the time that had passed at @time_ns since the latest tick. The ticks are at base_ns + k
 * * period_ns.
 */
static uint64_t phase_of(const struct ticks *ticks, uint64_t time_ns)
{
	uint64_t behind;

	if (time_ns >= ticks->base_ns)
		return (time_ns - ticks->base_ns) % ticks->period_ns;
	behind = (ticks->base_ns - time_ns) % ticks->period_ns;
	return behind ? ticks->period_ns - behind : 0;
}

static void move_base_back(struct ticks *ticks, uint64_t by_ns)
{
	if (ticks->base_ns > by_ns)
		ticks->base_ns -= by_ns;
	else
		ticks->base_ns += ticks->period_ns - by_ns;
}

uint64_t ticks_period(struct ticks *ticks, uint64_t time_ns)
{
	if (ticks->next_period_ns && time_ns >= ticks->next_from_ns) {
		ticks->period_ns = ticks->next_period_ns;
		ticks->next_period_ns = 0;
		ticks->base_ns = 0;
	}
	return ticks->period_ns;
}

void ticks_change(struct ticks *ticks, uint64_t period_ns, uint64_t from_ns)
{
	(void)ticks_period(ticks, from_ns);
	ticks->next_period_ns = period_ns;
	ticks->next_from_ns = from_ns;
}

int32_t ticks_late(struct ticks *ticks, uint64_t time_ns)
{
	uint64_t phase, earlier, plausible;

	(void)ticks_period(ticks, time_ns);
	if (ticks->base_ns == 0) {
		ticks->base_ns = time_ns;
		ticks->sample_count = 1;
		return 0;
	}
	phase = phase_of(ticks, time_ns);
	earlier = ticks->period_ns - phase;
	plausible = ticks->period_ns / (ticks->sample_count < TICKS_SETTLED ? 2 : 32);
	if (earlier < plausible) {
		move_base_back(ticks, earlier);
		phase = 0;
	}
	if (ticks->sample_count < TICKS_SETTLED)
		ticks->sample_count++;
	return phase < INT32_MAX ? (int32_t)phase : INT32_MAX;
}
