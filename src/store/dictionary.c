/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/dictionary.h"

#include "base/cleanup.h"
#include "store/block_table.h"
#include "store/dictionary_block.h"
#include "store/function_block.h"
#include "store/line_block.h"
#include "store/mapping_block.h"

/*
 * Decoded blocks may take MEMORY_FREE bytes, plus MEMORY_PER_BYTE bytes for each stored byte. In
 * the measurements in docs/schema.md, entries in memory are only three to seven times as large as
 * their stored form.
 */
#define MEMORY_PER_BYTE 64
#define MEMORY_FREE (UINT64_C(64) << 20)

void dictionary_fini(struct dictionary *dictionary)
{
	vec_free(&dictionary->stacks);
	vec_free(&dictionary->locations);
	vec_free(&dictionary->functions);
	vec_free(&dictionary->lines);
	vec_free(&dictionary->mappings);
	vec_free(&dictionary->texts);
}

/* ---- unknown entries ---- */

/* Appends zeroed rows until @vec has @wanted rows. */
#define grow(vec, wanted)                                                               \
	({                                                                              \
		int _rc = 0;                                                            \
		while (_rc == 0 && (vec)->count < (wanted))                             \
			_rc = vec_push(vec) ? 0 : -ENOMEM;                              \
		_rc;                                                                    \
	})

static size_t row_count(const struct dictionary *dictionary, enum block_kind kind)
{
	switch (kind) {
	case BLOCK_STACK:
		return dictionary->stacks.count;
	case BLOCK_FUNCTION:
		return dictionary->functions.count;
	case BLOCK_LINE:
		return dictionary->lines.count;
	case BLOCK_MAPPING:
		return dictionary->mappings.count;
	default:
		return dictionary->locations.count;
	}
}

/*
 * Resets the entries [@first, @end) to unknown. Also called for a damaged block, because the
 * decoder may have written wrong values before it found the damage.
 */
static void forget(struct dictionary *dictionary, enum block_kind kind, uint64_t first,
		   uint64_t end)
{
	for (uint64_t i = first; i < end; i++)
		switch (kind) {
		case BLOCK_STACK:
			dictionary->stacks.at[i] = (struct stack_node){
				.parent = STACK_ROOT_BROKEN
			};
			break;
		case BLOCK_LOCATION:
			dictionary->locations.at[i] = (struct location){ 0 };
			break;
		case BLOCK_FUNCTION:
			dictionary->functions.at[i] = (struct function){ .quality = QUALITY_NONE };
			break;
		case BLOCK_LINE:
			dictionary->lines.at[i] = (struct source_line){ 0 };
			break;
		case BLOCK_MAPPING:
			dictionary->mappings.at[i] = (struct mapping){ 0 };
			break;
		case BLOCK_LOCATION_LINE:
			dictionary->locations.at[i].line = 0;
			break;
		default:
			dictionary->locations.at[i].function = 0;
			break;
		}
}

static uint64_t memory_bytes(const struct dictionary *dictionary)
{
	return dictionary->stacks.count * sizeof(*dictionary->stacks.at) +
	       dictionary->locations.count * sizeof(*dictionary->locations.at) +
	       dictionary->functions.count * sizeof(*dictionary->functions.at) +
	       dictionary->lines.count * sizeof(*dictionary->lines.at) +
	       dictionary->mappings.count * sizeof(*dictionary->mappings.at) +
	       dictionary->texts.count;
}

/*
 * Returns true if the block, together with the missing entries that precede it, would exceed the
 * memory limit.
 */
static bool is_oversized(const struct dictionary *dictionary, const struct block_header *header,
			 size_t text_bytes)
{
	size_t have = row_count(dictionary, header->kind);
	uint64_t end = header->first + header->count;
	uint64_t more = end > have ? (end - have) * sizeof(struct function) : 0;

	if (header->first > DICTIONARY_MAX)	/* damaged; make_room() returns the error */
		return false;
	return memory_bytes(dictionary) + more + text_bytes >
	       MEMORY_FREE + dictionary->stored_bytes * MEMORY_PER_BYTE;
}

static int grow_to(struct dictionary *dictionary, enum block_kind kind, uint64_t end)
{
	switch (kind) {
	case BLOCK_STACK:
		return grow(&dictionary->stacks, end);
	case BLOCK_FUNCTION:
		return grow(&dictionary->functions, end);
	case BLOCK_LINE:
		return grow(&dictionary->lines, end);
	case BLOCK_MAPPING:
		return grow(&dictionary->mappings, end);
	default:
		return grow(&dictionary->locations, end);
	}
}

/*
 * Adds entries up to the last id that the header claims. Returns -EBADMSG if the block cannot
 * follow the entries read so far. If there is a gap between these entries and the block, blocks are
 * missing, and the entries in the gap become unknown entries. A gap is accepted only if the header
 * is @trusted, which means that its checksum is right.
 */
static int make_room(struct dictionary *dictionary, const struct block_header *header, bool trusted)
{
	uint64_t end = header->first + header->count;
	size_t have = row_count(dictionary, header->kind);

	if (header->first > DICTIONARY_MAX || end > DICTIONARY_MAX)
		return -EBADMSG;
	if (header->kind == BLOCK_LOCATION_FUNCTION || header->kind == BLOCK_LOCATION_LINE)
		return end <= have ? 0 : -EBADMSG;
	if (header->first < have || (header->first > have && !trusted))
		return -EBADMSG;
	if (grow_to(dictionary, header->kind, end) < 0)
		return -ENOMEM;
	forget(dictionary, header->kind, have, header->first);
	dictionary->missing += header->first - have;
	return 0;
}

/* ---- reading ---- */

/* @index has the functions if the block is of the kind BLOCK_LOCATION_FUNCTION. */
static int decode(struct dictionary *dictionary, struct block_codec *codec,
		  const struct block_header *header, const struct function_index *index)
{
	switch (header->kind) {
	case BLOCK_STACK:
		return stack_block_decode(codec, header, dictionary->stacks.at + header->first);
	case BLOCK_LOCATION:
		return location_block_decode(codec, header,
					     dictionary->locations.at + header->first);
	case BLOCK_FUNCTION:
		return function_block_decode(codec, header,
					     dictionary->functions.at + header->first,
					     &dictionary->texts);
	case BLOCK_LINE:
		return line_block_decode(codec, header, dictionary->lines.at + header->first,
					 &dictionary->texts);
	case BLOCK_MAPPING:
		return mapping_block_decode(codec, header, dictionary->mappings.at + header->first);
	case BLOCK_LOCATION_LINE:
		return location_line_block_decode(codec, header,
						  dictionary->locations.at + header->first);
	default:
		return location_function_block_decode(
			codec, header, dictionary->locations.at + header->first, index);
	}
}

static int read_one(struct dictionary *dictionary, struct block_reader *reader, sqlite3_int64 id,
		    enum block_kind kind, const struct function_index *index)
{
	struct block_header header;
	int rc = block_reader_read(reader, id, kind, &header);
	int room;

	if (rc < 0 && rc != -EBADMSG)
		return rc;
	dictionary->stored_bytes += reader->size_bytes;
	if (is_oversized(dictionary, &header, rc == 0 ? reader->codec.text.count : 0)) {
		dictionary->oversized++;
		return 0;
	}
	room = make_room(dictionary, &header, rc == 0);
	if (room == -ENOMEM)
		return room;
	if (rc == 0 && room == 0)
		rc = decode(dictionary, &reader->codec, &header, index);
	if ((rc == 0 && room == 0) || rc == -ENOMEM)
		return rc;
	if (room == 0)
		forget(dictionary, kind, header.first, header.first + header.count);
	dictionary->damaged++;
	return 0;
}

static int read_kind(struct dictionary *dictionary, sqlite3 *db, enum block_kind kind,
		     sqlite3_int64 *last_id)
{
	_cleanup_(block_list_fini) struct block_list list = { 0 };
	_cleanup_(block_reader_fini) struct block_reader reader = { 0 };
	_cleanup_(function_index_fini) struct function_index index = { 0 };
	int rc = block_list_read(db, kind, dictionary->last_id, &list);

	if (rc < 0)
		return rc;
	if (kind == BLOCK_LOCATION_FUNCTION && list.ids.count &&
	    function_index_init(&index, dictionary->functions.at, dictionary->functions.count) < 0)
		return -ENOMEM;
	rc = block_reader_init(&reader, db);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < list.ids.count; i++) {
		rc = read_one(dictionary, &reader, list.ids.at[i], kind, &index);
		if (rc < 0)
			return rc;
		if (list.ids.at[i] > *last_id)
			*last_id = list.ids.at[i];
	}
	return 0;
}

/* Adds the entries that exist without any block: the stack roots, and id 0, which means "none". */
static int begin(struct dictionary *dictionary)
{
	if (grow(&dictionary->stacks, STACK_ROOT_COUNT) < 0 ||
	    grow(&dictionary->locations, 1) < 0 || grow(&dictionary->functions, 1) < 0 ||
	    grow(&dictionary->lines, 1) < 0 || grow(&dictionary->mappings, 1) < 0 ||
	    grow(&dictionary->texts, 1) < 0)
		return -ENOMEM;
	return 0;
}

int dictionary_read(struct dictionary *dictionary, sqlite3 *db, unsigned int kinds)
{
	/* Locations are read before the blocks that fill in fields of locations. */
	static const enum block_kind order[] = { BLOCK_LOCATION, BLOCK_STACK,
						 BLOCK_FUNCTION, BLOCK_LOCATION_FUNCTION,
						 BLOCK_LINE,	 BLOCK_LOCATION_LINE,
						 BLOCK_MAPPING };
	sqlite3_int64 last_id = dictionary->last_id;
	int rc = begin(dictionary);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!(kinds & 1u << order[i]))
			continue;
		rc = read_kind(dictionary, db, order[i], &last_id);
		if (rc < 0)
			return rc;
	}
	dictionary->last_id = last_id;
	return 0;
}
