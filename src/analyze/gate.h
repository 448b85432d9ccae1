/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.h - checks a recording against limits of quality
 *
 * Each check, called a gate, compares one figure of the report with a limit. The same functions
 * compute the figures for the gates and for the report, so the figures agree. A gate fails if its
 * figure is not known for the recording.
 */
#ifndef ASSAY_ANALYZE_GATE_H
#define ASSAY_ANALYZE_GATE_H

#include "analyze/health.h"

enum gate {
	GATE_MIN_SAMPLES,	/* number of samples of all events together */
	GATE_MIN_COMPLETE,	/* share of samples with "whole" or "kernel only" stacks, in % */
	GATE_MIN_SYMBOLIZED,	/* share of samples whose function has a name or bounds, in % */
	/*
	 * number of lost samples (account_lost_samples()), or lost samples in % of all samples,
	 * lost or not
	 */
	GATE_MAX_LOST,
	GATE_MAX_SKIPPED,	/* like GATE_MAX_LOST, but counts only LOSS_SAMPLE_SKIPPED */
	GATE_MAX_LATE,		/* late samples, in % of all samples whose lateness is known */
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
	const char *missing;	/* reason why there is no value; NULL if there is a value */
	const char *note;	/* reason why the gate fails whatever the value is; or NULL */
};

const char *gate_name(enum gate gate);	/* "min-complete" */

/*
 * Parses a limit: "95", "95%", "1000". For gates that compare a percentage, "95" and "95%" mean the
 * same. For GATE_MAX_LOST and GATE_MAX_SKIPPED, "95%" is a percentage and "95" is a number of
 * samples. Returns -EINVAL, with the reason in @err, if the text is not a valid limit for this
 * gate.
 */
int gate_parse(enum gate gate, const char *text, struct gate_limit *ret_limit, struct err *err);

/* @health must have been made for the first event of @profile. */
struct gate_result gate_judge(const struct gate_limit *limit, const struct profile *profile,
			      const struct health *health);

#endif
