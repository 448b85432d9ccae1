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

static int compare(const void *a, const void *b)
{
	const struct stat_file_counter *const *one = a, *const *other = b;
	int order = strcmp((*one)->event, (*other)->event);

	if (order == 0)
		order = strcmp((*one)->where, (*other)->where);
	return order ? order : (*one)->is_time - (*other)->is_time;
}

/* The counters of a file in the order of their names; NULL: out of memory. */
static const struct stat_file_counter **sort(const struct stat_file *file)
{
	size_t count = file->counters.count;
	const struct stat_file_counter **sorted = calloc(count + 1, sizeof(*sorted));

	for (size_t i = 0; sorted && i < count; i++)
		sorted[i] = &file->counters.at[i];
	if (sorted)
		qsort(sorted, count, sizeof(const struct stat_file_counter *), compare);
	return sorted;
}

/* The one of @count @sorted counters that counts what @wanted does; NULL: none. */
static const struct stat_file_counter *find(const struct stat_file_counter **sorted, size_t count,
					    const struct stat_file_counter *wanted)
{
	const struct stat_file_counter **found = bsearch(
		&wanted, sorted, count, sizeof(const struct stat_file_counter *), compare);

	return found ? *found : NULL;
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
		.is_time = before->is_time,
		.before = spread_of(before->values.at, before->values.count),
		.after = spread_of(after->values.at, after->values.count),
	};
	row->change = spread_change(&row->before, &row->after);
	row->p = change_p(&row->change, 0);
	return 0;
}

/* Rows in the order of the file before. */
static int match(struct comparison *comparison)
{
	const struct stat_file *before = &comparison->files[BEFORE];
	const struct stat_file *after = &comparison->files[AFTER];
	_cleanup_free_ const struct stat_file_counter **olds = sort(before), **news = sort(after);

	if (!olds || !news)
		return -ENOMEM;
	for (size_t i = 0; i < before->counters.count; i++) {
		const struct stat_file_counter *old = &before->counters.at[i];
		const struct stat_file_counter *new = find(news, after->counters.count, old);

		if (new &&add_row(comparison, old, new) < 0)
			return -ENOMEM;
		comparison->unmatched += !new;
	}
	for (size_t i = 0; i < after->counters.count; i++)
		comparison->unmatched += !find(olds, before->counters.count,
					       &after->counters.at[i]);
	return 0;
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

static int read_and_compare(struct comparison *comparison, const struct stat_options *options,
			    struct err *err)
{
	int rc = 0;

	for (int side = BEFORE; rc == 0 && side <= AFTER; side++)
		rc = stat_file_read(options->files[side], &comparison->files[side], err);
	if (rc < 0)
		return rc;
	rc = match(comparison);
	if (rc == 0)
		rc = adjust(comparison);
	return rc < 0 ? err_set(err, rc, "out of memory") : 0;
}

int stat_compare(const struct stat_options *options)
{
	_cleanup_(comparison_fini) struct comparison comparison = { 0 };
	struct stat_diff_show show = {
		.before_path = options->files[BEFORE],
		.after_path = options->files[AFTER],
	};
	struct err err = { 0 };
	FILE *out;

	if (read_and_compare(&comparison, options, &err) < 0) {
		cli_error(&err);
		return EXIT_FAILED;
	}
	out = output_open(options->output);
	if (!out)
		return EXIT_FAILED;
	output_begin(out, options->output);
	show.rows = comparison.rows.at;
	show.row_count = comparison.rows.count;
	show.unmatched = comparison.unmatched;
	if (stat_diff_print(&show, options->format, out) < 0)
		return output_close(out, options->output, EXIT_FAILED);
	return output_close(out, options->output, show.row_count ? EXIT_OK : EXIT_NO_MATCH);
}
