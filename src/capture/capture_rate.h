/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_rate.h - changes the sampling rate while a capture runs
 *
 * Used to vary the rate (rate_variation.h) and to limit the overhead (overhead.h). After a change,
 * each sample of a clock stands for a different duration than before. Shares must therefore be
 * computed from the weights of the samples and not from their number. capture_allow_rates() marks
 * the model for this, before the first flush.
 */
#ifndef ASSAY_CAPTURE_CAPTURE_RATE_H
#define ASSAY_CAPTURE_CAPTURE_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct capture;

/*
 * Returns true if the rate may be changed. In that case, also marks the model's events as having
 * varying weights. Must be called before the first flush. The rate cannot be changed in two cases:
 *
 * - No event has a rate. This is always so with -c.
 * - The events are per task. Threads that inherited an event would keep the old period.
 */
bool capture_allow_rates(struct capture *capture);

/*
 * Sets the rate of all CPUs, including CPUs that come online later. Must be called right after
 * capture_drain(), and at most once a second, because each change drops about one tick on every
 * CPU. Returns 0, or the first error of any CPU.
 */
int capture_set_rate(struct capture *capture, uint64_t rate_hz);

#endif
