/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code.h - the machine code of a part of an image
 *
 * The code is not part of struct model. A command that needs the code reads it from a recording
 * (store/code_table.h) or from the image itself (symbolize/code.h).
 */
#ifndef ASSAY_MODEL_CODE_H
#define ASSAY_MODEL_CODE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/vec.h"

/*
 * Limits on the machine code that a recording contains. The code is stored so that a reader of the
 * recording can see hot functions after their files have been deleted or replaced. Only functions
 * with at least half a percent of the samples are stored: people rarely look into smaller
 * functions, because in a run of usual length no instruction of such a function has more than a few
 * samples. Compilers make few functions larger than 64 KiB. At most 200 functions can reach the
 * share. All stored code together is at most 10 MiB. The 10 MiB limit bounds what a hostile target
 * can add to a recording; compression reduces that amount to about a third.
 */
#define CODE_KEPT_SHARE 200		/* stored functions have at least 1/200 of the samples */
#define CODE_KEPT_EACH_BYTES_MAX (64u << 10)
#define CODE_KEPT_BYTES_MAX (4u << 20)

struct code {
	uint32_t image;
	uint16_t machine;	/* ELF e_machine */
	uint64_t vaddr;		/* address in the image; see image.h */
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
