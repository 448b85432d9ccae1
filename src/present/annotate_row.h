/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_row.h - what the formats of an annotated function share
 *
 * Private to present/.
 */
#ifndef ASSAY_PRESENT_ANNOTATE_ROW_H
#define ASSAY_PRESENT_ANNOTATE_ROW_H

#include "analyze/lookup.h"
#include "present/annotate.h"

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

/* One past the block's last byte. */
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

#endif
