/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate.h - the samples of one function, instruction by instruction
 *
 * A sampled address is the address of the instruction that would have been executed next, so the
 * instruction that took the time is often the preceding one. A sample may lie inside an
 * instruction, because other code jumps there or because the bytes that were read are not the bytes
 * that ran. Such a sample counts for the containing instruction and also in inside_samples.
 *
 * Basic blocks are explained in disasm/leaders.h.
 *
 * An arrow leads from a jump or branch to its target in the same function. Arrows are drawn in
 * ANNOTATE_LANES parallel columns, called lanes, so that they do not overlap. Short arrows get the
 * lanes next to the code. An arrow is not drawn if no lane is free or if it spans more than
 * ANNOTATE_SPAN_MAX rows.
 */
#ifndef ASSAY_ANALYZE_ANNOTATE_H
#define ASSAY_ANALYZE_ANNOTATE_H

#include "analyze/group.h"
#include "disasm/disasm.h"
#include "model/code.h"

#define ANNOTATE_LANES 6
#define ANNOTATE_SPAN_MAX 200

struct annotate_row {
	struct count count;
	uint64_t late_samples;
	/* samples whose address is not the first byte of the instruction */
	uint64_t inside_samples;
	uint32_t block;			/* index in annotation.blocks */
	/* index in model.lines of the innermost line of the inline chain; 0: unknown */
	uint32_t line;
	/* the user asked for this row, so it is chosen before the hottest rows */
	bool asked;
};

struct annotate_block {
	uint32_t first, row_count;
	struct count count;
	uint64_t late_samples;
};

struct annotate_arrow {
	uint32_t from, to;		/* indices of rows */
	uint8_t lane;			/* 0: nearest to the code; ANNOTATE_LANES: not drawn */
};

struct annotate_input {
	const struct profile *profile;		/* must have been read with the option by_address */
	const struct group_selection *selection;/* must select a single event */
	uint32_t function;
	/* all of the function's code, or only the beginning of the code */
	const struct code *code;
	struct disasm *disasm;			/* disassembler for code->machine */
	/* where the code was read from; printed in the report */
	const char *code_from;
};

struct annotation {
	struct annotate_input input;		/* objects that its fields point to are borrowed */
	struct instructions instructions;
	VEC(struct annotate_row) rows;		/* parallel to instructions.list */
	VEC(struct annotate_block) blocks;	/* in address order */
	VEC(struct annotate_arrow) arrows;	/* sorted by @from */
	struct count total;			/* all samples of the function */
	struct count all;			/* all samples of the selection */
	/* samples of the function that lie past the end of the known code */
	struct count outside;
	uint64_t late_samples;
};

/* Returns 0, -ENOMEM, or the error of disasm_walk(). Call annotation_fini() in all cases. */
int annotate(const struct annotate_input *input, struct annotation *ret_annotation,
	     struct err *err);
void annotation_fini(struct annotation *annotation);

/*
 * Sets the source line of each row to the line that the model has for the row's address. Call
 * annotate() first, then add the lines of the instructions' addresses to the model, then call this
 * function. It may be called again after more lines were added to the model.
 */
void annotation_take_lines(struct annotation *annotation);

const struct event *annotation_event(const struct annotation *annotation);

/* Writes the text of the instruction of @row. See disasm_text(). */
int annotation_text(const struct annotation *annotation, size_t row,
		    char text[static DISASM_TEXT_MAX], struct err *err);

/* Returns the sum of the hits of all rows that the user asked for. */
struct count annotation_asked(const struct annotation *annotation);

/*
 * Chooses which rows to show if at most @limit rows (0: all) can be shown. See rows_choose.h.
 * (*ret_shown)[i] is true if row i is chosen. Returns 0 or -ENOMEM. The caller frees *ret_shown.
 */
int annotation_choose(const struct annotation *annotation, size_t limit, bool **ret_shown);

/*
 * Like annotation_choose(), but chooses blocks. If the user asked for a row, the block that
 * contains the row is chosen before the hottest blocks.
 */
int annotation_choose_blocks(const struct annotation *annotation, size_t limit, bool **ret_shown);

#endif
