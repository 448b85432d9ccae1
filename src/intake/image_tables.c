/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake/image_tables.h"

#include <errno.h>

#include "base/vec.h"
#include "intake/wire_table.h"
#include "elf/own_vdso.h"
#include "unwind/table_cache.h"
#include "unwind/table_job.h"

#define PAGES_PER_ROW 64u
#define PAGES 4096u
#define SPARSE_PAGES_PER_ROW 8u
#define SPARSE_PAGES_MAX (1u << 17)	/* 8 MiB of kernel memory, for 32 MiB of code */
#define PAGES_MAX (1u << 20)		/* 64 MiB, a quarter of UNWIND_SPACES_TABLE_BYTES */
#define RULES_MAX 32768u	/* an eighth of the sampler's default rules_max */

struct slot {
	struct unwind_table *table;	/* NULL: not built */
	/* serial number of the pin whose table this is; a pin is an open image file */
	uint64_t serial;
	uint64_t used;			/* value of tables.clock at the last request */
	uint64_t made;			/* value of tables.made_count after this table was built */
};

struct image_tables {
	struct pins *pins;
	VEC(struct slot) slots;		/* indexed by pin id */
	struct table_cache cache;
	struct readers *readers;	/* NULL: tables are built here */
	image_table_gone_fn gone;	/* may be NULL */
	void *context;
	uint64_t clock, table_bytes, bytes_max;
	uint64_t made_count;
	uint64_t lost;			/* tables that no reader could build */
};

int image_tables_new(struct pins *pins, struct readers *readers, const char *cache_dir,
		     uint64_t bytes_max, struct image_tables **ret_tables)
{
	struct image_tables *tables = calloc(1, sizeof(*tables));

	if (!tables)
		return -ENOMEM;
	tables->pins = pins;
	tables->readers = readers;
	tables->bytes_max = bytes_max ? bytes_max : IMAGE_TABLES_BYTES_DEFAULT;
	tables->cache = (struct table_cache)TABLE_CACHE_CLOSED;
	if (cache_dir)
		(void)table_cache_open(cache_dir, TABLE_CACHE_BYTES_MAX, &tables->cache, NULL);
	*ret_tables = tables;
	return 0;
}

void image_tables_tell(struct image_tables *tables, image_table_gone_fn gone, void *context)
{
	tables->gone = gone;
	tables->context = context;
}

static uint64_t table_bytes(const struct unwind_table *table)
{
	return sizeof(*table) + table->rows.capacity * sizeof(*table->rows.at) +
	       table->rules.capacity * sizeof(*table->rules.at);
}

static void drop(struct image_tables *tables, struct slot *slot)
{
	if (!slot->table)
		return;
	if (tables->gone)
		tables->gone(tables->context, slot->table);
	tables->table_bytes -= table_bytes(slot->table);
	unwind_table_fini(slot->table);
	free(slot->table);
	*slot = (struct slot){ 0 };
}

void image_tables_free(struct image_tables *tables)
{
	if (!tables)
		return;
	tables->gone = NULL;
	for (size_t i = 0; i < tables->slots.count; i++)
		drop(tables, &tables->slots.at[i]);
	vec_free(&tables->slots);
	table_cache_close(&tables->cache);
	free(tables);
}

/*
 * Frees the least recently used tables until all tables together take at most bytes_max. Never
 * frees @newest, because the caller needs it now.
 */
static void make_room(struct image_tables *tables, const struct slot *newest)
{
	while (tables->table_bytes > tables->bytes_max) {
		struct slot *oldest = NULL;

		for (size_t i = 0; i < tables->slots.count; i++) {
			struct slot *slot = &tables->slots.at[i];

			if (slot->table && slot != newest && slot->table->rows.count &&
			    (!oldest || slot->used < oldest->used))
				oldest = slot;
		}
		if (!oldest)
			return;
		drop(tables, oldest);
	}
}

/*
 * Loads the table from the cache on disk, or builds it and stores it there. The table of a damaged
 * image is not stored, so that the next run tries again.
 */
static void read_table(struct image_tables *tables, const struct image_file *file,
		       struct unwind_table *table)
{
	const struct table_id id = { file->build_id, file->build_id_size };
	bool is_kept = id.size_bytes && readers_trust(file->fd);
	int rc;

	if (is_kept && table_cache_load(&tables->cache, &id, table) == 1)
		return;
	rc = tables->readers ? table_job_ask(tables->readers, file, table)
			     : unwind_table_build(file, table, NULL);
	tables->lost += tables->readers && readers_gave_up(rc);
	if (rc == 0 && is_kept)
		(void)table_cache_store(&tables->cache, &id, table, NULL);
}

/*
 * Returns true if the table may be used. In the kernel, a table takes 64 bytes for each 256 bytes
 * of code between its first row and its last. Its rules take memory, too, and the number of rules
 * of all tables together is limited. A file could therefore displace the tables of all other files,
 * if it describes a few bytes of code that are far apart, or if it contains a huge number of
 * different rules. Such a table is rejected. No compiler's output comes near any of these limits.
 */
static bool is_plausible(const struct unwind_table *table)
{
	size_t page_count = wire_table_page_count(table), row_count = table->rows.count;
	bool is_sparse = page_count > SPARSE_PAGES_PER_ROW * row_count;

	return page_count <= (is_sparse ? SPARSE_PAGES_MAX : PAGES_MAX) &&
	       page_count <= PAGES_PER_ROW * row_count + PAGES && table->rules.count <= RULES_MAX;
}

/* Builds the table for a pin. If the image cannot be read, the table has no rows. */
static void make_table(struct image_tables *tables, uint32_t pin, struct slot *slot)
{
	const struct image_file *file = pins_pin_file(tables->pins, pin);
	const void *vdso;
	size_t vdso_bytes = 0;

	slot->table = calloc(1, sizeof(*slot->table));
	if (!slot->table)
		return;
	slot->made = ++tables->made_count;
	slot->serial = pins_serial(tables->pins, pin);
	if (file)
		read_table(tables, file, slot->table);
	else if (strcmp(pins_path(tables->pins, pin), "[vdso]") == 0 &&
		 (vdso = own_vdso(&vdso_bytes)) != NULL)
		(void)unwind_table_build_bytes(vdso, vdso_bytes, "[vdso]", slot->table, NULL);
	if (!is_plausible(slot->table)) {
		unwind_table_fini(slot->table);
		*slot->table = (struct unwind_table){ 0 };
	}
	tables->table_bytes += table_bytes(slot->table);
	make_room(tables, slot);
}

static const struct unwind_table *with_rows(const struct unwind_table *table)
{
	return table && table->rows.count ? table : NULL;
}

const struct unwind_table *image_tables_get(struct image_tables *tables, uint32_t pin)
{
	struct slot *slot;

	if (pin == PIN_GENERATED)
		return NULL;
	while (tables->slots.count <= pin)
		if (!vec_push(&tables->slots))
			return NULL;
	slot = &tables->slots.at[pin];
	if (slot->table && slot->serial != pins_serial(tables->pins, pin))
		drop(tables, slot);
	if (!slot->table)
		make_table(tables, pin, slot);
	slot->used = ++tables->clock;
	return with_rows(slot->table);
}

bool image_tables_find(const struct image_tables *tables, uint32_t pin,
		       const struct unwind_table **ret_table)
{
	const struct slot *slot = pin < tables->slots.count ? &tables->slots.at[pin] : NULL;
	bool is_made = slot && slot->table && slot->serial == pins_serial(tables->pins, pin);

	*ret_table = is_made ? with_rows(slot->table) : NULL;
	return is_made || pin == PIN_GENERATED;
}

uint64_t image_tables_take_lost(struct image_tables *tables)
{
	uint64_t lost = tables->lost;

	tables->lost = 0;
	return lost;
}

uint64_t image_tables_made(const struct image_tables *tables)
{
	return tables->made_count;
}

bool image_tables_made_since(const struct image_tables *tables, uint64_t made_count,
			     const struct live_mapping *mappings, size_t count)
{
	if (made_count == tables->made_count)
		return false;
	for (size_t i = 0; i < count; i++) {
		uint32_t pin = mappings[i].pin;

		if (pin < tables->slots.count && tables->slots.at[pin].made > made_count)
			return true;
	}
	return false;
}
