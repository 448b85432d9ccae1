/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/diff-private.h"

#include <math.h>

#include "analyze/file_parts.h"
#include "analyze/lookup.h"
#include "analyze/slots.h"
#include "base/cleanup.h"
#include "model/wait.h"

#define NOT_COUNTED UINT32_MAX

struct making {
	struct diff *diff;
	struct diff_reading readings[DIFF_SIDES];
	struct slots slots;		/* index of the rows, by their keys */
	struct file_parts parts;
	uint32_t *rows[DIFF_SIDES];	/* row of each hit, or NOT_COUNTED */
	struct group_selection selections[DIFF_SIDES];
	/* relative variances of diff_whole.divisor */
	double divisor_errors[DIFF_SIDES];
	bool cycles_as_time;		/* the command's CPU time is divided among its cycles */
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

/*
 * Returns the event to compare: the first event with samples, except the event by which its amounts
 * are divided.
 */
static uint32_t event_to_compare(const struct diff_reading *before, const char *divisor)
{
	const struct model *model = before->side->model;
	uint32_t first = profile_first_event(&before->profile);

	for (uint32_t i = first; divisor && i < model->events.count && i < 256; i++)
		if (before->profile.total_samples[i] &&
		    strcmp(string_of(model, model->events.at[i].name), divisor) != 0)
			return i;
	return first;
}

static int choose_event(struct making *making, struct err *err)
{
	struct diff_reading *before = &making->readings[DIFF_BEFORE];
	struct diff_reading *after = &making->readings[DIFF_AFTER];
	struct diff *diff = making->diff;

	before->event = event_to_compare(
		before, diff->options.per == DIFF_PER_EVENT ? diff->options.per_event : NULL);
	after->event = diff_event_called(after->side->model, event_name(before));
	if (after->event == GROUP_EVENT_ANY)
		return err_set(err, -EINVAL,
			       "only the first recording has samples of %s: choose an event of "
			       "both",
			       event_name(before));
	if (diff->options.per == DIFF_PER_SECOND && !(is_cpu_time(before) && is_cpu_time(after)))
		return err_set(err, -EINVAL,
			       "rates per second need an event that measures CPU time, and "
			       "%s does not",
			       event_name(before));
	for (int i = 0; i < DIFF_SIDES; i++) {
		struct diff_reading *reading = &making->readings[i];

		reading->by_weight = diff->options.per == DIFF_PER_SECOND ||
				     count_goes_by_weight(event_of(reading));
		making->selections[i] = (struct group_selection){
			.event = reading->event,
			.contexts = reading->all_contexts ? GROUP_CONTEXTS_ALL
							  : GROUP_CONTEXTS_BUSY,
		};
	}
	return 0;
}

/* ---- which measure ---- */

static bool has_time_range(const struct filter *filter)
{
	return filter && (filter->from_ns || filter->to_ns != UINT64_MAX);
}

static bool is_of_command(const struct diff_side *side)
{
	const char *target = model_fact(side->model, FACT_TARGET);

	return target && strcmp(target, "command") == 0;
}

enum diff_per diff_default_per(const struct diff_side sides[static DIFF_SIDES])
{
	for (int i = 0; i < DIFF_SIDES; i++)
		if (!is_of_command(&sides[i]) || has_time_range(sides[i].filter))
			return DIFF_PER_SHARE;
	return DIFF_PER_RUN;
}

/*
 * A run can be compared if a command was recorded from start to end. The facts of an imported
 * recording do not say what was recorded.
 */
static int check_runs(const struct making *making, struct err *err)
{
	static const char *const names[] = { "first", "second" };

	for (int i = 0; i < DIFF_SIDES; i++) {
		const struct diff_side *side = making->readings[i].side;
		const char *command = model_fact(side->model, FACT_COMMAND);

		if (has_time_range(side->filter))
			return err_set(err, -EINVAL,
				       "a range of time is not a whole run: compare shares, or "
				       "rates per second");
		if (!command || !*command)
			return err_set(err, -EINVAL,
				       "the %s recording is not of a command, so it has no run to "
				       "compare: compare shares, or rates per second",
				       names[i]);
	}
	return 0;
}

static int find_divisors(struct making *making, struct err *err)
{
	static const char *const names[] = { "first", "second" };
	const char *wanted = making->diff->options.per_event;

	for (int i = 0; i < DIFF_SIDES; i++) {
		const struct diff_reading *reading = &making->readings[i];
		uint32_t event = diff_event_called(reading->side->model, wanted);
		uint64_t samples = 0;
		const struct event *of;

		if (event != GROUP_EVENT_ANY)
			samples = reading->profile.total_samples[event];
		if (!samples || !reading->profile.total_weight[event])
			return err_set(err, -EINVAL,
				       "the %s recording has no selected samples of %s, so amounts "
				       "cannot be divided by it",
				       names[i], wanted);
		if (event == reading->event)
			return err_set(err, -EINVAL, "%s cannot be divided by itself", wanted);
		of = &reading->side->model->events.at[event];
		making->diff->wholes[i].divisor = (double)reading->profile.total_weight[event];
		making->divisor_errors[i] = of->period == 1 && !of->frequency_hz
						    ? 0
						    : 1 / (double)samples;
	}
	return 0;
}

/*
 * Returns true if the event counts cycles in all modes, and the kernel measured the CPU time of all
 * that was sampled. Then a cycle stands for the same part of this time.
 */
static bool cycles_have_time(const struct diff_reading *reading)
{
	const char *name = event_name(reading);

	return (strcmp(name, "cycles") == 0 || strcmp(name, "cpu-cycles") == 0) &&
	       is_of_command(reading->side) && !filter_is_set(reading->side->filter) &&
	       model_fact_u64(reading->side->model, FACT_COMMAND_CPU_NS);
}

static bool measures_cpu(const struct diff_reading *reading)
{
	return is_cpu_time(reading) && reading->metric.kind == METRIC_SUM;
}

static int choose_unit(struct making *making, struct err *err)
{
	struct diff *diff = making->diff;
	bool seconds = true, cycles = true;
	int rc = 0;

	for (int i = 0; i < DIFF_SIDES; i++) {
		diff->wholes[i].divisor = 1;
		seconds = seconds && event_of(&making->readings[i])->is_time;
		cycles = cycles && cycles_have_time(&making->readings[i]);
	}
	making->cycles_as_time = !seconds && cycles;
	diff->is_cpu_time = cycles || (measures_cpu(&making->readings[DIFF_BEFORE]) &&
				       measures_cpu(&making->readings[DIFF_AFTER]));
	seconds = seconds || cycles;
	switch (diff->options.per) {
	case DIFF_PER_RUN:
		diff->unit = seconds ? DIFF_SECONDS : DIFF_EVENTS;
		rc = check_runs(making, err);
		break;
	case DIFF_PER_EVENT:
		diff->unit = seconds ? DIFF_SECONDS_PER_EVENT : DIFF_EVENTS_PER_EVENT;
		rc = find_divisors(making, err);
		break;
	case DIFF_PER_SECOND:
		diff->unit = DIFF_CPUS;
		break;
	default:
		diff->unit = DIFF_SHARE;
	}
	for (size_t i = 0; rc == 0 && i < diff->options.condition_count; i++)
		if (diff->options.conditions[i].in_seconds && diff->unit != DIFF_SECONDS)
			rc = err_set(err, -EINVAL,
				     "'%s': values are not in seconds, so the limit must be a "
				     "percentage or a factor",
				     diff->options.conditions[i].text);
	return rc;
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

static void add_marks(struct making *making, enum diff_which which, const struct hit *hit,
		      struct series *series)
{
	const struct diff_reading *reading = &making->readings[which];
	struct diff *diff = making->diff;
	uint32_t marks = diff_reading_marks(reading, hit);
	size_t first = making->series_count - diff->options.condition_count;

	for (size_t i = 0; i < diff->options.condition_count; i++) {
		if (!(marks >> i & 1))
			continue;
		add_to_series(series, first + i, diff_reading_block(reading, hit), hit,
			      reading->by_weight);
		diff->judgements[i].matched = true;
		diff->judgements[i].figures.samples[which] += hit->count.samples;
	}
}

static void fill_series(struct making *making, enum diff_which which, struct series *series)
{
	const struct diff_reading *reading = &making->readings[which];
	bool by_weight = reading->by_weight;

	for (size_t i = 0; i < reading->profile.hits.count; i++) {
		const struct hit *hit = &reading->profile.hits.at[i];
		size_t block = diff_reading_block(reading, hit);
		uint32_t row = making->rows[which][i];

		if (row == NOT_COUNTED)
			continue;
		sum_add(&series->total, hit);
		series->wholes[block] += (double)count_rank(&hit->count, by_weight);
		add_to_series(series, making->diff->rows.at[row].series, block, hit, by_weight);
		add_marks(making, which, hit, series);
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
static double scale_of(const struct making *making, enum diff_which which,
		       const struct series *series)
{
	const struct diff_reading *reading = &making->readings[which];
	double divisor = making->diff->wholes[which].divisor;
	double cpu_ns = (double)model_fact_u64(reading->side->model, FACT_COMMAND_CPU_NS);

	if (making->cycles_as_time)
		return cpu_ns / 1e9 / fmax((double)series->total.count.weight, 1) / divisor;
	return (event_of(reading)->is_time ? 1e-9 : 1) / divisor;
}

static struct run_amount amount_of(const struct making *making, enum diff_which which,
				   const struct series *series, const struct series_sum *sum,
				   const double *parts)
{
	const struct diff_amount_source source = {
		.count = &sum->count,
		.total = &series->total.count,
		.kernel_weight = sum->kernel_weight,
		.parts = parts,
		.wholes = series->wholes,
		.by_weight = making->readings[which].by_weight,
		.scale = scale_of(making, which, series),
	};
	struct run_amount amount = diff_amount_of(&source);

	amount.relative = making->divisor_errors[which];
	return amount;
}

static void set_figures(struct making *making, enum diff_which which, const struct series *series,
			size_t index, double samples, struct diff_figures *figures)
{
	const double *parts = parts_of(series, index);

	if (diff_unit_is_amount(making->diff->unit))
		figures->amounts[which] = amount_of(making, which, series, &series->sums[index],
						    parts);
	else
		figures->ratios[which] = ratio_of(
			&(struct ratio_series){ parts, series->wholes, DIFF_BLOCKS, samples });
}

static void set_all_figures(struct making *making, enum diff_which which,
			    const struct series *series, double samples)
{
	struct diff *diff = making->diff;
	size_t first = making->series_count - diff->options.condition_count;

	set_figures(making, which, series, DIFF_SERIES_REST, samples, &diff->rest);
	for (size_t i = 0; i < diff->rows.count; i++) {
		struct diff_row *row = &diff->rows.at[i];

		if (row->series != DIFF_SERIES_REST)
			set_figures(making, which, series, row->series, samples, &row->figures);
	}
	for (size_t i = 0; i < diff->options.condition_count; i++)
		set_figures(making, which, series, first + i, samples,
			    &diff->judgements[i].figures);
}

static void set_total(struct making *making, enum diff_which which, const struct series *series)
{
	struct diff *diff = making->diff;
	struct run_amount *total = &diff->total.amounts[which];

	if (!diff_unit_is_amount(diff->unit))
		return;
	*total = amount_of(making, which, series, &series->total, series->wholes);
	diff->total.samples[which] = diff->wholes[which].samples;
	diff->wholes[which].amount = *total;
}

static int read_series(struct making *making, enum diff_which which)
{
	const struct diff_reading *reading = &making->readings[which];
	_cleanup_(series_fini) struct series series = {
		.parts = calloc(making->series_count * DIFF_BLOCKS, sizeof(double)),
		.sums = calloc(making->series_count, sizeof(*series.sums)),
	};
	double samples;

	if (!series.parts || !series.sums)
		return -ENOMEM;
	fill_series(making, which, &series);
	samples = making->diff->unit == DIFF_CPUS
			  ? fill_with_wall(reading, making->diff->wholes[which].cpus, &series)
			  : count_equal_samples(&series.total.count, reading->by_weight);
	set_all_figures(making, which, &series, samples);
	set_total(making, which, &series);
	return 0;
}

/* Returns the CPU time of the command as the kernel measured it, or 0 if it cannot be used. */
static double measured_seconds(const struct diff_reading *reading)
{
	const struct diff_side *side = reading->side;

	if (!is_of_command(side) || filter_is_set(side->filter))
		return 0;
	return (double)model_fact_u64(side->model, FACT_COMMAND_CPU_NS) / 1e9;
}

/*
 * If the kernel measured the CPU time of both commands, uses these times as the total, because they
 * have no sampling error.
 */
static void measure_total(struct making *making)
{
	struct diff *diff = making->diff;
	double seconds[DIFF_SIDES];

	for (int i = 0; i < DIFF_SIDES; i++) {
		const struct diff_reading *reading = &making->readings[i];

		seconds[i] = measured_seconds(reading);
		if (!(seconds[i] > 0) || diff->unit != DIFF_SECONDS || !diff->is_cpu_time)
			return;
	}
	for (int i = 0; i < DIFF_SIDES; i++) {
		diff->total.amounts[i].amount = seconds[i];
		diff->total.amounts[i].kernel = fmin(diff->total.amounts[i].kernel, seconds[i]);
		diff->total.amounts[i].whole = seconds[i];
		diff->total.amounts[i].unit = 0;
	}
	diff->total_is_measured = true;
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
	measure_total(making);
	return diff_judge(diff);
}

static int compare_sides(struct making *making, struct err *err)
{
	int rc = choose_event(making, err);

	if (rc == 0)
		rc = choose_unit(making, err);
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
	if (options->per == DIFF_PER_DEFAULT)
		ret_diff->options.per = diff_default_per(sides);
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
