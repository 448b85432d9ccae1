/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler/unwind_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "intake/wire_table.h"
#include "sampler/bpf_feed.h"

int unwind_tables_init(struct unwind_tables *tables, struct bpf_sampler *sampler, size_t most_bytes)
{
	const struct bpf_sampler_options *options = bpf_sampler_options(sampler);

	*tables = (struct unwind_tables){ .sampler = sampler, .most_bytes = most_bytes };
	if (index_ranges_init(&tables->slots, options->tables_max) < 0 ||
	    index_ranges_init(&tables->rules, options->rules_max) < 0)
		return -ENOMEM;
	return 0;
}

void unwind_tables_fini(struct unwind_tables *tables)
{
	struct loaded_table *loaded;
	size_t cursor = 0;

	while ((loaded = u64map_next_ptr(&tables->by_address, &cursor)) != NULL)
		free(loaded);
	for (size_t i = 0; i < tables->limbo.count; i++)
		free(tables->limbo.at[i]);
	u64map_fini(&tables->by_address);
	vec_free(&tables->limbo);
	index_ranges_fini(&tables->slots);
	index_ranges_fini(&tables->rules);
}

static uint64_t key_of(const struct unwind_table *table)
{
	return (uint64_t)(uintptr_t)table;
}

struct loaded_table *unwind_tables_find(const struct unwind_tables *tables,
					const struct unwind_table *table)
{
	return u64map_get_ptr(&tables->by_address, key_of(table));
}

static void give_back(struct unwind_tables *tables, const struct loaded_table *loaded)
{
	(void)index_ranges_give(&tables->slots, loaded->slot, 1);
	(void)index_ranges_give(&tables->rules, loaded->rules_at, loaded->rule_count);
	tables->size_bytes -= loaded->size_bytes;
}

/*
 * Allocates a slot and rules for a table, and adds the size of the table to the total. Returns
 * -ENOSPC if no slot is free, if there are too few free rules, or if the total would exceed its
 * limit.
 */
static int take_room(struct unwind_tables *tables, struct loaded_table *loaded)
{
	if (loaded->size_bytes > tables->most_bytes - tables->size_bytes)
		return -ENOSPC;
	if (index_ranges_take(&tables->slots, 1, &loaded->slot) < 0)
		return -ENOSPC;
	if (index_ranges_take(&tables->rules, loaded->rule_count, &loaded->rules_at) < 0) {
		(void)index_ranges_give(&tables->slots, loaded->slot, 1);
		return -ENOSPC;
	}
	tables->size_bytes += loaded->size_bytes;
	return 0;
}

static struct loaded_table *describe(const struct unwind_table *table)
{
	struct loaded_table *loaded = calloc(1, sizeof(*loaded));

	if (!loaded)
		return NULL;
	loaded->table = table;
	loaded->size = wire_table_size(table);
	loaded->rule_count = (uint32_t)table->rules.count;
	loaded->size_bytes = loaded->size.line_count * sizeof(struct wire_line);
	return loaded;
}

/*
 * Copies the lines and rules of a table into the kernel. Returns the file descriptor of the new
 * table, which the caller must store in the table's slot, or a negative errno.
 */
static int copy_in(struct unwind_tables *tables, const struct loaded_table *loaded, struct err *err)
{
	size_t line_count = loaded->size.line_count;
	struct wire_line *lines;
	int fd = bpf_sampler_make_table(line_count, &lines, err);

	if (fd < 0)
		return fd;
	wire_table_fill(loaded->table, lines);
	bpf_sampler_unmap_table(lines, line_count);
	memcpy(bpf_sampler_rules(tables->sampler) + loaded->rules_at, loaded->table->rules.at,
	       loaded->rule_count * sizeof(struct unwind_rule));
	return fd;
}

/* The tables that one call of unwind_tables_load() stores in their slots, all at once. */
struct batch {
	uint32_t *slots;
	int *fds;
	struct loaded_table **loaded;
	size_t count;
};

/* Returns a new serial, or 0 if all have been used. */
static uint32_t next_serial(struct unwind_tables *tables)
{
	return tables->last_serial + 1 < 1u << WIRE_SERIAL_BITS ? ++tables->last_serial : 0;
}

static int load_one(struct unwind_tables *tables, const struct unwind_table *table,
		    struct batch *batch, struct err *err)
{
	_cleanup_free_ struct loaded_table *loaded = describe(table);
	int code, fd;

	if (!loaded)
		return err_sys(err, -ENOMEM, "cannot load an unwind table");
	code = take_room(tables, loaded);
	if (code < 0)
		return code;
	fd = copy_in(tables, loaded, err);
	if (fd < 0) {
		give_back(tables, loaded);
		return fd;
	}
	loaded->stamp = ++tables->stamp;
	loaded->serial = next_serial(tables);
	if (u64map_put_ptr(&tables->by_address, key_of(table), loaded) < 0) {
		(void)close(fd);
		give_back(tables, loaded);
		return err_sys(err, -ENOMEM, "cannot load an unwind table");
	}
	batch->loaded[batch->count] = loaded;
	batch->slots[batch->count] = loaded->slot;
	batch->fds[batch->count++] = fd;
	(void)TAKE_PTR(loaded);
	return 0;
}

/* Undoes the loading of tables that could not be stored in their slots. */
static void take_back(struct unwind_tables *tables, const struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		struct loaded_table *loaded = batch->loaded[i];

		u64map_remove_ptr(&tables->by_address, key_of(loaded->table), loaded);
		give_back(tables, loaded);
		free(loaded);
	}
}

int unwind_tables_load(struct unwind_tables *tables, const struct unwind_table *const *wanted,
		       size_t count, struct err *err)
{
	_cleanup_free_ uint32_t *slots = calloc(count + 1, sizeof(*slots));
	_cleanup_free_ int *fds = calloc(count + 1, sizeof(*fds));
	_cleanup_free_ struct loaded_table **loaded = calloc(count + 1,
							     sizeof(struct loaded_table *));
	struct batch batch = { slots, fds, loaded, 0 };
	int code = 0, put;

	if (!slots || !fds || !loaded)
		return err_sys(err, -ENOMEM, "cannot load unwind tables");
	for (size_t i = 0; i < count && (code == 0 || code == -ENOSPC); i++) {
		int one = unwind_tables_find(tables, wanted[i])
				  ? 0
				  : load_one(tables, wanted[i], &batch, err);

		code = one < 0 ? one : code;
	}
	put = bpf_sampler_set_tables(tables->sampler, slots, fds, batch.count, err);
	for (size_t i = 0; i < batch.count; i++)
		(void)close(fds[i]);
	if (put < 0)
		take_back(tables, &batch);
	return put < 0 ? put : code;
}

void unwind_tables_hold(struct loaded_table *table)
{
	table->holders++;
}

void unwind_tables_unhold(struct unwind_tables *tables, struct loaded_table *table)
{
	if (--table->holders == 0)
		table->stamp = ++tables->stamp;
}

/*
 * Moves a table to the limbo (see unwind_tables.h). If out of memory, returns false, and the table
 * stays loaded.
 */
static bool to_limbo(struct unwind_tables *tables, struct loaded_table *loaded)
{
	struct loaded_table **place = vec_push(&tables->limbo);

	if (!place)
		return false;
	*place = loaded;
	u64map_remove_ptr(&tables->by_address, key_of(loaded->table), loaded);
	return true;
}

bool unwind_tables_evict(struct unwind_tables *tables)
{
	struct loaded_table *loaded, *oldest = NULL;
	size_t cursor = 0;

	while ((loaded = u64map_next_ptr(&tables->by_address, &cursor)) != NULL)
		if (loaded->holders == 0 && (!oldest || loaded->stamp < oldest->stamp))
			oldest = loaded;
	if (!oldest || !to_limbo(tables, oldest))
		return false;
	tables->evicted++;
	return true;
}

void unwind_tables_drop(struct unwind_tables *tables, const struct unwind_table *table)
{
	struct loaded_table *loaded = unwind_tables_find(tables, table);

	if (loaded)
		(void)to_limbo(tables, loaded);
}

static void empty_slots(struct unwind_tables *tables)
{
	size_t count = tables->limbo.count;
	_cleanup_free_ uint32_t *slots = calloc(count + 1, sizeof(*slots));
	_cleanup_free_ int *none = calloc(count + 1, sizeof(*none));

	for (size_t i = 0; slots && none && i < count; i++) {
		slots[i] = tables->limbo.at[i]->slot;
		none[i] = -1;
	}
	if (slots && none)
		(void)bpf_sampler_set_tables(tables->sampler, slots, none, count, NULL);
}

void unwind_tables_release(struct unwind_tables *tables)
{
	empty_slots(tables);
	for (size_t i = 0; i < tables->limbo.count; i++) {
		give_back(tables, tables->limbo.at[i]);
		free(tables->limbo.at[i]);
	}
	vec_clear(&tables->limbo);
}
