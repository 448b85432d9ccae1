/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vtab.h - column blocks as tables of SQL
 *
 * Five table-valued names, there on every connection that registered them, over the block
 * table of the connection's main database:
 *	sample(id, time_ns, thread, cpu, event, context, stack, late_ns, weight,
 *	       counter_1 .. counter_16 hidden)
 *	stack(id, parent, root, location)
 *	location(id, image, vaddr, function)
 *	function(id, name, linkage_name, image, quality, root, vaddr, size_bytes)
 *	stack_frame(stack, depth, node, location)	one row per frame, leaf first
 * docs/schema.md describes the columns.  They are eponymous: nothing about them is stored in
 * the file, which therefore opens without them too.  Pushed down: ranges of time_ns and of id
 * for sample, id = for the dictionaries, stack = for stack_frame.
 *
 * A damaged block is left out, as everywhere; the table-valued functions cannot say so, but
 * `assay report` does.
 */
#ifndef ASSAY_STORE_VTAB_H
#define ASSAY_STORE_VTAB_H

#include "store/sqlite.h"

/* 0 or an SQLite code. */
int vtab_register(sqlite3 *db);

int vtab_register_sample(sqlite3 *db);
int vtab_register_dictionary(sqlite3 *db);

#endif
