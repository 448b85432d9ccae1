/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block_code.h - finds the basic blocks of all functions with samples, for tables of samples by
 * basic block
 */
#ifndef ASSAY_CLI_BLOCK_CODE_H
#define ASSAY_CLI_BLOCK_CODE_H

#include "analyze/blocks.h"
#include "store/recording.h"

/*
 * Reads the blocks of all functions in @profile, which must have been read from @recording by
 * address. See code_reader.h for @vmlinux. If the code of some functions cannot be read, prints one
 * message to stderr with their number. Returns 0 or -ENOMEM. Call code_blocks_fini() in either
 * case.
 */
int block_code_read(struct recording *recording, const struct profile *profile, const char *vmlinux,
		    struct code_blocks *ret_blocks, struct err *err);

#endif
