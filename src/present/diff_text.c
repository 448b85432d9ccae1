/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a comparison for people. */
#include "present/diff.h"

#include <inttypes.h>
#include <math.h>

#include "base/cleanup.h"
#include "present/escape.h"
#include "present/table.h"
#include "present/text.h"

#define FIGURES 5
#define IMAGE_NAME_COLUMNS 20

static size_t width_of(const struct diff_show *show)
{
	return show->style.columns ? show->style.columns : TEXT_COLUMNS;
}

static void print_side(const struct diff_show *show, enum diff_which which, FILE *out)
{
	static const char *const titles[] = { "before", "after" };
	const struct diff_whole *whole = &show->diff->wholes[which];
	const struct diff_span span = diff_span_of(show->diff, which);

	(void)fprintf(out, "%-7s ", titles[which]);
	for (size_t i = 0; i < span.count; i++) {
		(void)fputs(i ? ", " : "", out);
		escape_text(out, show->paths[span.first + i]);
	}
	(void)fprintf(out, ": %" PRIu64 " samples of ", whole->samples);
	escape_text(out, diff_name_text(&show->diff->names, show->diff->event));
	(void)fprintf(out, " in %.3f s", whole->seconds);
	if (whole->idle_samples)
		(void)fprintf(out, " (plus %" PRIu64 " idle)", whole->idle_samples);
	(void)fputc('\n', out);
}

/* ---- values ---- */

static struct diff_format format_of(const struct diff *diff)
{
	return diff_format_of(diff->unit,
			      fmax(diff->total.value[DIFF_BEFORE], diff->total.value[DIFF_AFTER]));
}

#define VALUE_TEXT_MAX 32

/* Returns the value with its unit, written to @text. */
static const char *value_text(const struct diff *diff, double value,
			      char text[static VALUE_TEXT_MAX])
{
	struct diff_format format = format_of(diff);

	(void)snprintf(text, VALUE_TEXT_MAX, "%.*f%s", format.decimals, value * format.factor,
		       format.unit);
	return text;
}

/* ---- the head ---- */

static const char *total_name(const struct diff *diff)
{
	return diff->is_cpu_time ? "CPU time" : diff_name_text(&diff->names, diff->event);
}

static void print_total(const struct diff_show *show, FILE *out)
{
	const struct diff *diff = show->diff;
	const struct diff_figures *total = &diff->total;
	double before = total->value[DIFF_BEFORE];
	char texts[DIFF_SIDES][VALUE_TEXT_MAX];

	if (!diff_unit_is_amount(diff->unit))
		return;
	escape_text(out, total_name(diff));
	if (diff->options.per == DIFF_PER_EVENT) {
		(void)fputs(" per ", out);
		escape_text(out, diff->options.per_event);
	}
	(void)fprintf(out, " %s -> %s", value_text(diff, before, texts[DIFF_BEFORE]),
		      value_text(diff, total->value[DIFF_AFTER], texts[DIFF_AFTER]));
	if (before > 0)
		(void)fprintf(out, ", %+.0f %% [%+.0f, %+.0f]",
			      100 * (total->value[DIFF_AFTER] / before - 1),
			      100 * total->low / before, 100 * total->high / before);
	(void)fprintf(out, ", %s\n", diff_verdict_name(total->verdict));
}

static const char *amount_name(const struct diff *diff)
{
	if (diff->is_cpu_time)
		return "CPU time";
	return diff->unit == DIFF_SECONDS || diff->unit == DIFF_SECONDS_PER_EVENT
		       ? "Time"
		       : "Number of events";
}

static const char *each_what(const struct diff_options *options)
{
	if (options->per == DIFF_PER_RUN)
		return "run";
	return strcmp(options->per_event, DIFF_CALL) == 0 ? "call" : "event";
}

static void write_measure(const struct diff *diff, char *text, size_t size_bytes)
{
	switch (diff->options.per) {
	case DIFF_PER_SHARE:
		(void)snprintf(text, size_bytes, "Shares, and the change in percentage points");
		return;
	case DIFF_PER_SECOND:
		(void)snprintf(text, size_bytes,
			       "CPU time in %% of one CPU, and the change in percentage points");
		return;
	default:
		(void)snprintf(text, size_bytes, "%s for each %s, and the change",
			       amount_name(diff), each_what(&diff->options));
	}
}

/* Writes how the variation from run to run was found. */
static void write_variation(const struct diff *diff, char *text, size_t size_bytes)
{
	const size_t *counts = diff->options.run_counts;

	if (counts[DIFF_BEFORE] > 1 && counts[DIFF_AFTER] > 1)
		(void)snprintf(text, size_bytes,
			       ". Values are means of %zu and %zu recordings, which show how much "
			       "runs differ",
			       counts[DIFF_BEFORE], counts[DIFF_AFTER]);
	else if (diff_has_runs(diff))
		(void)snprintf(text, size_bytes,
			       ". The %zu recordings of %s show how much runs differ; the one of "
			       "%s is assumed to differ as much",
			       counts[DIFF_BEFORE] + counts[DIFF_AFTER] - 1,
			       counts[DIFF_BEFORE] > 1 ? "before" : "after",
			       counts[DIFF_BEFORE] > 1 ? "after" : "before");
	else if (diff_unit_is_amount(diff->unit))
		(void)snprintf(text, size_bytes,
			       ". One run on each side does not show how much runs differ. This is "
			       "assumed to be %.0f %% of each row (standard deviation; kernel code "
			       "%.0f %%) and %.1f %% of the run",
			       100 * RUN_SPREAD, 100 * RUN_SPREAD_KERNEL, 100 * RUN_SPREAD_WHOLE);
}

static void print_legend(const struct diff_show *show, FILE *out)
{
	const struct diff *diff = show->diff;
	char line[1024], measure[128], variation[512] = "";

	write_measure(diff, measure, sizeof(measure));
	write_variation(diff, variation, sizeof(variation));
	(void)snprintf(
		line, sizeof(line),
		"%s; [low, high]: 95 %% interval of the change, for each row alone; "
		"significant: more than chance at the 5 %% level for all %zu rows together%s%s",
		measure, diff->rows.count, variation,
		diff_unit_is_amount(diff->unit)
			? ". A row is significant only if it also changed more than the "
			  "rest of the run"
			: "");
	wrap_text(out, line, 0, width_of(show));
	(void)fputc('\n', out);
}

/* ---- rows ---- */

static void put_figures(struct table *table, const struct diff *diff,
			const struct diff_figures *figures)
{
	double change = figures->value[DIFF_AFTER] - figures->value[DIFF_BEFORE];
	struct diff_format format = format_of(diff);
	double factor = format.factor;
	int decimals = format.decimals;
	char text[VALUE_TEXT_MAX];

	table_cell(table, "%s", value_text(diff, figures->value[DIFF_BEFORE], text));
	table_cell(table, "%s", value_text(diff, figures->value[DIFF_AFTER], text));
	table_cell(table, "%+.*f%s", decimals, factor * change,
		   diff_unit_is_amount(diff->unit) ? format.unit : "");
	if (isfinite(figures->low))
		table_cell(table, "[%+.*f, %+.*f]", decimals, factor * figures->low, decimals,
			   factor * figures->high);
	else
		table_cell(table, "unknown");
	table_name(table, diff_verdict_name(figures->verdict));
}

static int put_row(struct table *table, const struct diff *diff, const struct diff_row *row,
		   const struct diff_labels_shown *labels)
{
	put_figures(table, diff, &row->figures);
	for (size_t i = 0; i < labels->count; i++) {
		_cleanup_free_ char *text = diff_label_text(diff, row, &labels->at[i]);

		if (!text)
			return -ENOMEM;
		table_name(table, text);
	}
	return 0;
}

static void set_columns(const struct diff *diff, const struct diff_labels_shown *labels,
			struct table_column *columns)
{
	columns[0] = (struct table_column)RIGHT("before");
	columns[1] = (struct table_column)RIGHT("after");
	columns[2] = (struct table_column)RIGHT("change");
	columns[3] = (struct table_column)RIGHT("95 % interval");
	columns[4] = (struct table_column)LEFT("verdict");
	for (size_t i = 0; i < labels->count; i++)
		columns[FIGURES + i] = (struct table_column){
			.title = labels->at[i].title,
			.left = true,
			.cut = diff->options.by_stack || labels->at[i].image ? CUT_HEAD : CUT_NAME,
			.max = IMAGE_NAME_COLUMNS,
		};
}

static int print_rows(const struct diff_show *show, FILE *out)
{
	const struct diff *diff = show->diff;
	struct diff_labels_shown labels = diff_labels_shown(&diff->options);
	struct table_column columns[FIGURES + DIFF_LABELS_MAX];
	struct table table = { .columns = columns,
			       .column_count = FIGURES + labels.count,
			       .width = show->style.columns };
	size_t shown = diff_rows_shown(show);
	int rc = 0, printed;

	set_columns(diff, &labels, columns);
	for (size_t i = 0; i < shown; i++) {
		rc = put_row(&table, diff, &diff->rows.at[i], &labels);
		if (rc < 0)
			break;
	}
	printed = table_print(&table, out);
	if (shown < diff->rows.count)
		(void)fprintf(out, "  ... %zu more row%s (%s 0 shows all)\n",
			      diff->rows.count - shown, diff->rows.count - shown == 1 ? "" : "s",
			      show->style.settings->limit);
	return rc < 0 ? rc : printed;
}

static void print_rest(const struct diff_show *show, FILE *out)
{
	const struct diff *diff = show->diff;
	const struct diff_figures *rest = &diff->rest;
	char line[256], texts[DIFF_SIDES][VALUE_TEXT_MAX];

	if (!diff->rest_count)
		return;
	(void)snprintf(line, sizeof(line),
		       "%zu more rows with fewer than %d samples each were not tested one by one; "
		       "together: %s before, %s after, %s",
		       diff->rest_count, INTERVAL_FEW,
		       value_text(diff, rest->value[DIFF_BEFORE], texts[DIFF_BEFORE]),
		       value_text(diff, rest->value[DIFF_AFTER], texts[DIFF_AFTER]),
		       diff_verdict_name(rest->verdict));
	wrap_text(out, line, 0, width_of(show));
	(void)fputc('\n', out);
}

static void print_condition(const struct diff_show *show, size_t index, FILE *out)
{
	const struct diff *diff = show->diff;
	const struct diff_judgement *judgement = &diff->judgements[index];
	const double *value = judgement->figures.value;
	char texts[DIFF_SIDES][VALUE_TEXT_MAX];

	(void)fputs(judgement->holds ? "HOLDS  " : "no     ", out);
	escape_text(out, diff->options.conditions[index].text);
	if (!judgement->matched)
		(void)fputs(": no function of either recording matches\n", out);
	else
		(void)fprintf(out, ": %s before, %s after, p = %.2g\n",
			      value_text(diff, value[DIFF_BEFORE], texts[DIFF_BEFORE]),
			      value_text(diff, value[DIFF_AFTER], texts[DIFF_AFTER]), judgement->p);
}

int diff_as_text(const struct diff_show *show, FILE *out)
{
	int rc;

	print_side(show, DIFF_BEFORE, out);
	print_side(show, DIFF_AFTER, out);
	print_total(show, out);
	print_legend(show, out);
	(void)fputc('\n', out);
	rc = print_rows(show, out);
	print_rest(show, out);
	if (show->diff->options.condition_count)
		(void)fputc('\n', out);
	for (size_t i = 0; i < show->diff->options.condition_count; i++)
		print_condition(show, i, out);
	return rc;
}
