/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judges the rows, the total and the conditions of a comparison. */
#include "analyze/diff-private.h"

#include <math.h>

#include "base/cleanup.h"

#define INTERVAL_CONFIDENCE 0.95

static uint64_t samples_of(const struct diff_figures *figures)
{
	return figures->samples[DIFF_BEFORE] + figures->samples[DIFF_AFTER];
}

/* ---- amounts ---- */

/* Returns how much of the weight one sample stands for, on average. */
static double weight_of_sample(const struct count *count, bool by_weight)
{
	if (by_weight && count->squares > 0)
		return count->squares / (double)count->weight;
	return count->samples ? (double)count->weight / (double)count->samples : 0;
}

struct run_amount diff_amount_of(const struct diff_amount_source *source)
{
	/* a row without samples gets the weight of the samples of the whole run */
	const struct count *of = source->count->weight ? source->count : source->total;
	double weight = weight_of_sample(of, source->by_weight);
	double design = run_design(source->parts, source->wholes, DIFF_BLOCKS,
				   source->by_weight ? weight : 1);

	return (struct run_amount){
		.amount = source->scale * (double)source->count->weight,
		.kernel = source->scale * (double)source->kernel_weight,
		.whole = source->scale * (double)source->total->weight,
		.unit = source->scale * weight * design,
	};
}

/* ---- verdicts ---- */

/* Returns the factor from ratios to values. */
static double scale_of(const struct diff *diff)
{
	return diff->unit == DIFF_CPUS ? diff->wholes[DIFF_AFTER].cpus : 1;
}

static void judge_ratios(const struct diff *diff, struct diff_figures *figures)
{
	struct change change = change_of(&figures->ratios[DIFF_BEFORE],
					 &figures->ratios[DIFF_AFTER], 1);
	double scale = scale_of(diff), half = change_half_width(&change, INTERVAL_CONFIDENCE);

	for (int side = 0; side < DIFF_SIDES; side++)
		figures->value[side] = figures->ratios[side].share * scale;
	figures->low = scale * (change.value - half);
	figures->high = scale * (change.value + half);
	figures->p = change_p(&change, 0);
}

static void rests_of(const struct diff *diff, const struct diff_figures *figures,
		     struct run_amount ret_rests[static DIFF_SIDES])
{
	for (int side = 0; side < DIFF_SIDES; side++)
		ret_rests[side] = run_rest(&diff->wholes[side].amount, &figures->amounts[side]);
}

/* If @rests is NULL, the row is the whole run. */
static void judge_amounts(struct diff_figures *figures, const struct run_amount *rests)
{
	const struct run_comparison comparison = { figures->amounts, rests, 1, 0 };
	double half = run_half_width(figures->amounts), change;

	for (int side = 0; side < DIFF_SIDES; side++)
		figures->value[side] = figures->amounts[side].amount;
	change = figures->value[DIFF_AFTER] - figures->value[DIFF_BEFORE];
	figures->low = change - half;
	figures->high = change + half;
	figures->p = run_p(&comparison);
}

/* ---- several recordings on a side ---- */

/*
 * Returns the larger of the p-values of both comparisons: with no change of the machine, and with
 * the change of everything else in the runs. The total has nothing else.
 */
static double p_of_runs(const struct diff *diff, const struct diff_figures *figures,
			const struct diff_condition *limit,
			double (*p_of)(const struct diff *, const struct change *,
				       const struct diff_condition *))
{
	const size_t *counts = diff->options.run_counts;
	struct run_value rests[2 * DIFF_RUNS_MAX];
	struct run_mean means[DIFF_SIDES], others[DIFF_SIDES];
	struct run_drift drift;
	struct change change;
	double p;

	run_means(figures->runs, counts, means);
	change = run_means_change(means, limit ? limit->factor : 1, NULL);
	p = p_of(diff, &change, limit);
	if (!diff->whole_runs || figures == &diff->total)
		return p;
	for (size_t i = 0; i < counts[DIFF_BEFORE] + counts[DIFF_AFTER]; i++) {
		const struct run_value *whole = &diff->whole_runs[i], *row = &figures->runs[i];

		rests[i] = (struct run_value){ fmax(whole->value - row->value, 0),
					       fmax(whole->sampling - row->sampling, 0) };
	}
	run_means(rests, counts, others);
	drift = run_means_drift(others);
	change = run_means_change(means, limit ? limit->factor : 1, &drift);
	return fmax(p, p_of(diff, &change, limit));
}

static double p_of_any(const struct diff *diff, const struct change *change,
		       const struct diff_condition *limit)
{
	(void)diff;
	(void)limit;
	return change_p(change, 0);
}

static double p_beyond(const struct diff *diff, const struct change *change,
		       const struct diff_condition *condition)
{
	double sign = condition->less ? -1 : 1, limit = condition->limit;
	struct change signed_change = *change;
	struct run_mean wholes[DIFF_SIDES];

	if (diff->whole_runs && !condition->in_seconds) {
		run_means(diff->whole_runs, diff->options.run_counts, wholes);
		limit *= wholes[DIFF_BEFORE].mean;
	}
	signed_change.value *= sign;
	return change_p_above(&signed_change, sign * limit);
}

static void judge_runs(const struct diff *diff, struct diff_figures *figures)
{
	struct run_mean means[DIFF_SIDES];
	struct change change;
	double half;

	run_means(figures->runs, diff->options.run_counts, means);
	change = run_means_change(means, 1, NULL);
	half = change_half_width(&change, INTERVAL_CONFIDENCE);
	for (int side = 0; side < DIFF_SIDES; side++)
		figures->value[side] = means[side].mean;
	figures->low = change.value - half;
	figures->high = change.value + half;
	figures->p = p_of_runs(diff, figures, NULL, p_of_any);
}

/* ---- rows and conditions ---- */

static void judge(const struct diff *diff, struct diff_figures *figures)
{
	struct run_amount rests[DIFF_SIDES];

	if (diff_has_runs(diff)) {
		judge_runs(diff, figures);
	} else if (diff_unit_is_amount(diff->unit)) {
		rests_of(diff, figures, rests);
		judge_amounts(figures, rests);
	} else {
		judge_ratios(diff, figures);
	}
	figures->p_adjusted = 1;
	figures->verdict = DIFF_WITHIN_NOISE;
}

static void judge_total(struct diff *diff)
{
	if (!diff_unit_is_amount(diff->unit))
		return;
	if (diff_has_runs(diff))
		judge_runs(diff, &diff->total);
	else
		judge_amounts(&diff->total, NULL);
	diff->total.p_adjusted = diff->total.p;
	diff->total.verdict = diff->total.p < DIFF_ALPHA ? DIFF_SIGNIFICANT : DIFF_WITHIN_NOISE;
}

static double p_of_amounts(const struct diff *diff, const struct diff_condition *condition,
			   const struct diff_figures *figures)
{
	struct run_amount rests[DIFF_SIDES];
	struct run_comparison comparison = {
		.rows = figures->amounts,
		.rests = rests,
		.factor = condition->factor,
		.limit = condition->limit,
	};

	/* a percentage is one of the first run */
	if (!condition->in_seconds)
		comparison.limit *= diff->wholes[DIFF_BEFORE].amount.amount;
	rests_of(diff, figures, rests);
	return condition->less ? run_p_below(&comparison) : run_p_above(&comparison);
}

static double p_of_ratios(const struct diff *diff, const struct diff_condition *condition,
			  const struct diff_figures *figures)
{
	double sign = condition->less ? -1 : 1;
	struct change change = change_of(&figures->ratios[DIFF_BEFORE],
					 &figures->ratios[DIFF_AFTER], condition->factor);

	change.value *= sign;
	return change_p_above(&change, sign * condition->limit / scale_of(diff));
}

static void judge_condition(const struct diff *diff, size_t index, struct diff_judgement *judgement)
{
	const struct diff_condition *condition = &diff->options.conditions[index];

	judge(diff, &judgement->figures);
	if (diff_has_runs(diff))
		judgement->p = p_of_runs(diff, &judgement->figures, condition, p_beyond);
	else
		judgement->p = diff_unit_is_amount(diff->unit)
				       ? p_of_amounts(diff, condition, &judgement->figures)
				       : p_of_ratios(diff, condition, &judgement->figures);
	judgement->holds = judgement->matched && judgement->p < 1 - condition->confidence;
}

static void keep_tested(struct diff *diff)
{
	size_t kept = 0;

	for (size_t i = 0; i < diff->rows.count; i++)
		if (diff->rows.at[i].series != DIFF_SERIES_REST)
			diff->rows.at[kept++] = diff->rows.at[i];
	diff->rows.count = kept;
}

/*
 * Applies Holm's correction to the tests of all rows. The rows that are too small to be tested
 * alone are tested together as one more row, if they have at least INTERVAL_FEW samples in total.
 */
static int correct(struct diff *diff)
{
	bool rest = samples_of(&diff->rest) >= INTERVAL_FEW;
	size_t count = diff->rows.count + rest;
	_cleanup_free_ double *ps = calloc(count + 1, sizeof(*ps));
	_cleanup_free_ double *adjusted = calloc(count + 1, sizeof(*adjusted));
	_cleanup_free_ size_t *order = calloc(count + 1, sizeof(*order));

	if (!ps || !adjusted || !order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		ps[i] = i < diff->rows.count ? diff->rows.at[i].figures.p : diff->rest.p;
	holm_adjust(ps, order, count, adjusted);
	for (size_t i = 0; i < count; i++) {
		struct diff_figures *figures = i < diff->rows.count ? &diff->rows.at[i].figures
								    : &diff->rest;

		figures->p_adjusted = adjusted[i];
		if (adjusted[i] < DIFF_ALPHA)
			figures->verdict = DIFF_SIGNIFICANT;
	}
	return 0;
}

/*
 * Returns the number by which rows with the same verdict are sorted: for significant rows the size
 * of the change, for all other rows the larger of the two values.
 */
static double size_of(const struct diff_figures *figures)
{
	if (figures->verdict == DIFF_SIGNIFICANT)
		return fabs(figures->value[DIFF_AFTER] - figures->value[DIFF_BEFORE]);
	return fmax(figures->value[DIFF_BEFORE], figures->value[DIFF_AFTER]);
}

static int compare_rows(const void *a, const void *b)
{
	const struct diff_row *left = a, *right = b;
	double size = size_of(&left->figures), other = size_of(&right->figures);

	if (left->figures.verdict != right->figures.verdict)
		return left->figures.verdict < right->figures.verdict ? -1 : 1;
	if (size != other)
		return size > other ? -1 : 1;
	return memcmp(left->key, right->key, sizeof(left->key));
}

int diff_judge(struct diff *diff)
{
	keep_tested(diff);
	for (size_t i = 0; i < diff->rows.count; i++)
		judge(diff, &diff->rows.at[i].figures);
	judge(diff, &diff->rest);
	judge_total(diff);
	for (size_t i = 0; i < diff->options.condition_count; i++)
		judge_condition(diff, i, &diff->judgements[i]);
	if (correct(diff) < 0)
		return -ENOMEM;
	if (diff->rows.count)
		qsort(diff->rows.at, diff->rows.count, sizeof(struct diff_row), compare_rows);
	return 0;
}
