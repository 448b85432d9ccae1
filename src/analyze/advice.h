/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice.h - what would make a recording better
 *
 * A warning is about a figure that is bad (trust.h). A hint is about samples that could be
 * explained better, such as those in a file without symbols. Its share tells how many samples these
 * are. All commands that give advice get it here. It needs one pass over the hits of a profile, and
 * no tables. Which command or option helps depends on the machine and on the program that reads the
 * recording, so cli/advice_lines.h knows that.
 */
#ifndef ASSAY_ANALYZE_ADVICE_H
#define ASSAY_ANALYZE_ADVICE_H

#include "analyze/trust.h"

#define ADVICE_MAX 5
#define ADVICE_MIN_SHARE 0.01	/* hints about fewer samples are left out */

enum advice_kind {
	/* warnings */
	ADVICE_DAMAGED,		/* the file is damaged or was cut */
	ADVICE_LOST,		/* samples were lost */
	ADVICE_UNACCOUNTED,	/* the ledger does not close */
	ADVICE_OWN_COST,	/* the profiler itself took much CPU time */
	ADVICE_FEW_SAMPLES,
	ADVICE_FRAME_POINTERS,	/* stacks are not whole, and frame pointers were followed */
	ADVICE_SMALL_COPIES,	/* stacks are not whole, because too few bytes were copied */
	ADVICE_STACKS_CUT,	/* stacks are not whole for another reason */
	/* hints */
	ADVICE_WAITS,		/* the command did not run for most of the time */
	ADVICE_NO_SYMBOLS,	/* a file has no symbols of its own */
	ADVICE_KERNEL_HIDDEN,	/* the kernel has no names */
	ADVICE_JAVA,		/* the code that a Java VM generated has no names */
	ADVICE_NODE,
	ADVICE_PYTHON,		/* only the interpreter is seen, not the program it runs */
	ADVICE_KIND_COUNT
};

struct advice {
	enum advice_kind kind;
	double share;		/* of the samples, or of the run for ADVICE_WAITS; in [0, 1] */
	uint32_t image;		/* ADVICE_NO_SYMBOLS, ADVICE_PYTHON */
	uint32_t process;	/* ADVICE_JAVA, ADVICE_NODE: one of the processes */
};

struct advices {
	struct advice at[ADVICE_MAX];	/* warnings first, then the hints with the largest shares */
	size_t count;
};

static inline bool advice_warns(const struct advice *advice)
{
	return advice->kind < ADVICE_WAITS;
}

/* @health is of the event to advise on, and @account of the same profile. Returns 0 or -ENOMEM. */
int advise(const struct profile *profile, const struct health *health,
	   const struct account *account, struct advices *ret_advices);

#endif
