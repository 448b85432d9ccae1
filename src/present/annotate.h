/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate.h - prints annotated functions as text, JSON or CSV
 *
 * As in report.h, text is for people and the other formats are for programs. All functions write to
 * the FILE that cli passes. Each row has two shares, one of the function and one of all samples,
 * each with its interval. Names in operands come from the target and are escaped like all other
 * names.
 *
 * If lines are known (annotation_take_lines()), the text of a source line is printed above the
 * first of the instructions that come from it, under the path of its file. For inlined code, the
 * name of the function it comes from is printed, too. JSON has the whole inline chain.
 *
 * An instruction that cannot be disassembled is shown as "?". cli tests this with one instruction
 * before it prints.
 */
#ifndef ASSAY_PRESENT_ANNOTATE_H
#define ASSAY_PRESENT_ANNOTATE_H

#include "analyze/annotate.h"
#include "model/source.h"
#include "present/report.h"

struct annotate_style {
	size_t limit;		/* instructions per function; 0: all */
	size_t columns;		/* width of the terminal; 0: not a terminal */
	bool by_block;		/* one row per basic block instead of per instruction */
	const char *place;	/* FILE:LINE whose rows were requested; NULL: none */
	const struct source_list *sources;	/* texts of the source files; NULL: no source */
};

/*
 * All functions were annotated from the same profile and selection. These functions return 0 or
 * -ENOMEM.
 */
int annotations_as_text(const struct annotation *functions, size_t count,
			const struct annotate_style *style, FILE *out);
int annotations_as_json(const struct annotation *functions, size_t count,
			const struct annotate_style *style, FILE *out);
int annotations_as_csv(const struct annotation *functions, size_t count,
		       const struct annotate_style *style, FILE *out);

#endif
