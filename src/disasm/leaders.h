/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaders.h - finds where the basic blocks of a function begin
 *
 * Blocks begin at the function's entry, at the targets of jumps and branches inside of the
 * function, and after each instruction that does not always continue at the next one; calls do not
 * end blocks. The targets of an indirect jump are unknown, so they begin blocks only for one of the
 * other reasons.
 *
 * Instructions are identified by their index in the list of disasm_walk().
 */
#ifndef ASSAY_DISASM_LEADERS_H
#define ASSAY_DISASM_LEADERS_H

#include "disasm/disasm.h"

#define INSTRUCTION_NONE SIZE_MAX

/* Returns the instruction whose bytes include @vaddr, or INSTRUCTION_NONE. */
size_t instruction_find(const struct instructions *instructions, uint64_t vaddr);

/*
 * Returns the instruction at the target of a jump or branch, or INSTRUCTION_NONE if no instruction
 * begins there.
 */
size_t instruction_target(const struct instructions *instructions, size_t from);

/*
 * Returns for each instruction whether it begins a block. NULL if out of memory; the caller frees
 * the array.
 */
bool *instruction_leaders(const struct instructions *instructions);

#endif
