/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides which event of the recordings is compared, and in which unit. */
#include "analyze/diff-private.h"

#include "analyze/lookup.h"
#include "analyze/span_index.h"
#include "model/wait.h"

/* ---- which event ---- */

const struct event *diff_event_of(const struct diff_reading *reading)
{
	static const struct event none;
	const struct model *model = reading->side->model;

	return reading->event < model->events.count ? &model->events.at[reading->event] : &none;
}

const char *diff_event_name(const struct diff_reading *reading)
{
	return string_of(reading->side->model, diff_event_of(reading)->name);
}

static bool is_cpu_time(const struct diff_reading *reading)
{
	const struct event *event = diff_event_of(reading);

	return event->is_time && !event_is_span(event) &&
	       wait_kind_of_name(diff_event_name(reading)) < 0;
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

static int choose_event_of(struct diff_making *making, struct diff_reading *reading,
			   struct err *err)
{
	const struct diff_reading *first = &making->readings[0];

	reading->event = diff_event_called(reading->side->model, diff_event_name(first));
	if (reading->event == GROUP_EVENT_ANY)
		return err_set(err, -EINVAL,
			       "only the first recording has samples of %s: choose an event of "
			       "both",
			       diff_event_name(first));
	if (making->diff->options.per == DIFF_PER_SECOND && !is_cpu_time(reading))
		return err_set(err, -EINVAL,
			       "rates per second need an event that measures CPU time, and "
			       "%s does not",
			       diff_event_name(first));
	reading->by_weight = making->diff->options.per == DIFF_PER_SECOND ||
			     count_goes_by_weight(diff_event_of(reading));
	reading->selection = (struct group_selection){
		.event = reading->event,
		.contexts = reading->all_contexts ? GROUP_CONTEXTS_ALL : GROUP_CONTEXTS_BUSY,
	};
	return 0;
}

int diff_choose_event(struct diff_making *making, struct err *err)
{
	const struct diff_options *options = &making->diff->options;
	struct diff_reading *first = &making->readings[0];

	first->event = event_to_compare(first,
					options->per == DIFF_PER_EVENT ? options->per_event : NULL);
	for (size_t i = 0; i < making->reading_count; i++) {
		int rc = choose_event_of(making, &making->readings[i], err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- which measure ---- */

static bool has_time_range(const struct filter *filter)
{
	return filter && (filter->from_ns || filter->to_ns != UINT64_MAX);
}

bool diff_is_of_whole_command(const struct diff_side *side)
{
	const char *target = model_fact(side->model, FACT_TARGET);

	return target && strcmp(target, "command") == 0 &&
	       model_fact_u64(side->model, FACT_COMMAND_CPU_NS);
}

enum diff_per diff_default_per(const struct diff_side *sides, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!diff_is_of_whole_command(&sides[i]) || has_time_range(sides[i].filter))
			return DIFF_PER_SHARE;
	return DIFF_PER_RUN;
}

/*
 * A run can be compared if a command was recorded from start to end. The facts of an imported
 * recording do not say what was recorded.
 */
static int check_runs(const struct diff_making *making, struct err *err)
{
	static const char *const names[] = { "first", "second" };

	for (size_t i = 0; i < making->reading_count; i++) {
		const struct diff_reading *reading = &making->readings[i];
		const struct diff_side *side = reading->side;
		const char *command = model_fact(side->model, FACT_COMMAND);

		if (has_time_range(side->filter))
			return err_set(err, -EINVAL,
				       "a range of time is not a whole run: compare shares, or "
				       "rates per second");
		if (!command || !*command)
			return err_set(err, -EINVAL,
				       "the %s recording is not of a command, so it has no run to "
				       "compare: compare shares, or rates per second",
				       names[reading->which]);
	}
	return 0;
}

/* The stopwatch counted all calls. */
static int divide_by_calls(struct diff_making *making, struct err *err)
{
	for (size_t i = 0; i < making->reading_count; i++) {
		struct diff_reading *reading = &making->readings[i];
		double calls = span_index_calls(reading->side->model, reading->side->filter);

		if (filter_has_a_part(reading->side->filter))
			return err_set(err, -EINVAL,
				       "all calls of the run were counted, so amounts of some "
				       "threads, CPUs or times cannot be divided by their calls: "
				       "compare shares");
		if (calls < 1)
			return err_set(err, -EINVAL,
				       "the %s side has no calls that were measured, so amounts "
				       "cannot be divided by them",
				       reading->which == DIFF_BEFORE ? "first" : "second");
		reading->divisor = calls;
		making->diff->wholes[reading->which].divisor += calls;
	}
	return 0;
}

static int find_divisors(struct diff_making *making, struct err *err)
{
	static const char *const names[] = { "first", "second" };
	const char *wanted = making->diff->options.per_event;

	for (size_t i = 0; i < making->reading_count; i++) {
		struct diff_reading *reading = &making->readings[i];
		uint32_t event = diff_event_called(reading->side->model, wanted);
		uint64_t samples = 0;
		const struct event *of;

		if (event != GROUP_EVENT_ANY)
			samples = reading->profile.total_samples[event];
		if (!samples || !reading->profile.total_weight[event])
			return err_set(err, -EINVAL,
				       "the %s recording has no selected samples of %s, so amounts "
				       "cannot be divided by it",
				       names[reading->which], wanted);
		if (event == reading->event)
			return err_set(err, -EINVAL, "%s cannot be divided by itself", wanted);
		of = &reading->side->model->events.at[event];
		reading->divisor = (double)reading->profile.total_weight[event];
		making->diff->wholes[reading->which].divisor += reading->divisor;
		reading->divisor_error = of->period == 1 && !of->frequency_hz ? 0
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
	const char *name = diff_event_name(reading);

	return (strcmp(name, "cycles") == 0 || strcmp(name, "cpu-cycles") == 0) &&
	       diff_is_of_whole_command(reading->side) && !filter_is_set(reading->side->filter);
}

static bool measures_cpu(const struct diff_reading *reading)
{
	return is_cpu_time(reading) && reading->metric.kind == METRIC_SUM;
}

int diff_choose_unit(struct diff_making *making, struct err *err)
{
	struct diff *diff = making->diff;
	bool seconds = true, cycles = true, cpu = true;
	int rc = 0;

	for (size_t i = 0; i < making->reading_count; i++) {
		struct diff_reading *reading = &making->readings[i];

		reading->divisor = 1;
		seconds = seconds && diff_event_of(reading)->is_time;
		cycles = cycles && cycles_have_time(reading);
		cpu = cpu && measures_cpu(reading);
	}
	making->cycles_as_time = !seconds && cycles;
	diff->is_cpu_time = cycles || cpu;
	seconds = seconds || cycles;
	switch (diff->options.per) {
	case DIFF_PER_RUN:
		diff->unit = seconds ? DIFF_SECONDS : DIFF_EVENTS;
		rc = check_runs(making, err);
		break;
	case DIFF_PER_EVENT:
		diff->unit = seconds ? DIFF_SECONDS_PER_EVENT : DIFF_EVENTS_PER_EVENT;
		rc = strcmp(diff->options.per_event, DIFF_CALL) == 0 ? divide_by_calls(making, err)
								     : find_divisors(making, err);
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
