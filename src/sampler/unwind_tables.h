/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_tables.h - the tables that are in the kernel at the moment
 *
 * A table costs memory of the kernel, about a third of the size of the code, so there is a bound,
 * and those that nobody has used for the longest time go first.  Which table is which is told by
 * its address: the caller keeps it where it is until it is dropped here.
 *
 * A table that goes may still be read by a sample in progress: it waits in a limbo, with its slot
 * and rules, until unwind_tables_release() is called after bpf_sampler_wait().
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
#include "unwind/table.h"

struct loaded_table {
	const struct unwind_table *table;
	uint32_t slot, rules_at, rule_count;
	uint32_t serial;	/* bpf/wire.h: struct wire_mapping */
	struct wire_table_size size;
	size_t size_bytes;
	uint32_t holders;	/* mappings that are walked by it; 0: may go */
	uint64_t stamp;		/* rises with each loading and each loss of a last holder */
};

struct unwind_tables {
	struct bpf_sampler *sampler;
	struct u64map by_address;		/* of the struct unwind_table: loaded_table */
	VEC(struct loaded_table *) limbo;
	struct index_ranges slots, rules;
	size_t size_bytes, most_bytes;		/* with the limbo; bound */
	uint64_t stamp;
	uint32_t last_serial;			/* that was given */
	uint64_t evicted;			/* for want of room */
};

int unwind_tables_init(struct unwind_tables *tables, struct bpf_sampler *sampler,
		       size_t most_bytes);
void unwind_tables_fini(struct unwind_tables *tables);

/* NULL: not in the kernel. */
struct loaded_table *unwind_tables_find(const struct unwind_tables *tables,
					const struct unwind_table *table);

/*
 * Brings in those of @wanted that are not there yet and for which there is room, all at once.
 * -ENOSPC: there was none (slots, rules or bytes) for some of them; @err is not set then.
 */
int unwind_tables_load(struct unwind_tables *tables, const struct unwind_table *const *wanted,
		       size_t count, struct err *err);

void unwind_tables_hold(struct loaded_table *table);
void unwind_tables_unhold(struct unwind_tables *tables, struct loaded_table *table);

/* Sends the table without holders that is idle for the longest into the limbo; false: none. */
bool unwind_tables_evict(struct unwind_tables *tables);

/* The same with one that is about to be freed; it has no holders. */
void unwind_tables_drop(struct unwind_tables *tables, const struct unwind_table *table);

/* After bpf_sampler_wait(): what is in the limbo is free again. */
void unwind_tables_release(struct unwind_tables *tables);

#endif
