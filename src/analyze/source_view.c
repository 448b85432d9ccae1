/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/source_view.h"

#include "analyze/lookup.h"
#include "base/cleanup.h"

/* The hits of one line in one function. */
struct entry {
	uint32_t file, line, function, image;
	uint64_t late_samples;
	struct count count;
};

struct entries {
	VEC(struct entry) list;
};

static void entries_fini(struct entries *entries)
{
	vec_free(&entries->list);
}

static int by_place(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->file != right->file)
		return left->file < right->file ? -1 : 1;
	if (left->line != right->line)
		return left->line < right->line ? -1 : 1;
	return (left->function > right->function) - (left->function < right->function);
}

static bool is_wanted(const struct source_wanted *wanted, const struct hit *hit)
{
	return !wanted->functions || wanted->functions[hit->function];
}

static int collect_hit(struct source_views *views, const struct source_wanted *wanted,
		       const struct hit *hit, struct entries *entries)
{
	const struct model *model = views->profile->model;
	const struct source_line *line = line_of(model, location_of(model, hit->location)->line);
	bool known = line->file && line->line;
	struct entry *entry;

	if (wanted->file && line->file != wanted->file)
		return 0;
	count_add(&views->total, &hit->count);
	if (!known) {
		count_add(&views->no_line, &hit->count);
		return 0;
	}
	entry = vec_push(&entries->list);
	if (!entry)
		return -ENOMEM;
	*entry = (struct entry){ line->file,
				 line->line,
				 line->function,
				 hit->image,
				 hit->late ? hit->count.samples : 0,
				 hit->count };
	return 0;
}

static int collect(struct source_views *views, const struct source_wanted *wanted,
		   struct entries *entries)
{
	const struct profile *profile = views->profile;

	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];

		if (!group_is_selected(views->selection, profile, hit))
			continue;
		count_add(&views->all, &hit->count);
		if (hit->function < profile->model->functions.count && is_wanted(wanted, hit) &&
		    collect_hit(views, wanted, hit, entries) < 0)
			return -ENOMEM;
	}
	if (entries->list.count)
		qsort(entries->list.at, entries->list.count, sizeof(*entries->list.at), by_place);
	return 0;
}

/* ---- rows of one file ---- */

static struct source_row *push_row(struct source_view *view, uint32_t line)
{
	struct source_row *row = vec_push(&view->rows);

	if (row)
		row->line = line;
	return row;
}

/*
 * Adds a row without hits for each line between the last row and @line, unless there are too many.
 * Both lines must be in the range of one function.
 */
static int fill_gap(struct source_view *view, uint32_t line)
{
	uint32_t last = view->rows.at[view->rows.count - 1].line;

	if (line - last > SOURCE_GAP_MAX || view->filled + (line - last) > SOURCE_FILLED_MAX)
		return 0;
	view->filled += line - last - 1;
	for (uint32_t i = last + 1; i < line; i++)
		if (!push_row(view, i))
			return -ENOMEM;
	return 0;
}

/* @last_lines is indexed by function, and has the last line with hits of each function. */
static int add_rows(struct source_view *view, const struct entry *entries, size_t count,
		    const uint32_t *last_lines)
{
	struct source_row *row = NULL;
	uint32_t reach = 0;

	for (size_t i = 0; i < count; i++) {
		if (!row || row->line != entries[i].line) {
			if (row && reach >= entries[i].line && fill_gap(view, entries[i].line) < 0)
				return -ENOMEM;
			row = push_row(view, entries[i].line);
		}
		if (!row)
			return -ENOMEM;
		count_add(&row->count, &entries[i].count);
		row->late_samples += entries[i].late_samples;
		count_add(&view->count, &entries[i].count);
		if (last_lines[entries[i].function] > reach)
			reach = last_lines[entries[i].function];
	}
	return 0;
}

static uint32_t function_in(const struct model *model, uint32_t function)
{
	return function < model->functions.count ? function : 0;
}

static int add_view(struct source_views *views, struct entry *entries, size_t count,
		    uint32_t *last_lines)
{
	const struct model *model = views->profile->model;
	struct source_view *view = vec_push(&views->list);

	if (!view)
		return -ENOMEM;
	view->file = entries[0].file;
	for (size_t i = 0; i < count; i++) {
		uint64_t mtime_ns = image_of(model, entries[i].image)->mtime_ns;

		entries[i].function = function_in(model, entries[i].function);
		last_lines[entries[i].function] = entries[i].line;
		if (mtime_ns > view->mtime_ns)
			view->mtime_ns = mtime_ns;
	}
	/* lines without a known function have no range whose gaps could be filled */
	last_lines[0] = 0;
	return add_rows(view, entries, count, last_lines);
}

static int by_samples(const void *a, const void *b)
{
	const struct source_view *left = a, *right = b;

	if (left->count.samples != right->count.samples)
		return left->count.samples < right->count.samples ? 1 : -1;
	return (left->file > right->file) - (left->file < right->file);
}

static int add_views(struct source_views *views, const struct entries *entries)
{
	_cleanup_free_ uint32_t *last_lines = calloc(views->profile->model->functions.count + 1,
						     sizeof(*last_lines));
	size_t count = entries->list.count, end;

	if (!last_lines)
		return -ENOMEM;
	for (size_t start = 0; start < count; start = end) {
		struct entry *first = &entries->list.at[start];
		int rc;

		for (end = start; end < count && entries->list.at[end].file == first->file; end++)
			;
		rc = add_view(views, first, end - start, last_lines);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int source_views_make(const struct profile *profile, const struct group_selection *selection,
		      const struct source_wanted *wanted, struct source_views *ret_views)
{
	_cleanup_(entries_fini) struct entries entries = { 0 };
	int rc;

	*ret_views = (struct source_views){ .profile = profile, .selection = selection };
	rc = collect(ret_views, wanted, &entries);
	if (rc < 0)
		return rc;
	rc = add_views(ret_views, &entries);
	if (rc < 0)
		return rc;
	if (ret_views->list.count)
		qsort(ret_views->list.at, ret_views->list.count, sizeof(*ret_views->list.at),
		      by_samples);
	return 0;
}

void source_views_fini(struct source_views *views)
{
	for (size_t i = 0; i < views->list.count; i++)
		vec_free(&views->list.at[i].rows);
	vec_free(&views->list);
}

bool source_views_by_weight(const struct source_views *views)
{
	return group_goes_by_weight(views->profile, (uint8_t)views->selection->event);
}
