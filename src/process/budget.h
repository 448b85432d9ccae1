/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h - limits how much may be spent at once and per second
 *
 * This is a token bucket. A zeroed bucket is full. Spent units are given back as time passes.
 * Timestamps are those of the records, so reading the same records again gives the same result.
 *
 * For an action that costs one unit, budget_take() checks the budget and spends the unit. If the
 * cost is known only after the action, call budget_has() before the action and budget_spend() after
 * the action. Such an action may spend more than was left; the next action must then wait longer.
 */
#ifndef ASSAY_PROCESS_BUDGET_H
#define ASSAY_PROCESS_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

struct budget {
	uint32_t spent;
	uint64_t since_ns;	/* time up to which spent units were given back */
};

struct budget_limit {
	uint32_t burst;
	uint32_t per_second;	/* not 0 */
};

/* Returns true if at least one unit is left. */
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
