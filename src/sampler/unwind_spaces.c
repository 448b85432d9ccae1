/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler/unwind_spaces.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "sampler/bpf_feed.h"
#include "sampler/index_ranges.h"
#include "sampler/unwind_tables.h"

/*
 * A process that the in-kernel sampler can unwind. Its mappings are wire.count entries of the array
 * of mappings, from wire.first on (a slice).
 */
struct walked_process {
	uint32_t tgid;
	uint64_t stamp;
	struct wire_process wire;
	size_t table_count;
	/* tables of the process's mappings; the same table may occur more than once */
	struct loaded_table *tables[];
};

/*
 * maximum number of calls of bpf_sampler_wait() between two calls of unwind_spaces_load().
 * bpf_sampler_wait() waits until the samples in progress are finished. That takes 10 ms or more,
 * and meanwhile the rings are not drained. If a process still does not fit after so many calls, its
 * samples are raw.
 */
#define WAITS_MAX 4

struct unwind_spaces {
	struct bpf_sampler *sampler;
	struct unwind_tables tables;
	struct index_ranges slices;
	struct u64map processes;		/* tgid -> struct walked_process */
	size_t process_count;
	/* freed slices that samples in progress may still read */
	VEC(struct index_range) limbo;
	uint64_t stamp;
	/* The value of wire_process.space that was assigned last */
	uint64_t last_space;
	/*
	 * number of calls of bpf_sampler_wait() that are still allowed before the next
	 * unwind_spaces_load()
	 */
	unsigned int waits_left;
	struct unwind_spaces_stats stats;
};

int unwind_spaces_new(struct bpf_sampler *sampler, size_t table_bytes,
		      struct unwind_spaces **ret_spaces, struct err *err)
{
	struct unwind_spaces *spaces = calloc(1, sizeof(*spaces));

	if (!spaces)
		return err_sys(err, -ENOMEM, "cannot set up unwind tables");
	spaces->sampler = sampler;
	spaces->waits_left = WAITS_MAX;
	if (unwind_tables_init(&spaces->tables, sampler,
			       table_bytes ? table_bytes : UNWIND_SPACES_TABLE_BYTES) < 0 ||
	    index_ranges_init(&spaces->slices, bpf_sampler_options(sampler)->mappings_max) < 0) {
		unwind_spaces_free(spaces);
		return err_sys(err, -ENOMEM, "cannot set up unwind tables");
	}
	*ret_spaces = spaces;
	return 0;
}

/* ---- removing ---- */

/*
 * Marks the mappings of a slice as belonging to no process, so that the sampler no longer finds
 * anything in the slice when it begins a new walk. Moves the slice to the limbo: a sample in
 * progress may still read it.
 */
static void abandon_slice(struct unwind_spaces *spaces, const struct wire_process *wire)
{
	struct wire_mapping *slice = bpf_sampler_mappings(spaces->sampler) + wire->first;
	struct index_range *place = wire->count > 0 ? vec_push(&spaces->limbo) : NULL;

	for (uint32_t i = 0; i < wire->count; i++)
		slice[i].space = 0;
	if (place)
		*place = (struct index_range){ wire->first, wire->count };
}

static void free_process(struct unwind_spaces *spaces, struct walked_process *process)
{
	abandon_slice(spaces, &process->wire);
	for (size_t i = 0; i < process->table_count; i++)
		unwind_tables_unhold(&spaces->tables, process->tables[i]);
	free(process);
}

void unwind_spaces_remove(struct unwind_spaces *spaces, uint32_t tgid)
{
	struct walked_process *process = u64map_get_ptr(&spaces->processes, tgid);

	if (!process)
		return;
	(void)bpf_sampler_remove_process(spaces->sampler, tgid);
	u64map_remove_ptr(&spaces->processes, tgid, process);
	spaces->process_count--;
	free_process(spaces, process);
}

void unwind_spaces_free(struct unwind_spaces *spaces)
{
	struct walked_process *process;
	size_t cursor = 0;

	if (!spaces)
		return;
	while ((process = u64map_next_ptr(&spaces->processes, &cursor)) != NULL)
		unwind_spaces_remove(spaces, process->tgid);
	unwind_tables_fini(&spaces->tables);
	index_ranges_fini(&spaces->slices);
	u64map_fini(&spaces->processes);
	vec_free(&spaces->limbo);
	free(spaces);
}

static bool uses_table(const struct walked_process *process, const struct unwind_table *table)
{
	for (size_t i = 0; i < process->table_count; i++)
		if (process->tables[i]->table == table)
			return true;
	return false;
}

void unwind_spaces_drop_table(struct unwind_spaces *spaces, const struct unwind_table *table)
{
	struct walked_process *process;
	size_t cursor = 0;

	while ((process = u64map_next_ptr(&spaces->processes, &cursor)) != NULL)
		if (uses_table(process, table))
			unwind_spaces_remove(spaces, process->tgid);
	unwind_tables_drop(&spaces->tables, table);
}

/* ---- making room ---- */

static bool evict_process(struct unwind_spaces *spaces)
{
	struct walked_process *process, *oldest = NULL;
	size_t cursor = 0;

	while ((process = u64map_next_ptr(&spaces->processes, &cursor)) != NULL)
		if (!oldest || process->stamp < oldest->stamp)
			oldest = process;
	if (!oldest)
		return false;
	unwind_spaces_remove(spaces, oldest->tgid);
	spaces->stats.processes_evicted++;
	return true;
}

static bool release_limbo(struct unwind_spaces *spaces)
{
	if (spaces->waits_left == 0 ||
	    (spaces->limbo.count == 0 && spaces->tables.limbo.count == 0))
		return false;
	spaces->waits_left--;
	if (bpf_sampler_wait(spaces->sampler) < 0)
		return false;
	spaces->stats.waits++;
	for (size_t i = 0; i < spaces->limbo.count; i++)
		(void)index_ranges_give(&spaces->slices, spaces->limbo.at[i].first,
					spaces->limbo.at[i].count);
	vec_clear(&spaces->limbo);
	unwind_tables_release(&spaces->tables);
	return true;
}

static bool evict(struct unwind_spaces *spaces)
{
	return unwind_tables_evict(&spaces->tables) || evict_process(spaces);
}

/*
 * Frees space in the arrays. If the limbo is empty, first evicts other tables and processes. Then
 * waits for samples in progress and frees the entries in the limbo. Returns false if there is
 * nothing left to evict, or if no more waits are allowed. Evicts many entries at a time (an eighth
 * of the number of processes), because each wait takes milliseconds.
 */
static bool make_room(struct unwind_spaces *spaces)
{
	size_t some = spaces->process_count / 8 + 1;

	if (release_limbo(spaces))
		return true;
	if (spaces->waits_left == 0)
		return false;
	while (some > 0 && evict(spaces))
		some--;
	while (spaces->limbo.count + spaces->tables.limbo.count == 0 && evict(spaces))
		;
	return release_limbo(spaces);
}

/* ---- adding processes ---- */

static bool has_table(const struct unwind_mapping *mapping)
{
	return mapping->table && mapping->table->rows.count > 0;
}

/*
 * Makes @process a holder of the tables @wanted, so that they are not evicted. Stops at the first
 * table that is not in the kernel. Returns true if @process now holds all tables in @wanted.
 */
static bool hold_tables(struct unwind_spaces *spaces, struct walked_process *process,
			const struct unwind_table *const *wanted, size_t count)
{
	while (process->table_count < count) {
		struct loaded_table *loaded = unwind_tables_find(&spaces->tables,
								 wanted[process->table_count]);

		if (!loaded)
			return false;
		unwind_tables_hold(loaded);
		process->tables[process->table_count++] = loaded;
	}
	return true;
}

/*
 * Lists the tables of the mappings. The same table may occur more than once. The caller frees the
 * list. Returns NULL if out of memory.
 */
static const struct unwind_table **list_tables(const struct unwind_mapping *mappings, size_t count,
					       size_t *ret_count)
{
	const struct unwind_table **tables = calloc(count + 1, sizeof(*tables));

	*ret_count = 0;
	for (size_t i = 0; tables && i < count; i++)
		if (has_table(&mappings[i]))
			tables[(*ret_count)++] = mappings[i].table;
	return tables;
}

int unwind_spaces_load(struct unwind_spaces *spaces, const struct unwind_mapping *mappings,
		       size_t count, struct err *err)
{
	size_t wanted_count;
	_cleanup_free_ const struct unwind_table **wanted = list_tables(mappings, count,
									&wanted_count);
	int code;

	spaces->waits_left = WAITS_MAX;
	if (!wanted)
		return err_sys(err, -ENOMEM, "cannot load unwind tables");
	code = unwind_tables_load(&spaces->tables, wanted, wanted_count, err);
	return code == -ENOSPC ? 0 : code;
}

static int take_tables(struct unwind_spaces *spaces, struct walked_process *process,
		       const struct unwind_mapping *mappings, size_t count, struct err *err)
{
	size_t wanted_count;
	_cleanup_free_ const struct unwind_table **wanted = list_tables(mappings, count,
									&wanted_count);

	if (!wanted)
		return err_sys(err, -ENOMEM, "cannot register a process with the sampler");
	for (;;) {
		int code = unwind_tables_load(&spaces->tables, wanted, wanted_count, err);

		if (code < 0 && code != -ENOSPC)
			return code;
		if (hold_tables(spaces, process, wanted, wanted_count))
			return 0;
		if (!make_room(spaces))
			return err_set(err, -E2BIG, "no room for the unwind tables of a process");
	}
}

static int take_slice(struct unwind_spaces *spaces, size_t count, uint32_t *ret_first,
		      struct err *err)
{
	if (count >> WIRE_MAPPINGS_SHIFT)
		return err_set(err, -E2BIG, "a process has too many mappings: %zu", count);
	while (index_ranges_take(&spaces->slices, (uint32_t)count, ret_first) < 0)
		if (!make_room(spaces))
			return err_set(err, -E2BIG, "no room for the mappings of a process");
	return 0;
}

static void write_slice(struct unwind_spaces *spaces, const struct walked_process *process,
			const struct unwind_mapping *mappings)
{
	const struct wire_process *wire = &process->wire;
	struct wire_mapping *slice = bpf_sampler_mappings(spaces->sampler) + wire->first;
	size_t table = 0;

	for (uint32_t i = 0; i < wire->count; i++) {
		slice[i] = (struct wire_mapping){
			.start_addr = mappings[i].start_addr,
			.end_addr = mappings[i].end_addr,
			.table = mappings[i].later ? WIRE_TABLE_LATER : WIRE_NO_TABLE,
			.space = wire->space,
		};
		if (has_table(&mappings[i])) {
			const struct loaded_table *loaded = process->tables[table++];

			slice[i].bias = mappings[i].bias + loaded->table->base_vaddr;
			slice[i].table = loaded->slot;
			slice[i].page_count = (uint32_t)loaded->size.page_count;
			slice[i].rules_at = loaded->rules_at;
			slice[i].serial = loaded->serial;
		}
	}
}

/* Adds the process, or replaces the entry with the same tgid. */
static int enter(struct unwind_spaces *spaces, struct walked_process *process)
{
	uint32_t tgid = process->tgid;
	int code;

	unwind_spaces_remove(spaces, tgid);
	code = bpf_sampler_set_process(spaces->sampler, tgid, &process->wire);
	if (code == -E2BIG && evict_process(spaces))
		code = bpf_sampler_set_process(spaces->sampler, tgid, &process->wire);
	if (code == 0)
		code = u64map_put_ptr(&spaces->processes, tgid, process);
	if (code < 0)
		(void)bpf_sampler_remove_process(spaces->sampler, tgid);
	else
		spaces->process_count++;
	return code;
}

static int fill_process(struct unwind_spaces *spaces, struct walked_process *process,
			const struct unwind_mapping *mappings, size_t count, struct err *err)
{
	int code = take_tables(spaces, process, mappings, count, err);

	if (code < 0)
		return code;
	code = take_slice(spaces, count, &process->wire.first, err);
	if (code < 0)
		return code;
	process->wire.count = (uint32_t)count;
	write_slice(spaces, process, mappings);
	code = enter(spaces, process);
	return code < 0 ? err_sys(err, code, "cannot register process %u with the sampler",
				  process->tgid)
			: 0;
}

int unwind_spaces_set(struct unwind_spaces *spaces, uint32_t tgid, uint64_t life,
		      const struct unwind_mapping *mappings, size_t count, struct err *err)
{
	struct walked_process *process = calloc(1, sizeof(*process) +
							   count * sizeof(process->tables[0]));
	int code;

	if (!process)
		return err_sys(err, -ENOMEM, "cannot register process %u with the sampler", tgid);
	process->tgid = tgid;
	process->stamp = ++spaces->stamp;
	process->wire.life = life;
	process->wire.space = ++spaces->last_space;
	code = fill_process(spaces, process, mappings, count, err);
	if (code < 0) {
		unwind_spaces_remove(spaces, tgid);
		spaces->stats.processes_refused++;
		free_process(spaces, process);
	}
	return code;
}

bool unwind_spaces_settle(struct unwind_spaces *spaces, uint32_t tgid, uint32_t code_pages)
{
	struct walked_process *process = u64map_get_ptr(&spaces->processes, tgid);

	if (process &&
	    (!(process->wire.flags & WIRE_SETTLED) || process->wire.code_pages != code_pages)) {
		process->wire.flags |= WIRE_SETTLED;
		process->wire.code_pages = code_pages;
		(void)bpf_sampler_set_process(spaces->sampler, tgid, &process->wire);
	}
	return process != NULL;
}

void unwind_spaces_touch(struct unwind_spaces *spaces, uint32_t tgid)
{
	struct walked_process *process = u64map_get_ptr(&spaces->processes, tgid);

	if (process)
		process->stamp = ++spaces->stamp;
}

void unwind_spaces_get_stats(const struct unwind_spaces *spaces,
			     struct unwind_spaces_stats *ret_stats)
{
	*ret_stats = spaces->stats;
	ret_stats->table_bytes = spaces->tables.size_bytes;
	ret_stats->process_count = spaces->process_count;
	ret_stats->tables_evicted = spaces->tables.evicted;
}
