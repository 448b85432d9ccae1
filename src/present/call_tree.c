/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a call tree. Text output is indented. In JSON and CSV, each row names its parent.
 *
 * In text, a function that is its caller's only callee is printed directly below its caller,
 * without indentation. If a function has several callees, each callee begins a branch, which is
 * marked and indented. So a stack of a hundred functions without branches is a straight column, not
 * a diagonal.
 */
#include <inttypes.h>

#include "base/cleanup.h"
#include "present/call_row.h"
#include "present/function_note.h"
#include "present/text.h"

/*
 * maximum number of levels drawn as lines; on a deeper path, only the number of the outermost
 * levels is printed
 */
#define LEVELS_DRAWN 40
/* leaves space for the numbers and a name on a line of 80 columns */
#define TREE_IMAGE_COLUMNS 12

struct drawing {
	const struct call_tree *tree;
	bool *selected;
	uint32_t *shown;	/* number of shown children of each node */
	uint32_t *last;		/* last shown child of each node */
	/* for each node, the number of its ancestors that have more than one shown child */
	uint32_t *level;
	/* for each level, true if a sibling of the current branch follows further down */
	VEC(bool) open;
	size_t shown_count;
};

static void drawing_fini(struct drawing *drawing)
{
	free(drawing->selected);
	free(drawing->shown);
	free(drawing->last);
	free(drawing->level);
	vec_free(&drawing->open);
}

static int drawing_init(struct drawing *drawing, const struct call_print *print)
{
	const struct call_tree *tree = print->tree;
	size_t count = tree->nodes.count;
	const bool *selected;

	*drawing = (struct drawing){
		.tree = tree,
		.selected = call_tree_select(tree, print->min_rank, print->depth_max,
					     print->style->limit ? print->style->limit + 1 : 0),
		.shown = calloc(count, sizeof(uint32_t)),
		.last = calloc(count, sizeof(uint32_t)),
		.level = calloc(count, sizeof(uint32_t)),
	};
	selected = drawing->selected;
	if (!selected || !drawing->shown || !drawing->last || !drawing->level)
		return -ENOMEM;
	for (uint32_t node = call_tree_next(tree, CALL_TREE_ROOT, selected); node;
	     node = call_tree_next(tree, node, selected))
		if (selected[node]) {
			drawing->shown[tree->nodes.at[node].parent]++;
			drawing->last[tree->nodes.at[node].parent] = node;
			drawing->shown_count++;
		}
	return 0;
}

/* ---- text ---- */

/*
 * Computes the node's level. Sets @open of that level to true if a sibling of the node follows
 * further down, otherwise to false. Returns 0 or -ENOMEM.
 */
static int place(struct drawing *drawing, uint32_t node)
{
	uint32_t parent = drawing->tree->nodes.at[node].parent;
	uint32_t level = drawing->level[parent] + (drawing->shown[parent] > 1);

	drawing->level[node] = level;
	while (drawing->open.count <= level)
		if (!vec_push(&drawing->open))
			return -ENOMEM;
	if (drawing->shown[parent] > 1)
		drawing->open.at[level] = drawing->last[parent] != node;
	return 0;
}

/* Prints a prefix such as "|  |  `- " in front of the name. */
static void put_prefix(FILE *out, const struct drawing *drawing, uint32_t node)
{
	uint32_t parent = drawing->tree->nodes.at[node].parent, level = drawing->level[node];
	uint32_t first = level > LEVELS_DRAWN ? level - LEVELS_DRAWN : 0;

	if (first)
		(void)fprintf(out, "(%" PRIu32 ") ", first);
	for (uint32_t i = first + 1; i < level; i++)
		(void)fputs(drawing->open.at[i] ? "|  " : "   ", out);
	if (level && drawing->shown[parent] > 1)
		(void)fputs(drawing->open.at[level] ? "|- " : "`- ", out);
	else if (level)
		(void)fputs(drawing->open.at[level] ? "|  " : "   ", out);
}

static int name_cell(struct table *table, const struct call_print *print,
		     const struct drawing *drawing, uint32_t node)
{
	char scratch[GROUP_IMAGE_NAME_MAX], *text = NULL;
	uint64_t frame = print->tree->nodes.at[node].frame;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	put_prefix(out, drawing, node);
	if (fclose(out) == 0)
		function_cell(table, print->profile, frame, text,
			      call_frame_name(print->profile, frame, scratch),
			      call_frame_mark(frame));
	else
		table->failed = true;
	free(text);
	return 0;
}

static int put_line(struct table *table, const struct call_print *print, struct drawing *drawing,
		    uint32_t id)
{
	const struct call_node *node = &print->tree->nodes.at[id];

	if (place(drawing, id) < 0)
		return -ENOMEM;
	call_share_cells(table, print, &node->total, print->total);
	if (!print->tree->bottom_up)
		call_share_cells(table, print, &node->self, print->total);
	table_mark(table, call_mark(print, &node->total));
	call_image_cell(table, print->profile, node->frame);
	return name_cell(table, print, drawing, id);
}

static int put_lines(struct table *table, const struct call_print *print, struct drawing *drawing)
{
	const struct call_tree *tree = print->tree;

	for (uint32_t node = call_tree_next(tree, CALL_TREE_ROOT, drawing->selected); node;
	     node = call_tree_next(tree, node, drawing->selected)) {
		int rc;

		if (!drawing->selected[node])
			continue;
		rc = put_line(table, print, drawing, node);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int print_text(struct call_print *print, struct drawing *drawing)
{
	static const struct table_column top_down[] = {
		RIGHT("total"),
		RIGHT("95 % interval"),
		RIGHT("self"),
		RIGHT("95 % interval"),
		LEFT(""),
		PATH("image", TREE_IMAGE_COLUMNS),
		LEFT("function and its callees"),
	};
	static const struct table_column bottom_up[] = {
		RIGHT("share"),
		RIGHT("95 % interval"),
		LEFT(""),
		PATH("image", TREE_IMAGE_COLUMNS),
		LEFT("sampled function and its callers"),
	};
	const struct call_tree *tree = print->tree;
	struct table table = {
		.columns = tree->bottom_up ? bottom_up : top_down,
		.column_count = tree->bottom_up ? 5 : 7,
		.width = print->style->columns,
		.palette = print->style->palette,
	};
	int rc = put_lines(&table, print, drawing);
	int printed;

	call_heading(print, "");
	printed = table_print(&table, print->out);
	call_rest(print, drawing->shown_count, tree->nodes.count - 1, "lines");
	return rc < 0 ? rc : printed;
}

/* ---- JSON and CSV ---- */

static void json_node(struct call_print *print, uint32_t id)
{
	const struct call_node *node = &print->tree->nodes.at[id];

	json_open(&print->json, NULL, '{');
	json_u64(&print->json, "id", id);
	json_u64(&print->json, "parent", node->parent);
	json_u64(&print->json, "depth", node->depth);
	call_json_frame(print, node->frame);
	call_json_count(print, "self", &node->self, print->total);
	call_json_count(print, "total", &node->total, print->total);
	json_close(&print->json);
}

static void csv_node(struct call_print *print, uint32_t id)
{
	const struct call_node *node = &print->tree->nodes.at[id];

	(void)fprintf(print->out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", id, node->parent,
		      node->depth);
	call_csv_frame(print, node->frame);
	call_csv_event(print);
	call_csv_count(print, &node->self, print->total);
	call_csv_count(print, &node->total, print->total);
	(void)fputs("\r\n", print->out);
}

static void each_shown(struct call_print *print, const struct drawing *drawing,
		       void (*put)(struct call_print *print, uint32_t node))
{
	const struct call_tree *tree = print->tree;

	for (uint32_t node = call_tree_next(tree, CALL_TREE_ROOT, drawing->selected); node;
	     node = call_tree_next(tree, node, drawing->selected))
		if (drawing->selected[node])
			put(print, node);
}

static int print_json(struct call_print *print, struct drawing *drawing)
{
	call_json_begin(print);
	json_string(&print->json, "order", print->tree->bottom_up ? "bottom-up" : "top-down");
	json_bool(&print->json, "cut", print->tree->cut);
	json_open(&print->json, "rows", '[');
	each_shown(print, drawing, json_node);
	json_close(&print->json);
	json_close(&print->json);
	return 0;
}

static int print_csv(struct call_print *print, struct drawing *drawing)
{
	(void)fputs("id,parent,depth,", print->out);
	call_csv_titles(print, "function", "");
	(void)fputs("event" CALL_CSV_COLUMNS("self_") CALL_CSV_COLUMNS("total_") "\r\n",
		    print->out);
	each_shown(print, drawing, csv_node);
	return 0;
}

int call_tree_print(const struct call_tree *tree, uint32_t depth_max,
		    const struct call_style *style, FILE *out)
{
	static int (*const printers[])(struct call_print *, struct drawing *) = {
		[REPORT_TEXT] = print_text,
		[REPORT_JSON] = print_json,
		[REPORT_CSV] = print_csv,
	};
	_cleanup_(drawing_fini) struct drawing drawing = { 0 };
	struct call_print print = call_print_of(tree, style, out);
	int rc;

	print.depth_max = depth_max;
	rc = drawing_init(&drawing, &print);
	return rc < 0 ? rc : printers[style->format](&print, &drawing);
}
