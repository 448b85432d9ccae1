/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_spaces.h - which processes the in-kernel sampler can unwind
 *
 * For each process that is entered here, the in-kernel sampler finds the mappings and unwind tables
 * in its arrays and unwinds the stacks itself. Samples of all other processes are raw: they come
 * with a copy of the stack's memory. All arrays have a limit. If something new does not fit, other
 * entries are evicted: first tables that no process uses, then the processes that were not sampled
 * for the longest time (unwind_spaces_touch()). Samples of an evicted process are raw, and the
 * process may be entered again.
 *
 * An evicted entry may still be in use by a sample in progress. So it stays in limbo until its room
 * is needed. Then the whole limbo is freed at once, after one wait (bpf_sampler_wait()). An entry
 * may also be in use by child processes that the in-kernel sampler has entered by itself
 * (bpf/lives.h). So evicted mappings are marked as belonging to no process, and the samples of
 * these children are raw from then on.
 *
 * Not thread-safe.
 */
#ifndef ASSAY_SAMPLER_UNWIND_SPACES_H
#define ASSAY_SAMPLER_UNWIND_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sampler/bpf_sampler.h"
#include "unwind/table.h"

#define UNWIND_SPACES_TABLE_BYTES (256u << 20)	/* default size of all tables in the kernel */

struct unwind_mapping {
	uint64_t start_addr, end_addr;
	uint64_t bias;				/* address minus vaddr */
	const struct unwind_table *table;	/* NULL or without rows: unwind by frame pointers */
	bool later;				/* its table was not made yet: samples come raw */
};

struct unwind_spaces_stats {
	size_t table_bytes;		/* current */
	size_t process_count;		/* current */
	uint64_t tables_evicted;	/* evicted because there was no room */
	uint64_t processes_evicted;
	uint64_t processes_refused;	/* did not fit even after evictions */
	uint64_t waits;
};

struct unwind_spaces;

/*
 * The result borrows @sampler, which must outlive it. If @table_bytes is 0, the default is used.
 * Returns 0 or a negative errno.
 */
int unwind_spaces_new(struct bpf_sampler *sampler, size_t table_bytes,
		      struct unwind_spaces **ret_spaces, struct err *err);
void unwind_spaces_free(struct unwind_spaces *spaces);	/* accepts NULL */

/*
 * Loads the tables of these mappings into the kernel, as far as there is room. Each load takes ten
 * milliseconds or more, so a caller that enters several processes first calls this once for all
 * their mappings. Each call also renews the small number of waits for evicted entries. When these
 * are used up, further evictions must wait for the next call.
 */
int unwind_spaces_load(struct unwind_spaces *spaces, const struct unwind_mapping *mappings,
		       size_t count, struct err *err);

/*
 * Enters the process with this life (bpf/wire.h), or replaces what was entered for its tgid. The
 * mappings are sorted by rising address and do not overlap. Their tables must not move until
 * unwind_spaces_drop_table(). Returns -E2BIG if the process does not fit; its samples are then raw.
 */
int unwind_spaces_set(struct unwind_spaces *spaces, uint32_t tgid, uint64_t life,
		      const struct unwind_mapping *mappings, size_t count, struct err *err);

/*
 * For a process whose stacks lead outside all its mappings, when the collector knows no more
 * mappings either. The in-kernel sampler then sends such stacks as they are instead of raw, until
 * the process is entered again or its number of mapped code pages is no longer @code_pages. Returns
 * false if the process is not entered.
 */
bool unwind_spaces_settle(struct unwind_spaces *spaces, uint32_t tgid, uint32_t code_pages);

/* Removes a process that has exited or called exec(). */
void unwind_spaces_remove(struct unwind_spaces *spaces, uint32_t tgid);

/* Notes that the process was sampled, for the order of eviction. */
void unwind_spaces_touch(struct unwind_spaces *spaces, uint32_t tgid);

/* Drops a table that is about to be freed. Processes that use the table are removed. */
void unwind_spaces_drop_table(struct unwind_spaces *spaces, const struct unwind_table *table);

void unwind_spaces_get_stats(const struct unwind_spaces *spaces,
			     struct unwind_spaces_stats *ret_stats);

#endif
