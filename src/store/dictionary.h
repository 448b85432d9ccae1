/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dictionary.h - the dictionaries that lie in blocks, read back as arrays
 *
 * Shared by the program and the extension.
 */
#ifndef ASSAY_STORE_DICTIONARY_H
#define ASSAY_STORE_DICTIONARY_H

#include "model/location.h"
#include "store/block.h"
#include "store/sqlite.h"

/* Ids that a file may claim of each kind: beyond, its blocks count as damaged. */
#define DICTIONARY_MAX (UINT32_C(1) << 26)

/* Indices are the model's ids. */
struct dictionary {
	VEC(struct stack_node) stacks;
	VEC(struct location) locations;
	VEC(struct function) functions;	/* name and linkage_name are offsets into texts */
	VEC(struct source_line) lines;	/* file is an offset into texts */
	struct byte_vec texts;		/* NUL-terminated; "" at 0 */
	sqlite3_int64 last_id;		/* of the last block read: the next call goes on there */
	uint64_t damaged;		/* blocks left out */
	uint64_t oversized;		/* likewise, for what they would have unpacked to */
	uint64_t missing;		/* entries between one block and the next */
	uint64_t stored_bytes;		/* of all blocks so far */
};

/* A bit for each enum block_kind. */
#define DICTIONARY_STACKS (1u << BLOCK_STACK)
#define DICTIONARY_LOCATIONS \
	(1u << BLOCK_LOCATION | 1u << BLOCK_LOCATION_FUNCTION | 1u << BLOCK_LOCATION_LINE)
#define DICTIONARY_FUNCTIONS (1u << BLOCK_FUNCTION)
#define DICTIONARY_LINES (1u << BLOCK_LINE)
#define DICTIONARY_ALL \
	(DICTIONARY_STACKS | DICTIONARY_LOCATIONS | DICTIONARY_FUNCTIONS | DICTIONARY_LINES)

/*
 * Reads the blocks of @kinds (the same in each call) that were added since. Entries of a
 * damaged or missing block become stacks that end as broken, locations in no image, functions
 * without name and lines of no file, so that later ids keep their meaning. Only a stack's parent
 * and a line's caller are checked: they are always smaller than the id. Memory stays in proportion
 * to what is stored: a few hundred bytes of zstd can claim sixteen megabytes of names, and a
 * block that would go beyond any ratio that recorders reach is left out. 0, -ENOMEM, -EIO (ask
 * SQLite why).
 */
int dictionary_read(struct dictionary *dictionary, sqlite3 *db, unsigned int kinds);
void dictionary_fini(struct dictionary *dictionary);

static inline const char *dictionary_text(const struct dictionary *dictionary, uint32_t offset)
{
	return (const char *)dictionary->texts.at + offset;
}

#endif
