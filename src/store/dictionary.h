/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dictionary.h - reads dictionaries from blocks into arrays
 *
 * The program and the SQLite extension share this code.
 */
#ifndef ASSAY_STORE_DICTIONARY_H
#define ASSAY_STORE_DICTIONARY_H

#include "model/image.h"
#include "model/location.h"
#include "store/block.h"
#include "store/sqlite.h"

/* Ids of each kind must be below this limit. A block with higher ids counts as damaged. */
#define DICTIONARY_MAX (UINT32_C(1) << 26)

/* The rows of a recording's dictionaries, indexed by the model's ids. */
struct dictionary {
	VEC(struct stack_node) stacks;
	VEC(struct location) locations;
	VEC(struct function) functions;	/* name and linkage_name are offsets into texts */
	VEC(struct source_line) lines;	/* file is an offset into texts */
	VEC(struct mapping) mappings;
	/* NUL-terminated strings, to which the offsets above refer; offset 0 is "" */
	struct byte_vec texts;
	/* row id of the last block read; the next call continues after it */
	sqlite3_int64 last_id;
	uint64_t damaged;		/* number of damaged blocks, which were left out */
	/* number of blocks left out because they would take too much memory when unpacked */
	uint64_t oversized;
	uint64_t missing;		/* number of entries missing between blocks */
	uint64_t stored_bytes;		/* total stored size of all blocks so far */
};

/* One bit for each enum block_kind. */
#define DICTIONARY_STACKS (1u << BLOCK_STACK)
#define DICTIONARY_LOCATIONS \
	(1u << BLOCK_LOCATION | 1u << BLOCK_LOCATION_FUNCTION | 1u << BLOCK_LOCATION_LINE)
#define DICTIONARY_FUNCTIONS (1u << BLOCK_FUNCTION)
#define DICTIONARY_LINES (1u << BLOCK_LINE)
#define DICTIONARY_MAPPINGS (1u << BLOCK_MAPPING)
#define DICTIONARY_ALL								\
	(DICTIONARY_STACKS | DICTIONARY_LOCATIONS | DICTIONARY_FUNCTIONS | DICTIONARY_LINES |	\
	 DICTIONARY_MAPPINGS)

/*
 * Reads the blocks of @kinds that were added since the last call. Each call must pass the same
 * @kinds. Returns 0, -ENOMEM, or -EIO if SQLite failed; sqlite3_errmsg() then returns the message.
 *
 * Entries of a damaged or missing block are replaced by placeholders, so that the ids of later
 * entries stay correct: stacks end as broken, locations have no image, functions have no name,
 * lines have no file and mappings are empty.
 *
 * Only two kinds of references are checked: the parent of a stack always has a smaller id than the
 * stack, and the caller of a line always has a smaller id than the line. All other ids may be out
 * of range.
 *
 * Memory use is limited in proportion to the stored size. A few hundred bytes of zstd can claim
 * sixteen megabytes of names. So a block is left out if it would expand far more than the blocks of
 * a real recording do.
 */
int dictionary_read(struct dictionary *dictionary, sqlite3 *db, unsigned int kinds);
void dictionary_fini(struct dictionary *dictionary);

static inline const char *dictionary_text(const struct dictionary *dictionary, uint32_t offset)
{
	return (const char *)dictionary->texts.at + offset;
}

#endif
