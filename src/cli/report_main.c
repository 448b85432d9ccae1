/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/report_main.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/advice_lines.h"
#include "cli/block_code.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/metric_options.h"
#include "cli/pager.h"
#include "cli/say_losses.h"
#include "cli/symbolize_now.h"
#include "present/report_wall.h"
#include "present/report_waits.h"
#include "present/spans_recorded.h"

#define SLICES_MAX 40		/* maximum number of rows with --by time */
#define NEXT_MAX 4096		/* bytes of the sentence that names the next commands */
/* maximum number of profiles if the user gave no limit and no minimum share */
#define PROFILES_MAX 3

struct report {
	struct recording *recording;
	struct model model;
	struct metric metric;
	struct profile profile;
	struct overview overview;
	struct group_table table;
	struct wall wall;
	struct wait_chains waits;
	struct spans_recorded spans;
	struct advice_lines advice;
	struct palette palette;
	char next[NEXT_MAX];
	struct code_blocks blocks;
	struct err err;
};

void report_options_fini(struct report_options *options)
{
	filter_fini(&options->filter);
}

static void report_fini(struct report *report)
{
	overview_fini(&report->overview);
	group_table_fini(&report->table);
	wall_fini(&report->wall);
	wait_chains_fini(&report->waits);
	spans_recorded_fini(&report->spans);
	advice_lines_fini(&report->advice);
	palette_fini(&report->palette);
	profile_fini(&report->profile);
	metric_fini(&report->metric);
	code_blocks_fini(&report->blocks);
	model_fini(&report->model);
	recording_close(report->recording);
}

/* Returns the length of the selected part of the run, or 0 if it is unknown. */
static uint64_t range_ns(const struct model *model, const struct filter *filter)
{
	uint64_t start_ns = model_fact_u64(model, FACT_START_NS);
	uint64_t end_ns = model_fact_u64(model, FACT_END_NS);
	uint64_t run_ns = start_ns && end_ns > start_ns ? end_ns - start_ns : 0;
	uint64_t to_ns = filter->to_ns < run_ns ? filter->to_ns : run_ns;

	return to_ns > filter->from_ns ? to_ns - filter->from_ns : 0;
}

/*
 * Returns the length of the time slice that each row of --by time covers, in ns. If the user did
 * not choose it, it is the shortest of 1, 2, 5, 10, 20, ... ms that splits the selected part of the
 * run into at most SLICES_MAX slices. If the duration of the run is unknown, it is one second.
 */
static uint64_t slice_ns(const struct model *model, const struct report_options *options)
{
	static const uint64_t steps[] = { 1, 2, 5 };
	uint64_t scale = NS_PER_MSEC, length_ns = range_ns(model, &options->filter);

	if (options->step_ns)
		return options->step_ns;
	if (!length_ns)
		return NS_PER_SEC;
	for (;; scale *= 10)
		for (size_t i = 0; i < 3; i++)
			if (length_ns / (scale * steps[i]) < SLICES_MAX)
				return scale * steps[i];
}

static const struct filter *filter_of(const struct report_options *options)
{
	return filter_is_set(&options->filter) ? &options->filter : NULL;
}

static bool shows_overview(const struct report_options *options)
{
	return !options->by_count && options->print.format != REPORT_CSV;
}

/* JSON has the data of both the first screen and the full report. */
static bool shows_first_screen(const struct report_options *options)
{
	uint32_t sections = options->style.sections;

	return options->print.format == REPORT_JSON || !sections ||
	       (sections & SECTIONS_FIRST_SCREEN);
}

/* Refuses a table by fields of samples if the recording does not have them. */
static int check_fields(const struct report *report, const char *path, const uint64_t *masks,
			struct err *err)
{
	static const char *const names[FIELD_COUNT] = {
		[FIELD_DATA_ADDRESS] = "data addresses",
		[FIELD_DATA_SOURCE] = "data sources",
		[FIELD_LATENCY] = "latencies",
	};

	for (enum sample_field i = 0; i < FIELD_COUNT; i++)
		if (masks[i] && sample_field_column(&report->model, i) == FIELD_NO_COLUMN)
			return err_set(err, -ENODATA,
				       "%s: samples have no %s; record --data-address stores them "
				       "if the event has them",
				       path, names[i]);
	return 0;
}

static int read_profile(struct report *report, const char *path,
			const struct report_options *options)
{
	const struct metric_options metric = { .filter = &options->filter };
	struct profile_options wanted = {
		.filter = filter_of(options),
		.by_address = dimensions_have(options->by, options->by_count, BY_ADDRESS) ||
			      dimensions_have(options->by, options->by_count, BY_LINE) ||
			      dimensions_have(options->by, options->by_count, BY_BLOCK),
		.inlined = options->filter.inlined,
		.by_cpu = dimensions_have(options->by, options->by_count, BY_CPU),
		.by_stack = shows_overview(options) && shows_first_screen(options),
	};
	int rc;

	dimensions_field_masks(options->by, options->by_count, wanted.field_masks);
	rc = check_fields(report, path, wanted.field_masks, &report->err);
	if (rc < 0)
		return rc;
	if (dimensions_have(options->by, options->by_count, BY_TIME)) {
		wanted.slice_ns = slice_ns(&report->model, options);
		wanted.slice_from_ns = options->filter.from_ns;
	}
	/* A table by event shows each event by itself. */
	if (metric.filter->wall || !dimensions_have(options->by, options->by_count, BY_EVENT)) {
		rc = cli_metric_make(path, report->recording, &report->model, &metric,
				     &report->metric, &report->err);
		if (rc < 0)
			return rc;
		wanted.metric = &report->metric;
	}
	return profile_read(report->recording, &report->model, &wanted, &report->profile,
			    &report->err);
}

static enum dimension wall_by(const struct report_options *options)
{
	return options->by_count ? options->by[0] : BY_PROCESS;
}

/* By process and by thread, the parts of wall time have tables of their own. */
static bool shows_parts(const struct report_options *options)
{
	if (!options->filter.wall)
		return false;
	return options->by_count == 0 || (options->by_count == 1 && (options->by[0] == BY_PROCESS ||
								     options->by[0] == BY_THREAD));
}

static int read_waits(struct report *report, const char *path, const struct report_options *options)
{
	int rc = wait_chains_read(report->recording, &report->model, filter_of(options),
				  &report->waits, &report->err);

	if (rc == -ENODATA)
		return err_set(&report->err, rc,
			       "%s: no waits were recorded; record with --off-cpu-wakers", path);
	return rc;
}

/* The first screen shows where threads waited, if that was recorded. */
static int read_wait_places(struct report *report, const struct report_options *options)
{
	int rc;

	if (!shows_overview(options) || !shows_first_screen(options))
		return 0;
	rc = wait_places_read(report->recording, &report->model, filter_of(options), &report->waits,
			      &report->err);
	return rc == -ENODATA ? 0 : rc;
}

static bool has_slow_calls(const struct model *model)
{
	for (size_t i = 0; i < model->spans.rows.count; i++)
		if (model->spans.rows.at[i].slow_ns)
			return true;
	return false;
}

static int read_spans(struct report *report, const char *path, const struct report_options *options)
{
	_cleanup_(span_slow_fini) struct span_slow_list slow = { 0 };
	int rc = 0;

	if (!report->model.spans.rows.count)
		return err_set(&report->err, -ENODATA,
			       "%s: no calls were measured; record --stopwatch does that", path);
	if (has_slow_calls(&report->model))
		rc = span_slow_read(report->recording, &report->model, &slow, &report->err);
	if (rc < 0)
		return rc;
	if (spans_recorded_make(&report->model, &options->filter, &slow, &report->spans) < 0)
		return err_sys(&report->err, -ENOMEM, "%s", path);
	return 0;
}

static int read_samples(struct report *report, const char *path,
			const struct report_options *options)
{
	int rc;

	if (options->waits)
		return read_waits(report, path, options);
	if (options->stopwatch)
		return read_spans(report, path, options);
	if (shows_parts(options))
		return wall_read(report->recording, &report->model, filter_of(options),
				 wall_by(options), &report->wall, &report->err);
	rc = read_profile(report, path, options);
	if (rc == 0)
		rc = read_wait_places(report, options);
	if (rc < 0 || !dimensions_have(options->by, options->by_count, BY_BLOCK))
		return rc;
	rc = block_code_read(report->recording, &report->profile, options->vmlinux, &report->blocks,
			     &report->err);
	if (rc < 0)
		return rc;
	report->profile.blocks = &report->blocks;
	return 0;
}

bool report_options_check(const struct report_options *options)
{
	struct err err = { 0 };

	if (!shows_parts(options) || wall_check_filter(filter_of(options), &err) == 0)
		return true;
	cli_error(&err);
	return false;
}

/* ---- printing ---- */

static struct report_style style_of(const struct report *report,
				    const struct report_options *options)
{
	struct report_style style = options->style;
	bool all_slices = options->by_count && options->by[0] == BY_TIME;

	style.brief = !options->limit_given;
	if (!options->limit_given && (options->print.format != REPORT_TEXT || all_slices))
		style.limit = 0;
	if (!options->min_percent_given && !options->limit_given)
		style.profiles = PROFILES_MAX;
	style.columns = pager_columns(fileno(options->out));
	style.settings = &option_names;
	if (color_wanted(options->color, fileno(options->out)))
		style.palette = &report->palette;
	return style;
}

/*
 * Returns the selection of samples for a table. Idle samples are selected only if the table has
 * rows by context, or if the filter selects contexts.
 */
static struct group_selection selection_of(const struct report *report,
					   const struct report_options *options,
					   const enum dimension *by, size_t by_count)
{
	bool wants_idle = options->filter.contexts || dimensions_have(by, by_count, BY_CONTEXT);

	return (struct group_selection){
		.event = dimensions_have(by, by_count, BY_EVENT)
				 ? GROUP_EVENT_ANY
				 : profile_first_event(&report->profile),
		.contexts = wants_idle ? GROUP_CONTEXTS_ALL : GROUP_CONTEXTS_BUSY,
	};
}

static int print_table(struct report *report, const struct report_options *options,
		       const struct report_style *style)
{
	static int (*const printers[])(const struct profile *, const struct group_table *,
				       const struct report_style *, FILE *) = {
		[REPORT_TEXT] = table_as_text,
		[REPORT_JSON] = table_as_json,
		[REPORT_CSV] = table_as_csv,
	};
	static const enum dimension flat[] = { BY_PROCESS, BY_IMAGE, BY_FUNCTION };
	const enum dimension *by = options->by_count ? options->by : flat;
	size_t by_count = options->by_count ? options->by_count : sizeof(flat) / sizeof(flat[0]);
	struct group_selection selection = selection_of(report, options, by, by_count);
	int rc = group_hits(&report->profile, by, by_count, group_is_selected, &selection,
			    &report->table);

	if (rc < 0)
		return rc;
	if (by[0] == BY_TIME || by[0] == BY_CPU)
		group_sort_by_first_key(&report->table);
	else
		group_sort_by_rank(&report->table);
	return printers[options->print.format](&report->profile, &report->table, style,
					       options->out);
}

/* Returns the minimum share of an owner that gets a profile, in percent. */
static double profile_minimum(const struct report_options *options)
{
	bool is_json = options->print.format == REPORT_JSON;
	bool has_profiles = options->style.sections & UINT32_C(1) << SECTION_PROFILES;

	if (!is_json && !has_profiles)
		return OVERVIEW_NO_PROFILES;
	return is_json && !options->min_percent_given ? 0 : options->min_percent;
}

static void name_next(struct report *report, const char *path)
{
	const char *file = strcmp(path, DEFAULT_RECORDING) == 0 ? "" : path;
	const char *gap = *file ? " " : "";

	(void)snprintf(report->next, sizeof(report->next),
		       "More: assay tree%s%s (who called what), assay flame%s%s, assay report "
		       "--full%s%s",
		       gap, file, gap, file, gap, file);
}

static int print_overview(struct report *report, const char *path,
			  const struct report_options *options, const struct report_style *style)
{
	struct report_style with_advice = *style;
	struct advices advices;
	int rc = overview_make(&report->profile, profile_first_event(&report->profile),
			       profile_minimum(options), &report->overview);

	if (rc < 0)
		return rc;
	if (report->waits.rows.count)
		report->overview.waits = &report->waits;
	rc = advise(&report->profile, &report->overview.health, &report->overview.account,
		    &advices);
	if (rc == 0)
		rc = advice_lines_word(&advices, &report->model, path, &report->advice);
	if (rc < 0)
		return rc;
	with_advice.advice = &report->advice;
	with_advice.next = report->next;
	name_next(report, path);
	if (options->print.format == REPORT_JSON)
		return report_json(&report->overview, &with_advice, options->out);
	return report_text(&report->overview, &with_advice, options->out);
}

static int print_waits(struct report *report, const struct report_options *options,
		       const struct report_style *style)
{
	static int (*const printers[])(const struct wait_chains *, const struct report_style *,
				       FILE *) = {
		[REPORT_TEXT] = waits_as_text,
		[REPORT_JSON] = waits_as_json,
		[REPORT_CSV] = waits_as_csv,
	};

	return printers[options->print.format](&report->waits, style, options->out);
}

static int print_wall(struct report *report, const struct report_options *options,
		      const struct report_style *style)
{
	static int (*const printers[])(const struct model *, const struct wall *,
				       const struct report_style *, FILE *) = {
		[REPORT_TEXT] = wall_as_text,
		[REPORT_JSON] = wall_as_json,
		[REPORT_CSV] = wall_as_csv,
	};

	return printers[options->print.format](&report->model, &report->wall, style, options->out);
}

static int print_spans(struct report *report, const struct report_options *options,
		       const struct report_style *style)
{
	static const enum spans_format formats[] = {
		[REPORT_TEXT] = SPANS_TEXT,
		[REPORT_JSON] = SPANS_JSON,
		[REPORT_CSV] = SPANS_CSV,
	};
	struct spans_print print = {
		.format = formats[options->print.format],
		.limit = style->limit,
		.width = style->columns,
	};
	const struct spans_show show = {
		.rows = report->spans.rows.at,
		.row_count = report->spans.rows.count,
		.time_seconds = (double)range_ns(&report->model, &options->filter) / NS_PER_SEC,
	};
	int rc;

	spans_recorded_describe(&report->spans, &print);
	spans_begin(&print, options->out);
	rc = spans_print(&print, &show);
	spans_end(&print);
	return rc;
}

static int print(struct report *report, const char *path, const struct report_options *options)
{
	/*
	 * Compute the style before the pager starts: the style includes the terminal's width, which
	 * is read from the terminal, and the pager replaces stdout.
	 */
	const struct report_style style = style_of(report, options);
	struct pager pager;
	int rc = 0;

	/* The parts of wall time and the waits have no samples, and so no profile. */
	if (report->profile.model)
		rc = palette_make(&report->profile, profile_first_event(&report->profile),
				  &report->palette);
	if (rc < 0)
		return err_sys(&report->err, rc, "report");
	pager_start(&pager, options->print.format == REPORT_TEXT && !options->print.no_pager);
	if (options->waits)
		rc = print_waits(report, options, &style);
	else if (options->stopwatch)
		rc = print_spans(report, options, &style);
	else if (shows_parts(options))
		rc = print_wall(report, options, &style);
	else if (options->by_count || options->print.format == REPORT_CSV)
		rc = print_table(report, options, &style);
	else
		rc = print_overview(report, path, options, &style);
	pager_end(&pager);
	if (rc < 0)
		return err_sys(&report->err, rc, "report");
	return 0;
}

static bool nothing_passed(const struct report *report, const struct report_options *options)
{
	const struct profile *profile = &report->profile;
	uint64_t samples = 0;

	if (options->waits)
		return filter_of(options) && !report->waits.rows.at[0].waits;
	if (options->stopwatch)
		return !report->spans.rows.count;
	if (shows_parts(options))
		return filter_of(options) && !report->wall.rows.count;
	for (size_t i = 0; i < 256; i++)
		samples += profile->total_samples[i];
	return profile->filtered && !samples;
}

/* The sections trust and losses have the same figures, and more of them. */
static bool screen_says_losses(const struct report_options *options)
{
	const uint32_t says = UINT32_C(1) << SECTION_TRUST | UINT32_C(1) << SECTION_LOSSES;
	uint32_t sections = options->style.sections;

	if (options->waits || options->stopwatch || shows_parts(options) ||
	    !shows_overview(options))
		return false;
	return options->print.format == REPORT_TEXT && (!sections || (sections & says));
}

static int load(struct report *report, const char *path, const struct report_options *options)
{
	bool lines = options->filter.inlined ||
		     dimensions_have(options->by, options->by_count, BY_LINE);
	int rc = (lines ? cli_load_with_lines : cli_load_recording)(path, &report->recording,
								    &report->model, &report->err);

	if (rc < 0)
		return rc;
	rc = read_samples(report, path, options);
	if (rc < 0)
		return rc;
	rc = (screen_says_losses(options)
		      ? cli_count_kept(report->recording, &report->model, &report->err)
		      : cli_say_losses(path, report->recording, &report->model, &report->err));
	if (rc < 0)
		return rc;
	/*
	 * Close the recording before the pager starts, because the user may leave the pager open
	 * for a long time. As long as the recording is open here, a recorder that is still running
	 * cannot move its journal into the file.
	 */
	recording_close(TAKE_PTR(report->recording));
	return 0;
}

int report_print(const char *path, const struct report_options *options)
{
	_cleanup_(report_fini) struct report report = { 0 };

	if (load(&report, path, options) < 0) {
		cli_error(&report.err);
		return EXIT_FAILED;
	}
	if (nothing_passed(&report, options)) {
		filter_say_unmatched(&options->filter, &report.model);
		cli_message("%s: no sample matches the filter", path);
		return EXIT_NO_MATCH;
	}
	filter_say_doubts(&options->filter, &report.model);
	if (options->waits && !report.waits.has_wakers && report.waits.rows.at[0].waits)
		cli_message("%s: who ended the waits was not recorded; record with "
			    "--off-cpu-wakers",
			    path);
	if (print(&report, path, options) < 0) {
		cli_error(&report.err);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}
