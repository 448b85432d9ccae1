/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/trust.h"

static struct gate_result judge(const struct overview *o, enum gate gate, double limit)
{
	const struct gate_limit wanted = { .gate = gate, .limit = limit, .percent = true };

	return gate_judge(&wanted, o->profile, &o->health);
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

static struct gate_result lost_of(const struct overview *o)
{
	struct gate_result lost = judge(o, GATE_MAX_LOST, TRUST_LOST_PERCENT);

	if (o->all.samples || account_lost_samples(&o->profile->model->losses))
		return lost;
	return (struct gate_result){ .ok = true };
}

static struct gate_result own_of(const struct overview *o)
{
	struct gate_result own = judge(o, GATE_MAX_OVERHEAD, TRUST_OWN_PERCENT);

	if (!own.missing && health_own_cost(o->profile->model).wall_s < TRUST_OWN_WALL_S)
		own.ok = true;
	return own;
}

struct trust trust_of(const struct overview *o)
{
	const struct event *event = o->event < o->profile->model->events.count
					    ? &o->profile->model->events.at[o->event]
					    : NULL;

	return (struct trust){
		.lost = lost_of(o),
		.whole = judge(o, GATE_MIN_COMPLETE, TRUST_WHOLE_PERCENT),
		.own = own_of(o),
		.unaccounted = unaccounted_of(&o->account),
		.has_stacks = !o->health.samples ||
			      o->health.stack_ends[STACK_NOT_ASKED] < o->health.samples,
		.is_few = o->busy.samples < TRUST_SAMPLES && event && !event_is_measured(event),
	};
}
