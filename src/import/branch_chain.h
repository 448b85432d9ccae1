/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch_chain.h - get the callers of a sample from the processor's branch records
 *
 * With perf record --call-graph lbr, the callchain holds only the kernel's frames and the
 * interrupted user address. The user-space callers are in a separate branch stack, which the
 * processor maintains from calls and returns. The hardware limits the depth of the branch stack.
 */
#ifndef ASSAY_IMPORT_BRANCH_CHAIN_H
#define ASSAY_IMPORT_BRANCH_CHAIN_H

#include <stdint.h>

#include "perf/record.h"

#define BRANCH_CHAIN_MAX 1024u		/* words per chain */

/*
 * Joins the callchain and the branch stack of @sample into one chain in @words, and makes @sample
 * refer to @words. Does nothing if @sample has no branch stack or its callchain has no user part.
 */
void branch_chain_join(struct record_sample *sample, uint64_t words[static BRANCH_CHAIN_MAX]);

#endif
