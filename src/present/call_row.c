/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/call_row.h"

#include <inttypes.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "present/escape.h"
#include "present/function_note.h"
#include "present/row_json.h"
#include "present/share.h"
#include "present/text.h"
#include "present/losses.h"

uint64_t call_style_min_rank(const struct call_style *style, const struct profile *profile)
{
	const struct stack_counts *stacks = &profile->stacks;
	bool by_weight = group_goes_by_weight(profile, stacks->event);

	return (uint64_t)ceil(style->min_share * (double)count_rank(&stacks->total, by_weight));
}

struct call_print call_print_of(const struct call_tree *tree, const struct call_style *style,
				FILE *out)
{
	return (struct call_print){
		.tree = tree,
		.profile = tree->profile,
		.event = json_event(tree->profile, tree->event),
		.total = call_tree_total(tree),
		.style = style,
		.min_rank = call_style_min_rank(style, tree->profile),
		.out = out,
		.json = { .out = out },
	};
}

/* ---- text ---- */

void call_heading(const struct call_print *print, const char *legend)
{
	char line[REPORT_LABEL_MAX + 512], event[REPORT_LABEL_MAX], idle[64] = "";
	char amount[AMOUNT_TEXT_MAX];

	group_label(print->profile, BY_EVENT, print->tree->event, event, sizeof(event));
	amount_text(print->total, print->event, amount);
	if (print->profile->stacks.idle_samples)
		(void)snprintf(idle, sizeof(idle), " (plus %" PRIu64 " idle)",
			       print->profile->stacks.idle_samples);
	(void)snprintf(line, sizeof(line), "%" PRIu64 " samples of %s%s%s; %s%s%s",
		       print->total->samples, event, idle, amount,
		       text_legend(print->total, print->tree->by_weight), *legend ? "; " : "",
		       legend);
	wrap_text(print->out, line, 0,
		  print->style->columns ? print->style->columns : TEXT_COLUMNS);
	(void)fputc('\n', print->out);
	if (print->tree->cut)
		(void)fputs("The tree is too large, so some entries are not expanded.\n",
			    print->out);
}

void call_rest(const struct call_print *print, size_t shown, size_t count, const char *what)
{
	const struct setting_names *names = print->style->settings;

	if (shown < count)
		(void)fprintf(print->out, "  ... %zu more %s (%s 0 %s 0%s%s shows all)\n",
			      count - shown, what, names->limit, names->min_percent,
			      print->depth_max ? " without " : "",
			      print->depth_max ? names->depth : "");
}

void call_image_cell(struct table *table, const struct profile *profile, uint64_t frame)
{
	table_name(table, file_name(call_frame_image(profile, frame)));
	table_paint_image(table, call_frame_image_id(profile, frame));
}

void call_vertex_image_cell(struct table *table, const struct call_graph *graph, uint32_t vertex)
{
	call_image_cell(table, graph->tree->profile, graph->vertices.at[vertex].frame);
}

void call_share_cells(struct table *table, const struct call_print *print,
		      const struct count *count, const struct count *total)
{
	cells_share(table, &(struct figures){ .count = count,
					      .total = total,
					      .by_weight = print->tree->by_weight });
}

const char *call_mark(const struct call_print *print, const struct count *count)
{
	return mark_count(count, print->tree->by_weight);
}

/* ---- names ---- */

const char *call_vertex_name(const struct call_graph *graph, uint32_t vertex,
			     char scratch[static GROUP_IMAGE_NAME_MAX])
{
	const struct call_vertex *at = &graph->vertices.at[vertex];

	if (at->kind == CALL_OUTSIDE)
		return "<spontaneous>";
	if (at->kind != CALL_CYCLE)
		return call_frame_name(graph->tree->profile, at->frame, scratch);
	(void)snprintf(scratch, GROUP_IMAGE_NAME_MAX, "<cycle %" PRIu32 " as a whole>", at->cycle);
	return scratch;
}

const char *call_vertex_image(const struct call_graph *graph, uint32_t vertex)
{
	return call_frame_image(graph->tree->profile, graph->vertices.at[vertex].frame);
}

void call_vertex_cell(struct table *table, const struct call_graph *graph, uint32_t vertex,
		      const char *indent, uint32_t number)
{
	char scratch[GROUP_IMAGE_NAME_MAX], cycle[32] = "", index[32] = "", mark[96];
	const struct call_vertex *at = &graph->vertices.at[vertex];

	if (number && at->cycle && at->kind != CALL_CYCLE)
		(void)snprintf(cycle, sizeof(cycle), " <cycle %" PRIu32 ">", at->cycle);
	if (number)
		(void)snprintf(index, sizeof(index), " [%" PRIu32 "]", number);
	(void)snprintf(mark, sizeof(mark), "%s%s%s", call_frame_mark(at->frame), cycle, index);
	function_cell(table, graph->tree->profile, at->frame, indent,
		      call_vertex_name(graph, vertex, scratch), mark);
	table_paint_image(table, call_frame_image_id(graph->tree->profile, at->frame));
}

/* ---- JSON ---- */

static void json_names(struct call_print *print, const char *function, const char *image,
		       uint64_t frame)
{
	json_string(&print->json, "function", function);
	json_quality(&print->json, print->profile, frame);
	json_string(&print->json, "image", image);
	if (print->profile->inlined)
		json_bool(&print->json, "inlined", call_frame_is_inlined(frame));
}

void call_json_frame(struct call_print *print, uint64_t frame)
{
	char scratch[GROUP_IMAGE_NAME_MAX];

	json_names(print, call_frame_name(print->profile, frame, scratch),
		   call_frame_image(print->profile, frame), frame);
}

void call_json_vertex(struct call_print *print, const struct call_graph *graph, uint32_t vertex)
{
	char scratch[GROUP_IMAGE_NAME_MAX];

	json_names(print, call_vertex_name(graph, vertex, scratch),
		   call_vertex_image(graph, vertex), graph->vertices.at[vertex].frame);
}

void call_json_begin(struct call_print *print)
{
	json_open(&print->json, NULL, '{');
	json_u64(&print->json, "version", 1);
	losses_json(&print->json, LOSSES_KEY, print->profile->model);
	json_label(&print->json, print->profile, BY_EVENT, print->tree->event);
	json_u64(&print->json, "samples", print->total->samples);
	json_u64(&print->json, "idle_samples", print->profile->stacks.idle_samples);
}

void call_json_count(struct call_print *print, const char *key, const struct count *count,
		     const struct count *total)
{
	json_open(&print->json, key, '{');
	json_figures(&print->json, count, total, print->event);
	json_close(&print->json);
}

/* ---- CSV ---- */

static void csv_names(const struct call_print *print, const char *function, const char *image,
		      uint64_t frame)
{
	escape_csv(print->out, function);
	(void)fputc(',', print->out);
	escape_csv(print->out, image);
	if (print->profile->inlined)
		(void)fputs(call_frame_is_inlined(frame) ? ",true" : ",false", print->out);
	csv_quality(print->out, print->profile, frame);
	(void)fputc(',', print->out);
}

void call_csv_frame(const struct call_print *print, uint64_t frame)
{
	char scratch[GROUP_IMAGE_NAME_MAX];

	csv_names(print, call_frame_name(print->profile, frame, scratch),
		  call_frame_image(print->profile, frame), frame);
}

void call_csv_vertex(const struct call_print *print, const struct call_graph *graph,
		     uint32_t vertex)
{
	char scratch[GROUP_IMAGE_NAME_MAX];

	csv_names(print, call_vertex_name(graph, vertex, scratch), call_vertex_image(graph, vertex),
		  graph->vertices.at[vertex].frame);
}

void call_csv_titles(const struct call_print *print, const char *function, const char *prefix)
{
	(void)fprintf(print->out, "%s,%simage", function, prefix);
	if (print->profile->inlined)
		(void)fprintf(print->out, ",%sinlined", prefix);
	csv_quality_titles(print->out, prefix);
	(void)fputc(',', print->out);
}

void call_csv_event(const struct call_print *print)
{
	const struct model *model = print->profile->model;

	escape_csv(print->out, print->tree->event < model->events.count
				       ? model_string(model, print->event->name)
				       : "");
}

void call_csv_count(const struct call_print *print, const struct count *count,
		    const struct count *total)
{
	(void)fprintf(print->out, ",%" PRIu64 ",%" PRIu64 ",", count->samples, count->weight);
	if (print->event->is_time)
		(void)fprintf(print->out, "%.9g", (double)count->weight / 1e9);
	share_csv(&(struct share){ count, total, print->tree->by_weight }, print->out);
}
