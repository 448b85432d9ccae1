/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the statistics of the run: what was requested and what was recorded. */
#include "present/text.h"

#include <inttypes.h>
#include <time.h>

#include "analyze/lookup.h"
#include "base/clock.h"
#include "present/row_json.h"

#define MANY_HZ 2000	/* a higher sampling rate is costly in a virtual machine */

static void fact_if_known(struct text *text, const char *label, enum fact_id fact)
{
	const char *value = model_fact(text->overview->profile->model, fact);

	if (value && *value)
		text_fact(text, label, value);
}

static void print_target(struct text *text)
{
	const struct model *model = text->overview->profile->model;
	const char *kind = model_fact(model, FACT_TARGET);

	if (!kind)
		return;
	if (strcmp(kind, "system") == 0)
		kind = "the whole machine";
	text_fact(text, "target", kind);
}

static void print_time(struct text *text)
{
	const struct overview *o = text->overview;
	time_t start = (time_t)(model_fact_u64(o->profile->model, FACT_START_REALTIME_NS) /
				NS_PER_SEC);
	char line[128], date[64] = "";
	struct tm utc;

	if (start && gmtime_r(&start, &utc))
		(void)strftime(date, sizeof(date), ", from %Y-%m-%d %H:%M:%S UTC", &utc);
	(void)snprintf(line, sizeof(line), "%.3f s%s",
		       (double)profile_duration_ns(o->profile) / 1e9, date);
	/* all times are 0 if an imported file has none */
	text_fact(text, "duration",
		  o->profile->last_ns || *date ? line : "unknown: the samples have no times");
}

static void print_merged(struct text *text)
{
	const struct model *model = text->overview->profile->model;
	char line[96];

	if (!model_fact(model, FACT_MERGED))
		return;
	(void)snprintf(line, sizeof(line), "%" PRIu64 ", one after the other on the time axis",
		       model_fact_u64(model, FACT_MERGED));
	text_fact(text, "merged runs", line);
}

/* Returns what to add to the event's rate. */
static const char *variation(const struct text *text, char *buf, size_t size_bytes)
{
	uint64_t percent = model_fact_u64(text->overview->profile->model, FACT_RATE_VARIED_PERCENT);

	if (!percent)
		return "";
	(void)snprintf(buf, size_bytes, " +-%" PRIu64 "%%", percent);
	return buf;
}

void text_event(const struct text *text, char *line, size_t size_bytes)
{
	const struct overview *o = text->overview;
	const struct model *model = o->profile->model;
	const struct event *event = json_event(o->profile, o->event);
	const char *name = string_of(model, event->name);
	char varied[64];

	if (event_is_measured(event))
		(void)snprintf(line, size_bytes, "%s, measured and not sampled", name);
	else if (event_is_counted(event) && !event->is_time)
		(void)snprintf(line, size_bytes, "%s, counted in the imported file", name);
	else if (event->frequency_hz && !event->is_time)
		(void)snprintf(line, size_bytes, "%s at %" PRIu64 " Hz%s", name,
			       event->frequency_hz, variation(text, varied, sizeof(varied)));
	else if (event->is_time && event->period)
		(void)snprintf(line, size_bytes, "%s at %.0f Hz%s", name,
			       (double)NS_PER_SEC / (double)event->period,
			       variation(text, varied, sizeof(varied)));
	else if (!event->is_time && !event->period)
		(void)snprintf(line, size_bytes, "%s, each sample with its own weight", name);
	else
		(void)snprintf(line, size_bytes, "%s, one sample every %" PRIu64 " event%s", name,
			       event->period, event->period == 1 ? "" : "s");
}

static void print_event(struct text *text)
{
	const struct overview *o = text->overview;
	const struct model *model = o->profile->model;
	char line[512];

	if (o->event >= model->events.count)
		return;
	text_event(text, line, sizeof(line));
	text_fact(text, "event", line);
	for (size_t i = 0; i < model->events.count; i++) {
		const char *name = model_string(model, model->events.at[i].name);

		/* spans are in a table of their own */
		if (i == o->event || model->events.at[i].is_counter ||
		    event_is_span(&model->events.at[i]))
			continue;
		(void)snprintf(line, sizeof(line), "%s (%s=%s shows it)", name,
			       text->style->settings->event, name);
		text_fact(text, "also recorded", line);
	}
}

/*
 * If whole CPUs were sampled but the recording has no event that counts time, prints a line that
 * names the missing sections and the event to record for them.
 */
static void print_no_clock(struct text *text)
{
	const struct overview *o = text->overview;
	const struct model *model = o->profile->model;
	const char *scope = model_fact(model, FACT_SCOPE);

	if (o->event >= model->events.count || o->is_time ||
	    o->profile->clock_event != PROFILE_EVENT_NONE || !scope || strcmp(scope, "cpu") != 0)
		return;
	text_fact(text, "clock",
		  "none, so no time ledger and no late samples; to get them, record cpu-clock too");
}

static double rate_hz(const struct event *event)
{
	if (event->is_time && event->period)
		return (double)NS_PER_SEC / (double)event->period;
	return (double)event->frequency_hz;
}

/*
 * Prints how much CPU time one sampling interrupt takes. If the event counts time, also prints
 * which share of each CPU sampling takes at the recorded rate.
 */
static void print_interrupt_cost(struct text *text)
{
	const struct overview *o = text->overview;
	const struct model *model = o->profile->model;
	double cost_ns = (double)model_fact_u64(model, FACT_INTERRUPT_COST_NS), hz = 0;
	bool other = o->event < model->events.count &&
		     (!o->is_time || event_is_measured(&model->events.at[o->event]));
	char line[256], share[128] = "";

	if (!model_fact(model, FACT_INTERRUPT_COST_NS))
		return;
	if (o->event < model->events.count && !other)
		hz = rate_hz(&model->events.at[o->event]);
	if (hz > 0)
		(void)snprintf(share, sizeof(share), ": %.1f %% of each CPU at %.0f Hz%s",
			       100 * cost_ns * hz / 1e9, hz,
			       hz > MANY_HZ && model_fact_u64(model, FACT_VIRTUAL)
				       ? " (expensive, as usual in virtual machines)"
				       : "");
	(void)snprintf(line, sizeof(line),
		       "one sampling interrupt%s costs about %.1f us [%.1f-%.1f] here%s",
		       other ? " of cpu-clock" : "", cost_ns / 1e3,
		       (double)model_fact_u64(model, FACT_INTERRUPT_COST_LOW_NS) / 1e3,
		       (double)model_fact_u64(model, FACT_INTERRUPT_COST_HIGH_NS) / 1e3, share);
	text_fact(text, "interrupts", line);
}

/*
 * If the kernel's limit was below the default sampling rate, prints the limit and the default rate.
 */
static void print_limit(struct text *text)
{
	const struct model *model = text->overview->profile->model;
	char line[256];

	if (!model_fact(model, FACT_RATE_LIMIT_HZ))
		return;
	(void)snprintf(line, sizeof(line),
		       "%" PRIu64 " Hz instead of %" PRIu64 ", the most that "
		       "kernel.perf_event_max_sample_rate allowed",
		       model_fact_u64(model, FACT_RATE_LIMIT_HZ),
		       model_fact_u64(model, FACT_RATE_DEFAULT_HZ));
	text_fact(text, "limit", line);
}

/* Prints the rates chosen by --max-overhead, each with its start time. */
static void print_rates(struct text *text)
{
	const struct model *model = text->overview->profile->model;
	const char *limit = model_fact(model, FACT_MAX_OVERHEAD_PERCENT);
	const char *rates = model_fact(model, FACT_RATES);
	char line[1536];

	if (!limit || !rates)
		return;
	(void)snprintf(line, sizeof(line),
		       "%s (%" PRIu64 " Hz requested), to take at most %s %% of the machine", rates,
		       model_fact_u64(model, FACT_RATE_ASKED_HZ), limit);
	text_fact(text, "rate", line);
}

static void print_counts(struct text *text)
{
	const struct overview *o = text->overview;
	uint64_t idle = ledger_idle_count(&o->profile->model->ledger);
	char line[256];

	(void)snprintf(line, sizeof(line),
		       "%" PRIu64 " of %" PRIu64 " processes seen, %" PRIu64 " threads, %" PRIu64
		       " of %" PRIu64 " applications",
		       o->processes_sampled, o->processes_seen, o->threads_sampled,
		       o->applications_sampled, o->applications_seen);
	text_fact(text, "sampled", line);
	(void)snprintf(line, sizeof(line),
		       "%" PRIu64 ": user %" PRIu64 ", system %" PRIu64 ", interrupts %" PRIu64
		       ", idle %" PRIu64,
		       o->all.samples, o->user.samples, o->sys.samples, o->interrupt.samples,
		       o->contexts[CONTEXT_IDLE].samples);
	text_fact(text, "samples", line);
	if (idle) {
		(void)snprintf(line, sizeof(line),
			       "%" PRIu64 " more found a CPU idle and were only counted", idle);
		text_fact(text, "ticks", line);
	}
	if (o->profile->filtered) {
		(void)snprintf(line, sizeof(line), "%" PRIu64 " samples did not pass the filter",
			       o->profile->filtered_out);
		text_fact(text, "filter", line);
	}
}

static void print_contexts(struct text *text)
{
	const struct overview *o = text->overview;
	const struct table_column columns[] = {
		RIGHT("hits"),	RIGHT(text_weight_title(o)),
		RIGHT("share"), RIGHT("95 % interval"),
		LEFT(""),	LEFT("context"),
	};
	struct table table = { .columns = columns, .column_count = 6 };
	struct figures figures;

	for (int context = 0; context < CONTEXT_COUNT; context++) {
		if (!o->contexts[context].samples)
			continue;
		figures = figures_of(o, &o->contexts[context], &o->all);
		cells_of(&table, &figures);
		table_cell(&table, "%s", context_name((enum context)context));
	}
	(void)fputc('\n', text->out);
	text_table(text, &table);
	if (o->contexts[CONTEXT_IDLE].samples && !o->account.missing)
		text_line(text, "Idle is a number of samples here, but an idle virtual CPU may "
				"produce none: the time ledger has the idle time.");
}

void text_run(struct text *text)
{
	text_title(text, "Statistics of the run");
	fact_if_known(text, "command", FACT_COMMAND);
	fact_if_known(text, "recording", FACT_STATE);
	fact_if_known(text, "imported from", FACT_IMPORTED_FROM);
	fact_if_known(text, "not in file", FACT_NOT_IN_FILE);
	print_target(text);
	print_time(text);
	print_merged(text);
	print_event(text);
	print_no_clock(text);
	print_limit(text);
	print_rates(text);
	print_interrupt_cost(text);
	fact_if_known(text, "collector", FACT_DESCRIBE);
	fact_if_known(text, "call graph", FACT_CALLGRAPH);
	fact_if_known(text, "host", FACT_HOST);
	fact_if_known(text, "kernel", FACT_KERNEL);
	fact_if_known(text, "cpus", FACT_CPUS);
	print_counts(text);
	print_contexts(text);
}
