/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/debug_lines.h"

#include <errno.h>

#include "base/cleanup.h"
#include "dwarf/dwarf_line.h"
#include "dwarf/dwarf_tree.h"
#include "dwarf/dwarf_work.h"
#include "elf/symbol_sources.h"

struct work {
	struct dwarf_work common;
	const struct debug_lines_sink *sink;
	struct dwarf_tree tree;
};

/* State of the code that answers the queries of one unit. */
struct answering {
	struct work *work;
	/* the unit whose tree is read: the split unit if there is one; NULL: there is no tree */
	const struct dwarf_cu *cu;
	struct dwarf_line_table lines;
	struct dwarf_queries queries;
};

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
	rc = dwarf_take_memory(&answering->work->common.files.main, strlen(text) + 1);
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
	return dwarf_work_note(&answering->work->common, read_name(answering, node));
}

static int read_path(struct answering *answering, struct dwarf_line_file *file)
{
	const struct debug_lines_sink *sink = answering->work->sink;
	char text[DWARF_TEXT_MAX];
	int rc = dwarf_line_path(&answering->lines, file, text);

	if (rc < 0)
		return rc;
	rc = dwarf_take_memory(&answering->work->common.files.main, strlen(text) + 1);
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
		rc = dwarf_work_note(&answering->work->common, read_path(answering, file));
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
		rc = dwarf_work_note(&work->common,
				     dwarf_tree_read(cu, &answering->queries, &work->tree));
		if (rc < 0)
			return rc;
	}
	return answer_all(answering);
}

static void answering_fini(struct answering *answering)
{
	dwarf_line_close(&answering->lines);
}

static int answer_unit(struct dwarf_work *common, const struct dwarf_cu *unit,
		       const struct dwarf_cu *tree, struct dwarf_queries *queries)
{
	struct work *work = common->context;
	_cleanup_(answering_fini) struct answering answering = { .work = work,
								 .queries = *queries };
	int rc = dwarf_work_note(common,
				 dwarf_line_run(unit, &answering.queries, &answering.lines));

	return rc < 0 ? rc : answer_with(&answering, tree);
}

static void work_fini(struct work *work)
{
	dwarf_tree_fini(&work->tree);
	dwarf_work_fini(&work->common);
}

static int resolve(struct work *work, const struct debug_lines_sink *sink, const uint64_t *vaddrs,
		   size_t count)
{
	work->sink = sink;
	work->common.answer = answer_unit;
	work->common.context = work;
	return dwarf_work_run(&work->common, vaddrs, count);
}

int debug_lines_resolve(const struct image_file *file, const struct debug_lines_options *options,
			const uint64_t *vaddrs, size_t count, const struct debug_lines_sink *sink,
			struct debug_lines_health *ret_health)
{
	_cleanup_(work_fini) struct work work = { 0 };
	int rc = dwarf_work_open(&work.common, file, options, ret_health);

	return rc < 0 ? rc : resolve(&work, sink, vaddrs, count);
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
	_cleanup_(work_fini) struct work work = { .common.health = ret_health };
	int rc;

	*ret_health = (struct debug_lines_health){ 0 };
	rc = dwarf_files_from_bytes(&work.common.files, bytes, size_bytes);
	return rc < 0 ? rc : resolve(&work, sink, vaddrs, count);
}
