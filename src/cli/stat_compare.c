/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/stat_compare.h"

#include <errno.h>
#include <stdbool.h>
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

static bool is_same(const struct stat_file_counter *one, const struct stat_file_counter *other)
{
	return one->is_time == other->is_time && strcmp(one->event, other->event) == 0 &&
	       strcmp(one->where, other->where) == 0;
}

/*
 * The counter of @file that counts what @wanted does; NULL: none.  Looked for from @hint on, as
 * two files mostly have the same counters in the same order.
 */
static const struct stat_file_counter *find(const struct stat_file *file, size_t hint,
					    const struct stat_file_counter *wanted)
{
	for (size_t i = 0; i < file->counters.count; i++) {
		const struct stat_file_counter *counter =
			&file->counters.at[(hint + i) % file->counters.count];

		if (is_same(counter, wanted))
			return counter;
	}
	return NULL;
}

static size_t count_unmatched(const struct stat_file *file, const struct stat_file *other)
{
	size_t unmatched = 0;

	for (size_t i = 0; i < file->counters.count; i++)
		unmatched += !find(other, i, &file->counters.at[i]);
	return unmatched;
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

static int match(struct comparison *comparison)
{
	const struct stat_file *files = comparison->files;
	size_t count = files[BEFORE].counters.count;

	for (size_t i = 0; i < count; i++) {
		const struct stat_file_counter *before = &files[BEFORE].counters.at[i];
		const struct stat_file_counter *after = find(&files[AFTER], i, before);

		if (after && add_row(comparison, before, after) < 0)
			return -ENOMEM;
	}
	comparison->unmatched = count - comparison->rows.count +
				count_unmatched(&files[AFTER], &files[BEFORE]);
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
