/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_condition.h - conditions on a change, for use in scripts
 *
 *	self(RE) > +2% @95	functions that match took over 2 points more than before
 *	total(RE) < -1%		they and their callees took over 1 point less (@95 is the default)
 *	self(RE) > x1.1		they took more than 1.1 times as much as before
 *	self(RE) > +0.5s	they took over half a second more than before (DIFF_SECONDS only)
 *
 * RE is an extended regular expression that may match anywhere in a function's name. `self` counts
 * the samples whose sampled function matches. `total` counts the samples that have a matching
 * function anywhere on the stack. All matching functions are treated as one.
 *
 * A point is one percent of the samples. With DIFF_PER_SECOND it is a hundredth of one CPU, and
 * with amounts it is one percent of the whole amount of the first recording. A condition holds only
 * if the measured change exceeds the limit by more than chance explains, so that the one-sided
 * p-value is below that of the condition's level (@95). So `> +0%` tests for any growth. The
 * p-values are not corrected for the number of conditions.
 */
#ifndef ASSAY_ANALYZE_DIFF_CONDITION_H
#define ASSAY_ANALYZE_DIFF_CONDITION_H

#include <regex.h>
#include <stdbool.h>

#include "base/err.h"

#define DIFF_CONDITIONS_MAX 16

struct diff_condition {
	char *text;		/* as given by the user; owned */
	regex_t regex;
	bool total;		/* false: self */
	bool less;		/* false: greater */
	/* by which the value before is multiplied: 1.1 for x1.1, 1 for points */
	double factor;
	double limit;		/* 0.02 for +2%; 0.5 for +0.5s; 0 for factors */
	bool in_seconds;
	double confidence;	/* the level, such as 0.95 */
};

/*
 * Returns 0, -ENOMEM, or -EINVAL with an explanation in @err. Call diff_condition_fini() only after
 * success.
 */
int diff_condition_parse(const char *text, struct diff_condition *ret_condition, struct err *err);
void diff_condition_fini(struct diff_condition *condition);

#endif
