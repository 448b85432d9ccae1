/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_tables.h - the unwind tables that are currently in the kernel
 *
 * A table uses kernel memory, about a third of the size of the code that it describes. The size of
 * all tables together is therefore limited. If a new table does not fit, the tables that were not
 * used for the longest time are evicted. A table is identified by the address of its struct
 * unwind_table: the caller must not move the struct until it calls unwind_tables_drop().
 *
 * A sample in progress may still read an evicted table. The table is therefore put on a list, the
 * limbo, and keeps its slot and its rules. The caller frees the limbo with unwind_tables_release(),
 * after it has called bpf_sampler_wait().
 */
#ifndef ASSAY_SAMPLER_UNWIND_TABLES_H
#define ASSAY_SAMPLER_UNWIND_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "sampler/bpf_sampler.h"
#include "sampler/index_ranges.h"
#include "intake/wire_table.h"
#include "unwind/unwind_table.h"

struct loaded_table {
	const struct unwind_table *table;
	uint32_t slot, rules_at, rule_count;
	uint32_t serial;	/* identifies the table's contents, see struct wire_mapping */
	struct wire_table_size size;
	size_t size_bytes;
	/* number of mappings that use the table; 0: the table may be evicted */
	uint32_t holders;
	/*
	 * Value of a rising counter, taken when the table was loaded and again when its last holder
	 * released it. The table with the lowest value is evicted first.
	 */
	uint64_t stamp;
};

struct unwind_tables {
	struct bpf_sampler *sampler;
	/* Maps the address of a struct unwind_table to its struct loaded_table */
	struct u64map by_address;
	VEC(struct loaded_table *) limbo;
	struct index_ranges slots, rules;
	/* total size of all tables, including the limbo; maximum of size_bytes */
	size_t size_bytes, most_bytes;
	uint64_t stamp;
	uint32_t last_serial;			/* the last serial that was assigned */
	/* Number of tables evicted because there was no room */
	uint64_t evicted;
};

int unwind_tables_init(struct unwind_tables *tables, struct bpf_sampler *sampler,
		       size_t most_bytes);
void unwind_tables_fini(struct unwind_tables *tables);

/* Returns the loaded table, or NULL if @table is not in the kernel. */
struct loaded_table *unwind_tables_find(const struct unwind_tables *tables,
					const struct unwind_table *table);

/*
 * Loads the tables in @wanted that are not in the kernel yet, as many as fit. They are stored in
 * their slots all at once. Returns -ENOSPC if some of them did not fit, for lack of slots, rules or
 * bytes; @err is not set in this case.
 */
int unwind_tables_load(struct unwind_tables *tables, const struct unwind_table *const *wanted,
		       size_t count, struct err *err);

void unwind_tables_hold(struct loaded_table *table);
void unwind_tables_unhold(struct unwind_tables *tables, struct loaded_table *table);

/*
 * Moves one table to the limbo: among the tables without holders, the one that has had none for the
 * longest time. Returns false if every table has holders, or if out of memory.
 */
bool unwind_tables_evict(struct unwind_tables *tables);

/* Moves a table that is about to be freed to the limbo. The table must not have holders. */
void unwind_tables_drop(struct unwind_tables *tables, const struct unwind_table *table);

/*
 * Frees the slots, rules and bytes of all tables in the limbo. Must be called after
 * bpf_sampler_wait().
 */
void unwind_tables_release(struct unwind_tables *tables);

#endif
