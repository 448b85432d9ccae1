/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dictionary_block.h - stack nodes and locations as the columns of a block
 *
 * Entries are stored in the order of their ids, without gaps. block_header.first is the id of the
 * first entry. Differences are zigzag encoded.
 *	stack		parent: a root's id as it is; for any other node STACK_ROOT_COUNT - 1
 *			plus the distance from the node's own id back to the parent
 *			location: difference from the largest location id so far
 *			parameter: the value from which "largest so far" starts
 *	location	image: difference from the previous image
 *			vaddr: difference from the first address in the block whose image id
 *			is equal modulo 256
 *	location_function
 *			function: 0: the function that contains the location (function_index.h);
 *			otherwise the function + 1
 *			parameter: 1. Without it, as recordings of earlier versions have it, the
 *			column is the difference from the previous function
 *	location_line	line: difference from the previous line
 */
#ifndef ASSAY_STORE_DICTIONARY_BLOCK_H
#define ASSAY_STORE_DICTIONARY_BLOCK_H

#include "model/location.h"
#include "store/block.h"
#include "store/function_index.h"

/*
 * Encodes the entries that @header describes (kind, first, count) for block_pack(). @rows is the
 * whole array.
 */
int stack_block_encode(struct block_codec *codec, const struct block_header *header,
		       const struct stack_node *rows);
int location_block_encode(struct block_codec *codec, const struct block_header *header,
			  const struct location *rows);
int location_function_block_encode(struct block_codec *codec, const struct block_header *header,
				   const struct location *rows, const struct function_index *index);

/*
 * Decodes the block into @rows[0 .. count). Returns -EBADMSG if the values are impossible. Whatever
 * the block contains, the parent of a decoded stack is a root or has a smaller id than the stack.
 * No other ids are checked here.
 */
int stack_block_decode(struct block_codec *codec, const struct block_header *header,
		       struct stack_node *rows);
int location_block_decode(struct block_codec *codec, const struct block_header *header,
			  struct location *rows);

/*
 * Sets the field `function` of the rows that location_block_decode() has filled. @index has the
 * functions that were decoded.
 */
int location_function_block_decode(struct block_codec *codec, const struct block_header *header,
				   struct location *rows, const struct function_index *index);

/* Encodes and decodes the field `line`. */
int location_line_block_encode(struct block_codec *codec, const struct block_header *header,
			       const struct location *rows);
int location_line_block_decode(struct block_codec *codec, const struct block_header *header,
			       struct location *rows);

#endif
