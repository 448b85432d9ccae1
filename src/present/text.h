/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - shared by the sections of the text report
 *
 * Private to present/. There is one file per section. Each function gets a struct text and prints
 * its section, or nothing if the section is empty.
 */
#ifndef ASSAY_PRESENT_TEXT_H
#define ASSAY_PRESENT_TEXT_H

#include <inttypes.h>

#include "present/report.h"
#include "present/table.h"

struct text {
	const struct overview *overview;
	const struct report_style *style;
	FILE *out;
	size_t prose_columns;	/* width of prose if the output is not a terminal */
	size_t rows;		/* number of rows that a table of the first screen may have */
	int rc;			/* first error that occurred while printing a table */
};

#define TEXT_COLUMNS 100	/* default of text.prose_columns */
#define TEXT_ROWS 20		/* maximum number of rows per table in a brief report */
#define TEXT_ROWS_MIN 3
#define IMAGE_COLUMNS 16	/* maximum width of an image's file name (without directories) */

/*
 * text_title() prints "\nTitle\n-----\n". text_line() prints a paragraph of prose, indented and
 * wrapped.
 */
void text_title(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_line(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints an empty line. */
void text_blank(struct text *text);

/* Prints a paragraph of prose, wrapped and not indented. */
void text_paragraph(struct text *text, const char *line);

/* Prints the table. Its width is table->width, or the terminal's width if table->width is 0. */
void text_table(struct text *text, struct table *table);

/* Returns the width of prose: that of the terminal, or text->prose_columns. */
size_t text_columns(const struct text *text);

/* Prints one line of a list: "label   value". The values of all lines are aligned. */
void text_fact(struct text *text, const char *label, const char *value);

/*
 * The numbers of one table row. cells_of() adds them as cells: hits, weight, share of @total, its
 * interval, and a mark.
 */
struct figures {
	const struct count *count, *total;
	bool is_time, by_weight;
	const char *mark;
};
void cells_of(struct table *table, const struct figures *figures);
struct figures figures_of(const struct overview *overview, const struct count *count,
			  const struct count *total);
/* Writes the event of the overview and its rate, such as "cpu-clock at 999 Hz". */
void text_event(const struct text *text, char *line, size_t size_bytes);

/* Adds only the cells of the share and its interval. */
void cells_share(struct table *table, const struct figures *figures);

/* Returns the legend of a table of shares of @total: what intervals and marks mean. */
const char *text_legend(const struct count *total, bool by_weight);

/* Return "~" if there are only a few samples (count_is_few()), otherwise "". */
const char *mark_few(uint64_t samples);
const char *mark_count(const struct count *count, bool by_weight);
/* Returns the row's mark: "!", "~" or "". */
const char *mark_row(const struct group_row *row, bool by_weight);
void cell_weight(struct table *table, uint64_t weight, bool is_time);

/* Rows of a table that is grouped by function (the last key is BY_FUNCTION). */
struct function_rows {
	const struct group_row *rows;
	/* @count: number of rows; @key: index of BY_FUNCTION among the keys */
	size_t count, key;
	const struct count *total;	/* total to which shares are relative */
	size_t most;			/* maximum number of rows in a brief report */
};
void text_functions(struct text *text, const struct function_rows *functions);
void text_function_table(struct text *text, const struct group_table *table);

/* Adds two cells, image and function. @key is a key of the dimension BY_FUNCTION. */
void cells_of_function(struct table *table, const struct profile *profile, uint64_t key);
void cell_label(struct table *table, const struct profile *profile, enum dimension dimension,
		uint64_t key);

/*
 * The arguments of this format are the number of rows left out, "s" if that number is more than
 * one, the samples of these rows, and the name of the setting that limits rows.
 */
#define TEXT_REST "  ... %zu more row%s, %" PRIu64 " samples (%s 0 shows all)"

/* Prints "... 12 more rows, 34 samples" if only @shown of @count rows were printed. */
void text_rest(struct text *text, size_t shown, size_t count, uint64_t samples);

/* Returns how many of @count rows to show. A brief report shows at most @most. */
static inline size_t text_limit(const struct text *text, size_t count, size_t most)
{
	size_t limit = text->style->brief ? most : text->style->limit;

	return limit && limit < count ? limit : count;
}

/*
 * Returns true if @hidden, the number of samples in the rows to hide, is at most a tenth of @total.
 * Rows with little information may be hidden only then.
 */
static inline bool text_may_hide(uint64_t hidden, uint64_t total)
{
	return hidden <= total / 10;
}

/*
 * Returns how many of @count rows of a table to show. Does the same as text_limit(), but in a brief
 * report also leaves out rows with little information at the end of the table. These are rows with
 * fewer than INTERVAL_FEW samples. At least TEXT_ROWS_MIN rows are shown, and at most a tenth of
 * the table's samples is hidden (text_may_hide()).
 */
size_t text_rows(const struct text *text, const struct group_row *rows, size_t count, size_t most);

static inline const char *text_weight_title(const struct overview *overview)
{
	return overview->is_time ? "seconds" : "events";
}

static inline double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* ---- sections ---- */

void text_run(struct text *text);		/* Prints the statistics of the run. */
void text_losses(struct text *text);
void text_health(struct text *text);
void text_walks(struct text *text);		/* last part of the section on health */
void text_ledger(struct text *text);
void text_applications(struct text *text);	/* where the time went, by application */
void text_all_functions(struct text *text);	/* where the time went, by function */
void text_processes(struct text *text);		/* summary of processes */
void text_profiles(struct text *text);		/* profiles of applications and processes */
void text_kernel(struct text *text);		/* global kernel profile */
void text_idle(struct text *text);
void text_interrupts(struct text *text);
void text_timed(struct text *text, enum timed_level level);	/* part of text_interrupts() */
void text_timed_cost(struct text *text);
void text_late(struct text *text);

#endif
