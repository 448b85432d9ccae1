/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_spaces.h - which processes the in-kernel sampler can walk
 *
 * For each process that is entered here the sampler finds mappings and tables in its arrays and
 * walks its stacks; samples of all others come with their stack's memory.  All arrays have bounds.
 * What is wanted and does not fit makes others leave: first tables that no process uses, then the
 * processes not heard of for the longest (unwind_spaces_touch()).  Who left is sampled raw, and may
 * be entered again.
 *
 * What leaves may still be in use by a sample in progress.  So it is kept in a limbo until its room
 * is needed, and then all of it is given back at once, after one wait (bpf_sampler_wait()).  It may
 * also be in use by children that the sampler has entered by itself (bpf/lives.h): what leaves is
 * marked as nobody's, and they come raw from then on.
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

#define UNWIND_SPACES_TABLE_BYTES (256u << 20)	/* of tables in the kernel, unless told otherwise */

struct unwind_mapping {
	uint64_t start_addr, end_addr;
	uint64_t bias;				/* address - vaddr */
	const struct unwind_table *table;	/* NULL, or without rows: walk by frame pointers */
	bool later;				/* it has one that was not made yet: come raw */
};

struct unwind_spaces_stats {
	size_t table_bytes;		/* now */
	size_t process_count;		/* now */
	uint64_t tables_evicted;	/* for want of room, ... */
	uint64_t processes_evicted;
	uint64_t processes_refused;	/* they did not fit at all */
	uint64_t waits;
};

struct unwind_spaces;

/* @table_bytes 0: the default. The sampler must live longer. */
int unwind_spaces_new(struct bpf_sampler *sampler, size_t table_bytes,
		      struct unwind_spaces **ret_spaces, struct err *err);
void unwind_spaces_free(struct unwind_spaces *spaces);	/* NULL is fine */

/*
 * Brings the tables of these mappings into the kernel, as far as there is room: each time takes ten
 * milliseconds or more, so who enters several processes does it once for all of them beforehand.
 * Until the next such call only a few others are made to leave: more must wait for it.
 */
int unwind_spaces_load(struct unwind_spaces *spaces, const struct unwind_mapping *mappings,
		       size_t count, struct err *err);

/*
 * Enters the process that has this life (bpf/wire.h), or replaces what was known of it.  Mappings
 * are sorted by rising address and do not overlap; their tables must stay where they are until
 * unwind_spaces_drop_table().  -E2BIG: it does not fit, and its samples come raw.
 */
int unwind_spaces_set(struct unwind_spaces *spaces, uint32_t tgid, uint64_t life,
		      const struct unwind_mapping *mappings, size_t count, struct err *err);

/*
 * Its stacks lead out of all mappings, and the collector does not know better: they shall come as
 * they are, not raw, until the process is entered again or has not @code_pages mapped any more.
 * False where it is not entered now.
 */
bool unwind_spaces_settle(struct unwind_spaces *spaces, uint32_t tgid, uint32_t code_pages);

/* It exited, or called exec(). */
void unwind_spaces_remove(struct unwind_spaces *spaces, uint32_t tgid);

/* It was sampled. */
void unwind_spaces_touch(struct unwind_spaces *spaces, uint32_t tgid);

/* The table will be freed: processes that are walked by it leave. */
void unwind_spaces_drop_table(struct unwind_spaces *spaces, const struct unwind_table *table);

void unwind_spaces_get_stats(const struct unwind_spaces *spaces,
			     struct unwind_spaces_stats *ret_stats);

#endif
