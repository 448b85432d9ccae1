/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h - limits how much may be spent at once and per second
 *
 * This is a token bucket. A bucket whose fields are all 0 is full. Spent units are given back as
 * time passes. The current time is the timestamp of the record being processed, so processing the
 * same records again gives the same result.
 *
 * If an action costs one unit, call budget_take(), which checks the budget and spends the unit. If
 * the cost is known only after the action, call budget_has() before the action and budget_spend()
 * after it. Such an action may cost more units than were left. Then it takes longer until a unit is
 * available for the next action.
 */
#ifndef ASSAY_PROCESS_BUDGET_H
#define ASSAY_PROCESS_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

struct budget {
	uint32_t spent;
	/* time up to which the due units have been given back to the bucket */
	uint64_t since_ns;
};

struct budget_limit {
	uint32_t burst;
	uint32_t per_second;	/* not 0 */
};

/* Gives back the units that are due at @now_ns. Then returns true if at least one unit is left. */
static inline bool budget_has(struct budget *budget, const struct budget_limit *limit,
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
	return budget->spent < limit->burst;
}

static inline void budget_spend(struct budget *budget, size_t count)
{
	size_t room = UINT32_MAX - budget->spent;

	budget->spent += (uint32_t)(count < room ? count : room);
}

/* Spends one unit. Returns false if none is left. */
static inline bool budget_take(struct budget *budget, const struct budget_limit *limit,
			       uint64_t now_ns)
{
	bool left = budget_has(budget, limit, now_ns);

	if (left)
		budget_spend(budget, 1);
	return left;
}

#endif
