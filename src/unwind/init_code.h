/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * init_code.h - the frames of _init and _fini on x86_64
 *
 * The C library's crti.o and crtn.o contain the beginning and the end of these functions, in the
 * sections .init and .fini of each image. In glibc this code has no call frame information. The
 * dynamic linker calls _init. The first instruction of _init is often the first access to a
 * library's code, so page faults are sampled there. Unwind rules for these functions are therefore
 * made from the code itself. That is done only if the code is exactly this:
 *
 *	[endbr64]; sub $8, %rsp; [a call of __gmon_start__, if there is one]; add $8, %rsp; ret
 *
 * Source: glibc, sysdeps/x86_64/crti.S and crtn.S.
 */
#ifndef ASSAY_UNWIND_INIT_CODE_H
#define ASSAY_UNWIND_INIT_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/frame_records.h"

/*
 * Offsets in the code of _init or _fini. From grown_at up to shrunk_at, the CFA (sp before the
 * call) is sp + 16. Elsewhere it is sp + 8.
 */
struct init_code {
	uint32_t grown_at, shrunk_at;
};

/* Finds grown_at and shrunk_at. Returns false if @code is not exactly the known code. */
bool init_code_parse(const struct frame_code *code, struct init_code *ret_code);

#endif
