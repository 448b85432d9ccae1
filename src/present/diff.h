/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - a comparison, as text, JSON or CSV
 *
 * As report.h has it: text for people, numbers unrounded and names whole for programs.  Paths of
 * functions begin with the outermost one; in JSON they are an array of {"image", "function"},
 * elsewhere the names joined by semicolons (escape_joined()).  Values and changes are shares of
 * 1, or CPUs with --per wall.
 */
#ifndef ASSAY_PRESENT_DIFF_H
#define ASSAY_PRESENT_DIFF_H

#include "analyze/diff.h"
#include "present/report.h"

struct diff_show {
	const struct diff *diff;
	const char *paths[DIFF_SIDES];	/* of the recordings */
	struct report_style style;	/* limit, columns */
};

/* 0 or -ENOMEM */
int diff_as_text(const struct diff_show *show, FILE *out);
int diff_as_json(const struct diff_show *show, FILE *out);
int diff_as_csv(const struct diff_show *show, FILE *out);

/* Private to present/: rows to print, the titles of their columns, and their cells. */

#define DIFF_LABELS_MAX (2 * GROUP_KEYS_MAX)

struct diff_label {
	const char *title;
	size_t key;
	bool image;		/* of the key's name, not its text */
};

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

/* Of a row, unescaped; NULL when out of memory. The caller frees it. */
char *diff_label_text(const struct diff *diff, const struct diff_row *row,
		      const struct diff_label *label);

/* The path's frames as names, outermost first; NULL when out of memory. The caller frees it. */
uint32_t *diff_path_names(const struct diff *diff, uint32_t path, size_t *ret_count);

const char *diff_verdict_name(enum diff_verdict verdict);	/* "within noise" */

#endif
