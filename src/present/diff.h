/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - prints a comparison of two recordings as text, JSON or CSV
 *
 * As in report.h, text is for people. JSON and CSV are for programs, so they contain unrounded
 * numbers and complete names. A path of functions begins with the outermost function. In JSON, a
 * path is an array of {"image", "function"}. In text and CSV, a path is the functions' names joined
 * by semicolons (escape_joined()). In JSON and CSV, the names of values end in their unit, such as
 * before_seconds; shares are fractions of 1.
 */
#ifndef ASSAY_PRESENT_DIFF_H
#define ASSAY_PRESENT_DIFF_H

#include "analyze/diff.h"
#include "present/report.h"

struct diff_show {
	const struct diff *diff;
	const char *const *paths;	/* of the recordings of before, then of those of after */
	const struct model *models;	/* of the same recordings */
	struct report_style style;	/* only limit, columns and settings are used */
};

/* These functions return 0 or -ENOMEM. */
int diff_as_text(const struct diff_show *show, FILE *out);
int diff_as_json(const struct diff_show *show, FILE *out);
int diff_as_csv(const struct diff_show *show, FILE *out);

/*
 * Private to present/. A row's labels are the cells that say which function, image or path the row
 * is about. The functions below compute the number of rows to print, the labels of each row and the
 * titles of the label columns.
 */

#define DIFF_LABELS_MAX (2 * GROUP_KEYS_MAX)

struct diff_label {
	const char *title;
	size_t key;
	bool image;		/* show the image of the key's function, not the function itself */
};

/* The recordings of one side: show->paths[first] and those that follow, and their diff values. */
struct diff_span {
	size_t first, count;
};

static inline struct diff_span diff_span_of(const struct diff *diff, enum diff_which which)
{
	const size_t *counts = diff->options.run_counts;

	return (struct diff_span){ which == DIFF_AFTER ? counts[DIFF_BEFORE] : 0, counts[which] };
}

struct diff_labels_shown {
	struct diff_label at[DIFF_LABELS_MAX];
	size_t count;
};

static inline size_t diff_rows_shown(const struct diff_show *show)
{
	size_t count = show->diff->rows.count, limit = show->style.limit;

	return limit && limit < count ? limit : count;
}

struct diff_labels_shown diff_labels_shown(const struct diff_options *options);

/* Returns the label of a row, unescaped, or NULL if out of memory. The caller frees it. */
char *diff_label_text(const struct diff *diff, const struct diff_row *row,
		      const struct diff_label *label);

/*
 * Returns the name ids of the path's frames, outermost first, or NULL if out of memory. The caller
 * frees them.
 */
uint32_t *diff_path_names(const struct diff *diff, uint32_t path, size_t *ret_count);

/* Returns the word for a unit in names of JSON and CSV, such as "seconds". */
const char *diff_unit_name(enum diff_unit unit);

/* How to print values so that people can compare them: 12.345 ms, or 12.34% */
struct diff_format {
	double factor;
	const char *unit;	/* printed after the number */
	int decimals;
};

/*
 * Returns the format of a value in @unit if @most is the largest one. All values of a table have
 * the same format.
 */
struct diff_format diff_format_of(enum diff_unit unit, double most);

/* Returns the verdict as text, such as "within noise". */
const char *diff_verdict_name(enum diff_verdict verdict);

#endif
