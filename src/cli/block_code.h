/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block_code.h - the blocks of all code that was hit, for tables by block
 */
#ifndef ASSAY_CLI_BLOCK_CODE_H
#define ASSAY_CLI_BLOCK_CODE_H

#include "analyze/blocks.h"
#include "store/recording.h"

/*
 * Of @profile, which was read from @recording by address; @vmlinux as in code_reader.h. How many
 * functions have no code is said once, to stderr. 0 or -ENOMEM; code_blocks_fini() after either.
 */
int block_code_read(struct recording *recording, const struct profile *profile, const char *vmlinux,
		    struct code_blocks *ret_blocks, struct err *err);

#endif
