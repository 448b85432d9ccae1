/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/source_find.h"

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "model/source.h"

int source_place_parse(const char *text, struct source_place *ret_place)
{
	const char *colon = strrchr(text, ':');
	struct source_place place = { 0 };
	size_t length = strlen(text);
	char *end;

	if (colon && colon > text && colon[1] >= '1' && colon[1] <= '9') {
		unsigned long line = strtoul(colon + 1, &end, 10);

		if (*end == '\0' && line <= UINT32_MAX) {
			place.line = (uint32_t)line;
			length = (size_t)(colon - text);
		}
	}
	place.path = strndup(text, length);
	*ret_place = place;
	return place.path ? 0 : -ENOMEM;
}

bool source_chain_has(const struct model *model, uint32_t line, uint32_t file, uint32_t number)
{
	for (struct line_walk walk = { .line = line }; walk.line; line_walk_out(model, &walk)) {
		const struct source_line *at = line_of(model, walk.line);

		if (at->file == file && (!number || at->line == number))
			return true;
	}
	return false;
}

/* ---- files ---- */

struct weighed_file {
	uint32_t file;
	uint64_t samples;
};

struct weighed_files {
	VEC(struct weighed_file) list;
};

static void weighed_files_fini(struct weighed_files *files)
{
	vec_free(&files->list);
}

static int by_samples(const void *a, const void *b)
{
	const struct weighed_file *left = a, *right = b;

	if (left->samples != right->samples)
		return left->samples < right->samples ? 1 : -1;
	return (left->file > right->file) - (left->file < right->file);
}

/*
 * Adds up samples by file. A hit counts for the file of each line in its inline chain. @samples is
 * indexed by the string id of the file's path.
 */
static void weigh(const struct profile *profile, const struct group_selection *selection,
		  uint64_t *samples)
{
	const struct model *model = profile->model;

	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];
		struct line_walk walk = { .line = location_of(model, hit->location)->line };

		if (!group_is_selected(selection, profile, hit))
			continue;
		for (; walk.line; line_walk_out(model, &walk)) {
			const struct source_line *at = line_of(model, walk.line);

			if (at->file < model->strings.offset.count)
				samples[at->file] += hit->count.samples;
		}
	}
}

/*
 * Finds the files that have samples and whose path is equal to @path or ends with the path
 * components of @path. If a file's path is equal to @path, finds only that file.
 */
static int match_files(const struct model *model, const uint64_t *samples, const char *path,
		       struct weighed_files *found)
{
	for (uint32_t i = 1; i < model->strings.offset.count; i++) {
		struct weighed_file *file;
		bool whole;

		if (!samples[i] || !source_path_is(string_of(model, i), path))
			continue;
		whole = strcmp(string_of(model, i), path) == 0;
		if (whole)
			vec_clear(&found->list);
		file = vec_push(&found->list);
		if (!file)
			return -ENOMEM;
		*file = (struct weighed_file){ i, samples[i] };
		if (whole)
			break;
	}
	return 0;
}

int source_find_files(const struct profile *profile, const struct group_selection *selection,
		      const char *path, struct source_files *ret_files)
{
	const struct model *model = profile->model;
	_cleanup_free_ uint64_t *samples = calloc(model->strings.offset.count + 1,
						  sizeof(*samples));
	_cleanup_(weighed_files_fini) struct weighed_files found = { 0 };
	int rc;

	*ret_files = (struct source_files){ 0 };
	if (!samples)
		return -ENOMEM;
	weigh(profile, selection, samples);
	rc = match_files(model, samples, path, &found);
	if (rc < 0)
		return rc;
	if (found.list.count)
		qsort(found.list.at, found.list.count, sizeof(*found.list.at), by_samples);
	for (size_t i = 0; i < found.list.count; i++) {
		uint32_t *file = vec_push(&ret_files->list);

		if (!file)
			return -ENOMEM;
		*file = found.list.at[i].file;
	}
	return 0;
}

/* ---- functions ---- */

enum { OF_FILE = 1, OF_LINE = 2 };

/*
 * Marks the functions that have hits in the file, and those that have hits on the line. @marks is
 * indexed by function.
 */
static void mark(const struct profile *profile, const struct group_selection *selection,
		 const struct source_line *place, uint8_t *marks)
{
	const struct model *model = profile->model;

	for (size_t i = 0; i < profile->hits.count; i++) {
		const struct hit *hit = &profile->hits.at[i];
		uint32_t line = location_of(model, hit->location)->line;

		if (!group_is_selected(selection, profile, hit) ||
		    hit->function >= model->functions.count)
			continue;
		if (source_chain_has(model, line, place->file, 0))
			marks[hit->function] |= OF_FILE;
		if (source_chain_has(model, line, place->file, place->line))
			marks[hit->function] |= OF_LINE;
	}
}

static int collect(const struct group_table *table, const struct model *model, const uint8_t *marks,
		   uint8_t wanted, struct annotate_found *found)
{
	for (size_t i = 0; i < table->rows.count; i++) {
		uint64_t function = table->rows.at[i].key[0];
		struct group_row *copy;

		if (function == 0 || function >= model->functions.count ||
		    marks[function] != wanted)
			continue;
		copy = vec_push(&found->functions);
		if (!copy)
			return -ENOMEM;
		*copy = table->rows.at[i];
	}
	return 0;
}

int source_find_functions(const struct profile *profile, const struct group_selection *selection,
			  uint32_t file, uint32_t line, struct annotate_found *ret_found)
{
	static const enum dimension by[] = { BY_FUNCTION };
	const struct source_line place = { .file = file, .line = line };
	_cleanup_free_ uint8_t *marks = calloc(profile->model->functions.count + 1, 1);
	_cleanup_(group_table_fini) struct group_table table = { 0 };
	int rc;

	*ret_found = (struct annotate_found){ .by = ANNOTATE_PLACE };
	if (!marks)
		return -ENOMEM;
	rc = group_hits(profile, by, 1, group_is_selected, selection, &table);
	if (rc < 0)
		return rc;
	group_sort_by_rank(&table);
	ret_found->total = table.total;
	mark(profile, selection, &place, marks);
	rc = collect(&table, profile->model, marks, OF_FILE | OF_LINE, ret_found);
	if (rc < 0)
		return rc;
	return collect(&table, profile->model, marks, OF_FILE, ret_found);
}

/* ---- inlined functions ---- */

struct inlined {
	const struct group_selection *selection;
	bool *called;		/* by function: true if it has the requested name */
};

static bool is_inlined(const void *context, const struct profile *profile, const struct hit *hit)
{
	const struct inlined *inlined = context;
	const struct model *model = profile->model;
	struct line_walk walk = { .line = location_of(model, hit->location)->line };

	if (!group_is_selected(inlined->selection, profile, hit))
		return false;
	for (; walk.line; line_walk_out(model, &walk)) {
		const struct source_line *at = line_of(model, walk.line);

		if (at->caller && at->function < model->functions.count &&
		    inlined->called[at->function])
			return true;
	}
	return false;
}

int source_find_inlined(const struct profile *profile, const struct group_selection *selection,
			const char *name, struct group_table *ret_table)
{
	static const enum dimension by[] = { BY_FUNCTION };
	const struct model *model = profile->model;
	_cleanup_free_ bool *called = calloc(model->functions.count + 1, sizeof(*called));
	struct inlined inlined = { selection, called };
	int rc;

	*ret_table = (struct group_table){ 0 };
	if (!called)
		return -ENOMEM;
	for (size_t i = 1; i < model->functions.count; i++)
		called[i] = strcmp(string_of(model, function_of(model, i)->name), name) == 0;
	rc = group_hits(profile, by, 1, is_inlined, &inlined, ret_table);
	if (rc < 0)
		return rc;
	group_sort_by_rank(ret_table);
	return 0;
}
