/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch_chain.h - get the callers of a sample from the processor's branch records
 *
 * With perf record --call-graph lbr, a sample's callchain holds only the kernel's frames and the
 * interrupted user address. The user-space callers are in a separate branch stack. The processor
 * pushes an entry at each call and pops it at the return. The hardware limits the depth of the
 * branch stack.
 */
#ifndef ASSAY_IMPORT_BRANCH_CHAIN_H
#define ASSAY_IMPORT_BRANCH_CHAIN_H

#include <stdint.h>

#include "perf/record.h"

#define BRANCH_CHAIN_MAX 1024u		/* words per chain */

/*
 * Joins the callchain and the branch stack of @sample into one chain in @words, and makes @sample
 * refer to @words. Does nothing if @sample has no branch stack, or if its callchain has no user
 * part or is too long. Branch records that do not fit into @words are dropped.
 */
void branch_chain_join(struct record_sample *sample, uint64_t words[static BRANCH_CHAIN_MAX]);

#endif
