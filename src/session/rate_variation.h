/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rate_variation.h - varies the sampling rate, so that no program stays in step with the clock
 *
 * If a program repeats its work every n periods of the clock, each of its rounds is sampled at the
 * same n places. The shares are then wrong by much more than their intervals say, however long the
 * recording is: a function that takes a quarter of each round of 1 ms has 0 or 100 % at 1000 Hz.
 * perf and other profilers avoid round numbers (999 Hz), which helps only against round numbers.
 *
 * So the rate is drawn again once a second, within RATE_VARIATION_PERCENT of the rate that was
 * asked for. Each sample has the period of its second as its weight, so shares and times stay
 * correct. Within a second, the samples walk through the rounds of nearly every program. In
 * simulations of programs in step with the asked rate, the variance of a share was at most twice
 * that of independent samples; with a fixed rate it was hundreds of times as much. With a variation
 * of 10 % it was up to four times as much. Drawing more often than once a second helps little, and
 * would wake up assay and restart the timers.
 *
 * Each change of the rate costs half a period per CPU on average, so at least RATE_VARIATION_TICKS
 * periods pass between two changes.
 */
#ifndef ASSAY_SESSION_RATE_VARIATION_H
#define ASSAY_SESSION_RATE_VARIATION_H

#include <stdbool.h>
#include <stdint.h>

#define RATE_VARIATION_PERCENT 20
#define RATE_VARIATION_TICKS 200

struct rate_variation {
	unsigned short random[3];	/* state of erand48() */
	uint64_t next_ns;		/* time of the next change */
};

/* Seeds the random numbers from the kernel. */
void rate_variation_init(struct rate_variation *variation);

/* Returns true if a change is due at @now_ns. */
bool rate_variation_is_due(const struct rate_variation *variation, uint64_t now_ns);

/*
 * Draws a rate for the time from @now_ns on. It is within RATE_VARIATION_PERCENT of @asked_hz, and
 * at most @most_hz unless @asked_hz is already more.
 */
uint64_t rate_variation_draw(struct rate_variation *variation, uint64_t now_ns, uint64_t asked_hz,
			     uint64_t most_hz);

#endif
