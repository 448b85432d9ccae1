/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/health.h"

#include "analyze/lookup.h"

static enum quality quality_of(const struct model *model, const struct hit *hit)
{
	enum quality quality = function_of(model, hit->function)->quality;

	if (!hit->function || hit->function >= model->functions.count || quality >= QUALITY_COUNT)
		return QUALITY_NONE;
	return quality;
}

static bool is_unresolved(const void *context, const struct profile *profile, const struct hit *hit)
{
	const uint8_t *event = context;

	return hit->event == *event && quality_of(profile->model, hit) == QUALITY_NONE;
}

int health_make(const struct profile *profile, uint8_t event, struct health *ret_health)
{
	static const enum dimension by_image[] = { BY_IMAGE };
	const struct model *model = profile->model;

	*ret_health = (struct health){ .event = event };
	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];

		if (hit->event != event)
			continue;
		ret_health->samples += hit->count.samples;
		if (hit->context != CONTEXT_IDLE)
			count_add(&ret_health->busy, &hit->count);
		ret_health->stack_ends[hit->end] += hit->count.samples;
		ret_health->qualities[quality_of(model, hit)] += hit->count.samples;
	}
	if (group_hits(profile, by_image, 1, is_unresolved, &event, &ret_health->unresolved) < 0)
		return -ENOMEM;
	group_sort_by_rank(&ret_health->unresolved);
	return walks_make(model, &ret_health->walks);
}

static double fact_seconds(const struct model *model, enum fact_id fact)
{
	return (double)model_fact_u64(model, fact) / 1e9;
}

struct own_cost health_own_cost(const struct model *model)
{
	struct own_cost cost = {
		.known = model_fact(model, FACT_SELF_CPU_NS) != NULL,
		.names_s = fact_seconds(model, FACT_SYMBOLIZE_CPU_NS),
		.wall_s = fact_seconds(model, FACT_END_NS) - fact_seconds(model, FACT_START_NS),
	};

	cost.record_s = fact_seconds(model, FACT_SELF_CPU_NS) - cost.names_s;
	cost.percent = cost.wall_s > 0 ? 100 * cost.record_s / cost.wall_s : 0;
	return cost;
}

void health_fini(struct health *health)
{
	group_table_fini(&health->unresolved);
	walks_fini(&health->walks);
}
