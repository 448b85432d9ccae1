/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/sql_print.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "present/escape.h"

#define MEASURED_ROWS 1000
#define COLUMN_GAP 2

/* ---- values ---- */

static char *hex_of_blob(sqlite3_stmt *statement, int column)
{
	const uint8_t *bytes = sqlite3_column_blob(statement, column);
	size_t size_bytes = (size_t)sqlite3_column_bytes(statement, column);
	char *hex = malloc(2 * size_bytes + 1);

	if (!hex)
		return NULL;
	hex[0] = '\0';
	for (size_t i = 0; i < size_bytes; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	return hex;
}

/*
 * Returns the value as a string that the caller frees. For an SQL NULL, the string is "". Returns
 * NULL if out of memory.
 */
static char *value_text(sqlite3_stmt *statement, int column)
{
	const char *text;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		return strdup("");
	case SQLITE_BLOB:
		return hex_of_blob(statement, column);
	default:
		text = (const char *)sqlite3_column_text(statement, column);
		return text ? strdup(text) : NULL;
	}
}

static bool is_number(sqlite3_stmt *statement, int column)
{
	int type = sqlite3_column_type(statement, column);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static const char *column_name(sqlite3_stmt *statement, int column)
{
	const char *name = sqlite3_column_name(statement, column);

	return name ? name : "";
}

static int finished(int code)
{
	return code == SQLITE_DONE ? 0 : code;
}

/* ---- table ---- */

struct cell {
	char *text;
	bool right;
};

struct grid {
	FILE *out;
	int column_count;
	/*
	 * the cells that are not printed yet, row by row; the first row printed has the column
	 * titles
	 */
	VEC(struct cell) cells;
	VEC(size_t) widths;
};

static size_t shown_width(const char *text)
{
	char shown[ESCAPE_CHARACTER_MAX];
	size_t width = 0, step;

	while ((step = escape_next(&text, shown)))
		width += step;
	return width;
}

static void pad(FILE *out, size_t count)
{
	for (; count; count--)
		(void)fputc(' ', out);
}

static void print_cell(const struct grid *grid, int column, const struct cell *cell)
{
	size_t width = shown_width(cell->text), widest = grid->widths.at[column];
	size_t padding = width < widest ? widest - width : 0;

	if (cell->right)
		pad(grid->out, padding);
	escape_text(grid->out, cell->text);
	if (column + 1 == grid->column_count)
		(void)fputc('\n', grid->out);
	else
		pad(grid->out, (cell->right ? 0 : padding) + COLUMN_GAP);
}

/*
 * Aligns each title in the same way as the cell below it: to the right above a number, otherwise to
 * the left.
 */
static void align_titles(struct grid *grid)
{
	size_t columns = (size_t)grid->column_count;

	for (size_t i = 0; i < columns && columns + i < grid->cells.count; i++)
		grid->cells.at[i].right = grid->cells.at[columns + i].right;
}

static void measure(struct grid *grid)
{
	for (size_t i = 0; i < grid->cells.count; i++) {
		size_t *widest = &grid->widths.at[i % (size_t)grid->column_count];
		size_t width = shown_width(grid->cells.at[i].text);

		if (width > *widest)
			*widest = width;
	}
}

static void forget_cells(struct grid *grid)
{
	for (size_t i = 0; i < grid->cells.count; i++)
		free(grid->cells.at[i].text);
	vec_clear(&grid->cells);
}

static void print_cells(struct grid *grid)
{
	for (size_t i = 0; i < grid->cells.count; i++)
		print_cell(grid, (int)(i % (size_t)grid->column_count), &grid->cells.at[i]);
	forget_cells(grid);
}

static int add_cell(struct grid *grid, char *text, bool right)
{
	struct cell *cell = text ? vec_push(&grid->cells) : NULL;

	if (!cell) {
		free(text);
		return -ENOMEM;
	}
	*cell = (struct cell){ .text = text, .right = right };
	return 0;
}

static int begin_grid(struct grid *grid, sqlite3_stmt *statement)
{
	for (int i = 0; i < grid->column_count; i++)
		if (!vec_push(&grid->widths) ||
		    add_cell(grid, strdup(column_name(statement, i)), false) < 0)
			return -ENOMEM;
	return 0;
}

static int fill_grid(struct grid *grid, sqlite3_stmt *statement)
{
	size_t rows = 0;
	int rc = begin_grid(grid, statement);
	int code;

	if (rc < 0)
		return rc;
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		for (int i = 0; i < grid->column_count; i++) {
			rc = add_cell(grid, value_text(statement, i), is_number(statement, i));
			if (rc < 0)
				return rc;
		}
		if (++rows < MEASURED_ROWS)
			continue;
		if (rows == MEASURED_ROWS) {
			align_titles(grid);
			measure(grid);
		}
		print_cells(grid);
	}
	if (rows < MEASURED_ROWS) {
		align_titles(grid);
		measure(grid);
		print_cells(grid);
	}
	return finished(code);
}

static int print_table(sqlite3_stmt *statement, FILE *out)
{
	struct grid grid = { .out = out, .column_count = sqlite3_column_count(statement) };
	int rc = fill_grid(&grid, statement);

	forget_cells(&grid);
	vec_free(&grid.cells);
	vec_free(&grid.widths);
	return rc;
}

/* ---- CSV ---- */

static int print_csv(sqlite3_stmt *statement, FILE *out)
{
	int columns = sqlite3_column_count(statement), code;

	for (int i = 0; i < columns; i++) {
		(void)fputs(i ? "," : "", out);
		escape_csv(out, column_name(statement, i));
	}
	(void)fputs("\r\n", out);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		for (int i = 0; i < columns; i++) {
			_cleanup_free_ char *text = value_text(statement, i);

			if (!text)
				return -ENOMEM;
			(void)fputs(i ? "," : "", out);
			escape_csv(out, text);
		}
		(void)fputs("\r\n", out);
	}
	return finished(code);
}

/* ---- JSON ---- */

static int print_json_value(sqlite3_stmt *statement, int column, FILE *out)
{
	_cleanup_free_ char *text = NULL;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		(void)fputs("null", out);
		return 0;
	case SQLITE_FLOAT:
		/* JSON has no infinity, so print null. */
		if (!isfinite(sqlite3_column_double(statement, column))) {
			(void)fputs("null", out);
			return 0;
		}
		break;
	default:
		break;
	}
	text = value_text(statement, column);
	if (!text)
		return -ENOMEM;
	if (is_number(statement, column))
		(void)fputs(text, out);
	else
		escape_json(out, text);
	return 0;
}

static int print_json_row(sqlite3_stmt *statement, FILE *out)
{
	int columns = sqlite3_column_count(statement), rc = 0;

	for (int i = 0; rc == 0 && i < columns; i++) {
		(void)fputs(i ? ", " : "{", out);
		escape_json(out, column_name(statement, i));
		(void)fputs(": ", out);
		rc = print_json_value(statement, i, out);
	}
	(void)fputc('}', out);
	return rc;
}

/* The array is closed even after an error, so that the output is valid JSON. */
static int print_json(sqlite3_stmt *statement, FILE *out)
{
	bool first = true;
	int code = SQLITE_DONE, rc = 0;

	(void)fputc('[', out);
	while (rc == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		(void)fputs(first ? "\n" : ",\n", out);
		rc = print_json_row(statement, out);
		first = false;
	}
	(void)fputs("\n]\n", out);
	return rc < 0 ? rc : finished(code);
}

int sql_print(sqlite3_stmt *statement, enum sql_format format, FILE *out)
{
	if (sqlite3_column_count(statement) == 0)
		return finished(sqlite3_step(statement));
	switch (format) {
	case SQL_CSV:
		return print_csv(statement, out);
	case SQL_JSON:
		return print_json(statement, out);
	default:
		return print_table(statement, out);
	}
}
