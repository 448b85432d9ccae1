/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate.h - prints annotated functions as text, JSON or CSV
 *
 * An annotated function is a listing of its instructions, each with its samples. As in report.h,
 * text is for people and the other formats are for programs. All functions write to the FILE that
 * the caller, a subcommand in src/cli, passes. Each row has two shares: the row's share of the
 * function's samples and the row's share of all samples. Each share has its confidence interval.
 * Names in operands come from the profiled program and are escaped like all other names.
 *
 * If source lines are known (annotation_take_lines()), the path of the source file and the text of
 * the source line are printed above the first instruction that comes from that line. For inlined
 * code, the name of the inlined function is also printed. JSON has the whole inline chain.
 *
 * An instruction that cannot be disassembled is shown as "?". Before cli prints, it disassembles
 * one instruction as a test.
 */
#ifndef ASSAY_PRESENT_ANNOTATE_H
#define ASSAY_PRESENT_ANNOTATE_H

#include "analyze/annotate.h"
#include "model/source.h"
#include "present/report.h"

struct annotate_style {
	size_t limit;		/* maximum number of instructions per function; 0: all */
	size_t columns;		/* width of the terminal; 0: output is not a terminal */
	bool by_block;		/* one row per basic block instead of per instruction */
	const char *place;	/* the FILE:LINE that the user asked for; NULL: none */
	const struct source_list *sources;	/* texts of the source files; NULL: no source */
};

/*
 * Print the functions, which must all have been annotated from the same profile and selection.
 * Return 0 or -ENOMEM.
 */
int annotations_as_text(const struct annotation *functions, size_t count,
			const struct annotate_style *style, FILE *out);
int annotations_as_json(const struct annotation *functions, size_t count,
			const struct annotate_style *style, FILE *out);
int annotations_as_csv(const struct annotation *functions, size_t count,
		       const struct annotate_style *style, FILE *out);

#endif
