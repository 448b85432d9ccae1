/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h - so many at once, and so many a second
 *
 * A token bucket that is full when zeroed: what was spent is given back with time.  Time is
 * record time, so that a reading of the same records comes to the same answers.
 */
#ifndef ASSAY_CAPTURE_BUDGET_H
#define ASSAY_CAPTURE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct budget {
	uint32_t spent;
	uint64_t since_ns;	/* up to when time was counted */
};

struct budget_limit {
	uint32_t burst;
	uint32_t per_second;	/* not 0 */
};

/* Spends one; false when there is none left. */
static inline bool budget_take(struct budget *budget, const struct budget_limit *limit,
			       uint64_t now_ns)
{
	uint64_t one_ns = NS_PER_SEC / limit->per_second;
	uint64_t back = now_ns > budget->since_ns ? (now_ns - budget->since_ns) / one_ns : 0;

	if (back >= budget->spent) {
		budget->spent = 0;
		budget->since_ns = now_ns;
	} else if (back > 0) {
		budget->spent -= (uint32_t)back;
		budget->since_ns += back * one_ns;
	}
	if (budget->spent >= limit->burst)
		return false;
	budget->spent++;
	return true;
}

#endif
