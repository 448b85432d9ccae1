/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter_options.h"

#include "analyze/lookup.h"
#include "base/nearest_word.h"
#include "cli/command.h"

enum { OPTION_FIRST = 256, OPTION_COUNT = 11 };

/* The name of each option is a key that filter_add() accepts. */
static const struct argp_option option_list[OPTION_COUNT + 1] = {
	{ "comm", OPTION_FIRST, "LIST", 0, "Threads by name", 0 },
	{ "pid", OPTION_FIRST + 1, "LIST", 0, "Processes by number", 0 },
	{ "tid", OPTION_FIRST + 2, "LIST", 0, "Threads by number", 0 },
	{ "image", OPTION_FIRST + 3, "LIST", 0, "Programs and libraries by path or file name", 0 },
	{ "symbol", OPTION_FIRST + 4, "LIST", 0, "Functions anywhere in the stack", 0 },
	{ "application", OPTION_FIRST + 5, "LIST", 0, "Programs by name", 0 },
	{ "context", OPTION_FIRST + 6, "LIST", 0,
	  "user, syscall, exception, softirq, hardirq, nmi, idle, kthread, kernel", 0 },
	{ "cpu", OPTION_FIRST + 7, "LIST", 0, "CPUs, such as 0-3,8", 0 },
	{ "time", OPTION_FIRST + 8, "A-B", 0, "Time since the start: one range such as 1.5s-3s",
	  0 },
	{ "event", OPTION_FIRST + 9, "LIST", 0, "Events", 0 },
	{ "span", OPTION_FIRST + 10, "LIST", 0,
	  "Samples in measured calls of these functions; slow, fast: in such calls that are slow, "
	  "or not",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct err err;

	if (key < OPTION_FIRST || key >= OPTION_FIRST + OPTION_COUNT)
		return ARGP_ERR_UNKNOWN;
	if (filter_add(state->input, option_list[key - OPTION_FIRST].name, arg, &err) < 0)
		argp_error(state, "%s", err.text);
	return 0;
}

const struct argp filter_argp = { .options = option_list, .parser = parse };

/* ---- what matches nothing ---- */

static const char *comm_at(const struct model *model, uint32_t id)
{
	return string_of(model, thread_of(model, id)->comm);
}

static const char *application_at(const struct model *model, uint32_t id)
{
	return string_of(model, application_of(model, id)->name);
}

static const char *image_at(const struct model *model, uint32_t id)
{
	return string_of(model, image_of(model, id)->path);
}

static const char *image_file_at(const struct model *model, uint32_t id)
{
	return file_name(image_at(model, id));
}

static const char *function_at(const struct model *model, uint32_t id)
{
	return string_of(model, function_of(model, id)->name);
}

static const char *event_at(const struct model *model, uint32_t id)
{
	return string_of(model, model->events.at[id].name);
}

static const char *span_at(const struct model *model, uint32_t id)
{
	return event_is_call(&model->events.at[id]) ? span_event_name(model, id) : "";
}

/* The names with which the patterns of one option are compared. */
struct names {
	size_t count;
	const char *(*at)(const struct model *model, uint32_t id);
	const char *(*also_at)(const struct model *model, uint32_t id);	/* or NULL */
};

static bool matches_any(const struct pattern *pattern, const struct names *names,
			const struct model *model, struct nearest_word *nearest)
{
	for (uint32_t id = 0; id < names->count; id++) {
		if (pattern_matches(pattern, names->at(model, id)) ||
		    (names->also_at && pattern_matches(pattern, names->also_at(model, id))))
			return true;
		nearest_word_offer(nearest,
				   (names->also_at ? names->also_at : names->at)(model, id));
	}
	return false;
}

static void say_unmatched(const char *option, const struct filter_patterns *patterns,
			  const struct names *names, const struct model *model)
{
	for (size_t i = 0; i < patterns->list.count; i++) {
		const struct pattern *pattern = &patterns->list.at[i];
		struct nearest_word nearest = { .wanted = pattern->text };
		char meant[NEAREST_WORD_TEXT_MAX];

		if (!matches_any(pattern, names, model, &nearest))
			cli_message("--%s '%s' matches nothing in the recording%s%s", option,
				    pattern->text, nearest_word_text(&nearest, meant),
				    !nearest.found && pattern_resembles_expression(pattern->text)
					    ? "; write a regular expression as re:EXPRESSION"
					    : "");
	}
}

static void say_without_spans(const struct filter *filter, const struct model *model)
{
	bool has_calls = false, has_slow = false;

	if (!filter_has_spans(filter))
		return;
	for (size_t i = 0; i < model->events.count; i++)
		has_calls |= event_is_call(&model->events.at[i]);
	for (size_t i = 0; i < model->spans.rows.count; i++)
		has_slow |= model->spans.rows.at[i].slow_ns > 0;
	if (!has_calls)
		cli_message("no calls were measured; record --stopwatch does that");
	else if (filter->slow_spans && !has_slow)
		cli_message("no calls are slow; record --slow says which ones are");
}

void filter_say_unmatched(const struct filter *filter, const struct model *model)
{
	const struct names comms = { model->threads.count, comm_at, NULL };
	const struct names applications = { model->applications.count, application_at, NULL };
	const struct names images = { model->images.count, image_at, image_file_at };
	const struct names functions = { model->functions.count, function_at, NULL };
	const struct names events = { model->events.count, event_at, NULL };
	const struct names spans = { model->events.count, span_at, NULL };

	say_unmatched("comm", &filter->comms, &comms, model);
	say_unmatched("application", &filter->applications, &applications, model);
	say_unmatched("image", &filter->images, &images, model);
	say_unmatched("symbol", &filter->symbols, &functions, model);
	say_unmatched("event", &filter->events, &events, model);
	say_unmatched("span", &filter->spans, &spans, model);
	say_without_spans(filter, model);
}

/* ---- slow because of samples ---- */

#define SAMPLES_IN_SLOW_CALL 5	/* a slow call should take longer than that many samples */

void filter_say_doubts(const struct filter *filter, const struct model *model)
{
	double sample_us = (double)model_fact_u64(model, FACT_INTERRUPT_COST_NS) / 1e3;

	if (!filter->slow_spans || filter->fast_spans)
		return;
	for (size_t i = 0; i < model->spans.rows.count; i++) {
		const struct span_total *total = &model->spans.rows.at[i];
		const char *name = span_event_name(model, total->event);
		double slow_us = (double)total->slow_ns / 1e3;

		if (!total->slow_ns || !name || !filter_patterns_match(&filter->spans, name) ||
		    slow_us >= SAMPLES_IN_SLOW_CALL * sample_us)
			continue;
		cli_message("calls of %s are slow from %.1f us on, but a sample takes about "
			    "%.1f us: some may be slow because they were sampled",
			    name, slow_us, sample_us);
	}
}
