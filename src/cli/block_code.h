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
 * Finds the basic blocks of all functions in @profile by reading their code. @profile must have
 * been read from @recording with the option by_address. @vmlinux is explained in code_reader.h. If
 * the code of some functions cannot be read, prints one message with their number to stderr.
 * Returns 0 or -ENOMEM. In both cases the caller must call code_blocks_fini().
 */
int block_code_read(struct recording *recording, const struct profile *profile, const char *vmlinux,
		    struct code_blocks *ret_blocks, struct err *err);

#endif
