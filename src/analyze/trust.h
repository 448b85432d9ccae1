/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trust.h - the figures that tell how far a recording can be trusted
 *
 * The gates of gate.h compute most figures. A figure that is worse than its limit below is bad, and
 * reports warn of it.
 */
#ifndef ASSAY_ANALYZE_TRUST_H
#define ASSAY_ANALYZE_TRUST_H

#include "analyze/account.h"
#include "analyze/gate.h"

#define TRUST_LOST_PERCENT 1		/* lost samples */
#define TRUST_WHOLE_PERCENT 90		/* whole stacks */
#define TRUST_OWN_PERCENT 10		/* CPU time of the profiler, in % of one CPU */
#define TRUST_SAMPLES 100
#define TRUST_OWN_WALL_S 1		/* in a shorter run, starting and stopping costs most */

struct trust {
	struct gate_result lost, whole, own;
	bool has_stacks;		/* false: stacks were not asked for */
	bool is_few;			/* so few samples that shares are rough */
	/* unaccounted time, in % of CPUs x wall time */
	struct gate_result unaccounted;
};

/*
 * What a recording lacks as a whole. Unlike struct trust, it does not depend on a filter, and needs
 * no profile: model.kept_samples is the number to which lost samples are compared.
 */
struct shortfall {
	uint64_t lost_samples;
	double lost_percent;		/* NAN: not known */
	bool lost;			/* lost_percent is worse than TRUST_LOST_PERCENT */
	bool damaged;			/* parts of the file could not be read */
	bool cut;			/* the run goes on after the data */
};

struct shortfall shortfall_of(const struct model *model);

static inline bool shortfall_is_bad(const struct shortfall *shortfall)
{
	return shortfall->lost || shortfall->damaged || shortfall->cut;
}

/* @health is of the event to judge, and @account of the same profile. */
struct trust trust_of(const struct profile *profile, const struct health *health,
		      const struct account *account);

#endif
