/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/debug_lines.h"

#include <errno.h>

#include "base/cleanup.h"
#include "dwarf/dwarf_files.h"
#include "dwarf/dwarf_line.h"
#include "dwarf/dwarf_tree.h"
#include "elf/symbol_sources.h"

struct work {
	struct dwarf_files files;
	const struct debug_lines_sink *sink;
	struct debug_lines_health *health;
	struct dwarf_queries queries;
	struct dwarf_ranges ranges;
	struct dwarf_tree tree;
	/* true: the current unit is already counted as damaged */
	bool is_damaged;
};

/* State of the code that answers the queries of one unit. */
struct answering {
	struct work *work;
	/* the unit whose tree is read: the split unit if there is one; NULL: there is no tree */
	const struct dwarf_cu *cu;
	struct dwarf_line_table lines;
	struct dwarf_queries queries;
};

/*
 * Decides whether the work goes on after the result @rc. If a unit is damaged, counts the unit and
 * returns 0, so that only this unit is skipped. If the budget is exhausted, sets health->exhausted
 * and returns 0; the callers then skip all remaining units. Returns any other @rc unchanged.
 */
static int note(struct work *work, int rc)
{
	if (rc == -ENOENT && work->files.missing_shared)
		return 0;	/* the missing dwz file is reported once, not for each unit */
	if (rc == -EBADMSG || rc == -ENOENT || rc == -EIO)
		work->health->damaged_units += !work->is_damaged;
	else if (rc == -E2BIG)
		work->health->exhausted = true;
	else
		return rc;
	work->is_damaged = work->is_damaged || rc != -E2BIG;
	return 0;
}

/* ---- which unit covers a query ---- */

static int claim_range(struct work *work, const struct dwarf_range *range, uint32_t unit)
{
	struct dwarf_queries *queries = &work->queries;
	uint64_t size_bytes = range->high - range->low;

	for (size_t i = dwarf_query_from(queries, range->low);
	     i < queries->count && queries->at[i].vaddr < range->high; i++) {
		if (dwarf_spend(&work->files.main, 1) < 0)
			return -E2BIG;
		if (queries->at[i].unit && queries->at[i].unit_bytes <= size_bytes)
			continue;
		queries->at[i].unit = unit;
		queries->at[i].unit_bytes = size_bytes;
	}
	return 0;
}

static int claim_queries(struct work *work, size_t index)
{
	struct dwarf_file *file = &work->files.main;
	const struct dwarf_unit *unit = &file->units.at[index];
	_cleanup_(dwarf_cu_close) struct dwarf_cu cu = { 0 };
	int rc;

	if (unit->type == DW_UT_type || unit->type == DW_UT_split_type ||
	    unit->type == DW_UT_partial)
		return 0;
	rc = dwarf_cu_open(file, unit, false, &cu);
	if (rc < 0)
		return rc;
	rc = dwarf_die_ranges(&cu, &cu.root, &work->ranges);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < work->ranges.list.count; i++) {
		rc = claim_range(work, &work->ranges.list.at[i], (uint32_t)index + 1);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int find_units(struct work *work)
{
	struct dwarf_file *file = &work->files.main;
	int rc = note(work, dwarf_units_read(file));

	if (rc < 0)
		return rc;
	for (size_t i = 0; !work->health->exhausted && i < file->units.count; i++) {
		work->is_damaged = false;
		rc = note(work, claim_queries(work, i));
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* ---- answers ---- */

static int read_name(struct answering *answering, struct dwarf_node *node)
{
	const struct debug_lines_sink *sink = answering->work->sink;
	char text[DWARF_TEXT_MAX];
	int rc = dwarf_tree_name(answering->cu, node, text);

	if (rc < 0)
		return rc;
	if (!text[0])
		return 0;
	rc = dwarf_take_memory(&answering->work->files.main, strlen(text) + 1);
	if (rc < 0)
		return rc;
	node->name = sink->name(sink->context, text);
	return 0;
}

static int node_name(struct answering *answering, struct dwarf_node *node)
{
	if (node->has_name)
		return 0;
	node->has_name = true;
	return note(answering->work, read_name(answering, node));
}

static int read_path(struct answering *answering, struct dwarf_line_file *file)
{
	const struct debug_lines_sink *sink = answering->work->sink;
	char text[DWARF_TEXT_MAX];
	int rc = dwarf_line_path(&answering->lines, file, text);

	if (rc < 0)
		return rc;
	rc = dwarf_take_memory(&answering->work->files.main, strlen(text) + 1);
	if (rc < 0)
		return rc;
	file->path = sink->path(sink->context, text);
	return 0;
}

static int file_path(struct answering *answering, uint64_t number, uint32_t *ret_path)
{
	struct dwarf_line_file *file = dwarf_line_file(&answering->lines, number);
	int rc;

	*ret_path = 0;
	if (!file)
		return 0;
	if (!file->has_path) {
		file->has_path = true;
		rc = note(answering->work, read_path(answering, file));
		if (rc < 0)
			return rc;
	}
	*ret_path = file->path;
	return 0;
}

static uint32_t line_number(uint64_t line)
{
	return line > UINT32_MAX ? 0 : (uint32_t)line;
}

static int answer(struct answering *answering, const struct dwarf_query *query)
{
	const struct debug_lines_sink *sink = answering->work->sink;
	struct debug_frame frames[DEBUG_FRAMES_MAX];
	uint64_t file = query->file, line = query->has_line ? query->line : 0;
	uint32_t node = query->node;
	size_t count = 0;
	int rc;

	if (!query->has_line && !node)
		return 0;
	do {
		struct dwarf_node *at = &answering->work->tree.nodes.at[node];

		frames[count] = (struct debug_frame){ .line = line_number(line) };
		if (count || query->has_line) {
			rc = file_path(answering, file, &frames[count].path);
			if (rc < 0)
				return rc;
		}
		if (node) {
			rc = node_name(answering, at);
			if (rc < 0)
				return rc;
		}
		frames[count++].name = at->name;
		file = at->call_file;
		line = at->call_line;
		node = at->inlined ? at->parent : 0;
	} while (node && count < DEBUG_FRAMES_MAX);
	return sink->chain(sink->context, query->index, frames, count);
}

static int answer_all(struct answering *answering)
{
	for (size_t i = 0; i < answering->queries.count; i++) {
		int rc = answer(answering, &answering->queries.at[i]);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Answers the queries of a unit. The functions come from the tree of @cu. If @cu is NULL, the
 * answers have only lines.
 */
static int answer_with(struct answering *answering, const struct dwarf_cu *cu)
{
	struct work *work = answering->work;
	int rc;

	vec_clear(&work->tree.nodes);
	if (!vec_push(&work->tree.nodes))
		return -ENOMEM;
	answering->cu = cu;
	if (cu) {
		rc = note(work, dwarf_tree_read(cu, &answering->queries, &work->tree));
		if (rc < 0)
			return rc;
	}
	return answer_all(answering);
}

static int answer_split(struct answering *answering, const struct dwarf_cu *skeleton)
{
	struct work *work = answering->work;
	struct dwarf_file dwo;
	struct dwarf_cu split;
	int rc = dwarf_files_split(&work->files, skeleton, &dwo, &split);

	if (rc < 0) {
		if (rc == -ENOENT) {
			work->health->missing_splits++;
			rc = 0;
		}
		rc = note(work, rc);
		return rc < 0 ? rc : answer_with(answering, NULL);
	}
	rc = answer_with(answering, &split);
	dwarf_cu_close(&split);
	if (dwo.owned_fd >= 0)
		dwarf_file_fini(&dwo);
	return rc;
}

static void answering_fini(struct answering *answering)
{
	dwarf_line_close(&answering->lines);
}

static int answer_unit(struct work *work, const struct dwarf_queries *queries)
{
	struct dwarf_file *file = &work->files.main;
	_cleanup_(dwarf_cu_close) struct dwarf_cu cu = { 0 };
	_cleanup_(answering_fini) struct answering answering = { .work = work,
								 .queries = *queries };
	int rc = dwarf_cu_open(file, &file->units.at[queries->at[0].unit - 1], true, &cu);

	work->is_damaged = false;
	if (rc < 0)
		return note(work, rc);
	rc = note(work, dwarf_line_run(&cu, &answering.queries, &answering.lines));
	if (rc < 0)
		return rc;
	if (die_value(&cu.root, SLOT_DWO_NAME))
		return answer_split(&answering, &cu);
	return answer_with(&answering, &cu);
}

static int compare_units(const void *left, const void *right)
{
	const struct dwarf_query *a = left, *b = right;

	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

static int answer_units(struct work *work)
{
	struct dwarf_query *at = work->queries.at;
	size_t count = work->queries.count, end;

	qsort(at, count, sizeof(*at), compare_units);
	for (size_t first = 0; first < count && !work->health->exhausted; first = end) {
		struct dwarf_queries queries = { .at = at + first };
		int rc;

		for (end = first; end < count && at[end].unit == at[first].unit; end++)
			;
		queries.count = end - first;
		if (!at[first].unit)
			continue;
		rc = answer_unit(work, &queries);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int resolve(struct work *work, const uint64_t *vaddrs, size_t count)
{
	_cleanup_free_ struct dwarf_query *queries = calloc(count + 1, sizeof(*queries));
	int rc;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		queries[i].vaddr = vaddrs[i];
		queries[i].index = i;
	}
	work->queries = (struct dwarf_queries){ .at = queries, .count = count };
	rc = find_units(work);
	if (rc < 0)
		return rc;
	return answer_units(work);
}

static void work_fini(struct work *work)
{
	dwarf_tree_fini(&work->tree);
	vec_free(&work->ranges.list);
	dwarf_files_close(&work->files);
}

int debug_lines_resolve(const struct image_file *file, const struct debug_lines_options *options,
			const uint64_t *vaddrs, size_t count, const struct debug_lines_sink *sink,
			struct debug_lines_health *ret_health)
{
	_cleanup_(work_fini) struct work work = { .sink = sink, .health = ret_health };
	int rc;

	*ret_health = (struct debug_lines_health){ 0 };
	rc = dwarf_files_open(&work.files, file, options);
	ret_health->missing_shared = work.files.missing_shared;
	ret_health->not_fetched = work.files.not_fetched;
	if (rc < 0)
		return rc;
	return resolve(&work, vaddrs, count);
}

int debug_lines_open(const uint8_t *build_id, size_t size,
		     const struct debug_lines_options *options, struct image_file *ret_file)
{
	const struct debug_places places = {
		.dirs = options->debug_dirs,
		.source = options->source,
		.name = options->name,
	};

	return debug_file_of_id(build_id, size, &places, ret_file);
}

int debug_lines_from_bytes(const void *bytes, size_t size_bytes, const uint64_t *vaddrs,
			   size_t count, const struct debug_lines_sink *sink,
			   struct debug_lines_health *ret_health)
{
	_cleanup_(work_fini) struct work work = { .sink = sink, .health = ret_health };
	int rc;

	*ret_health = (struct debug_lines_health){ 0 };
	rc = dwarf_files_from_bytes(&work.files, bytes, size_bytes);
	if (rc < 0)
		return rc;
	return resolve(&work, vaddrs, count);
}
