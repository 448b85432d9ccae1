/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source lines of an annotated function. */
#include <inttypes.h>

#include "present/annotate_row.h"
#include "present/escape.h"

#define SPAN_MAX (SOURCE_LINE_MAX + 256)

const struct source_line *annotated_line(const struct annotation *annotation, size_t row)
{
	uint32_t id = annotation->rows.at[row].line;
	const struct source_line *line = line_of(annotation->input.profile->model, id);

	return id && line->file && line->line ? line : NULL;
}

bool annotated_same_line(const struct source_line *a, const struct source_line *b)
{
	if (!a || !b)
		return a == b;
	return a->file == b->file && a->line == b->line && a->function == b->function;
}

static const char *function_name(const struct model *model, uint32_t id)
{
	return string_of(model, function_of(model, id)->name);
}

/* ---- text ---- */

static bool is_newer(const struct annotation *annotation, const struct source_text *text)
{
	const struct model *model = annotation->input.profile->model;
	const struct image *image = image_of(model, annotation->input.code->image);

	return text->bytes && image->mtime_ns && text->mtime_ns > image->mtime_ns;
}

static void put_path(struct table *table, const struct annotation *annotation, uint32_t file,
		     const struct source_text *text)
{
	const char *path = string_of(annotation->input.profile->model, file);
	char span[SPAN_MAX];

	if (text && !text->bytes)
		(void)snprintf(span, sizeof(span), "%.512s: not available: %s", path, text->why);
	else if (text && is_newer(annotation, text))
		(void)snprintf(span, sizeof(span), "%.512s: (changed after the program was built)",
			       path);
	else
		(void)snprintf(span, sizeof(span), "%.700s:", path);
	table_span(table, span, false);
}

void put_source(struct table *table, const struct annotation *annotation,
		const struct annotate_style *style, size_t row, struct source_place *place)
{
	const struct source_line *line = annotated_line(annotation, row);
	char text[SOURCE_LINE_MAX], span[SPAN_MAX];
	const struct source_text *source;

	if (annotated_same_line(line, place->line))
		return;
	place->line = line;
	if (!line)
		return;
	source = source_of(style->sources, line->file);
	if (line->file != place->file)
		put_path(table, annotation, line->file, source);
	place->file = line->file;
	(void)source_line(source, line->line, text);
	if (line->caller)
		(void)snprintf(span, sizeof(span), "%6" PRIu32 ": [%.128s] %s", line->line,
			       function_name(annotation->input.profile->model, line->function),
			       text);
	else
		(void)snprintf(span, sizeof(span), "%6" PRIu32 ":%s%s", line->line,
			       text[0] ? " " : "", text);
	table_span(table, span, true);
}

/* ---- data ---- */

static void json_chain(struct json *json, const struct model *model, uint32_t id)
{
	struct line_walk walk = { .line = id };

	json_string(json, "inlined_function", function_name(model, line_of(model, id)->function));
	json_open(json, "inlined_at", '[');
	for (line_walk_out(model, &walk); walk.line; line_walk_out(model, &walk)) {
		const struct source_line *line = line_of(model, walk.line);

		json_open(json, NULL, '{');
		json_string(json, "function", function_name(model, line->function));
		json_string(json, "file", string_of(model, line->file));
		json_u64(json, "line", line->line);
		json_close(json);
	}
	json_close(json);
}

void json_source(struct json *json, const struct annotation *annotation,
		 const struct annotate_style *style, size_t row)
{
	const struct model *model = annotation->input.profile->model;
	const struct source_line *line = annotated_line(annotation, row);
	char text[SOURCE_LINE_MAX];

	if (!line)
		return;
	json_string(json, "file", string_of(model, line->file));
	json_u64(json, "line", line->line);
	if (style->sources && source_line(source_of(style->sources, line->file), line->line, text))
		json_string(json, "source", text);
	if (line->caller)
		json_chain(json, model, annotation->rows.at[row].line);
}

void csv_source(const struct annotation *annotation, size_t row, FILE *out)
{
	const struct source_line *line = annotated_line(annotation, row);

	if (line)
		escape_csv(out, string_of(annotation->input.profile->model, line->file));
	(void)fputc(',', out);
	if (line)
		(void)fprintf(out, "%" PRIu32, line->line);
}
