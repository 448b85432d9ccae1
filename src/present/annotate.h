/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate.h - prints annotated functions as text, JSON or CSV
 *
 * An annotated function is a list of the function's instructions, each with its samples. As in
 * report.h, text is for people and the other formats are for programs. Each row has two shares: the
 * row's share of the function's samples and the row's share of all samples. Each share has its
 * confidence interval. Names in operands come from the profiled program and are escaped like all
 * other names. All functions write to a FILE that the caller, a subcommand in src/cli, has opened.
 *
 * If the caller has added source lines (annotation_take_lines()), text output has the path of the
 * source file and the text of the source line above the first instruction that comes from that
 * line. If that code was inlined, the name of the inlined function is printed, too. JSON has the
 * whole chain of inlined calls.
 *
 * An instruction that cannot be disassembled is shown as "?". So that a missing disassembler does
 * not lead to a listing of "?", the subcommand first disassembles one instruction as a test.
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
