/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate.h - annotated functions, as text, JSON or CSV
 *
 * As with report.h: text is for people, the rest for programs, all of them write to the FILE that
 * cli gives.  Each row has two shares, of the function and of all, each with its interval.  Names
 * in operands are a target's, and are escaped like all others.
 *
 * Where lines are known (annotation_take_lines()) the text of a line stands above the first of
 * the instructions that come from it, under the path of its file; of inlined code with the name
 * of the function that it comes from.  JSON has the whole inline chain.
 *
 * An instruction whose text cannot be made is shown as "?": cli asks for one before it prints.
 */
#ifndef ASSAY_PRESENT_ANNOTATE_H
#define ASSAY_PRESENT_ANNOTATE_H

#include "analyze/annotate.h"
#include "model/source.h"
#include "present/report.h"

struct annotate_style {
	size_t limit;		/* instructions of each function; 0: all */
	size_t columns;		/* of the terminal; 0: none */
	bool by_block;		/* a row for each basic block, not for each instruction */
	const char *place;	/* FILE:LINE whose rows are asked for; NULL: none are */
	const struct source_list *sources;	/* texts of the files; NULL: without source */
};

/* The functions were annotated from one profile and one selection. 0 or -ENOMEM. */
int annotations_as_text(const struct annotation *functions, size_t count,
			const struct annotate_style *style, FILE *out);
int annotations_as_json(const struct annotation *functions, size_t count,
			const struct annotate_style *style, FILE *out);
int annotations_as_csv(const struct annotation *functions, size_t count,
		       const struct annotate_style *style, FILE *out);

#endif
