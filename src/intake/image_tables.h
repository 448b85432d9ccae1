/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_tables.h - the unwind tables of the images that processes map
 *
 * An image is identified by its pin: a file descriptor that is kept open so that the file can be
 * read after the process has exited (process/pins.h).
 *
 * A table is built when it is first requested. It is also cached on disk for later runs, but only
 * if nobody except root and the user who runs assay could have written the image file. Without this
 * condition, a target could write a file with any build-id. The table of that file would be cached
 * under the build-id and used to unwind all processes.
 *
 * All tables together take a limited amount of memory. If a new table would exceed the limit, the
 * least recently requested tables are freed. They are built again when they are requested again.
 *
 * Not thread-safe.
 */
#ifndef ASSAY_INTAKE_IMAGE_TABLES_H
#define ASSAY_INTAKE_IMAGE_TABLES_H

#include "process/address_space.h"
#include "process/pins.h"
#include "readers/readers.h"
#include "unwind/unwind_table.h"

#define IMAGE_TABLES_BYTES_DEFAULT (UINT64_C(256) << 20)

struct image_tables;

/* Called just before @table is freed. The function must drop all pointers to the table. */
typedef void (*image_table_gone_fn)(void *context, const struct unwind_table *table);

/*
 * Borrows @pins and @readers, which build the tables; if NULL, they are built by this process.
 * @cache_dir is the directory of the table cache (unwind/table_cache.h). If it is NULL or is not
 * allowed to be used, each run builds its tables again. @bytes_max is the limit on all tables
 * together; 0: IMAGE_TABLES_BYTES_DEFAULT. Returns 0 or -ENOMEM.
 */
int image_tables_new(struct pins *pins, struct readers *readers, const char *cache_dir,
		     uint64_t bytes_max, struct image_tables **ret_tables);
/* @tables may be NULL; does not call the image_table_gone_fn */
void image_tables_free(struct image_tables *tables);

void image_tables_tell(struct image_tables *tables, image_table_gone_fn gone, void *context);

/*
 * Returns the table for a pin, and builds it if necessary. Returns NULL if no table describes the
 * pin's code. That is so for JIT code, 32-bit code, images without call frame information, and
 * files that cannot be read. The pointer remains valid until the image_table_gone_fn is called for
 * the table.
 */
const struct unwind_table *image_tables_get(struct image_tables *tables, uint32_t pin);

/*
 * Looks up the table for a pin without building it. Returns true if the table has been built, or if
 * the pin is JIT code, which never has a table. *@ret_table is NULL if no table describes the pin's
 * code. Returns false if the table was never requested or was freed again.
 */
bool image_tables_find(const struct image_tables *tables, uint32_t pin,
		       const struct unwind_table **ret_table);

/*
 * image_tables_made() returns the number of tables built so far. If the number has grown, a table
 * that was missing earlier may exist now. image_tables_made_since() tells whether this concerns one
 * of @mappings: it returns true if the table of at least one of them was built since
 * image_tables_made() returned @made_count.
 */
uint64_t image_tables_made(const struct image_tables *tables);
bool image_tables_made_since(const struct image_tables *tables, uint64_t made_count,
			     const struct live_mapping *mappings, size_t count);

/*
 * Returns the number of tables that no reader could build (LOSS_READER_ENDED) since the last call.
 */
uint64_t image_tables_take_lost(struct image_tables *tables);

#endif
