/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the images in which unwinding of user stacks stopped early, and the remedies. */
#include "present/text.h"

#include <inttypes.h>

#include "analyze/lookup.h"

#define WALK_ROWS 5	/* maximum number of rows in a brief report */

static void put_row(struct text *text, struct table *table, const struct walk_row *row)
{
	const struct overview *o = text->overview;

	table_cell(table, "%" PRIu64, row->cut);
	table_cell(table, "%.2f%%", percent_of(row->cut, o->health.walks.walked));
	table_cell(table, "%" PRIu64, row->health.samples);
	table_cell(table, "%" PRIu64, row->health.frame_pointer_frames);
	table_cell(table, "%s", walk_stop_name(row->most));
	cell_label(table, o->profile, BY_IMAGE, row->image);
}

static bool was_said(const struct walk_row *rows, size_t before, const struct model *model,
		     const char *advice)
{
	for (size_t i = 0; i < before; i++)
		if (strcmp(walks_advice(model, rows[i].image, rows[i].most), advice) == 0)
			return true;
	return false;
}

/*
 * Prints an explanation of each reason that the table shows, once. The advice for a reason may
 * differ for generated code. Each different advice is also printed once.
 */
static void print_reasons(struct text *text, const struct walk_row *rows, size_t count)
{
	const struct model *model = text->overview->profile->model;
	bool said[WALK_STOP_COUNT] = { false };

	for (size_t i = 0; i < count; i++) {
		enum walk_stop stop = rows[i].most;
		const char *advice = walks_advice(model, rows[i].image, stop);
		bool is_news = *advice && !was_said(rows, i, model, advice);
		const char *what = said[stop] ? "" : walk_stop_meaning(stop);
		bool is_generated = image_of(model, rows[i].image)->kind == IMAGE_JIT;

		if (!said[stop] || is_news)
			text_line(text, "%s%s: %s%s%s", walk_stop_name(stop),
				  is_generated ? " (generated code)" : "", what,
				  *what && is_news ? "; " : "", is_news ? advice : "");
		said[stop] = true;
	}
}

void text_walks(struct text *text)
{
	static const struct table_column columns[] = {
		RIGHT("cut"),	    RIGHT("share"),	RIGHT("through it"),
		RIGHT("fp frames"), LEFT("top reason"), PATH("incomplete walks, by image", 0),
	};
	const struct walks *walks = &text->overview->health.walks;
	struct table table = { .columns = columns, .column_count = 6 };
	size_t shown = text_limit(text, walks->rows.count, WALK_ROWS);
	uint64_t rest = walks->walked - walks->ended;

	if (!walks->walked)
		return;
	(void)fputc('\n', text->out);
	text_line(text,
		  "Of the %" PRIu64 " user stacks that were unwound in the whole run, %.2f%% "
		  "reached an end%s",
		  walks->walked, percent_of(walks->ended, walks->walked),
		  shown ? "; the others stopped in:" : "");
	if (!shown)
		return;
	for (size_t i = 0; i < shown; i++) {
		put_row(text, &table, &walks->rows.at[i]);
		rest -= walks->rows.at[i].cut;
	}
	text_table(text, &table);
	text_rest(text, shown, walks->rows.count, rest);
	print_reasons(text, walks->rows.at, shown);
}
