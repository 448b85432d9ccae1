/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_tables.h - the unwind tables of the images that processes show
 *
 * A table is made when it is first asked for, and kept on disk from run to run where the file
 * cannot have been written by somebody else: a build-id proves nothing about a file that a target
 * may write, and what it stands for in the cache, all processes would be walked by.
 *
 * All tables together take no more than IMAGE_TABLES_BYTES_MAX; past that, those that were not
 * asked for lately leave, and are made again when they are needed.
 *
 * Not thread-safe.
 */
#ifndef ASSAY_INTAKE_IMAGE_TABLES_H
#define ASSAY_INTAKE_IMAGE_TABLES_H

#include "process/address_space.h"
#include "process/pins.h"
#include "unwind/table.h"

#define IMAGE_TABLES_BYTES_MAX (UINT64_C(256) << 20)
#define IMAGE_TABLES_CACHE_BYTES (UINT64_C(512) << 20)

struct image_tables;

/* Somebody who keeps pointers to tables is told before one of them is freed. */
typedef void (*image_table_gone_fn)(void *context, const struct unwind_table *table);

/*
 * The pins are borrowed.  @cache_dir: where tables are kept, of IMAGE_TABLES_CACHE_BYTES at most
 * (unwind/table_cache.h); NULL, or one that may not be used: they are made anew.  0 or -ENOMEM.
 */
int image_tables_new(struct pins *pins, const char *cache_dir, struct image_tables **ret_tables);
void image_tables_free(struct image_tables *tables);	/* NULL is fine; tells nobody */

void image_tables_tell(struct image_tables *tables, image_table_gone_fn gone, void *context);

/*
 * The table of a pin; NULL where none describes its code (JIT, 32 bits, no call frame information,
 * a file that cannot be read).  Stays where it is until it is told to be gone.
 */
const struct unwind_table *image_tables_get(struct image_tables *tables, uint32_t pin);

/* The same without making it: false where it was not asked for yet. */
bool image_tables_find(const struct image_tables *tables, uint32_t pin,
		       const struct unwind_table **ret_table);

/*
 * How many were made so far: what was not found may be there by now.  And was one of those that
 * these mappings show made after that many?
 */
uint64_t image_tables_made(const struct image_tables *tables);
bool image_tables_made_since(const struct image_tables *tables, uint64_t made_count,
			     const struct live_mapping *mappings, size_t count);

#endif
