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
 * recording can see hot functions even after their files have been deleted or replaced. A function
 * is stored only if it has at least half a percent of an event's samples. People rarely look into
 * smaller functions: in a run of usual length, no instruction of such a function has more than a
 * few samples. At most 200 functions can have that many samples of one event.
 *
 * A function larger than 64 KiB is not stored. Compilers make few functions of that size. All
 * stored code together has at most 4 MiB, which limits how much a hostile target can add to a
 * recording. Compression reduces the stored code to about a third.
 */
#define CODE_KEPT_SHARE 200		/* minimum share of an event's samples: 1/200 */
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
