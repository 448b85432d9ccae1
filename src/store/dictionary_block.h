/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dictionary_block.h - stack nodes and locations as the columns of a block
 *
 * Entries are given in the order of their ids without gaps; block_header.first is the id of
 * the first one.  Differences are zigzag.
 *	stack		parent: a root is itself, a node STACK_ROOT_COUNT - 1 plus the distance
 *			from the node's own id back to it
 *			location: difference to the largest location id so far
 *			parameter: the largest location id before the block
 *	location	image: difference to the image before
 *			vaddr: difference to the first address in the block whose image is the same
 *			modulo 256
 *	location_function
 *			function: difference to the one before
 *	location_line	line: difference to the one before
 */
#ifndef ASSAY_STORE_DICTIONARY_BLOCK_H
#define ASSAY_STORE_DICTIONARY_BLOCK_H

#include "model/location.h"
#include "store/block.h"

/* Entries of @header (kind, first, count) for block_pack(); @rows is the whole array. */
int stack_block_encode(struct block_codec *codec, const struct block_header *header,
		       const struct stack_node *rows);
int location_block_encode(struct block_codec *codec, const struct block_header *header,
			  const struct location *rows);
int location_function_block_encode(struct block_codec *codec, const struct block_header *header,
				   const struct location *rows);

/*
 * The inverse, into @rows[0 .. count). -EBADMSG when it cannot be. A stack's parent is always
 * smaller than its own id, whatever the block says; no other id is checked here.
 */
int stack_block_decode(struct block_codec *codec, const struct block_header *header,
		       struct stack_node *rows);
int location_block_decode(struct block_codec *codec, const struct block_header *header,
			  struct location *rows);

/* Fills the `function` of rows that location_block_decode() made. */
int location_function_block_decode(struct block_codec *codec, const struct block_header *header,
				   struct location *rows);

/* The same for their `line`. */
int location_line_block_encode(struct block_codec *codec, const struct block_header *header,
			       const struct location *rows);
int location_line_block_decode(struct block_codec *codec, const struct block_header *header,
			       struct location *rows);

#endif
