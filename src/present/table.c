/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/table.h"

#include <stdarg.h>

#include "base/cleanup.h"
#include "present/escape.h"
#include "present/name_fit.h"

#define INDENT "  "
#define GAP "  "
#define GAP_COLUMNS 2
#define DOTS "..."
#define DOTS_COLUMNS 3
#define RULE_COLUMNS_MAX 100

/* ---- cells ---- */

static void put_bytes(struct table *table, const char *bytes, size_t count)
{
	if (!count)
		return;
	if (vec_reserve(&table->bytes, table->bytes.count + count) < 0) {
		table->failed = true;
		return;
	}
	memcpy(table->bytes.at + table->bytes.count, bytes, count);
	table->bytes.count += count;
}

void table_parts(struct table *table, const char *head, const char *name, const char *mark,
		 const char *note)
{
	struct table_text *cell = table->failed ? NULL : vec_push(&table->cells);

	if (!cell) {
		table->failed = true;
		return;
	}
	*cell = (struct table_text){ table->bytes.count, strlen(head), strlen(name), strlen(mark) };
	put_bytes(table, head, cell->head);
	put_bytes(table, name, cell->name);
	put_bytes(table, mark, cell->mark);
	put_bytes(table, note, strlen(note) + 1);
	if (table->failed)
		table->cells.count--;
}

void table_name(struct table *table, const char *name)
{
	table_parts(table, "", name, "", "");
}

void table_cell(struct table *table, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	table_name(table, text);
}

static void paint(struct table *table, uint64_t image, bool is_mark)
{
	struct table_paint *slot = table->failed ? NULL : vec_push(&table->paints);

	if (slot)
		*slot = (struct table_paint){ table->cells.count - 1, image, is_mark };
	else
		table->failed = true;
}

void table_paint_image(struct table *table, uint64_t image)
{
	paint(table, image, false);
}

void table_mark(struct table *table, const char *mark)
{
	table_name(table, mark);
	if (*mark)
		paint(table, 0, true);
}

void table_rule(struct table *table)
{
	size_t *rule = vec_push(&table->rules);

	if (rule)
		*rule = table->cells.count;
	else
		table->failed = true;
}

void table_span(struct table *table, const char *text, bool code)
{
	struct table_span *span = table->failed ? NULL : vec_push(&table->spans);

	if (!span) {
		table->failed = true;
		return;
	}
	*span = (struct table_span){ table->cells.count, table->bytes.count, code };
	put_bytes(table, text, strlen(text) + 1);
	if (table->failed)
		table->spans.count--;
}

/* ---- text of limited width ---- */

typedef size_t (*next_fn)(const char **text, char ret_shown[static ESCAPE_CHARACTER_MAX]);

static next_fn next_of(bool code)
{
	return code ? escape_code_next : escape_next;
}

static size_t width_with(next_fn next, const char *text)
{
	char shown[ESCAPE_CHARACTER_MAX];
	size_t width = 0, step;

	while ((step = next(&text, shown)))
		width += step;
	return width;
}

static size_t width_of(const char *text)
{
	return width_with(escape_next, text);
}

/* Prints the beginning of @text: as many whole characters as fit into @width columns. */
static void put_head(FILE *out, next_fn next, const char *text, size_t width)
{
	char shown[ESCAPE_CHARACTER_MAX];
	size_t step;

	while ((step = next(&text, shown)) && step <= width) {
		(void)fputs(shown, out);
		width -= step;
	}
}

static void put_code(FILE *out, const char *text, size_t width)
{
	bool fits = width_with(escape_code_next, text) <= width;

	put_head(out, escape_code_next, text, fits ? width : width - DOTS_COLUMNS);
	if (!fits)
		(void)fputs(DOTS, out);
}

static size_t width_of_word(const char *text, size_t length)
{
	char shown[ESCAPE_CHARACTER_MAX];
	const char *end = text + length;
	size_t width = 0;

	while (text < end)
		width += escape_next(&text, shown);
	return width;
}

void wrap_text(FILE *out, const char *text, size_t indent, size_t width)
{
	size_t at = indent;

	while (*text) {
		size_t length = strcspn(text, " "), columns = width_of_word(text, length);
		const char *end = text + length;
		char shown[ESCAPE_CHARACTER_MAX];

		if (at > indent && at + 1 + columns > width) {
			(void)fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			(void)fputc(' ', out);
			at++;
		}
		while (text < end && escape_next(&text, shown))
			(void)fputs(shown, out);
		at += columns;
		text += strspn(text, " ");
	}
}

/* ---- widths ---- */

static const char *cell_text(const struct table *table, size_t cell)
{
	return table->bytes.at + table->cells.at[cell].at;
}

static size_t limited(size_t width, size_t max)
{
	if (max <= DOTS_COLUMNS)
		return width;
	return width < max ? width : max;
}

static void measure(const struct table *table, size_t cell_count, size_t *widths)
{
	size_t count = table->column_count, before = sizeof(INDENT) - 1, room;

	for (size_t i = 0; i < count; i++)
		widths[i] = width_of(table->columns[i].title);
	for (size_t i = 0; i < cell_count; i++) {
		size_t width = width_with(next_of(table->columns[i % count].code),
					  cell_text(table, i));

		if (width > widths[i % count])
			widths[i % count] = width;
	}
	if (!table->width)
		return;
	for (size_t i = 0; i + 1 < count; i++) {
		widths[i] = limited(widths[i], table->columns[i].max);
		before += widths[i] + GAP_COLUMNS;
	}
	room = before + TABLE_LAST_MIN < table->width ? table->width - before : TABLE_LAST_MIN;
	widths[count - 1] = limited(widths[count - 1], room);
}

/* ---- cells that do not fit ---- */

/* What to print instead of the text of each cell; NULL: its text. */
struct fitted {
	char **at;
	size_t count;
};

static void fitted_fini(struct fitted *fitted)
{
	for (size_t i = 0; fitted->at && i < fitted->count; i++)
		free(fitted->at[i]);
	free(fitted->at);
}

/*
 * Lists the names of a column that are too wide. @ret_cells has the cell of each name. Returns the
 * number of names.
 */
static size_t list_wide(const struct table *table, size_t column, size_t limit, size_t cell_count,
			struct name_in_list *ret_names)
{
	size_t count = 0;

	for (size_t i = column; i < cell_count; i += table->column_count) {
		const struct table_text *cell = &table->cells.at[i];
		const char *text = cell_text(table, i);

		if (width_of(text) > limit)
			ret_names[count++] = (struct name_in_list){
				.parts = { text, cell->head, cell->name, cell->mark },
				.number = i,
			};
	}
	return count;
}

/* Shortens the names of each column together, because they must stay different. */
static int fit_cells(const struct table *table, const size_t *widths, struct fitted *fitted)
{
	size_t columns = table->column_count;
	_cleanup_free_ struct name_in_list *names = calloc(fitted->count / columns + 1,
							   sizeof(*names));
	int rc = 0;

	if (!names || !fitted->at)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < columns; i++) {
		const struct table_column *style = &table->columns[i];
		size_t count;

		if (style->code || style->cut == CUT_WRAP)
			continue;
		count = list_wide(table, i, widths[i], fitted->count, names);
		rc = names_fit(names, count, widths[i], style->cut == CUT_HEAD);
		for (size_t k = 0; k < count; k++)
			fitted->at[names[k].number] = names[k].shown;
	}
	return rc;
}

/* ---- printing ---- */

/*
 * Prints one cell. @color is the escape sequence that begins its color, or "". The padding is not
 * colored.
 */
static void print_cell(const struct table *table, size_t column, const char *text,
		       const size_t *widths, const char *color, FILE *out)
{
	const struct table_column *style = &table->columns[column];
	size_t width = width_with(next_of(style->code), text), limit = widths[column];
	size_t pad = width < limit ? limit - width : 0, at = sizeof(INDENT) - 1;
	bool last = column + 1 == table->column_count;

	for (size_t i = 0; i < column; i++)
		at += widths[i] + GAP_COLUMNS;
	(void)fputs(column ? GAP : INDENT, out);
	if (!style->left)
		(void)fprintf(out, "%*s", (int)pad, "");
	if (!*text)
		color = "";
	(void)fputs(color, out);
	if (style->code)
		put_code(out, text, limit);
	else if (width > limit && style->cut == CUT_WRAP)
		wrap_text(out, text, at, at + limit);
	else
		escape_text(out, text);
	(void)fputs(*color ? PALETTE_END : "", out);
	if (style->left && !last)
		(void)fprintf(out, "%*s", (int)pad, "");
}

/*
 * Returns the color of a cell. @next is the index of the first paint of this or a later cell, and
 * is moved forward.
 */
static const char *color_of(const struct table *table, size_t cell, size_t *next)
{
	const struct table_paint *paint;

	while (*next < table->paints.count && table->paints.at[*next].cell < cell)
		++*next;
	if (!table->palette || *next == table->paints.count)
		return "";
	paint = &table->paints.at[*next];
	if (paint->cell != cell)
		return "";
	return paint->is_mark ? PALETTE_MARK : palette_of_image(table->palette, paint->image);
}

static void print_title(const struct table *table, size_t column, const size_t *widths, FILE *out)
{
	_cleanup_free_ char *title = name_shorten(&name_style_text, table->columns[column].title,
						  widths[column]);

	print_cell(table, column, title ? title : "", widths, table->palette ? PALETTE_TITLE : "",
		   out);
}

static void print_rule(const struct table *table, const size_t *widths, FILE *out)
{
	size_t columns = GAP_COLUMNS * (table->column_count - 1);

	for (size_t i = 0; i < table->column_count; i++)
		columns += widths[i];
	if (columns > RULE_COLUMNS_MAX)
		columns = RULE_COLUMNS_MAX;
	(void)fputs("\n" INDENT, out);
	for (size_t i = 0; i < columns; i++)
		(void)fputc('-', out);
}

static void put_short(FILE *out, const char *text, size_t width)
{
	_cleanup_free_ char *shown = name_shorten(&name_style_text, text, width);

	if (shown)
		escape_text(out, shown);
}

static void print_span(const struct table *table, const struct table_span *span, FILE *out)
{
	const char *text = table->bytes.at + span->text;
	size_t indent = sizeof(INDENT) - 1;
	size_t room = table->width > indent + TABLE_LAST_MIN ? table->width - indent
							     : TABLE_LAST_MIN;

	(void)fputs("\n" INDENT, out);
	if (span->code)
		put_code(out, text, table->width ? room : SIZE_MAX);
	else if (table->width && width_of(text) > room)
		put_short(out, text, room);
	else
		escape_text(out, text);
}

int table_print(struct table *table, FILE *out)
{
	size_t rule = 0, span = 0, next = 0;
	size_t widths[TABLE_COLUMNS_MAX], count = table->column_count;
	size_t whole = table->cells.count - table->cells.count % count;
	_cleanup_(fitted_fini) struct fitted fitted = { calloc(whole + 1, sizeof(char *)), whole };
	int rc = table->failed ? -ENOMEM : 0;

	measure(table, whole, widths);
	if (fit_cells(table, widths, &fitted) < 0)
		rc = -ENOMEM;
	for (size_t i = 0; whole && i < count; i++)
		print_title(table, i, widths, out);
	for (size_t i = 0; i < whole; i++) {
		for (; rule < table->rules.count && table->rules.at[rule] == i; rule++)
			print_rule(table, widths, out);
		for (; span < table->spans.count && table->spans.at[span].above == i; span++)
			print_span(table, &table->spans.at[span], out);
		if (i % count == 0)
			(void)fputc('\n', out);
		print_cell(table, i % count,
			   fitted.at && fitted.at[i] ? fitted.at[i] : cell_text(table, i), widths,
			   color_of(table, i, &next), out);
	}
	(void)fputs(whole ? "\n" : INDENT "none\n", out);
	vec_free(&table->bytes);
	vec_free(&table->cells);
	vec_free(&table->rules);
	vec_free(&table->spans);
	vec_free(&table->paints);
	return rc;
}
