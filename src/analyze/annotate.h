/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate.h - the samples of one function, instruction by instruction
 *
 * A sampled address is that of the instruction which would have been executed next, so what took
 * the time is often the one above it.  Samples that lie inside an instruction (of code that
 * jumps there, or because the bytes are not those that ran) count for it and are told apart.
 *
 * Basic blocks: disasm/leaders.h.
 *
 * Arrows lead from a jump or branch to its target in the function.  Lanes keep those that are
 * drawn side by side apart: short ones near the code, ANNOTATE_LANES at most; what finds no
 * lane, or is longer than ANNOTATE_SPAN_MAX rows, is not drawn.
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
	uint64_t inside_samples;	/* at no instruction's first byte */
	uint32_t block;			/* index */
	uint32_t line;			/* innermost of its chain, in model.lines; 0: not known */
	bool asked;			/* somebody wants to see it: chosen before the hottest */
};

struct annotate_block {
	uint32_t first, row_count;
	struct count count;
	uint64_t late_samples;
};

struct annotate_arrow {
	uint32_t from, to;		/* rows */
	uint8_t lane;			/* 0: nearest to the code; ANNOTATE_LANES: not drawn */
};

struct annotate_input {
	const struct profile *profile;		/* read with by_address */
	const struct group_selection *selection;/* one event */
	uint32_t function;
	const struct code *code;		/* all of it, or from its beginning */
	struct disasm *disasm;			/* of code->machine */
	const char *code_from;			/* where the code was read, for people */
};

struct annotation {
	struct annotate_input input;		/* what it leads to is borrowed */
	struct instructions instructions;
	VEC(struct annotate_row) rows;		/* in step with instructions.list */
	VEC(struct annotate_block) blocks;	/* in order */
	VEC(struct annotate_arrow) arrows;	/* by @from */
	struct count total;			/* of the function */
	struct count all;			/* of the selection */
	struct count outside;			/* of the total: behind the end of the code */
	uint64_t late_samples;
};

/* 0, -ENOMEM, or what disasm_walk() returned; annotation_fini() after any of them. */
int annotate(const struct annotate_input *input, struct annotation *ret_annotation,
	     struct err *err);
void annotation_fini(struct annotation *annotation);

/*
 * Takes over the lines that the model's locations have now: they may have been made after
 * annotate(), whose rows say for which addresses.
 */
void annotation_take_lines(struct annotation *annotation);

const struct event *annotation_event(const struct annotation *annotation);

/* The text of the instruction of @row: see disasm_text(). */
int annotation_text(const struct annotation *annotation, size_t row,
		    char text[static DISASM_TEXT_MAX], struct err *err);

/* The hits of the rows that are asked for. */
struct count annotation_asked(const struct annotation *annotation);

/*
 * The rows to show where there is room for @limit (0: all): see rows_choose.h. 0 or -ENOMEM; the
 * caller frees it.
 */
int annotation_choose(const struct annotation *annotation, size_t limit, bool **ret_shown);

/* The same of the blocks, where what is asked for is that of their rows. */
int annotation_choose_blocks(const struct annotation *annotation, size_t limit, bool **ret_shown);

#endif
