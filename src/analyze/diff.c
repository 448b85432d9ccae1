/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/diff-private.h"

#include <math.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"

#define NOT_COUNTED UINT32_MAX

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

static int row_of(struct diff_making *making, const uint32_t *key, uint32_t *ret_row)
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
static bool is_counted(const struct diff_reading *reading, const struct hit *hit)
{
	struct diff_whole *whole = &reading->diff->wholes[reading->which];

	if (hit->event != reading->selection.event)
		return false;
	if (reading->selection.contexts >> hit->context & 1)
		return true;
	whole->idle_samples += hit->count.samples;
	return false;
}

/*
 * If rows are source lines, adds the source files of this recording to making->parts, which decides
 * how much of their paths to show.
 */
static int find_parts(struct diff_making *making, struct diff_reading *reading)
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

static int find_rows(struct diff_making *making, struct diff_reading *reading)
{
	const enum diff_which which = reading->which;
	const struct profile *profile = &reading->profile;
	uint32_t *rows = calloc(profile->hits.count + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	reading->rows = rows;
	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];
		uint32_t key[GROUP_KEYS_MAX];
		int rc;

		rows[i] = NOT_COUNTED;
		if (!is_counted(reading, hit))
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

static void choose_tested(struct diff_making *making)
{
	struct diff *diff = making->diff;

	making->series_count = DIFF_SERIES_REST + 1;
	for (size_t i = 0; i < diff->rows.count; i++) {
		struct diff_row *row = &diff->rows.at[i];

		if (samples_of(&row->figures) >= INTERVAL_FEW) {
			row->series = making->series_count++;
			continue;
		}
		row->series = DIFF_SERIES_REST;
		diff->rest_count++;
		for (int side = 0; side < DIFF_SIDES; side++)
			diff->rest.samples[side] += row->figures.samples[side];
	}
	making->series_count += diff->options.condition_count;
}

/* ---- series of blocks ---- */

struct series_sum {
	struct count count;
	uint64_t kernel_weight;
};

struct series {
	/* DIFF_BLOCKS numbers for each series, one series after the other */
	double *parts;
	struct series_sum *sums;	/* of each series */
	double wholes[DIFF_BLOCKS];
	struct series_sum total;
};

static void series_fini(struct series *series)
{
	free(series->parts);
	free(series->sums);
}

static void sum_add(struct series_sum *sum, const struct hit *hit)
{
	count_add(&sum->count, &hit->count);
	if (diff_hit_is_kernel(hit))
		sum->kernel_weight += hit->count.weight;
}

static void add_to_series(struct series *series, size_t index, size_t block, const struct hit *hit,
			  bool by_weight)
{
	series->parts[index * DIFF_BLOCKS + block] += (double)count_rank(&hit->count, by_weight);
	sum_add(&series->sums[index], hit);
}

static void add_marks(struct diff_making *making, const struct diff_reading *reading,
		      const struct hit *hit, struct series *series)
{
	struct diff *diff = making->diff;
	uint32_t marks = diff_reading_marks(reading, hit);
	size_t first = making->series_count - diff->options.condition_count;

	for (size_t i = 0; i < diff->options.condition_count; i++) {
		if (!(marks >> i & 1))
			continue;
		add_to_series(series, first + i, diff_reading_block(reading, hit), hit,
			      reading->by_weight);
		diff->judgements[i].matched = true;
		diff->judgements[i].figures.samples[reading->which] += hit->count.samples;
	}
}

static void fill_series(struct diff_making *making, const struct diff_reading *reading,
			struct series *series)
{
	bool by_weight = reading->by_weight;

	for (size_t i = 0; i < reading->profile.hits.count; i++) {
		const struct hit *hit = &reading->profile.hits.at[i];
		size_t block = diff_reading_block(reading, hit);
		uint32_t row = reading->rows[i];

		if (row == NOT_COUNTED)
			continue;
		sum_add(&series->total, hit);
		series->wholes[block] += (double)count_rank(&hit->count, by_weight);
		add_to_series(series, making->diff->rows.at[row].series, block, hit, by_weight);
		add_marks(making, reading, hit, series);
	}
}

/*
 * Sets the whole of each block to the duration of the block times the number of CPUs. Returns the
 * number of samples that the clock would have taken if all CPUs had been busy all the time.
 */
static double fill_with_wall(const struct diff_reading *reading, double cpus, struct series *series)
{
	double weight = (double)series->total.count.weight, all = 0;

	for (size_t block = 0; block < DIFF_BLOCKS; block++) {
		series->wholes[block] = cpus * (double)diff_reading_block_ns(reading, block);
		all += series->wholes[block];
	}
	return weight > 0 ? all * (double)series->total.count.samples / weight : 0;
}

static const double *parts_of(const struct series *series, size_t index)
{
	return series->parts + index * DIFF_BLOCKS;
}

/* Returns the factor from weights to the unit of the values. */
static double scale_of(const struct diff_making *making, const struct diff_reading *reading,
		       const struct series *series)
{
	double cpu_ns = (double)model_fact_u64(reading->side->model, FACT_COMMAND_CPU_NS);

	if (making->cycles_as_time)
		return cpu_ns / 1e9 / fmax((double)series->total.count.weight, 1) /
		       reading->divisor;
	return (diff_event_of(reading)->is_time ? 1e-9 : 1) / reading->divisor;
}

/* One recording whose series are being turned into figures. */
struct figuring {
	const struct diff_making *making;
	const struct diff_reading *reading;
	const struct series *series;
	double samples;			/* as in struct ratio_series */
};

static struct run_amount amount_of(const struct figuring *figuring, const struct series_sum *sum,
				   const double *parts)
{
	const struct series *series = figuring->series;
	const struct diff_amount_source source = {
		.count = &sum->count,
		.total = &series->total.count,
		.kernel_weight = sum->kernel_weight,
		.parts = parts,
		.wholes = series->wholes,
		.by_weight = figuring->reading->by_weight,
		.scale = scale_of(figuring->making, figuring->reading, series),
	};
	struct run_amount amount = diff_amount_of(&source);

	amount.relative = figuring->reading->divisor_error;
	return amount;
}

static struct run_value value_of_amount(const struct run_amount *amount)
{
	return (struct run_value){ amount->amount,
				   amount->unit * amount->amount +
					   amount->relative * amount->amount * amount->amount };
}

static struct run_value value_of_ratio(const struct ratio *ratio, double scale)
{
	double variance = ratio->samples > 0 ? ratio->share * (1 - ratio->share) / ratio->samples
					     : INFINITY;

	return (struct run_value){ ratio->share * scale, variance * scale * scale };
}

/* Returns where the values of all recordings of one series are. */
static struct run_value *runs_of(const struct diff_making *making, size_t index)
{
	return making->diff->run_values + index * making->reading_count;
}

static size_t number_of(const struct diff_making *making, const struct diff_reading *reading)
{
	return (size_t)(reading - making->readings);
}

static void set_figures(const struct figuring *figuring, size_t index, struct diff_figures *figures)
{
	const struct diff_making *making = figuring->making;
	const struct series *series = figuring->series;
	const double *parts = parts_of(series, index);
	enum diff_which which = figuring->reading->which;
	struct run_value *runs = runs_of(making, index);
	struct run_value *value = &runs[number_of(making, figuring->reading)];

	figures->runs = runs;
	if (diff_unit_is_amount(making->diff->unit)) {
		figures->amounts[which] = amount_of(figuring, &series->sums[index], parts);
		*value = value_of_amount(&figures->amounts[which]);
		return;
	}
	figures->ratios[which] = ratio_of(
		&(struct ratio_series){ parts, series->wholes, DIFF_BLOCKS, figuring->samples });
	*value = value_of_ratio(&figures->ratios[which], making->diff->unit == DIFF_CPUS
								 ? making->diff->wholes[which].cpus
								 : 1);
}

static void set_all_figures(const struct figuring *figuring)
{
	const struct diff_making *making = figuring->making;
	struct diff *diff = making->diff;
	size_t first = making->series_count - diff->options.condition_count;

	set_figures(figuring, DIFF_SERIES_REST, &diff->rest);
	for (size_t i = 0; i < diff->rows.count; i++) {
		struct diff_row *row = &diff->rows.at[i];

		if (row->series != DIFF_SERIES_REST)
			set_figures(figuring, row->series, &row->figures);
	}
	for (size_t i = 0; i < diff->options.condition_count; i++)
		set_figures(figuring, first + i, &diff->judgements[i].figures);
}

/* The values of the whole runs as sampled are behind all series, and those to show behind them. */
static void set_total(const struct figuring *figuring)
{
	const struct diff_making *making = figuring->making;
	const enum diff_which which = figuring->reading->which;
	const struct series *series = figuring->series;
	size_t number = number_of(making, figuring->reading);
	struct run_value *sampled = runs_of(making, making->series_count);
	struct run_value *shown = runs_of(making, making->series_count + 1);
	struct diff *diff = making->diff;
	struct run_amount *total = &diff->total.amounts[which];

	if (!diff_unit_is_amount(diff->unit))
		return;
	*total = amount_of(figuring, &series->total, series->wholes);
	diff->total.samples[which] = diff->wholes[which].samples;
	diff->wholes[which].amount = *total;
	sampled[number] = shown[number] = value_of_amount(total);
	diff->whole_runs = sampled;
	diff->total.runs = shown;
}

static int read_series(struct diff_making *making, const struct diff_reading *reading)
{
	_cleanup_(series_fini) struct series series = {
		.parts = calloc(making->series_count * DIFF_BLOCKS, sizeof(double)),
		.sums = calloc(making->series_count, sizeof(*series.sums)),
	};
	struct figuring figuring = { making, reading, &series, 0 };

	if (!series.parts || !series.sums)
		return -ENOMEM;
	fill_series(making, reading, &series);
	figuring.samples = making->diff->unit == DIFF_CPUS
				   ? fill_with_wall(reading, making->diff->wholes[0].cpus, &series)
				   : count_equal_samples(&series.total.count, reading->by_weight);
	set_all_figures(&figuring);
	set_total(&figuring);
	return 0;
}

/* Returns the CPU time of the command as the kernel measured it, or 0 if it cannot be used. */
static double measured_seconds(const struct diff_reading *reading)
{
	const struct diff_side *side = reading->side;

	if (!diff_is_of_whole_command(side) || filter_is_set(side->filter))
		return 0;
	return (double)model_fact_u64(side->model, FACT_COMMAND_CPU_NS) / 1e9;
}

/*
 * If the kernel measured the CPU time of both commands, uses these times as the total, because they
 * have no sampling error.
 */
static void measure_total(struct diff_making *making)
{
	struct diff *diff = making->diff;
	struct run_value *shown = runs_of(making, making->series_count + 1);

	if (diff->unit != DIFF_SECONDS || !diff->is_cpu_time)
		return;
	for (size_t i = 0; i < making->reading_count; i++)
		if (!(measured_seconds(&making->readings[i]) > 0))
			return;
	for (size_t i = 0; i < making->reading_count; i++) {
		struct run_amount *total = &diff->total.amounts[making->readings[i].which];
		double seconds = measured_seconds(&making->readings[i]);

		total->amount = total->whole = seconds;
		total->kernel = fmin(total->kernel, seconds);
		total->unit = 0;
		shown[i] = (struct run_value){ seconds, 0 };
	}
	diff->total_is_measured = true;
}

/* ---- the whole comparison ---- */

/*
 * Sets the number of CPUs of both sides to that of the larger machine, so that the values of both
 * sides have the same scale.
 */
static void measure_wall(struct diff_making *making)
{
	double cpus = 1;

	for (size_t i = 0; i < making->reading_count; i++) {
		const struct diff_reading *reading = &making->readings[i];
		double own = (double)model_fact_u64(reading->side->model, FACT_CPUS);

		cpus = fmax(cpus, fmax(own, (double)reading->profile.cpus.count));
		making->diff->wholes[reading->which].seconds += (double)(reading->to_ns -
									 reading->from_ns) /
								1e9;
	}
	making->diff->wholes[DIFF_BEFORE].cpus = cpus;
	making->diff->wholes[DIFF_AFTER].cpus = cpus;
}

static int compare_event(struct diff_making *making)
{
	const struct diff_reading *before = &making->readings[DIFF_BEFORE];
	struct diff *diff = making->diff;
	int rc = diff_names_enter(&diff->names, "", diff_event_name(before), &diff->event);

	if (rc < 0)
		return rc;
	measure_wall(making);
	for (size_t i = 0; i < making->reading_count; i++) {
		rc = find_parts(making, &making->readings[i]);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < making->reading_count; i++) {
		rc = find_rows(making, &making->readings[i]);
		if (rc < 0)
			return rc;
	}
	choose_tested(making);
	diff->run_values = calloc((making->series_count + 2) * making->reading_count,
				  sizeof(*diff->run_values));
	if (!diff->run_values)
		return -ENOMEM;
	for (size_t i = 0; i < making->reading_count; i++) {
		rc = read_series(making, &making->readings[i]);
		if (rc < 0)
			return rc;
	}
	measure_total(making);
	return diff_judge(diff);
}

static int compare_sides(struct diff_making *making, struct err *err)
{
	int rc = diff_choose_event(making, err);

	if (rc == 0)
		rc = diff_choose_unit(making, err);
	if (rc < 0)
		return rc;
	rc = compare_event(making);
	return rc < 0 ? err_set(err, rc, "no memory to compare the recordings") : 0;
}

static void making_fini(struct diff_making *making)
{
	for (size_t i = 0; making->readings && i < making->reading_count; i++) {
		diff_reading_fini(&making->readings[i]);
		free(making->readings[i].rows);
	}
	free(making->readings);
	slots_fini(&making->slots);
	file_parts_fini(&making->parts);
}

int diff_make(const struct diff_side sides[static DIFF_SIDES], const struct diff_options *options,
	      struct diff *ret_diff, struct err *err)
{
	_cleanup_(making_fini) struct diff_making making = { .diff = ret_diff };
	size_t *counts = ret_diff->options.run_counts;
	int rc;

	*ret_diff = (struct diff){ .options = *options };
	for (int i = 0; i < DIFF_SIDES; i++) {
		counts[i] = counts[i] ? counts[i] : 1;
		making.reading_count += counts[i];
	}
	if (options->per == DIFF_PER_DEFAULT)
		ret_diff->options.per = diff_default_per(sides, making.reading_count);
	making.readings = calloc(making.reading_count, sizeof(*making.readings));
	rc = diff_names_init(&ret_diff->names);
	if (rc < 0 || !making.readings)
		return err_set(err, -ENOMEM, "no memory to compare the recordings");
	for (size_t i = 0; i < making.reading_count; i++) {
		rc = diff_reading_init(&making.readings[i], &sides[i], ret_diff, err);
		if (rc < 0)
			return rc;
		making.readings[i].which = i < counts[DIFF_BEFORE] ? DIFF_BEFORE : DIFF_AFTER;
	}
	return compare_sides(&making, err);
}

void diff_fini(struct diff *diff)
{
	diff_names_fini(&diff->names);
	vec_free(&diff->rows);
	free(diff->run_values);
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
		case BY_DATA_ADDRESS:
		case BY_CACHE_LINE:
		case BY_DATA_PAGE:
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
