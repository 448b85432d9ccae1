/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch_chain.h - callers from the branches that a processor remembered
 *
 * With perf record --call-graph lbr the callchain has the kernel's frames and the user's address
 * alone; who called stands in a stack of branches, which the processor keeps from calls and
 * returns.  It is as deep as the hardware has room for.
 */
#ifndef ASSAY_IMPORT_BRANCH_CHAIN_H
#define ASSAY_IMPORT_BRANCH_CHAIN_H

#include <stdint.h>

#include "perf/record.h"

#define BRANCH_CHAIN_MAX 1024u		/* words of a chain */

/*
 * Makes one chain of both in @words, to which @sample refers from then on.  Nothing where there are
 * no calls, or the task has no user part.
 */
void branch_chain_join(struct record_sample *sample, uint64_t words[static BRANCH_CHAIN_MAX]);

#endif
