/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints counters for people. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "present/escape.h"
#include "present/stat.h"
#include "present/table.h"

#define NS_PER_SECOND 1e9
#define RATIO_MAX 80
#define SMALL_MEAN 1000	/* means below this are shown with decimals */
#define COUNT_LARGEST 9e18	/* larger values are not converted to 64-bit integers */

/* Formats a number with grouped digits, such as "1,234,567". */
static void put_grouped(uint64_t count, char ret_text[static STAT_FIGURE_MAX])
{
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count), used = 0;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			ret_text[used++] = ',';
		ret_text[used++] = digits[i];
	}
	ret_text[used] = '\0';
}

void stat_figure(double value, const char *unit, char ret_text[static STAT_FIGURE_MAX])
{
	if (!isfinite(value))
		(void)snprintf(ret_text, STAT_FIGURE_MAX, "not counted");
	else if (strcmp(unit, "events") != 0 && strcmp(unit, "ns") != 0)
		(void)snprintf(ret_text, STAT_FIGURE_MAX, "%.*f %.40s",
			       fabs(value) < SMALL_MEAN ? 3 : 0, value, unit);
	else if (strcmp(unit, "ns") == 0)
		(void)snprintf(ret_text, STAT_FIGURE_MAX, "%.6f s", value / NS_PER_SECOND);
	else if (value < 0 || value > COUNT_LARGEST)
		(void)snprintf(ret_text, STAT_FIGURE_MAX, "%.6g", value);
	else if (value < SMALL_MEAN && value != rint(value))
		(void)snprintf(ret_text, STAT_FIGURE_MAX, "%.2f", value);
	else
		put_grouped((uint64_t)llround(value), ret_text);
}

/*
 * Formats half the width of the confidence interval as a percentage of the mean, or in @unit if the
 * mean is not positive.
 */
static void put_half_width(const struct spread *spread, const char *unit,
			   char ret_text[static STAT_FIGURE_MAX])
{
	char figure[STAT_FIGURE_MAX];

	if (!isfinite(spread->half_width)) {
		ret_text[0] = '\0';
		return;
	}
	stat_figure(spread->half_width, unit, figure);
	if (spread->mean > 0)
		(void)snprintf(ret_text, STAT_FIGURE_MAX, "%.2f%%",
			       100 * spread->half_width / spread->mean);
	else
		(void)snprintf(ret_text, STAT_FIGURE_MAX, "%.40s", figure);
}

static void put_ratio(const struct counter_row *row, char ret_text[static RATIO_MAX])
{
	const struct spread *spread = &row->ratio_spread;
	const char *unit = row->ratio.unit == RATIO_PERCENT ? "%" : "";
	char width[24] = "";

	ret_text[0] = '\0';
	if (!row->has_ratio || !(row->spread.mean > 0))
		return;
	if (isfinite(spread->half_width))
		(void)snprintf(width, sizeof(width), " +- %.3g", spread->half_width);
	(void)snprintf(ret_text, RATIO_MAX, "%.*f%s%s %s",
		       row->ratio.unit == RATIO_PER_SECOND ? 1 : 3, spread->mean, width, unit,
		       row->ratio.phrase);
}

/*
 * If the counter did not run all the time, formats the share of the time during which it ran, such
 * as "12.5%". If on some CPUs or threads the counter never ran or could not be read, adds "in
 * part". In all other cases the text is "".
 */
static void put_counted(const struct counter_row *row, char ret_text[static STAT_FIGURE_MAX])
{
	ret_text[0] = '\0';
	if (row->scaled)
		(void)snprintf(ret_text, STAT_FIGURE_MAX, "%.1f%%%s", 100 * row->counted_share,
			       row->partial ? " (in part)" : "");
	else if (row->partial)
		(void)snprintf(ret_text, STAT_FIGURE_MAX, "in part");
}

/* The columns of the table. */
struct layout {
	bool places, runs, scaled, partial;
	struct table_column columns[7];
	size_t count;
};

static void find_marks(const struct counter_table *table, struct layout *layout)
{
	for (size_t i = 0; i < table->values.count; i++) {
		layout->scaled |= table->values.at[i].scaled;
		layout->partial |= table->values.at[i].partial;
	}
}

static void lay_out(const struct stat_show *show, struct layout *layout)
{
	*layout = (struct layout){
		.places = show->places != NULL,
		.runs = show->table->run_count > 1,
	};
	find_marks(show->table, layout);
	if (layout->places)
		layout->columns[layout->count++] = (struct table_column)LEFT("where");
	layout->columns[layout->count++] = (struct table_column)RIGHT(layout->runs ? "mean"
										   : "count");
	if (layout->runs) {
		layout->columns[layout->count++] = (struct table_column)RIGHT("95 % +-");
		layout->columns[layout->count++] = (struct table_column)RIGHT("deviation");
	}
	layout->columns[layout->count++] = (struct table_column)LEFT("event");
	if (layout->scaled || layout->partial)
		layout->columns[layout->count++] = (struct table_column)LEFT("counted");
	layout->columns[layout->count++] = (struct table_column)LEFT("");
}

static void put_row(struct table *table, const struct layout *layout, const struct stat_show *show,
		    const struct counter_row *row, size_t kind)
{
	const char *unit = counter_kind_unit(&show->table->kinds[kind]);
	char figure[STAT_FIGURE_MAX], ratio[RATIO_MAX];

	stat_figure(row->spread.mean, unit, figure);
	table_cell(table, "%s%s", row->scaled && isfinite(row->spread.mean) ? "~" : "", figure);
	if (layout->runs) {
		put_half_width(&row->spread, unit, figure);
		table_cell(table, "%s", figure);
		figure[0] = '\0';
		if (isfinite(row->spread.deviation))
			stat_figure(row->spread.deviation, unit, figure);
		table_cell(table, "%s", figure);
	}
	table_name(table, show->events[kind]);
	if (layout->scaled || layout->partial) {
		put_counted(row, figure);
		table_cell(table, "%s", figure);
	}
	put_ratio(row, ratio);
	table_cell(table, "%s", ratio);
}

static int put_rows(struct table *table, const struct layout *layout, const struct stat_show *show)
{
	for (size_t place = 0; place < show->table->place_count; place++)
		for (size_t kind = 0; kind < show->table->kind_count; kind++) {
			struct counter_row row;
			int rc;

			if (!stat_shows(show, place, kind))
				continue;
			if (layout->places)
				table_name(table, kind < show->table->event_count
							  ? show->places[place]
							  : "");
			rc = counter_table_row(show->table, place, kind, &row);
			if (rc < 0)
				return rc;
			put_row(table, layout, show, &row, kind);
		}
	return 0;
}

int stat_as_text(const struct stat_show *show, FILE *out)
{
	struct layout layout;
	struct table table = { 0 };
	int rc, printed;

	lay_out(show, &layout);
	table.columns = layout.columns;
	table.column_count = layout.count;
	rc = put_rows(&table, &layout, show);
	printed = table_print(&table, out);
	if (layout.scaled)
		(void)fputs("~: estimated for the whole time, because the event was counted "
			    "only part of the time\n",
			    out);
	if (layout.partial)
		(void)fputs("in part: the event was not counted everywhere it was requested\n",
			    out);
	return rc < 0 ? rc : printed;
}

int stat_interval_as_text(const struct stat_show *show, FILE *out)
{
	for (size_t place = 0; place < show->table->place_count; place++)
		for (size_t kind = 0; kind < show->table->event_count; kind++) {
			char figure[STAT_FIGURE_MAX], counted[STAT_FIGURE_MAX], ratio[RATIO_MAX];
			struct counter_row row;
			int rc = counter_table_row(show->table, place, kind, &row);

			if (rc < 0)
				return rc;
			stat_figure(row.spread.mean, counter_kind_unit(&show->table->kinds[kind]),
				    figure);
			put_counted(&row, counted);
			put_ratio(&row, ratio);
			(void)fprintf(out, "%12.3f  ", show->time_seconds);
			if (show->places) {
				escape_text(out, show->places[place]);
				(void)fputs("  ", out);
			}
			(void)fprintf(out, "%s%16s  ", row.scaled ? "~" : " ", figure);
			escape_text(out, show->events[kind]);
			(void)fprintf(out, "%s%s%s%s\n", *ratio ? "  " : "", ratio,
				      *counted ? "  counted " : "", counted);
		}
	return 0;
}
