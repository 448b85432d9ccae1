/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/overhead.h"

#include "base/clock.h"

static double interrupts(const struct overhead *overhead, double rate_hz)
{
	return rate_hz * (double)overhead->interrupt_ns / (double)NS_PER_SEC;
}

static uint64_t allowed_hz(const struct overhead *overhead, double limit)
{
	double each = interrupts(overhead, 1) + overhead->collector / (double)overhead->drawn_hz;
	uint64_t least_hz = overhead->asked_hz < OVERHEAD_RATE_MIN_HZ ? overhead->asked_hz
								      : OVERHEAD_RATE_MIN_HZ;
	double rate_hz = each > 0 ? limit / each : (double)overhead->asked_hz;

	if (rate_hz >= (double)overhead->asked_hz)
		return overhead->asked_hz;
	return rate_hz < (double)least_hz ? least_hz : (uint64_t)(rate_hz + 1e-6);
}

uint64_t overhead_begin(struct overhead *overhead)
{
	overhead->drawn_hz = overhead->asked_hz;
	overhead->collector = 0;
	overhead->rate_hz = allowed_hz(overhead, overhead->limit);
	overhead->drawn_hz = overhead->rate_hz;
	return overhead->rate_hz;
}

void overhead_start(struct overhead *overhead, uint64_t now_ns, uint64_t cpu_ns)
{
	overhead->last_ns = now_ns;
	overhead->last_cpu_ns = cpu_ns;
}

bool overhead_step(struct overhead *overhead, uint64_t now_ns, uint64_t cpu_ns)
{
	uint64_t wall_ns = now_ns - overhead->last_ns, rate_hz;

	if (now_ns < overhead->last_ns || wall_ns < OVERHEAD_STEP_NS)
		return false;
	overhead->collector = (double)(cpu_ns - overhead->last_cpu_ns) /
			      ((double)wall_ns * overhead->cpu_count);
	overhead_start(overhead, now_ns, cpu_ns);
	rate_hz = allowed_hz(overhead, overhead->limit);
	if (rate_hz < overhead->rate_hz)
		rate_hz = allowed_hz(overhead, OVERHEAD_AIM * overhead->limit);
	if (rate_hz == overhead->rate_hz ||
	    (rate_hz > overhead->rate_hz &&
	     (double)rate_hz < OVERHEAD_RAISE * (double)overhead->rate_hz))
		return false;
	overhead->rate_hz = rate_hz;
	overhead->drawn_hz = rate_hz;
	return true;
}
