/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.h - is a recording good enough?
 *
 * Each gate compares one figure of the report with a limit. The figures come from the same
 * functions as in the report, so that both agree. If the recording does not have a figure, its gate
 * fails.
 */
#ifndef ASSAY_ANALYZE_GATE_H
#define ASSAY_ANALYZE_GATE_H

#include "analyze/health.h"

enum gate {
	GATE_MIN_SAMPLES,	/* of all events */
	GATE_MIN_COMPLETE,	/* "whole" or "kernel only" stacks, in % of the samples */
	GATE_MIN_SYMBOLIZED,	/* samples whose function has a name or bounds, in % */
	GATE_MAX_LOST,		/* lost samples of the ledger, or % of all expected samples */
	GATE_MAX_SKIPPED,	/* samples lost as sample-skipped, in the same units */
	GATE_MAX_LATE,		/* late samples, in % of the samples of a clock */
	GATE_MAX_OVERHEAD,	/* the profiler's CPU time for recording, in % of one CPU */
	GATE_COUNT
};

struct gate_limit {
	enum gate gate;
	double limit;
	bool percent;		/* false: the limit is a number of samples */
};

struct gate_result {
	bool ok;
	double value;		/* in the unit of the limit */
	const char *missing;	/* why there is no value; NULL if there is one */
};

const char *gate_name(enum gate gate);	/* "min-complete" */

/*
 * Parses a limit: "95", "95%", "1000". A share is in percent with or without the sign. A loss is in
 * percent with the sign, and a number of samples without. Returns -EINVAL, with the reason in @err,
 * if the text is not a valid limit for this gate.
 */
int gate_parse(enum gate gate, const char *text, struct gate_limit *ret_limit, struct err *err);

/* @health must be that of @profile's first event. */
struct gate_result gate_judge(const struct gate_limit *limit, const struct profile *profile,
			      const struct health *health);

#endif
