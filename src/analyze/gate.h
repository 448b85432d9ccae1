/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.h - is a recording good enough?
 *
 * Each gate holds one figure of the report against a limit.  The figures come from where the
 * report takes them, so that both agree.  A figure that the recording does not have fails its
 * gate: nobody can vouch for it.
 */
#ifndef ASSAY_ANALYZE_GATE_H
#define ASSAY_ANALYZE_GATE_H

#include "analyze/health.h"

enum gate {
	GATE_MIN_SAMPLES,	/* of all events */
	GATE_MIN_COMPLETE,	/* stacks "whole" or "kernel only", % of the samples */
	GATE_MIN_SYMBOLIZED,	/* samples whose function has a name or bounds, % */
	GATE_MAX_LOST,		/* samples that the ledger calls lost, or % of all there would be */
	GATE_MAX_SKIPPED,	/* samples lost as sample-skipped, likewise */
	GATE_MAX_LATE,		/* late samples, % of those of a clock */
	GATE_MAX_OVERHEAD,	/* the profiler's CPU time to record, % of one CPU */
	GATE_COUNT
};

struct gate_limit {
	enum gate gate;
	double limit;
	bool percent;		/* else a number of samples */
};

struct gate_result {
	bool ok;
	double value;		/* in the unit of the limit */
	const char *missing;	/* why there is no value; NULL: there is */
};

const char *gate_name(enum gate gate);	/* "min-complete" */

/*
 * "95", "95%", "1000": -EINVAL, with why, for what is no limit of this gate.  Shares are in percent
 * with or without the sign; losses are, too, with it, and samples without.
 */
int gate_parse(enum gate gate, const char *text, struct gate_limit *ret_limit, struct err *err);

/* @health is of @profile's first event. */
struct gate_result gate_judge(const struct gate_limit *limit, const struct profile *profile,
			      const struct health *health);

#endif
