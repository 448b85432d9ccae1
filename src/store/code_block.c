/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/code_block.h"

enum { COLUMN_IMAGE, COLUMN_VADDR, COLUMN_SIZE, COLUMN_MACHINE, COLUMN_COUNT };

_Static_assert(CODE_KEPT_BYTES_MAX <= BLOCK_TEXT_MAX, "all that is kept fits one block");

int code_block_encode(struct block_codec *codec, const struct code_list *codes)
{
	uint32_t count = (uint32_t)codes->list.count;

	if (block_begin(codec, count, COLUMN_COUNT) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct code *code = &codes->list.at[i];
		size_t end = codec->text.count + code->size_bytes;

		block_column(codec, COLUMN_IMAGE)[i] = code->image;
		block_column(codec, COLUMN_VADDR)[i] = code->vaddr;
		block_column(codec, COLUMN_SIZE)[i] = code->size_bytes;
		block_column(codec, COLUMN_MACHINE)[i] = code->machine;
		if (vec_reserve(&codec->text, end) < 0)
			return -ENOMEM;
		memcpy(codec->text.at + codec->text.count, code->bytes, code->size_bytes);
		codec->text.count = end;
	}
	return 0;
}

int code_block_next(struct block_codec *codec, struct code_cursor *cursor,
		    struct code_entry *ret_entry)
{
	uint32_t i = cursor->next;
	uint64_t machine;

	if (codec->column_count != COLUMN_COUNT)
		return -EBADMSG;
	if (i == codec->count)
		return cursor->at == codec->text.count ? 0 : -EBADMSG;
	if (codec->text.count == 0)
		return -EBADMSG;
	machine = block_column(codec, COLUMN_MACHINE)[i];
	*ret_entry = (struct code_entry){
		.image = block_column(codec, COLUMN_IMAGE)[i],
		.vaddr = block_column(codec, COLUMN_VADDR)[i],
		.size_bytes = block_column(codec, COLUMN_SIZE)[i],
		.machine = (uint16_t)machine,
		.bytes = codec->text.at + cursor->at,
	};
	if (machine > UINT16_MAX || ret_entry->size_bytes > codec->text.count - cursor->at)
		return -EBADMSG;
	cursor->next++;
	cursor->at += (size_t)ret_entry->size_bytes;
	return 1;
}
