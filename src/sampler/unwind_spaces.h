/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_spaces.h - which processes the in-kernel sampler can unwind
 *
 * This file writes the mappings and unwind tables of processes to the arrays of the in-kernel
 * sampler, which then unwinds the stacks of these processes itself. Samples of all other processes
 * are raw: they contain a copy of the stack's memory. All arrays have a limit. If there is no room
 * for something new, other entries are evicted: first tables that no process uses, then the
 * processes that were not sampled for the longest time (unwind_spaces_touch()). Samples of an
 * evicted process are raw, and the process may be added again.
 *
 * A sample in progress may still use an evicted entry. So the entry is put on a list, the limbo,
 * until its space is needed. Then the entire limbo is freed, after waiting once for samples in
 * progress (bpf_sampler_wait()). Child processes that the in-kernel sampler has added by itself
 * (bpf/lives.h) may also still use an evicted entry. So evicted mappings are marked as belonging to
 * no process, and the samples of these children are raw from then on.
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
	/* if NULL or without rows, the image is unwound by frame pointers */
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
 * *@ret_spaces borrows @sampler, which must outlive it. If @table_bytes is 0, the default is used.
 * Returns 0 or a negative errno.
 */
int unwind_spaces_new(struct bpf_sampler *sampler, size_t table_bytes,
		      struct unwind_spaces **ret_spaces, struct err *err);
void unwind_spaces_free(struct unwind_spaces *spaces);	/* @spaces may be NULL */

/*
 * Loads the tables of these mappings into the kernel, as far as there is room. Each load takes ten
 * milliseconds or more, so a caller that adds several processes calls this function once for all
 * their mappings, and then unwind_spaces_set() for each process. Freeing evicted entries needs
 * waits for samples in progress, and each call of this function allows a small number of further
 * waits. When these waits are used up, nothing more can be freed before the next call.
 */
int unwind_spaces_load(struct unwind_spaces *spaces, const struct unwind_mapping *mappings,
		       size_t count, struct err *err);

/*
 * Adds the process with this life (one program run by one process, bpf/wire.h), or replaces the
 * entry with the same tgid. The mappings are sorted by rising address and do not overlap. The
 * caller must not move their tables until it calls unwind_spaces_drop_table(). Returns -E2BIG if
 * the process does not fit; its samples are then raw.
 */
int unwind_spaces_set(struct unwind_spaces *spaces, uint32_t tgid, uint64_t life,
		      const struct unwind_mapping *mappings, size_t count, struct err *err);

/*
 * Marks a process as settled: some stacks lead outside all its mappings, and the collector does not
 * know more mappings either. The in-kernel sampler then sends only the frames that it could find of
 * such stacks, instead of raw samples. This ends when the process is added again, or when its
 * number of mapped code pages is no longer @code_pages. Returns false if the process was not added.
 */
bool unwind_spaces_settle(struct unwind_spaces *spaces, uint32_t tgid, uint32_t code_pages);

/* Removes a process that has exited or called exec(). */
void unwind_spaces_remove(struct unwind_spaces *spaces, uint32_t tgid);

/*
 * Notes that the process was sampled. The processes that were not sampled for the longest time are
 * evicted first.
 */
void unwind_spaces_touch(struct unwind_spaces *spaces, uint32_t tgid);

/* Removes a table that is about to be freed. Processes that use the table are removed, too. */
void unwind_spaces_drop_table(struct unwind_spaces *spaces, const struct unwind_table *table);

void unwind_spaces_get_stats(const struct unwind_spaces *spaces,
			     struct unwind_spaces_stats *ret_stats);

#endif
