/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * init_code.h - the frames of _init and _fini on x86_64
 *
 * The C library's crti.o and crtn.o hold the two ends of these functions, in sections .init and
 * .fini of each image, and glibc's have no call frame information.  The dynamic linker calls
 * _init, whose first instruction is where a library's code is touched first: samples of page
 * faults.  So the rules are made from the bytes, where these are exactly those that are known:
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

/* Between these offsets the CFA is sp + 16, elsewhere sp + 8. */
struct init_code {
	uint32_t grown_at, shrunk_at;
};

/* False for any other code. */
bool init_code_parse(const struct frame_code *code, struct init_code *ret_code);

#endif
