/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_spaces.h - which processes the in-kernel sampler can unwind
 *
 * This file writes the mappings and unwind tables of processes to the arrays of the in-kernel
 * sampler. The sampler then unwinds the stacks of these processes itself. Samples of all other
 * processes are raw: they contain a copy of the stack's memory. Each array has a limit. If an array
 * has no space for a new entry, other entries are evicted: first tables that no process uses, then
 * the processes that were not sampled for the longest time (unwind_spaces_touch()). Samples of an
 * evicted process are raw, and the process may be added again.
 *
 * A sample in progress may still use an evicted entry. The entry is therefore first put on a list,
 * the limbo. When the space is needed, bpf_sampler_wait() waits until the samples in progress have
 * finished, and then the entire limbo is freed. A second user of an evicted entry can be a child
 * process that the in-kernel sampler has added by itself (bpf/lives.h). Evicted mappings are
 * therefore marked as belonging to no process. From then on, the samples of such children are raw.
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
#include "unwind/unwind_table.h"

#define UNWIND_SPACES_TABLE_BYTES (256u << 20)	/* default limit for all tables in the kernel */

struct unwind_mapping {
	uint64_t start_addr, end_addr;
	uint64_t bias;				/* run-time address minus address in the image */
	/* if NULL or without rows, code in this mapping is unwound by frame pointers */
	const struct unwind_table *table;
	/* the table has not been made yet, so samples in this mapping are raw */
	bool later;
};

struct unwind_spaces_stats {
	size_t table_bytes;		/* current value */
	size_t process_count;		/* current value */
	uint64_t tables_evicted;	/* evicted because there was no room */
	uint64_t processes_evicted;
	uint64_t processes_refused;	/* refused: no room even after evictions */
	uint64_t waits;
};

struct unwind_spaces;

/*
 * Borrows @sampler, which must outlive *@ret_spaces. @table_bytes is the limit on the size of all
 * tables in the kernel; 0 means the default. Returns 0 or a negative errno.
 */
int unwind_spaces_new(struct bpf_sampler *sampler, size_t table_bytes,
		      struct unwind_spaces **ret_spaces, struct err *err);
void unwind_spaces_free(struct unwind_spaces *spaces);	/* @spaces may be NULL */

/*
 * Loads the unwind tables of these mappings into the kernel, as many as fit. To add several
 * processes, call this function once with the mappings of all of them, and then unwind_spaces_set()
 * for each process. One call is better than several, because loading takes ten milliseconds or
 * more, however many tables are loaded.
 *
 * Evicted entries can be freed only after a wait for samples in progress. Each call of this
 * function allows a small number of such waits. When these are used up, nothing more can be freed
 * until the next call.
 */
int unwind_spaces_load(struct unwind_spaces *spaces, const struct unwind_mapping *mappings,
		       size_t count, struct err *err);

/*
 * Adds a process. If there is an entry with the same tgid, replaces it. @life is the number of the
 * program that the process runs (bpf/wire.h). @mappings must be sorted by rising address and must
 * not overlap. The tables in @mappings must stay at their addresses until the caller passes them to
 * unwind_spaces_drop_table(). Returns -E2BIG if there is not enough space for the process; its
 * samples are then raw.
 */
int unwind_spaces_set(struct unwind_spaces *spaces, uint32_t tgid, uint64_t life,
		      const struct unwind_mapping *mappings, size_t count, struct err *err);

/*
 * Marks a process as settled. This is for a process with stacks that lead to addresses outside all
 * its known mappings, if the collector does not know more mappings either. For such stacks, the
 * in-kernel sampler then sends the frames that it could find, instead of a raw sample. The mark
 * ends when the process is added again, or when the number of code pages that the process has
 * mapped is no longer @code_pages. Returns false if the process was not added.
 */
bool unwind_spaces_settle(struct unwind_spaces *spaces, uint32_t tgid, uint32_t code_pages);

/* Removes a process that has exited or called exec(). */
void unwind_spaces_remove(struct unwind_spaces *spaces, uint32_t tgid);

/*
 * Notes that the process was sampled just now. When space is needed, the processes that were not
 * sampled for the longest time are evicted first.
 */
void unwind_spaces_touch(struct unwind_spaces *spaces, uint32_t tgid);

/* Removes a table that is about to be freed. Processes that use the table are removed, too. */
void unwind_spaces_drop_table(struct unwind_spaces *spaces, const struct unwind_table *table);

void unwind_spaces_get_stats(const struct unwind_spaces *spaces,
			     struct unwind_spaces_stats *ret_stats);

#endif
