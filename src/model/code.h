/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h - the machine code of a stretch of an image
 *
 * Not part of struct model: it is read when somebody asks for it, from a recording
 * (store/code_table.h) or from where the image is (symbolize/code.h).
 */
#ifndef ASSAY_MODEL_CODE_H
#define ASSAY_MODEL_CODE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/vec.h"

/*
 * What a recording keeps, so that its hot functions can be shown where their files are gone or
 * were replaced.  A share of half a percent is what people look into; what is below has no
 * instruction with more than a few samples in a run of usual length.  Compilers make few
 * functions above 64 KiB, and all that can pass the share (200 of them) have 10 MiB at the very
 * most, so that the last limit bounds what a hostile target can add, packed to about a third.
 */
#define CODE_KEPT_SHARE 200		/* one part in so many of the samples */
#define CODE_KEPT_EACH_BYTES_MAX (64u << 10)
#define CODE_KEPT_BYTES_MAX (4u << 20)

struct code {
	uint32_t image;
	uint16_t machine;	/* ELF e_machine */
	uint64_t vaddr;		/* see image.h */
	uint8_t *bytes;		/* owned */
	size_t size_bytes;
};

struct code_list {
	VEC(struct code) list;
};

static inline void code_fini(struct code *code)
{
	free(code->bytes);
	code->bytes = NULL;
	code->size_bytes = 0;
}

static inline void code_list_fini(struct code_list *codes)
{
	for (size_t i = 0; i < codes->list.count; i++)
		code_fini(&codes->list.at[i]);
	vec_free(&codes->list);
}

#endif
