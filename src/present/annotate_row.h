/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_row.h - shared by the output formats of annotated functions
 *
 * Private to present/.
 */
#ifndef ASSAY_PRESENT_ANNOTATE_ROW_H
#define ASSAY_PRESENT_ANNOTATE_ROW_H

#include "analyze/lookup.h"
#include "present/annotate.h"
#include "present/json.h"
#include "present/table.h"

static inline const struct function *annotated_function(const struct annotation *annotation)
{
	return function_of(annotation->input.profile->model, annotation->input.function);
}

static inline const char *annotated_name(const struct annotation *annotation)
{
	return string_of(annotation->input.profile->model, annotated_function(annotation)->name);
}

static inline const char *annotated_image(const struct annotation *annotation)
{
	const struct model *model = annotation->input.profile->model;

	return string_of(model, image_of(model, annotated_function(annotation)->image)->path);
}

/* Returns the address after the block's last byte. */
static inline uint64_t annotated_block_end(const struct annotation *annotation,
					   const struct annotate_block *block)
{
	size_t last = block->first + block->row_count - 1;
	const struct instruction *instruction = &annotation->instructions.list.at[last];

	return instruction->vaddr + instruction->length;
}

static inline void annotated_text(const struct annotation *annotation, size_t row,
				  char text[static DISASM_TEXT_MAX])
{
	if (annotation_text(annotation, row, text, NULL) < 0)
		(void)snprintf(text, DISASM_TEXT_MAX, "?");
}

/* ---- source lines (annotate_source.c) ---- */

struct source_place {
	const struct source_line *line;	/* last source line printed; NULL: none */
	uint32_t file;			/* file whose path was printed last */
};

/* Returns the source line of a row, or NULL if the source line is unknown. */
const struct source_line *annotated_line(const struct annotation *annotation, size_t row);

/* Returns true if @a and @b are the same line of the same function. Both may be NULL. */
bool annotated_same_line(const struct source_line *a, const struct source_line *b);

/*
 * Prints the path of the source file and the source line above row @row. Leaves out the path or the
 * line if it is the same as the one printed last, which @place remembers.
 */
void put_source(struct table *table, const struct annotation *annotation,
		const struct annotate_style *style, size_t row, struct source_place *place);

/*
 * Adds the members "file" and "line" to the row's JSON object, and "source" if the text of the line
 * is known. For inlined code, also adds "inlined_function" and "inlined_at". Adds nothing if the
 * source line is unknown.
 */
void json_source(struct json *json, const struct annotation *annotation,
		 const struct annotate_style *style, size_t row);

/* Prints the CSV fields "file,line". Both are empty if the source line is not known. */
void csv_source(const struct annotation *annotation, size_t row, FILE *out);

#endif
