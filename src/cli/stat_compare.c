/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/stat_compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/output.h"
#include "present/stat_diff.h"
#include "store/stat_file.h"

enum { BEFORE, AFTER };

struct comparison {
	struct stat_file files[2];
	VEC(struct stat_diff_row) rows;
	size_t unmatched;
};

static void comparison_fini(struct comparison *comparison)
{
	stat_file_fini(&comparison->files[BEFORE]);
	stat_file_fini(&comparison->files[AFTER]);
	vec_free(&comparison->rows);
}

/*
 * Identifies a counter by its event, its CPU or thread, and its unit, so that the same counter can
 * be found in the other file. If an event is in several groups, several counters have the same
 * event, CPU or thread, and unit. These counters differ in @nth.
 */
struct key {
	const struct stat_file_counter *counter;
	/* number of earlier counters in the file that differ from this one only in @nth */
	size_t nth;
};

static int compare_kind(const struct key *one, const struct key *other)
{
	int order = strcmp(one->counter->event, other->counter->event);

	if (order == 0)
		order = strcmp(one->counter->where, other->counter->where);
	return order ? order : strcmp(one->counter->unit, other->counter->unit);
}

/* Compares two keys of the same file. Keys that differ only in @nth keep the order of the file. */
static int compare_in_file(const void *a, const void *b)
{
	const struct key *one = a, *other = b;
	int order = compare_kind(one, other);

	return order ? order : (one->counter > other->counter) - (one->counter < other->counter);
}

static int compare(const void *a, const void *b)
{
	const struct key *one = a, *other = b;
	int order = compare_kind(one, other);

	return order ? order : (one->nth > other->nth) - (one->nth < other->nth);
}

/* Returns the file's counters sorted by key, or NULL if out of memory. */
static struct key *sort(const struct stat_file *file)
{
	size_t count = file->counters.count;
	struct key *keys = calloc(count + 1, sizeof(*keys));

	if (!keys)
		return NULL;
	for (size_t i = 0; i < count; i++)
		keys[i].counter = &file->counters.at[i];
	qsort(keys, count, sizeof(*keys), compare_in_file);
	for (size_t i = 1; i < count; i++)
		if (compare_kind(&keys[i - 1], &keys[i]) == 0)
			keys[i].nth = keys[i - 1].nth + 1;
	return keys;
}

static int add_row(struct comparison *comparison, const struct stat_file_counter *before,
		   const struct stat_file_counter *after)
{
	struct stat_diff_row *row = vec_push(&comparison->rows);

	if (!row)
		return -ENOMEM;
	*row = (struct stat_diff_row){
		.event = before->event,
		.where = before->where,
		.unit = before->unit,
		.before = spread_of(before->values.at, before->values.count),
		.after = spread_of(after->values.at, after->values.count),
	};
	row->change = spread_change(&row->before, &row->after);
	row->p = change_p(&row->change, 0);
	return 0;
}

/*
 * Adds a row for each counter of the first file that has a counterpart in the second file. The rows
 * are in the order of the first file. @partners[i] is the counterpart of counter i, or NULL.
 */
static int add_rows(struct comparison *comparison, const struct stat_file_counter *const *partners)
{
	const struct stat_file *before = &comparison->files[BEFORE];

	for (size_t i = 0; i < before->counters.count; i++)
		if (partners[i] && add_row(comparison, &before->counters.at[i], partners[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int match(struct comparison *comparison)
{
	const struct stat_file *before = &comparison->files[BEFORE];
	const struct stat_file *after = &comparison->files[AFTER];
	size_t count = before->counters.count;
	_cleanup_free_ struct key *olds = sort(before), *news = sort(after);
	_cleanup_free_ const struct stat_file_counter **partners = calloc(count + 1,
									  sizeof(*partners));

	if (!olds || !news || !partners)
		return -ENOMEM;
	comparison->unmatched = count + after->counters.count;
	for (size_t i = 0; i < count; i++) {
		const struct key *found = bsearch(&olds[i], news, after->counters.count,
						  sizeof(*news), compare);

		if (!found)
			continue;
		partners[olds[i].counter - before->counters.at] = found->counter;
		comparison->unmatched -= 2;
	}
	return add_rows(comparison, partners);
}

static int adjust(struct comparison *comparison)
{
	size_t count = comparison->rows.count;
	_cleanup_free_ double *ps = calloc(2 * count + 1, sizeof(*ps));
	_cleanup_free_ size_t *order = calloc(count + 1, sizeof(*order));

	if (!ps || !order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		ps[i] = comparison->rows.at[i].p;
	holm_adjust(ps, order, count, ps + count);
	for (size_t i = 0; i < count; i++)
		comparison->rows.at[i].p_adjusted = ps[count + i];
	return 0;
}

static int read_and_compare(struct comparison *comparison, const struct stat_arguments *arguments,
			    struct err *err)
{
	for (int side = BEFORE; side <= AFTER; side++) {
		int rc = stat_file_read(arguments->files[side], &comparison->files[side], err);

		if (rc < 0)
			return rc;
	}
	if (match(comparison) < 0 || adjust(comparison) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

int stat_compare(const struct stat_arguments *arguments)
{
	_cleanup_(comparison_fini) struct comparison comparison = { 0 };
	struct stat_diff_show show = {
		.before_path = arguments->files[BEFORE],
		.after_path = arguments->files[AFTER],
	};
	struct err err = { 0 };
	FILE *out;

	if (read_and_compare(&comparison, arguments, &err) < 0) {
		cli_error(&err);
		return EXIT_FAILED;
	}
	out = output_open(arguments->output);
	if (!out)
		return EXIT_FAILED;
	output_begin(out, arguments->output);
	show.rows = comparison.rows.at;
	show.row_count = comparison.rows.count;
	show.unmatched = comparison.unmatched;
	if (stat_diff_print(&show, arguments->format, out) < 0)
		return output_close(out, arguments->output, EXIT_FAILED);
	return output_close(out, arguments->output, show.row_count ? EXIT_OK : EXIT_NO_MATCH);
}
