/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate.h - the samples of one function, instruction by instruction
 *
 * A sampled address is that of the instruction that would have been executed next, so the
 * instruction that took the time is often the one above it. A sample may lie inside an instruction,
 * because other code jumps there or because the bytes are not those that ran. Such a sample counts
 * for that instruction and is also counted separately.
 *
 * Basic blocks are explained in disasm/leaders.h.
 *
 * Arrows lead from a jump or branch to its target in the function. Arrows drawn side by side are
 * kept apart by lanes. Short arrows are near the code, and there are at most ANNOTATE_LANES lanes.
 * An arrow is not drawn if no lane is free or if it spans more than ANNOTATE_SPAN_MAX rows.
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
	uint64_t inside_samples;	/* samples not at the first byte of the instruction */
	uint32_t block;			/* index in annotation.blocks */
	/* innermost line of its chain, in model.lines; 0: unknown */
	uint32_t line;
	/* the user wants to see this row: chosen before the hottest rows */
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
	const struct profile *profile;		/* read with by_address */
	const struct group_selection *selection;/* of one event */
	uint32_t function;
	const struct code *code;		/* all of the function's code, or its beginning */
	struct disasm *disasm;			/* disassembler for code->machine */
	/* where the code was read from, as text for the report */
	const char *code_from;
};

struct annotation {
	struct annotate_input input;		/* the objects it points to are borrowed */
	struct instructions instructions;
	VEC(struct annotate_row) rows;		/* parallel to instructions.list */
	VEC(struct annotate_block) blocks;	/* in address order */
	VEC(struct annotate_arrow) arrows;	/* sorted by @from */
	struct count total;			/* of the function */
	struct count all;			/* of the selection */
	struct count outside;			/* part of the total: past the end of the code */
	uint64_t late_samples;
};

/* Returns 0, -ENOMEM, or the error of disasm_walk(). Call annotation_fini() in all cases. */
int annotate(const struct annotate_input *input, struct annotation *ret_annotation,
	     struct err *err);
void annotation_fini(struct annotation *annotation);

/*
 * Copies the source line of each row from the model's locations. The lines may be added to the
 * model after annotate(), because the rows of annotate() show for which addresses lines are needed.
 */
void annotation_take_lines(struct annotation *annotation);

const struct event *annotation_event(const struct annotation *annotation);

/* Writes the text of the instruction of @row. See disasm_text(). */
int annotation_text(const struct annotation *annotation, size_t row,
		    char text[static DISASM_TEXT_MAX], struct err *err);

/* Returns the hits of the rows that the user asked for. */
struct count annotation_asked(const struct annotation *annotation);

/*
 * Chooses the rows to show if there is room for @limit rows (0: show all). See rows_choose.h.
 * Returns 0 or -ENOMEM. The caller frees *ret_shown.
 */
int annotation_choose(const struct annotation *annotation, size_t limit, bool **ret_shown);

/* Does the same for blocks. A block counts as asked for if one of its rows is. */
int annotation_choose_blocks(const struct annotation *annotation, size_t limit, bool **ret_shown);

#endif
