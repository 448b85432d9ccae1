/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_rate.h - another sampling rate while a capture runs
 *
 * For `--max-overhead` (overhead.h).  Samples of a clock then stand for different times, and
 * shares go by weight: that is said in the model before the first flush.
 */
#ifndef ASSAY_CAPTURE_CAPTURE_RATE_H
#define ASSAY_CAPTURE_CAPTURE_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct capture;

/*
 * Asked before the first flush: may the rate be changed?  Not with -c, not where no event goes by
 * a rate, and not per task: threads that inherited an event keep its period.  If so, the model's
 * events say from now on that weights vary.
 */
bool capture_allow_rates(struct capture *capture);

/*
 * Of all CPUs, also those that come later.  Right after capture_drain(), and at most once a
 * second: each change drops about a tick of every CPU.  0, or the first CPU's refusal.
 */
int capture_set_rate(struct capture *capture, uint64_t rate_hz);

#endif
