/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_exits.h - finds the instructions that leave a function
 *
 * Private to the job of function_job.h. These are returns, and jumps to other functions (tail
 * calls). Compilers put code that is rarely executed elsewhere, and jump there and back: such a
 * cold part belongs to the function. A symbol tells one from the other. In a file without symbols
 * of static functions, the unwind table does: before a tail call, the stack pointer is what it was
 * at the entry.
 */
#ifndef ASSAY_SYMBOLIZE_FUNCTION_EXITS_H
#define ASSAY_SYMBOLIZE_FUNCTION_EXITS_H

#include <stdbool.h>

#include "base/vec.h"
#include "disasm/disasm.h"
#include "elf/image_file.h"
#include "elf/symbols.h"
#include "unwind/unwind_table.h"

#define FUNCTION_PARTS_MAX 8u	/* of one function, with its cold parts */

/* A range of code. */
struct code_part {
	uint64_t vaddr, size_bytes;
};

struct exit_search {
	const struct image_file *file;		/* borrowed, as the next one */
	const struct symbol_table *table;
	struct disasm *disasm;			/* NULL: nothing can be found */
	struct instructions instructions;
	/* What the file says about code without symbols, when it is first needed. */
	bool has_unwinding;
	struct unwind_table unwinding;
	VEC(struct code_part) frames;		/* by address: code that frame records describe */
	/* of the function searched last */
	bool is_decoded;
	VEC(uint64_t) exits;			/* vaddrs */
};

/* The file and its symbols must live as long as the search. */
void exit_search_init(struct exit_search *search, const struct image_file *file,
		      const struct symbol_table *table);
void exit_search_fini(struct exit_search *search);

/* Finds at most @most exits of @function. Sets is_decoded to false if its code cannot be read. */
void exit_search_run(struct exit_search *search, const struct symbol *function, size_t most);

#endif
