/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/diff-private.h"

#include <math.h>

#include "analyze/file_parts.h"
#include "analyze/lookup.h"
#include "analyze/slots.h"
#include "base/cleanup.h"
#include "model/wait.h"

#define INTERVAL_CONFIDENCE 0.95
#define NOT_COUNTED UINT32_MAX
#define SERIES_REST 0		/* index of the series that is the sum of all untested rows */

struct making {
	struct diff *diff;
	struct diff_reading readings[DIFF_SIDES];
	struct slots slots;		/* index of the rows, by their keys */
	struct file_parts parts;
	uint32_t *rows[DIFF_SIDES];	/* row of each hit, or NOT_COUNTED */
	struct group_selection selections[DIFF_SIDES];
	/*
	 * number of series: 1 for all untested rows together, plus the number of tested rows, plus
	 * the number of conditions
	 */
	size_t series_count;
};

/* ---- which event ---- */

static const struct event *event_of(const struct diff_reading *reading)
{
	static const struct event none;
	const struct model *model = reading->side->model;

	return reading->event < model->events.count ? &model->events.at[reading->event] : &none;
}

static const char *event_name(const struct diff_reading *reading)
{
	return string_of(reading->side->model, event_of(reading)->name);
}

static bool is_cpu_time(const struct diff_reading *reading)
{
	return event_of(reading)->is_time && wait_kind_of_name(event_name(reading)) < 0;
}

static int choose_event(struct making *making, struct err *err)
{
	struct diff_reading *before = &making->readings[DIFF_BEFORE];
	struct diff_reading *after = &making->readings[DIFF_AFTER];
	struct diff *diff = making->diff;

	before->event = profile_first_event(&before->profile);
	after->event = diff_event_called(after->side->model, event_name(before));
	if (after->event == GROUP_EVENT_ANY)
		return err_set(err, -EINVAL,
			       "only the first recording has samples of %s: choose an event of "
			       "both",
			       event_name(before));
	if (diff->options.per == DIFF_PER_WALL && !(is_cpu_time(before) && is_cpu_time(after)))
		return err_set(err, -EINVAL,
			       "shares of wall time need an event that measures CPU time, and "
			       "%s does not",
			       event_name(before));
	for (int i = 0; i < DIFF_SIDES; i++) {
		struct diff_reading *reading = &making->readings[i];

		reading->by_weight = diff->options.per == DIFF_PER_WALL ||
				     count_goes_by_weight(event_of(reading));
		making->selections[i] = (struct group_selection){
			.event = reading->event,
			.contexts = reading->all_contexts ? GROUP_CONTEXTS_ALL
							  : GROUP_CONTEXTS_BUSY,
		};
	}
	return 0;
}

/* ---- rows ---- */

struct search {
	const struct diff_row *rows;
	const uint32_t *key;
};

static inline bool same_row(size_t row, const void *arg)
{
	const struct search *search = arg;

	return memcmp(search->rows[row].key, search->key, sizeof(search->rows[row].key)) == 0;
}

static int row_of(struct making *making, const uint32_t *key, uint32_t *ret_row)
{
	struct diff *diff = making->diff;
	struct search search = { diff->rows.at, key };
	uint64_t hash = 0, *slot;
	struct diff_row *row;

	for (size_t i = 0; i < GROUP_KEYS_MAX; i++)
		hash = slots_hash(hash, key[i]);
	slot = slots_find(&making->slots, hash, same_row, &search);
	if (!slot)
		return -ENOMEM;
	if (!*slot) {
		row = vec_push(&diff->rows);
		if (!row)
			return -ENOMEM;
		memcpy(row->key, key, sizeof(row->key));
		slots_fill(&making->slots, slot, hash, diff->rows.count - 1);
		*ret_row = (uint32_t)diff->rows.count - 1;
		return 0;
	}
	*ret_row = (uint32_t)slots_row(slot);
	return 0;
}

/*
 * Returns true if the hit is part of the comparison. If it is not, because it is idle time, adds
 * its samples to idle_samples.
 */
static bool is_counted(struct making *making, enum diff_which which, const struct hit *hit)
{
	struct diff_whole *whole = &making->diff->wholes[which];

	if (hit->event != making->selections[which].event)
		return false;
	if (making->selections[which].contexts >> hit->context & 1)
		return true;
	whole->idle_samples += hit->count.samples;
	return false;
}

/*
 * If rows are source lines, adds the source files of this recording to making->parts, which decides
 * how much of their paths to show.
 */
static int find_parts(struct making *making, struct diff_reading *reading)
{
	const struct diff_options *options = &making->diff->options;
	const struct profile *profile = &reading->profile;
	bool lines = dimensions_have(options->by, options->by_count, BY_LINE);

	for (size_t i = 0; lines && i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];
		int rc = file_parts_add_line(&making->parts, profile,
					     dimension_key(profile, BY_LINE, hit));

		if (rc < 0)
			return rc;
	}
	file_parts_settle(&making->parts);
	reading->parts = &making->parts;
	return 0;
}

static int find_rows(struct making *making, enum diff_which which)
{
	struct diff_reading *reading = &making->readings[which];
	const struct profile *profile = &reading->profile;
	uint32_t *rows = calloc(profile->hits.count + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	making->rows[which] = rows;
	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];
		uint32_t key[GROUP_KEYS_MAX];
		int rc;

		rows[i] = NOT_COUNTED;
		if (!is_counted(making, which, hit))
			continue;
		rc = diff_reading_keys(reading, hit, key);
		if (rc < 0)
			return rc;
		rc = row_of(making, key, &rows[i]);
		if (rc < 0)
			return rc;
		making->diff->rows.at[rows[i]].figures.samples[which] += hit->count.samples;
		making->diff->wholes[which].samples += hit->count.samples;
	}
	return 0;
}

static uint64_t samples_of(const struct diff_figures *figures)
{
	return figures->samples[DIFF_BEFORE] + figures->samples[DIFF_AFTER];
}

static void choose_tested(struct making *making)
{
	struct diff *diff = making->diff;

	making->series_count = SERIES_REST + 1;
	for (size_t i = 0; i < diff->rows.count; i++) {
		struct diff_row *row = &diff->rows.at[i];

		if (samples_of(&row->figures) >= INTERVAL_FEW) {
			row->series = making->series_count++;
			continue;
		}
		row->series = SERIES_REST;
		diff->rest_count++;
		for (int side = 0; side < DIFF_SIDES; side++)
			diff->rest.samples[side] += row->figures.samples[side];
	}
	making->series_count += diff->options.condition_count;
}

/* ---- series of blocks ---- */

struct series {
	/* DIFF_BLOCKS numbers for each series, one series after the other */
	double *parts;
	double wholes[DIFF_BLOCKS];
	struct count total;
};

static void add_marks(struct making *making, enum diff_which which, const struct hit *hit,
		      double *parts, double amount)
{
	struct diff *diff = making->diff;
	uint32_t marks = diff_reading_marks(&making->readings[which], hit);
	size_t first = making->series_count - diff->options.condition_count;

	for (size_t i = 0; i < diff->options.condition_count; i++) {
		if (!(marks >> i & 1))
			continue;
		parts[(first + i) * DIFF_BLOCKS] += amount;
		diff->judgements[i].matched = true;
		diff->judgements[i].figures.samples[which] += hit->count.samples;
	}
}

static void fill_series(struct making *making, enum diff_which which, struct series *series)
{
	const struct diff_reading *reading = &making->readings[which];

	for (size_t i = 0; i < reading->profile.hits.count; i++) {
		const struct hit *hit = &reading->profile.hits.at[i];
		double amount = (double)count_rank(&hit->count, reading->by_weight);
		size_t block = diff_reading_block(reading, hit);

		if (making->rows[which][i] == NOT_COUNTED)
			continue;
		count_add(&series->total, &hit->count);
		series->wholes[block] += amount;
		series->parts[making->diff->rows.at[making->rows[which][i]].series * DIFF_BLOCKS +
			      block] += amount;
		add_marks(making, which, hit, series->parts + block, amount);
	}
}

/*
 * Sets the whole of each block to the duration of the block times the number of CPUs. Returns the
 * number of samples that the clock would have taken if all CPUs had been busy all the time.
 */
static double fill_with_wall(const struct diff_reading *reading, double cpus, struct series *series)
{
	double weight = (double)series->total.weight, all = 0;

	for (size_t block = 0; block < DIFF_BLOCKS; block++) {
		series->wholes[block] = cpus * (double)diff_reading_block_ns(reading, block);
		all += series->wholes[block];
	}
	return weight > 0 ? all * (double)series->total.samples / weight : 0;
}

static void set_ratios(struct making *making, enum diff_which which, const struct series *series,
		       double samples)
{
	struct diff *diff = making->diff;
	struct ratio_series one = { series->parts, series->wholes, DIFF_BLOCKS, samples };
	const double *of_conditions = series->parts +
				      (making->series_count - diff->options.condition_count) *
					      DIFF_BLOCKS;

	diff->rest.ratios[which] = ratio_of(&one);
	for (size_t i = 0; i < diff->rows.count; i++) {
		struct diff_row *row = &diff->rows.at[i];

		one.parts = series->parts + row->series * DIFF_BLOCKS;
		if (row->series != SERIES_REST)
			row->figures.ratios[which] = ratio_of(&one);
	}
	for (size_t i = 0; i < diff->options.condition_count; i++) {
		one.parts = of_conditions + i * DIFF_BLOCKS;
		diff->judgements[i].figures.ratios[which] = ratio_of(&one);
	}
}

static int read_series(struct making *making, enum diff_which which)
{
	const struct diff_reading *reading = &making->readings[which];
	struct series series = { .parts = calloc(making->series_count * DIFF_BLOCKS,
						 sizeof(double)) };
	double samples;

	if (!series.parts)
		return -ENOMEM;
	fill_series(making, which, &series);
	samples = making->diff->options.per == DIFF_PER_WALL
			  ? fill_with_wall(reading, making->diff->wholes[which].cpus, &series)
			  : count_equal_samples(&series.total, reading->by_weight);
	set_ratios(making, which, &series, samples);
	free(series.parts);
	return 0;
}

/* ---- verdicts ---- */

static double scale_of(const struct diff *diff)
{
	return diff->options.per == DIFF_PER_WALL ? diff->wholes[DIFF_AFTER].cpus : 1;
}

static void judge(const struct diff *diff, struct diff_figures *figures)
{
	double scale = scale_of(diff), half;

	for (int side = 0; side < DIFF_SIDES; side++)
		figures->value[side] = figures->ratios[side].share * scale;
	figures->change = change_of(&figures->ratios[DIFF_BEFORE], &figures->ratios[DIFF_AFTER], 1);
	half = change_half_width(&figures->change, INTERVAL_CONFIDENCE);
	figures->low = scale * (figures->change.value - half);
	figures->high = scale * (figures->change.value + half);
	figures->p = change_p(&figures->change, 0);
	figures->p_adjusted = 1;
	figures->verdict = DIFF_WITHIN_NOISE;
}

static void judge_condition(const struct diff *diff, size_t index, struct diff_judgement *judgement)
{
	const struct diff_condition *condition = &diff->options.conditions[index];
	struct diff_figures *figures = &judgement->figures;
	double sign = condition->less ? -1 : 1;
	struct change change;

	judge(diff, figures);
	change = change_of(&figures->ratios[DIFF_BEFORE], &figures->ratios[DIFF_AFTER],
			   condition->factor);
	change.value *= sign;
	judgement->p = change_p_above(&change, sign * condition->limit / scale_of(diff));
	judgement->holds = judgement->matched && judgement->p < 1 - condition->confidence;
}

static void keep_tested(struct diff *diff)
{
	size_t kept = 0;

	for (size_t i = 0; i < diff->rows.count; i++)
		if (diff->rows.at[i].series != SERIES_REST)
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
		return fabs(figures->change.value);
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

static int judge_all(struct diff *diff)
{
	keep_tested(diff);
	for (size_t i = 0; i < diff->rows.count; i++)
		judge(diff, &diff->rows.at[i].figures);
	judge(diff, &diff->rest);
	for (size_t i = 0; i < diff->options.condition_count; i++)
		judge_condition(diff, i, &diff->judgements[i]);
	if (correct(diff) < 0)
		return -ENOMEM;
	if (diff->rows.count)
		qsort(diff->rows.at, diff->rows.count, sizeof(struct diff_row), compare_rows);
	return 0;
}

/* ---- the whole comparison ---- */

/*
 * Sets the number of CPUs of both sides to that of the larger machine, so that the values of both
 * sides have the same scale.
 */
static void measure_wall(struct making *making)
{
	double cpus = 1;

	for (int i = 0; i < DIFF_SIDES; i++) {
		const struct diff_reading *reading = &making->readings[i];
		double own = (double)model_fact_u64(reading->side->model, FACT_CPUS);

		cpus = fmax(cpus, fmax(own, (double)reading->profile.cpus.count));
		making->diff->wholes[i].seconds = (double)(reading->to_ns - reading->from_ns) / 1e9;
	}
	making->diff->wholes[DIFF_BEFORE].cpus = cpus;
	making->diff->wholes[DIFF_AFTER].cpus = cpus;
}

static int compare_event(struct making *making)
{
	const struct diff_reading *before = &making->readings[DIFF_BEFORE];
	struct diff *diff = making->diff;
	int rc = diff_names_enter(&diff->names, "", event_name(before), &diff->event);

	if (rc < 0)
		return rc;
	measure_wall(making);
	for (int i = 0; i < DIFF_SIDES; i++) {
		rc = find_parts(making, &making->readings[i]);
		if (rc < 0)
			return rc;
	}
	for (int i = 0; i < DIFF_SIDES; i++) {
		rc = find_rows(making, (enum diff_which)i);
		if (rc < 0)
			return rc;
	}
	choose_tested(making);
	for (int i = 0; i < DIFF_SIDES; i++) {
		rc = read_series(making, (enum diff_which)i);
		if (rc < 0)
			return rc;
	}
	return judge_all(diff);
}

static int compare_sides(struct making *making, struct err *err)
{
	int rc = choose_event(making, err);

	if (rc < 0)
		return rc;
	rc = compare_event(making);
	return rc < 0 ? err_set(err, rc, "no memory to compare the recordings") : 0;
}

static void making_fini(struct making *making)
{
	for (int i = 0; i < DIFF_SIDES; i++) {
		diff_reading_fini(&making->readings[i]);
		free(making->rows[i]);
	}
	slots_fini(&making->slots);
	file_parts_fini(&making->parts);
}

int diff_make(const struct diff_side sides[static DIFF_SIDES], const struct diff_options *options,
	      struct diff *ret_diff, struct err *err)
{
	_cleanup_(making_fini) struct making making = { .diff = ret_diff };
	int rc;

	*ret_diff = (struct diff){ .options = *options };
	rc = diff_names_init(&ret_diff->names);
	if (rc < 0)
		return err_set(err, rc, "no memory to compare the recordings");
	for (int i = 0; i < DIFF_SIDES; i++) {
		rc = diff_reading_init(&making.readings[i], &sides[i], ret_diff, err);
		if (rc < 0)
			return rc;
	}
	return compare_sides(&making, err);
}

void diff_fini(struct diff *diff)
{
	diff_names_fini(&diff->names);
	vec_free(&diff->rows);
}

int diff_check_dimensions(const enum dimension *by, size_t by_count, struct err *err)
{
	for (size_t i = 0; i < by_count; i++)
		switch (by[i]) {
		case BY_PROCESS:
		case BY_THREAD:
		case BY_TGID:
		case BY_ADDRESS:
		case BY_BLOCK:
		case BY_TIME:
			return err_set(err, -EINVAL,
				       "%s differs from run to run: compare by application, "
				       "instance, comm, image or function",
				       dimension_name(by[i]));
		case BY_EVENT:
			return err_set(err, -EINVAL,
				       "only one event can be compared at a time: select one");
		default:
			break;
		}
	return 0;
}
