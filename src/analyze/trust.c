/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/trust.h"

#include <math.h>

struct judged {
	const struct profile *profile;
	const struct health *health;
};

static struct gate_result judge(const struct judged *judged, enum gate gate, double limit)
{
	const struct gate_limit wanted = { .gate = gate, .limit = limit, .percent = true };

	return gate_judge(&wanted, judged->profile, judged->health);
}

static struct gate_result unaccounted_of(const struct account *account)
{
	if (account->missing)
		return (struct gate_result){ .missing = account->missing };
	return (struct gate_result){
		.ok = !account->unaccounted_warns,
		.value = 100 * account->unaccounted_share,
	};
}

static struct gate_result lost_of(const struct judged *judged)
{
	struct gate_result lost = judge(judged, GATE_MAX_LOST, TRUST_LOST_PERCENT);

	if (judged->health->samples || account_lost_samples(&judged->profile->model->losses))
		return lost;
	return (struct gate_result){ .ok = true };
}

static struct gate_result own_of(const struct judged *judged)
{
	struct gate_result own = judge(judged, GATE_MAX_OVERHEAD, TRUST_OWN_PERCENT);

	if (!own.missing && health_own_cost(judged->profile->model).wall_s < TRUST_OWN_WALL_S)
		own.ok = true;
	return own;
}

struct trust trust_of(const struct profile *profile, const struct health *health,
		      const struct account *account)
{
	const struct judged judged = { profile, health };
	const struct model *model = profile->model;
	const struct event *event = health->event < model->events.count
					    ? &model->events.at[health->event]
					    : NULL;

	return (struct trust){
		.lost = lost_of(&judged),
		.whole = judge(&judged, GATE_MIN_COMPLETE, TRUST_WHOLE_PERCENT),
		.own = own_of(&judged),
		.unaccounted = unaccounted_of(account),
		.has_stacks = !health->samples ||
			      health->stack_ends[STACK_NOT_ASKED] < health->samples,
		.is_few = health->busy.samples < TRUST_SAMPLES && event &&
			  !event_is_measured(event),
	};
}

static bool is_damaged(const struct losses *losses)
{
	static const enum loss reasons[] = { LOSS_BLOCK_DAMAGED, LOSS_BLOCK_OVERSIZED,
					     LOSS_ROW_DAMAGED,	 LOSS_REFERENCE_MISSING,
					     LOSS_FILE_CUT,	 LOSS_TABLE_ALTERED,
					     LOSS_RECORDING_CUT };

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (losses->count[reasons[i]])
			return true;
	return false;
}

struct shortfall shortfall_of(const struct model *model)
{
	uint64_t lost = account_lost_samples(&model->losses), kept = model->kept_samples;
	struct shortfall shortfall = {
		.lost_samples = lost,
		.damaged = is_damaged(&model->losses),
		.cut = model_fact(model, FACT_STATE) || model->losses.count[LOSS_MERGED_CUT],
	};

	if (lost)
		shortfall.lost_percent = 100 * (double)lost / ((double)lost + (double)kept);
	else if (shortfall.cut)
		shortfall.lost_percent = NAN;
	shortfall.lost = shortfall.lost_percent > TRUST_LOST_PERCENT;
	return shortfall;
}
