/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints an annotated function for people. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "present/annotate_row.h"
#include "present/escape.h"
#include "present/function_note.h"
#include "present/share.h"
#include "present/table.h"
#include "present/text.h"

/* ---- heading ---- */

static void print_share(const struct annotation *annotation, const struct count *part, FILE *out)
{
	share_text(&(struct share){ part, &annotation->all,
				    count_goes_by_weight(annotation_event(annotation)) },
		   out);
	(void)fprintf(out, " of %" PRIu64, annotation->all.samples);
}

static void print_heading(const struct annotation *annotation, FILE *out)
{
	const struct model *model = annotation->input.profile->model;
	const struct code *code = annotation->input.code;

	escape_text(out, annotated_name(annotation));
	put_function_note(out, annotation->input.profile, annotation->input.function);
	(void)fputs("\n  in ", out);
	escape_text(out, annotated_image(annotation));
	(void)fprintf(out, ", 0x%" PRIx64 " to 0x%" PRIx64 "; code from ", code->vaddr,
		      code->vaddr + code->size_bytes);
	escape_text(out, annotation->input.code_from);
	(void)fprintf(out, "\n  %" PRIu64 " samples of ", annotation->total.samples);
	escape_text(out, string_of(model, annotation_event(annotation)->name));
	(void)fputs(", ", out);
	print_share(annotation, &annotation->total, out);
	if (annotation->late_samples)
		(void)fprintf(out, "; %" PRIu64 " late", annotation->late_samples);
	if (annotation->outside.samples)
		(void)fprintf(out, "; %" PRIu64 " after the end of the code",
			      annotation->outside.samples);
	(void)fputc('\n', out);
}

/*
 * Prints how many of the function's samples are in code of the requested line, and the share of
 * these samples in the function's samples.
 */
static void print_place(const struct annotation *annotation, const struct annotate_style *style,
			FILE *out)
{
	bool by_weight = count_goes_by_weight(annotation_event(annotation));
	const struct count asked = annotation_asked(annotation);

	(void)fputs("  ", out);
	escape_text(out, style->place);
	(void)fprintf(out, ": %" PRIu64 " samples, %.2f%% of the function\n", asked.samples,
		      100 * count_share(&asked, &annotation->total, by_weight));
}

static void print_legend(const struct annotate_style *style, FILE *out)
{
	(void)fputs("Hits: samples in which this instruction was the next to be executed.\nB: "
		    "basic block.  !: most samples are late, delayed by code with interrupts "
		    "off.\n~: fewer than 10 samples.  ^: some samples fall inside the "
		    "instruction.\n",
		    out);
	if (style->place)
		(void)fputs("*: code of the requested line.\n", out);
	(void)fputc('\n', out);
}

/* ---- cells ---- */

/*
 * On a terminal with fewer columns, each row's share of all samples is omitted to leave space for
 * the instructions.
 */
#define NARROW_COLUMNS 110

static bool is_narrow(const struct annotate_style *style)
{
	return style->columns && style->columns < NARROW_COLUMNS;
}

static void cells_of_count(struct table *table, const struct annotation *annotation,
			   const struct count *count, const char *mark, bool narrow)
{
	bool by_weight = count_goes_by_weight(annotation_event(annotation));
	const struct figures of_function = { .count = count,
					     .total = &annotation->total,
					     .by_weight = by_weight };
	const struct figures of_all = { .count = count,
					.total = &annotation->all,
					.by_weight = by_weight };

	if (count->samples == 0) {
		for (int i = narrow ? 2 : 0; i < 5; i++)
			table_cell(table, "%s", "");
		table_cell(table, "%s", mark);
		return;
	}
	table_cell(table, "%" PRIu64, count->samples);
	cells_share(table, &of_function);
	if (!narrow)
		cells_share(table, &of_all);
	table_cell(table, "%s", mark);
}

static const char *mark_of(const struct annotation *annotation, const struct count *count,
			   uint64_t late_samples, uint64_t inside_samples)
{
	const struct group_row row = { .count = *count, .late_samples = late_samples };

	if (count->samples == 0)
		return "";
	return inside_samples ? "^"
			      : mark_row(&row, count_goes_by_weight(annotation_event(annotation)));
}

/* ---- arrows ---- */

/* one cell per lane, one for the arrow's tip, and a NUL */
#define ARROW_BYTES (ANNOTATE_LANES + 2)

struct arrows {
	char (*at)[ARROW_BYTES];	/* the cells of each row */
	size_t lanes;			/* number of lanes in use */
};

/*
 * Draws one end of an arrow: a horizontal line from the arrow's lane to the instruction, across the
 * lanes in between.
 */
static void draw_end(char *cells, unsigned int lane, char tip)
{
	size_t corner = ANNOTATE_LANES - 1 - lane;

	cells[corner] = '+';
	for (size_t i = corner + 1; i < ANNOTATE_LANES; i++)
		if (cells[i] == ' ')
			cells[i] = '-';
	if (cells[ANNOTATE_LANES] != '>')
		cells[ANNOTATE_LANES] = tip;
}

static void draw(const struct arrows *arrows, const struct annotate_arrow *arrow)
{
	size_t first = arrow->from < arrow->to ? arrow->from : arrow->to;
	size_t last = arrow->from < arrow->to ? arrow->to : arrow->from;
	size_t column = ANNOTATE_LANES - 1 - arrow->lane;

	for (size_t i = first + 1; i < last; i++)
		arrows->at[i][column] = '|';
	draw_end(arrows->at[arrow->from], arrow->lane, '-');
	draw_end(arrows->at[arrow->to], arrow->lane, '>');
}

static int draw_all(const struct annotation *annotation, struct arrows *ret_arrows)
{
	size_t count = annotation->rows.count;
	struct arrows arrows = { .at = calloc(count + 1, sizeof(*arrows.at)) };

	if (!arrows.at)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		memset(arrows.at[i], ' ', ARROW_BYTES - 1);
	for (size_t i = 0; i < annotation->arrows.count; i++) {
		const struct annotate_arrow *arrow = &annotation->arrows.at[i];

		if (arrow->lane >= ANNOTATE_LANES)
			continue;
		draw(&arrows, arrow);
		if (arrows.lanes <= arrow->lane)
			arrows.lanes = arrow->lane + 1u;
	}
	*ret_arrows = arrows;
	return 0;
}

static const char *arrow_cells(const struct arrows *arrows, size_t row)
{
	return arrows->lanes ? arrows->at[row] + (ANNOTATE_LANES - arrows->lanes) : "";
}

/* ---- instructions ---- */

/* State for printing the instructions of a function. */
struct listing {
	const struct annotation *annotation;
	const struct annotate_style *style;
	bool *shown;
	struct arrows arrows;
};

static void listing_fini(struct listing *listing)
{
	free(listing->shown);
	free(listing->arrows.at);
}

static void put_instruction(struct table *table, const struct listing *listing, size_t i)
{
	const struct annotation *annotation = listing->annotation;
	const struct annotate_row *row = &annotation->rows.at[i];
	bool is_first = annotation->blocks.at[row->block].first == i;
	char text[DISASM_TEXT_MAX], line[DISASM_TEXT_MAX + ARROW_BYTES], mark[8];

	(void)snprintf(mark, sizeof(mark), "%s%s", row->asked ? "*" : "",
		       mark_of(annotation, &row->count, row->late_samples, row->inside_samples));
	cells_of_count(table, annotation, &row->count, mark, is_narrow(listing->style));
	if (is_first)
		table_cell(table, "B%" PRIu32, row->block + 1);
	else
		table_cell(table, "%s", "");
	table_cell(table, "%" PRIx64, annotation->instructions.list.at[i].vaddr);
	annotated_text(annotation, i, text);
	(void)snprintf(line, sizeof(line), "%s%s", arrow_cells(&listing->arrows, i), text);
	table_name(table, line);
}

static void put_gap(struct table *table, size_t count, uint64_t samples)
{
	for (size_t i = 0; i + 1 < table->column_count; i++)
		table_cell(table, "%s", "");
	table_cell(table, "... %zu more, %" PRIu64 " samples", count, samples);
}

static void put_instructions(struct table *table, const struct listing *listing)
{
	const struct annotation *annotation = listing->annotation;
	struct source_place place = { 0 };
	size_t hidden = 0;
	uint64_t samples = 0;

	for (size_t i = 0; i < annotation->rows.count; i++) {
		if (!listing->shown[i]) {
			hidden++;
			samples += annotation->rows.at[i].count.samples;
			continue;
		}
		if (hidden) {
			put_gap(table, hidden, samples);
			place.line = NULL;
		}
		if (listing->style->sources)
			put_source(table, annotation, listing->style, i, &place);
		put_instruction(table, listing, i);
		hidden = 0;
		samples = 0;
	}
	if (hidden)
		put_gap(table, hidden, samples);
}

static int print_instructions(const struct annotation *annotation,
			      const struct annotate_style *style, FILE *out)
{
	static const struct table_column wide[] = {
		RIGHT("hits"),	 RIGHT("of function"),	 RIGHT("95 % interval"),
		RIGHT("of all"), RIGHT("95 % interval"), LEFT(""),
		LEFT("B"),	 RIGHT("address"),	 LEFT("instruction"),
	};
	static const struct table_column narrow[] = {
		RIGHT("hits"), RIGHT("of fn"),	 RIGHT("95 % interval"), LEFT(""),
		LEFT("B"),     RIGHT("address"), LEFT("instruction"),
	};
	struct table table = { .columns = wide, .column_count = 9, .width = style->columns };
	_cleanup_(listing_fini) struct listing listing = { annotation, style, NULL, { 0 } };
	int rc = draw_all(annotation, &listing.arrows);

	if (is_narrow(style)) {
		table.columns = narrow;
		table.column_count = 7;
	}
	if (rc < 0)
		return rc;
	rc = annotation_choose(annotation, style->limit, &listing.shown);
	if (rc < 0)
		return rc;
	put_instructions(&table, &listing);
	return table_print(&table, out);
}

/* ---- blocks ---- */

static void put_block(struct table *table, const struct annotation *annotation, size_t i)
{
	const struct annotate_block *block = &annotation->blocks.at[i];

	cells_of_count(table, annotation, &block->count,
		       mark_of(annotation, &block->count, block->late_samples, 0), false);
	table_cell(table, "B%zu", i + 1);
	table_cell(table, "%" PRIx64, annotation->instructions.list.at[block->first].vaddr);
	table_cell(table, "%" PRIx64, annotated_block_end(annotation, block));
	table_cell(table, "%" PRIu32, block->row_count);
}

static void put_block_gap(struct table *table, size_t count, uint64_t samples)
{
	char line[96];

	if (!count)
		return;
	(void)snprintf(line, sizeof(line), "... %zu more, %" PRIu64 " samples", count, samples);
	table_span(table, line, false);
}

static void put_blocks(struct table *table, const struct annotation *annotation, const bool *shown)
{
	uint64_t samples = 0;
	size_t hidden = 0;

	for (size_t i = 0; i < annotation->blocks.count; i++) {
		if (!shown[i]) {
			hidden++;
			samples += annotation->blocks.at[i].count.samples;
			continue;
		}
		put_block_gap(table, hidden, samples);
		put_block(table, annotation, i);
		hidden = 0;
		samples = 0;
	}
	put_block_gap(table, hidden, samples);
}

static int print_blocks(const struct annotation *annotation, const struct annotate_style *style,
			FILE *out)
{
	static const struct table_column columns[] = {
		RIGHT("hits"),	       RIGHT("of function"),   RIGHT("95 % interval"),
		RIGHT("of all"),       RIGHT("95 % interval"), LEFT(""),
		LEFT("block"),	       RIGHT("begins"),	       RIGHT("ends before"),
		RIGHT("instructions"),
	};
	struct table table = { .columns = columns, .column_count = 10, .width = style->columns };

	bool *shown;
	int rc = annotation_choose_blocks(annotation, style->limit, &shown);

	if (rc < 0)
		return rc;
	put_blocks(&table, annotation, shown);
	free(shown);
	return table_print(&table, out);
}

int annotations_as_text(const struct annotation *functions, size_t count,
			const struct annotate_style *style, FILE *out)
{
	print_legend(style, out);
	for (size_t i = 0; i < count; i++) {
		int rc;

		if (i)
			(void)fputc('\n', out);
		print_heading(&functions[i], out);
		if (style->place)
			print_place(&functions[i], style, out);
		rc = style->by_block ? print_blocks(&functions[i], style, out)
				     : print_instructions(&functions[i], style, out);
		if (rc < 0)
			return rc;
	}
	return 0;
}
