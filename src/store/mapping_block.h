/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapping_block.h - mappings as the columns of a block
 *
 * Mappings are stored in the order of their ids, without gaps. block_header.first is the id of the
 * first one. Differences are zigzag encoded. They count from the previous mapping. Those of size
 * and vaddr count from the previous mapping in the block whose image has the same id modulo 256, so
 * they are 0 for an image that many processes have mapped:
 *	process		difference
 *	image		difference
 *	page		difference of start_addr / MAPPING_PAGE_BYTES
 *	in page		start_addr % MAPPING_PAGE_BYTES
 *	size		difference of end_addr - start_addr
 *	vaddr		difference of start_addr - bias
 *	time		difference of time_ns
 */
#ifndef ASSAY_STORE_MAPPING_BLOCK_H
#define ASSAY_STORE_MAPPING_BLOCK_H

#include "model/image.h"
#include "store/block.h"

#define MAPPING_PAGE_BYTES 4096u

/*
 * Encodes the mappings that @header describes (kind, first, count) for block_pack(). @rows is the
 * whole array.
 */
int mapping_block_encode(struct block_codec *codec, const struct block_header *header,
			 const struct mapping *rows);

/*
 * Decodes the block into @rows[0 .. count). Returns -EBADMSG if the columns are not those of
 * mappings. Ids are not checked here.
 */
int mapping_block_decode(struct block_codec *codec, const struct block_header *header,
			 struct mapping *rows);

#endif
