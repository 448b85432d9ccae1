/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaders.h - finds where the basic blocks of a function begin
 *
 * Blocks begin at the function's entry, at the targets of jumps and branches inside the function,
 * and after each instruction that can divert control flow. Calls are an exception: they do not end
 * blocks. The targets of an indirect jump are unknown. So the target of an indirect jump begins a
 * block only if one of the other rules applies to it.
 *
 * Instructions are identified by their index in the list that disasm_walk() makes.
 */
#ifndef ASSAY_DISASM_LEADERS_H
#define ASSAY_DISASM_LEADERS_H

#include "disasm/disasm.h"

#define INSTRUCTION_NONE SIZE_MAX

/* Returns the index of the instruction whose bytes include @vaddr, or INSTRUCTION_NONE. */
size_t instruction_find(const struct instructions *instructions, uint64_t vaddr);

/*
 * Returns the index of the instruction at the target of jump or branch @from, or INSTRUCTION_NONE
 * if no instruction begins there.
 */
size_t instruction_target(const struct instructions *instructions, size_t from);

/*
 * Returns an array with one element for each instruction, which is true if the instruction begins a
 * block. The caller must free the array. Returns NULL if out of memory.
 */
bool *instruction_leaders(const struct instructions *instructions);

#endif
