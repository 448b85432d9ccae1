/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/text.h"

#include <inttypes.h>
#include <stdarg.h>

#include "analyze/lookup.h"
#include "present/escape.h"
#include "present/function_note.h"

void text_title(struct text *text, const char *format, ...)
{
	char title[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(title, sizeof(title), format, args);
	va_end(args);
	(void)fprintf(text->out, "\n%s", text->style->palette ? PALETTE_TITLE : "");
	escape_text(text->out, title);
	(void)fprintf(text->out, "%s\n", text->style->palette ? PALETTE_END : "");
	for (size_t i = 0; title[i] && i < 100; i++)
		(void)fputc('-', text->out);
	(void)fputc('\n', text->out);
}

size_t text_columns(const struct text *text)
{
	return text->style->columns ? text->style->columns : text->prose_columns;
}

void text_line(struct text *text, const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	(void)fputs("  ", text->out);
	wrap_text(text->out, line, 2, text_columns(text));
	(void)fputc('\n', text->out);
}

void text_blank(struct text *text)
{
	(void)fputc('\n', text->out);
}

void text_paragraph(struct text *text, const char *line)
{
	wrap_text(text->out, line, 0, text_columns(text));
	(void)fputc('\n', text->out);
}

void text_table(struct text *text, struct table *table)
{
	int rc;

	if (!table->width)
		table->width = text->style->columns;
	table->palette = text->style->palette;
	rc = table_print(table, text->out);
	if (text->rc == 0)
		text->rc = rc;
}

void text_fact(struct text *text, const char *label, const char *value)
{
	(void)fprintf(text->out, "  %-14s", label);
	wrap_text(text->out, value, 16, text_columns(text));
	(void)fputc('\n', text->out);
}

/* Adds a cell with a number of events in a short form, such as 1234 or 56.78M. */
static void cell_events(struct table *table, uint64_t events)
{
	static const char units[] = "kMGTPE";
	double scaled = (double)events;
	size_t unit = 0;

	if (events < 10000) {
		table_cell(table, "%" PRIu64, events);
		return;
	}
	for (scaled /= 1000; scaled >= 1000 && unit + 1 < sizeof(units) - 1; unit++)
		scaled /= 1000;
	table_cell(table, "%.2f%c", scaled, units[unit]);
}

void cell_weight(struct table *table, uint64_t weight, bool is_time)
{
	if (is_time)
		table_cell(table, "%.4f", (double)weight / 1e9);
	else
		cell_events(table, weight);
}

const char *text_legend(const struct count *total, bool by_weight)
{
	if (count_is_exact(total, by_weight))
		return "measured, so shares have no interval";
	return "[low-high]: 95 % confidence; ~: fewer than ten samples";
}

const char *mark_few(uint64_t samples)
{
	return samples < INTERVAL_FEW ? "~" : "";
}

const char *mark_count(const struct count *count, bool by_weight)
{
	return count_is_few(count, by_weight) ? "~" : "";
}

const char *mark_row(const struct group_row *row, bool by_weight)
{
	return group_row_absorbs(row) ? "!" : mark_count(&row->count, by_weight);
}

struct figures figures_of(const struct overview *overview, const struct count *count,
			  const struct count *total)
{
	return (struct figures){
		.count = count,
		.total = total,
		.is_time = overview->is_time,
		.by_weight = overview->by_weight,
		.mark = mark_count(count, overview->by_weight),
	};
}

void cells_share(struct table *table, const struct figures *f)
{
	struct interval interval = count_interval(f->count, f->total, f->by_weight);

	table_cell(table, "%.2f%%", 100 * count_share(f->count, f->total, f->by_weight));
	if (count_is_exact(f->total, f->by_weight))
		table_cell(table, "%s", "");
	else
		table_cell(table, "[%.2f-%.2f]", 100 * interval.low, 100 * interval.high);
}

void cells_of(struct table *table, const struct figures *f)
{
	table_cell(table, "%" PRIu64, f->count->samples);
	cell_weight(table, f->count->weight, f->is_time);
	cells_share(table, f);
	table_mark(table, f->mark);
}

size_t text_rows(const struct text *text, const struct group_row *rows, size_t count, size_t most)
{
	size_t shown = text_limit(text, count, most);
	uint64_t total = 0, hidden = 0;

	for (size_t i = 0; i < count; i++) {
		total += rows[i].count.samples;
		hidden += i >= shown ? rows[i].count.samples : 0;
	}
	while (text->style->brief && shown > TEXT_ROWS_MIN) {
		uint64_t samples = rows[shown - 1].count.samples;

		if (samples >= INTERVAL_FEW || !text_may_hide(hidden + samples, total))
			break;
		hidden += samples;
		shown--;
	}
	return shown;
}

void text_rest(struct text *text, size_t shown, size_t count, uint64_t samples)
{
	if (shown < count)
		(void)fprintf(text->out, TEXT_REST "\n", count - shown,
			      count - shown == 1 ? "" : "s", samples, text->style->settings->limit);
}

void cell_label(struct table *table, const struct profile *profile, enum dimension dimension,
		uint64_t key)
{
	char label[REPORT_LABEL_MAX], scratch[GROUP_IMAGE_NAME_MAX];

	if (dimension == BY_FUNCTION) {
		function_cell(table, profile, key, "", group_function_name(profile, key, scratch),
			      "");
		return;
	}
	group_label(profile, dimension, key, label, sizeof(label));
	table_name(table, label);
	if (dimension == BY_IMAGE)
		table_paint_image(table, key);
	else if (dimension == BY_FUNCTION)
		table_paint_image(table, group_function_image(profile, key));
}

void cells_of_function(struct table *table, const struct profile *profile, uint64_t key)
{
	uint64_t image = group_function_image(profile, key);
	char path[REPORT_LABEL_MAX];

	group_label(profile, BY_IMAGE, image, path, sizeof(path));
	table_name(table, file_name(path));
	table_paint_image(table, image);
	cell_label(table, profile, BY_FUNCTION, key);
}

void text_functions(struct text *text, const struct function_rows *functions)
{
	const struct overview *o = text->overview;
	const struct table_column columns[] = {
		RIGHT("hits"),	  RIGHT(text_weight_title(o)),
		RIGHT("share"),	  RIGHT("95 % interval"),
		LEFT(""),	  PATH("image", IMAGE_COLUMNS),
		LEFT("function"),
	};
	struct table cells = { .columns = columns, .column_count = 7 };
	size_t shown = text_rows(text, functions->rows, functions->count, functions->most);
	uint64_t rest = 0;

	for (size_t i = 0; i < shown; i++) {
		const struct group_row *row = &functions->rows[i];
		struct figures figures = figures_of(o, &row->count, functions->total);

		figures.mark = mark_row(row, o->by_weight);
		cells_of(&cells, &figures);
		cells_of_function(&cells, o->profile, row->key[functions->key]);
	}
	for (size_t i = shown; i < functions->count; i++)
		rest += functions->rows[i].count.samples;
	text_table(text, &cells);
	text_rest(text, shown, functions->count, rest);
}

void text_function_table(struct text *text, const struct group_table *table)
{
	text_functions(text, &(struct function_rows){ .rows = table->rows.at,
						      .count = table->rows.count,
						      .total = &table->total,
						      .most = TEXT_ROWS });
}
