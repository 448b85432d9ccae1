/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay trace: prints the samples of a recording one by one, in time order. */
#include <errno.h>

#include "analyze/lookup.h"
#include "analyze/match.h"
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/input_options.h"
#include "cli/option_values.h"
#include "cli/print_options.h"
#include "cli/say_losses.h"
#include "cli/symbolize_now.h"
#include "model/wait.h"
#include "present/trace.h"

#define STOP 1			/* returned by visit() so that no further blocks are read */

enum option_key {
	OPTION_FIELDS = 256,
	OPTION_STACK,
	OPTION_LIMIT,
	OPTION_JSON,
	OPTION_CSV,
};

struct arguments {
	const char *path;
	struct filter filter;
	struct trace trace;
	size_t limit;		/* maximum number of samples; 0: unlimited */
	bool stack;
};

static const struct argp_option option_list[] = {
	{ "fields", OPTION_FIELDS, "FIELD,...", 0,
	  "time, cpu, comm, pid, tid, event, context, late, weight, function, image, quality, "
	  "stack, waker "
	  "(default: " TRACE_FIELDS_DEFAULT ")",
	  1 },
	{ "stack", OPTION_STACK, NULL, 0, "Print the whole stack below each line", 1 },
	{ "limit", OPTION_LIMIT, "N", 0, "Stop after N samples; 0: all (the default)", 1 },
	{ "json", OPTION_JSON, NULL, 0, "Print one JSON object on each line", 1 },
	{ "csv", OPTION_CSV, NULL, 0, "Print CSV", 1 },
	{ 0 },
};

static void parse_fields(struct arguments *arguments, const char *text, struct argp_state *state)
{
	struct err err;

	if (trace_fields_parse(text, &arguments->trace, &err) < 0)
		argp_error(state, "%s", err.text);
}

/*
 * Applies the option --stack. In text output, the stack is printed below each sample. In JSON and
 * CSV, the stack is one of the fields of the sample.
 */
static void settle_stack(struct arguments *arguments)
{
	struct trace *trace = &arguments->trace;

	if (!arguments->stack)
		return;
	trace->stack_beneath = trace->format == TRACE_TEXT;
	for (size_t i = 0; i < trace->field_count; i++)
		if (trace->fields[i] == TRACE_STACK)
			return;
	if (!trace->stack_beneath)
		trace->fields[trace->field_count++] = TRACE_STACK;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &arguments->filter;
		state->child_inputs[2] = &arguments->path;
		return 0;
	case OPTION_FIELDS:
		parse_fields(arguments, arg, state);
		return 0;
	case OPTION_STACK:
		arguments->stack = true;
		return 0;
	case OPTION_LIMIT:
		arguments->limit = option_rows(arg, state);
		return 0;
	case OPTION_JSON:
		arguments->trace.format = TRACE_JSON;
		return 0;
	case OPTION_CSV:
		arguments->trace.format = TRACE_CSV;
		return 0;
	case ARGP_KEY_END:
		settle_stack(arguments);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the samples ---- */

struct tracing {
	struct recording *recording;
	struct model model;
	struct profile profile;		/* used only for looking up names */
	struct match match;
	uint32_t waker_event;		/* see wait_event_of() */
	bool is_wait[256];		/* by event: each sample is a wait that can have a waker */
	struct arguments *arguments;
	size_t printed;
	struct err err;
};

static void tracing_fini(struct tracing *tracing)
{
	match_fini(&tracing->match);
	model_fini(&tracing->model);
	recording_close(tracing->recording);
}

/* Returns the waker of a wait, or NULL. */
static const struct sample *waker_of(const struct tracing *tracing,
				     const struct sample_batch *batch, size_t index)
{
	uint8_t event = batch->samples.at[index].event;

	if (tracing->waker_event == MODEL_NO_EVENT || event == tracing->waker_event ||
	    !tracing->is_wait[event])
		return NULL;
	return wait_waker(batch, index, tracing->waker_event);
}

static int visit(void *context, const struct sample_batch *batch)
{
	struct tracing *tracing = context;
	struct trace *trace = &tracing->arguments->trace;
	size_t limit = tracing->arguments->limit;

	/*
	 * Times are printed relative to the fact start_ns. If the recording has no such fact, they
	 * are printed relative to the first sample.
	 */
	if (!trace->start_ns && batch->samples.count) {
		trace->start_ns = batch->samples.at[0].time_ns;
		match_set_start(&tracing->match, &tracing->arguments->filter, trace->start_ns);
	}
	for (size_t i = 0; i < batch->samples.count; i++) {
		struct sample sample = batch->samples.at[i];
		const struct traced traced = {
			.sample = &sample,
			.waker = waker_of(tracing, batch, i),
			.counters = batch->counters.at + i * batch->counter_count,
			.counter_count = batch->counter_count,
		};

		sample_make_safe(&tracing->model, &sample);
		if (!match_sample(&tracing->match, &sample) ||
		    !match_calls(&tracing->match, &sample))
			continue;
		if (trace_sample(trace, &traced) < 0)
			return -ENOMEM;
		if (++tracing->printed == limit)
			return STOP;
	}
	return ferror(trace->out) ? STOP : 0;
}

static void know_waits(struct tracing *tracing)
{
	const struct model *model = &tracing->model;

	tracing->waker_event = wait_event_of(model, WAIT_WAKER);
	for (size_t i = 0; i < model->events.count && i < 256; i++) {
		int kind = wait_kind_of_name(model_string(model, model->events.at[i].name));

		tracing->is_wait[i] = kind >= WAIT_BLOCKED && kind <= WAIT_RUNNABLE;
	}
}

static int print_samples(struct tracing *tracing)
{
	const struct filter *filter = &tracing->arguments->filter;
	uint64_t start_ns = model_fact_u64(&tracing->model, FACT_START_NS);
	struct sample_range range = { .to_ns = UINT64_MAX };
	int rc = match_init(&tracing->match, filter, &tracing->model, start_ns);

	tracing->arguments->trace.start_ns = start_ns;
	know_waits(tracing);
	trace_begin(&tracing->arguments->trace);
	if (rc < 0)
		return err_sys(&tracing->err, rc, "%s", tracing->arguments->path);
	rc = match_read_spans(&tracing->match, filter, tracing->recording, &tracing->model,
			      &tracing->err);
	if (rc < 0)
		return rc;
	if (start_ns)
		range = (struct sample_range){ tracing->match.from_ns, tracing->match.to_ns };
	rc = recording_each_block(tracing->recording, &tracing->model, &range, visit, tracing,
				  &tracing->err);
	if (rc == -ENOMEM)
		return err_sys(&tracing->err, rc, "%s", tracing->arguments->path);
	return rc;
}

static int trace(struct arguments *arguments)
{
	_cleanup_(tracing_fini) struct tracing tracing = { .arguments = arguments };
	int rc = (arguments->filter.inlined ? cli_load_with_lines : cli_load_recording)(
		arguments->path, &tracing.recording, &tracing.model, &tracing.err);

	tracing.profile.model = &tracing.model;
	tracing.profile.inlined = arguments->filter.inlined;
	arguments->trace.profile = &tracing.profile;
	arguments->trace.out = stdout;
	if (rc == 0)
		rc = print_samples(&tracing);
	if (rc >= 0)
		rc = cli_say_losses(arguments->path, tracing.recording, &tracing.model,
				    &tracing.err);
	trace_fini(&arguments->trace);
	if (rc < 0) {
		cli_error(&tracing.err);
		return EXIT_FAILED;
	}
	if (!tracing.printed && filter_is_set(&arguments->filter)) {
		filter_say_unmatched(&arguments->filter, &tracing.model);
		cli_message("%s: no sample matches the filter", arguments->path);
		return EXIT_NO_MATCH;
	}
	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {
		FILTER_OPTIONS, INLINE_OPTIONS, INPUTS_OPTIONS, { 0 }
	};
	static const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.children = children,
		.args_doc = "[FILE]",
		.doc = "Prints the samples of a recording (default: " DEFAULT_RECORDING
		       ") one by one, ordered by time.",
	};
	struct arguments arguments = { .path = DEFAULT_RECORDING, .filter = FILTER_INIT };
	int status = EXIT_USAGE;

	(void)trace_fields_parse(TRACE_FIELDS_DEFAULT, &arguments.trace, NULL);
	if (cli_parse(&argp, argc, argv, 0, &arguments) == 0)
		status = trace(&arguments);
	filter_fini(&arguments.filter);
	return status;
}

const struct command cmd_trace = {
	.name = "trace",
	.summary = "print the samples one by one",
	.run = run,
};
