/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/stopwatch_record.h"

#include "cli/command.h"
#include "cli/report_main.h"
#include "cli/rights.h"
#include "cli/talk.h"

/* All lists are borrowed. */
static void fill(struct record_arguments *record, const struct stopwatch_arguments *arguments)
{
	const struct stopwatch_session_options *options = &arguments->options;

	record->ids = arguments->ids;
	record->points = arguments->points;
	record->quiet = arguments->quiet;
	record->system_wide = arguments->system_wide ||
			      (!arguments->ids.list.count && !options->command);
	record->options.output = arguments->output;
	record->options.command = options->command;
	record->options.max_overhead_percent = options->max_overhead_percent;
	record->options.duration_ms = options->duration_ms;
	record->options.spans = arguments->records;
	record->options.spans.return_probes = options->return_probes;
	record->options.spans.counters = options->counters;
	record->options.spans.interrupts = options->interrupts;
	record->options.spans.measure = options->measure;
	record->options.spans.value = options->argument;
	record->options.capture.off_cpu = true;
	if (arguments->ids.list.count)
		record->options.capture.target = TARGET_PROCESSES;
}

static int print(const struct stopwatch_arguments *arguments)
{
	static const enum report_format formats[] = {
		[SPANS_TEXT] = REPORT_TEXT,
		[SPANS_JSON] = REPORT_JSON,
		[SPANS_CSV] = REPORT_CSV,
	};
	struct report_options report = REPORT_OPTIONS_INIT;
	int status;

	report.stopwatch = true;
	report.print.format = formats[arguments->format];
	report.print.no_pager = true;
	report.style.limit = arguments->limit;
	report.limit_given = true;
	status = report_print(arguments->output, &report);
	report_options_fini(&report);
	return status;
}

static void tell_how_to_go_on(const struct stopwatch_arguments *arguments)
{
	if (arguments->has_slow)
		cli_message("what slow calls do: assay diff --wall --span fast:slow %s",
			    arguments->output);
	if (arguments->records.every)
		cli_message("all calls in order: assay trace --event 'span:*' --fields "
			    "time,cpu,comm,tid,event,weight,counters %s",
			    arguments->output);
}

int stopwatch_record(const struct stopwatch_arguments *arguments)
{
	struct record_arguments record = { 0 };
	struct record_outcome outcome;
	struct err err = { 0 };
	struct talk talk;
	int status;

	fill(&record, arguments);
	if (record_arguments_settle(&record, &err) < 0) {
		cli_error(&err);
		return EXIT_USAGE;
	}
	talk_init(&talk, arguments->quiet, !record.options.command || record.system_wide);
	talk_how_to_end(&record.options, arguments->quiet);
	record.options.guard = rights_guard_new();
	outcome = record_session(&record.options, &talk.listener, NULL);
	talk_error(&talk, &outcome);
	status = talk_exit_status(&outcome);
	if (!outcome.have_recording || print(arguments) != EXIT_OK)
		return status ? status : EXIT_FAILED;
	if (!arguments->quiet)
		tell_how_to_go_on(arguments);
	return status;
}
