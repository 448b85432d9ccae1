/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_split.h - opens split units, whose tree is in another file (-gsplit-dwarf)
 *
 * Private to src/dwarf. With -gsplit-dwarf, the compiler divides each unit in two. The linked file
 * contains only the skeleton, a small unit with the ranges, the line program and the table of
 * addresses. The tree and the names are in the split unit, which is in a separate .dwo file or in a
 * .dwp, a file that combines many .dwo files. The skeleton and its split unit have the same 64-bit
 * id.
 */
#ifndef ASSAY_DWARF_DWARF_SPLIT_H
#define ASSAY_DWARF_DWARF_SPLIT_H

#include "dwarf/dwarf.h"

/*
 * Returns the 64-bit id that a skeleton and its split unit have in common, or 0 if @cu has no id.
 */
uint64_t dwarf_split_id(const struct dwarf_cu *cu);

/*
 * Opens the split unit in @file (a .dwo or a .dwp) that belongs to @skeleton. @skeleton must stay
 * open until the result is closed. Returns -ENOENT if @file does not contain the unit.
 */
int dwarf_split_open(struct dwarf_file *file, const struct dwarf_cu *skeleton,
		     struct dwarf_cu *ret_cu);

#endif
