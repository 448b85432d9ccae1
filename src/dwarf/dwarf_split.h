/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_split.h - units whose tree is in another file (-gsplit-dwarf)
 *
 * Private to src/elf. The linked file holds a skeleton of each unit: its ranges, its line program
 * and its table of addresses. The tree and the names are in a separate .dwo file, or in a .dwp that
 * packs several of them. The skeleton and the split unit have the same 64-bit id.
 */
#ifndef ASSAY_DWARF_DWARF_SPLIT_H
#define ASSAY_DWARF_DWARF_SPLIT_H

#include "dwarf/dwarf.h"

/* Returns the id of a unit, or 0 if it has none. */
uint64_t dwarf_split_id(const struct dwarf_cu *cu);

/*
 * Opens the unit in @file (a .dwo or a .dwp) that belongs to @skeleton. @skeleton must stay open as
 * long as the result. Returns -ENOENT if @file does not have the unit.
 */
int dwarf_split_open(struct dwarf_file *file, const struct dwarf_cu *skeleton,
		     struct dwarf_cu *ret_cu);

#endif
