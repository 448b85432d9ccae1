/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/report_wall.h"

#include <inttypes.h>

#include "base/clock.h"
#include "present/table.h"
#include "present/text.h"

#define BRIEF_ROWS 10

struct wall_text {
	const struct profile names;	/* only used for labels */
	const struct wall *wall;
	struct table table;
};

static void put_figures(struct wall_text *text, const struct wall_row *row, int64_t ns,
			uint64_t count, bool sampled)
{
	struct interval interval = wall_interval(text->wall, row, count);

	table_cell(&text->table, "%.4f", (double)ns / (double)NS_PER_SEC);
	table_cell(&text->table, "%.2f%%", 100 * wall_share(row, ns));
	if (sampled)
		table_cell(&text->table, "[%.2f-%.2f]", 100 * interval.low, 100 * interval.high);
	else
		table_name(&text->table, "");
	if (count)
		table_cell(&text->table, "%" PRIu64, count);
	else
		table_name(&text->table, "");
	table_name(&text->table, sampled ? mark_few(count) : "");
}

/*
 * Prints the parts of a group, except parts without time. Prints nothing for the groups
 * WALL_INTERRUPTED and WALL_REST: each of them has only one part, which would repeat the group's
 * line.
 */
static void put_parts(struct wall_text *text, const struct wall_row *row, enum wall_group group)
{
	if (group == WALL_INTERRUPTED || group == WALL_REST)
		return;
	for (int part = 0; part < WALL_PART_COUNT; part++) {
		if (wall_part_group((enum wall_part)part) != group || !row->ns[part])
			continue;
		put_figures(text, row, row->ns[part], row->count[part], part < WALL_SAMPLED_COUNT);
		table_cell(&text->table, "    %s", wall_part_name((enum wall_part)part));
	}
}

static void put_tree(struct wall_text *text, const struct wall_row *row, const char *label)
{
	put_figures(text, row, (int64_t)row->wall_ns, 0, false);
	if (text->wall->by == BY_PROCESS || !row->id)
		table_cell(&text->table, "%s (%" PRIu32 " thread%s)", label, row->threads,
			   row->threads == 1 ? "" : "s");
	else
		table_name(&text->table, label);
	for (int i = 0; i < WALL_GROUP_COUNT; i++) {
		enum wall_group group = (enum wall_group)i;
		int64_t ns = wall_group_ns(row, group);

		if (!ns && group != WALL_REST)
			continue;
		put_figures(text, row, ns, wall_group_count(row, group),
			    group == WALL_RUNNING || group == WALL_INTERRUPTED);
		table_cell(&text->table, "  %s", wall_group_name(group));
		put_parts(text, row, group);
	}
}

static void print_heading(const struct wall *wall, const struct report_style *style, FILE *out)
{
	size_t width = style->columns ? style->columns : TEXT_COLUMNS;
	char line[640];

	(void)snprintf(line, sizeof(line),
		       "Wall time is how long threads existed during the recording. Running "
		       "time and interrupts are sampled, and their count is the number of "
		       "samples; [low-high]: 95 %% confidence; ~: fewer than ten samples.");
	wrap_text(out, line, 0, width);
	(void)fputc('\n', out);
	if (wall->min_ns) {
		(void)snprintf(line, sizeof(line),
			       "Waits are measured, not sampled: each wait of at least %g ms, "
			       "and the exact sum of the shorter waits. Their count is the "
			       "number of waits.",
			       (double)wall->min_ns / (double)NS_PER_MSEC);
		wrap_text(out, line, 0, width);
		(void)fputc('\n', out);
	}
	if (wall->missing) {
		wrap_text(out, wall->missing, 0, width);
		(void)fputc('\n', out);
	}
}

static size_t trees_shown(const struct wall *wall, const struct report_style *style)
{
	size_t shown = wall_rows_shown(wall, style);

	return style->brief && shown > BRIEF_ROWS ? BRIEF_ROWS : shown;
}

int wall_as_text(const struct model *model, const struct wall *wall,
		 const struct report_style *style, FILE *out)
{
	static const struct table_column columns[] = {
		RIGHT("seconds"), RIGHT("share"), RIGHT("95 % interval"),
		RIGHT("count"),	  LEFT(""),	  LEFT("what"),
	};
	struct wall_text text = {
		.names = { .model = model },
		.wall = wall,
		.table = { .columns = columns, .column_count = 6, .width = style->columns },
	};
	size_t shown = trees_shown(wall, style);
	char label[REPORT_LABEL_MAX];
	int rc;

	print_heading(wall, style, out);
	if (wall->rows.count != 1)
		put_tree(&text, &wall->total, "all");
	for (size_t i = 0; i < shown; i++) {
		group_label(&text.names, wall->by, wall->rows.at[i].id, label, sizeof(label));
		put_tree(&text, &wall->rows.at[i], label);
	}
	rc = table_print(&text.table, out);
	if (shown < wall->rows.count)
		(void)fprintf(out, "  ... %zu more (%s 0 shows all)\n", wall->rows.count - shown,
			      style->settings->limit);
	return rc;
}
