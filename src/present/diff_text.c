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

	(void)fprintf(out, "%-7s ", titles[which]);
	escape_text(out, show->paths[which]);
	(void)fprintf(out, ": %" PRIu64 " samples of ", whole->samples);
	escape_text(out, diff_name_text(&show->diff->names, show->diff->event));
	(void)fprintf(out, " in %.3f s", whole->seconds);
	if (whole->idle_samples)
		(void)fprintf(out, " (plus %" PRIu64 " idle)", whole->idle_samples);
	(void)fputc('\n', out);
}

static void print_legend(const struct diff_show *show, FILE *out)
{
	char line[512];

	(void)snprintf(
		line, sizeof(line),
		"%s, and the change in percentage points; [low, high]: 95 %% interval of the "
		"change, for each row alone; significant: more than chance at the 5 %% level "
		"for all %zu rows together",
		show->diff->options.per == DIFF_PER_WALL ? "CPU time in % of one CPU" : "Shares",
		show->diff->rows.count);
	wrap_text(out, line, 0, width_of(show));
	(void)fputc('\n', out);
}

static void put_figures(struct table *table, const struct diff_figures *figures)
{
	double change = figures->value[DIFF_AFTER] - figures->value[DIFF_BEFORE];

	table_cell(table, "%.2f%%", 100 * figures->value[DIFF_BEFORE]);
	table_cell(table, "%.2f%%", 100 * figures->value[DIFF_AFTER]);
	table_cell(table, "%+.2f", 100 * change);
	if (isfinite(figures->low))
		table_cell(table, "[%+.2f, %+.2f]", 100 * figures->low, 100 * figures->high);
	else
		table_cell(table, "unknown");
	table_name(table, diff_verdict_name(figures->verdict));
}

static int put_row(struct table *table, const struct diff *diff, const struct diff_row *row,
		   const struct diff_labels_shown *labels)
{
	put_figures(table, &row->figures);
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
	char line[256];

	if (!diff->rest_count)
		return;
	(void)snprintf(line, sizeof(line),
		       "%zu more rows with fewer than %d samples each were not tested one by one; "
		       "together: %.2f%% before, %.2f%% after, %s",
		       diff->rest_count, INTERVAL_FEW, 100 * rest->value[DIFF_BEFORE],
		       100 * rest->value[DIFF_AFTER], diff_verdict_name(rest->verdict));
	wrap_text(out, line, 0, width_of(show));
	(void)fputc('\n', out);
}

static void print_condition(const struct diff_show *show, size_t index, FILE *out)
{
	const struct diff_judgement *judgement = &show->diff->judgements[index];
	const struct diff_figures *figures = &judgement->figures;

	(void)fputs(judgement->holds ? "HOLDS  " : "no     ", out);
	escape_text(out, show->diff->options.conditions[index].text);
	if (!judgement->matched)
		(void)fputs(": no function of either recording matches\n", out);
	else
		(void)fprintf(out, ": %.2f%% before, %.2f%% after, p = %.2g\n",
			      100 * figures->value[DIFF_BEFORE], 100 * figures->value[DIFF_AFTER],
			      judgement->p);
}

int diff_as_text(const struct diff_show *show, FILE *out)
{
	int rc;

	print_side(show, DIFF_BEFORE, out);
	print_side(show, DIFF_AFTER, out);
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
