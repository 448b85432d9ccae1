/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaders.h - finds where the basic blocks of a function begin
 *
 * A block begins at the function's entry, at each target of a jump or branch inside the function,
 * and after each instruction that can divert control flow. Calls are an exception: a call does not
 * end a block. The targets of an indirect jump are unknown, so such a target begins a block only if
 * one of these rules applies to it for another reason.
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
 * Returns the index of the instruction to which the jump or branch @from goes. Returns
 * INSTRUCTION_NONE if @from is not a jump or branch, if its target is unknown, or if no instruction
 * in the list begins at the target.
 */
size_t instruction_target(const struct instructions *instructions, size_t from);

/*
 * Returns an array with one element for each instruction. An element is true if its instruction
 * begins a block. The caller must free the array. Returns NULL if out of memory.
 */
bool *instruction_leaders(const struct instructions *instructions);

#endif
