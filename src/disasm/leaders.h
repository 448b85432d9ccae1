/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaders.h - where the basic blocks of a function begin
 *
 * At its entry, at targets of jumps and branches inside of it, and behind what does not, or not
 * always, go on to the next instruction; calls do not end blocks.  Where an indirect jump leads
 * is not known: such targets begin blocks only if something else says so.
 *
 * Instructions are meant by their index in the list of disasm_walk().
 */
#ifndef ASSAY_DISASM_LEADERS_H
#define ASSAY_DISASM_LEADERS_H

#include "disasm/disasm.h"

#define INSTRUCTION_NONE SIZE_MAX

/* The one whose bytes hold @vaddr, or INSTRUCTION_NONE. */
size_t instruction_find(const struct instructions *instructions, uint64_t vaddr);

/* The one that a jump or branch leads to, if one begins there; else INSTRUCTION_NONE. */
size_t instruction_target(const struct instructions *instructions, size_t from);

/* For each one: does it begin a block?  NULL when out of memory; the caller frees it. */
bool *instruction_leaders(const struct instructions *instructions);

#endif
