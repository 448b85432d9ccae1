/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_totals.h - samples with a function anywhere on the stack, for a few functions
 *
 * call_graph.h counts the totals of all functions. That takes a call tree, which is too slow for
 * the first screen of a report. Here, each location has a bit for each wanted function, and the
 * bits of a stack are those of its location and of its parent stack. Parents have smaller ids, so
 * one loop over all stacks is enough. A sample of a recursive function counts once.
 */
#ifndef ASSAY_ANALYZE_FUNCTION_TOTALS_H
#define ASSAY_ANALYZE_FUNCTION_TOTALS_H

#include "analyze/profile.h"

#define FUNCTION_TOTALS_MAX 64

/*
 * Sets @ret_totals[i] to the samples of @profile that have the function @keys[i] on the stack. The
 * profile must have been read with the option by_stack. Idle samples are left out. @keys are keys
 * of BY_FUNCTION, at most FUNCTION_TOTALS_MAX and all different. Returns 0 or -ENOMEM.
 */
int function_totals(const struct profile *profile, const uint64_t *keys, size_t count,
		    struct count *ret_totals);

#endif
