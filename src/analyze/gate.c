/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/gate.h"

#include <math.h>
#include <string.h>

#include "analyze/account.h"
#include "analyze/trust.h"

enum unit { UNIT_SAMPLES, UNIT_PERCENT, UNIT_EITHER };

static const struct {
	const char *name;
	enum unit unit;
} gates[GATE_COUNT] = {
	[GATE_MIN_SAMPLES] = { "min-samples", UNIT_SAMPLES },
	[GATE_MIN_COMPLETE] = { "min-complete", UNIT_PERCENT },
	[GATE_MIN_SYMBOLIZED] = { "min-symbolized", UNIT_PERCENT },
	[GATE_MAX_LOST] = { "max-lost", UNIT_EITHER },
	[GATE_MAX_SKIPPED] = { "max-skipped", UNIT_EITHER },
	[GATE_MAX_LATE] = { "max-late", UNIT_PERCENT },
	[GATE_MAX_OVERHEAD] = { "max-overhead", UNIT_PERCENT },
};

const char *gate_name(enum gate gate)
{
	return gates[gate].name;
}

int gate_parse(enum gate gate, const char *text, struct gate_limit *ret_limit, struct err *err)
{
	enum unit unit = gates[gate].unit;
	bool sign, digit = text[0] >= '0' && text[0] <= '9';
	char *end;
	double limit = strtod(text, &end);

	sign = *end == '%';
	if (!digit || text[strspn(text, "0123456789.")] != (sign ? '%' : '\0') || end[sign] ||
	    !isfinite(limit) || (sign && unit == UNIT_SAMPLES) ||
	    (!sign && unit != UNIT_PERCENT && limit != floor(limit)) ||
	    ((sign || unit == UNIT_PERCENT) && limit > 100 && gate != GATE_MAX_OVERHEAD))
		return err_set(err, -EINVAL, "--%s '%s' is not a %s", gates[gate].name, text,
			       unit == UNIT_PERCENT   ? "percentage"
			       : unit == UNIT_SAMPLES ? "number of samples"
						      : "percentage (1%) or number of samples");
	*ret_limit = (struct gate_limit){ gate, limit, sign || unit == UNIT_PERCENT };
	return 0;
}

static const char unfinished[] = "the recording was never finished";

static uint64_t all_samples(const struct profile *profile)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < 256; i++)
		samples += profile->total_samples[i];
	return samples;
}

static struct gate_result share_of(uint64_t part, uint64_t whole, const char *missing)
{
	if (!whole)
		return (struct gate_result){ .missing = missing };
	return (struct gate_result){ .value = 100 * (double)part / (double)whole };
}

/* Losses are known if the recorder has finished the recording, or if it was imported. */
static struct gate_result losses_of(const struct gate_limit *limit, const struct profile *profile,
				    uint64_t lost)
{
	const struct model *model = profile->model;
	uint64_t kept = model->kept_known ? model->kept_samples : all_samples(profile);
	uint64_t due = kept + account_lost_samples(&model->losses);

	if (!health_own_cost(profile->model).known &&
	    !model_fact(profile->model, FACT_IMPORTED_FROM))
		return (struct gate_result){ .missing = unfinished };
	if (limit->percent)
		return share_of(lost, due, "there are no samples");
	return (struct gate_result){ .value = (double)lost };
}

static struct gate_result overhead_of(const struct model *model)
{
	struct own_cost cost = health_own_cost(model);

	if (!cost.known || cost.wall_s <= 0)
		return (struct gate_result){ .missing = unfinished };
	return (struct gate_result){ .value = cost.percent };
}

/* A part of the samples does not show how many there were. */
static struct gate_result samples_of(const struct profile *profile)
{
	return (struct gate_result){
		.value = (double)all_samples(profile),
		.note = shortfall_of(profile->model).damaged
				? "parts of the file are damaged or missing, so only the samples "
				  "that could be read are counted"
				: NULL,
	};
}

/*
 * Stacks of other tools that are only lists of names: the file does not say whether the outermost
 * function is the one where the thread began.
 */
static bool has_only_names(const struct model *model)
{
	const char *format = model_fact(model, FACT_IMPORTED_FORMAT);

	if (!format || strcmp(format, "perf.data") == 0)
		return false;
	for (size_t i = 1; i < model->functions.count; i++)
		if (model->functions.at[i].root)
			return false;
	return true;
}

static struct gate_result complete_of(const struct profile *profile, const struct health *health)
{
	if (has_only_names(profile->model))
		return (struct gate_result){
			.missing = "the imported file does not say where stacks end"
		};
	return share_of(health->stack_ends[STACK_WHOLE] + health->stack_ends[STACK_NO_USER],
			health->samples, "there are no samples");
}

static struct gate_result value_of(const struct gate_limit *limit, const struct profile *profile,
				   const struct health *health)
{
	const struct losses *losses = &profile->model->losses;

	switch (limit->gate) {
	case GATE_MIN_SAMPLES:
		return samples_of(profile);
	case GATE_MIN_COMPLETE:
		return complete_of(profile, health);
	case GATE_MIN_SYMBOLIZED:
		return share_of(health->samples - health->qualities[QUALITY_NONE], health->samples,
				"there are no samples");
	case GATE_MAX_LOST:
		return losses_of(limit, profile, account_lost_samples(losses));
	case GATE_MAX_SKIPPED:
		return losses_of(limit, profile, losses->count[LOSS_SAMPLE_SKIPPED]);
	case GATE_MAX_LATE:
		return share_of(profile->late_samples, profile->tick_samples,
				"no sample was taken by a clock whose ticks are known");
	case GATE_MAX_OVERHEAD:
	default:
		return overhead_of(profile->model);
	}
}

struct gate_result gate_judge(const struct gate_limit *limit, const struct profile *profile,
			      const struct health *health)
{
	struct gate_result result = value_of(limit, profile, health);
	bool is_min = limit->gate <= GATE_MIN_SYMBOLIZED;

	if (!result.missing && !result.note)
		result.ok = is_min ? result.value >= limit->limit : result.value <= limit->limit;
	return result;
}
