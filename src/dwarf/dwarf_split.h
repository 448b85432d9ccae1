/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_split.h - units whose tree lies in another file (-gsplit-dwarf)
 *
 * Private to this room.  The linked file holds a skeleton of each unit: its ranges, its line
 * program, the table of addresses.  Tree and names are in a .dwo of its own, or packed with others
 * into a .dwp.  Both carry the same 64-bit id.
 */
#ifndef ASSAY_DWARF_DWARF_SPLIT_H
#define ASSAY_DWARF_DWARF_SPLIT_H

#include "dwarf/dwarf.h"

/* 0 where a unit has none. */
uint64_t dwarf_split_id(const struct dwarf_cu *cu);

/*
 * The unit in @file, a .dwo or a .dwp, that belongs to @skeleton, which must stay open as long.
 * -ENOENT where it has none.
 */
int dwarf_split_open(struct dwarf_file *file, const struct dwarf_cu *skeleton,
		     struct dwarf_cu *ret_cu);

#endif
