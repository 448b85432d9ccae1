/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vtab.h - column blocks as SQL tables
 *
 * Every connection that calls vtab_register() has these virtual tables, which read the block table
 * of the connection's main database:
 *	sample(id, time_ns, thread, cpu, event, context, stack, late_ns, weight,
 *	       counter_1 .. counter_16 hidden)
 *	stack(id, parent, root, location)
 *	location(id, image, vaddr, function, line)
 *	function(id, name, linkage_name, image, quality, root, vaddr, size_bytes, before, after)
 *	line(id, caller, file, line, function)
 *	stack_frame(stack, depth, node, location)	one row per frame, leaf first
 *	location_line(location, depth, line)
 * docs/schema.md describes the columns. The tables are eponymous (they exist without CREATE VIRTUAL
 * TABLE), so nothing about them is stored in the file, and the file can also be opened without
 * them. Queries with these constraints visit only a part of a table: ranges of time_ns for sample,
 * and "=" on the first column for all other tables.
 *
 * A damaged block is left out. The virtual tables cannot report damage; `assay report` does.
 */
#ifndef ASSAY_STORE_VTAB_H
#define ASSAY_STORE_VTAB_H

#include "store/sqlite.h"

/* Returns 0 or an SQLite error code. */
int vtab_register(sqlite3 *db);

int vtab_register_sample(sqlite3 *db);
int vtab_register_dictionary(sqlite3 *db);

#endif
