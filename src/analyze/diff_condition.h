/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_condition.h - conditions on a change, for use in scripts
 *
 *	self(RE) > +2% @95	functions that match took over 2 points more than before
 *	total(RE) < -1%		they and their callees took over 1 point less (@95 is the default)
 *	self(RE) > x1.1		they took more than 1.1 times as much as before
 *
 * RE is an extended regular expression, searched for anywhere in a function's name. self counts
 * samples whose sampled function matches, total counts samples with any matching function on the
 * stack. All matching functions are treated as one.
 *
 * A point is one percent of the samples, or with DIFF_PER_WALL a hundredth of one CPU. A condition
 * holds only if the measured change exceeds its limit by more than chance explains. More exactly,
 * the one-sided interval of the change, at the given confidence level, must lie entirely beyond the
 * limit. So `> +0%` tests for any growth. Each condition is tested separately, at its own level.
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
	double factor;		/* multiple of the value before; 1 for points */
	double limit;		/* 0.02 for +2%; 0 for factors */
	double confidence;	/* the level, such as 0.95 */
};

/*
 * Returns 0, -ENOMEM, or -EINVAL with an explanation in @err. Call diff_condition_fini() only after
 * success.
 */
int diff_condition_parse(const char *text, struct diff_condition *ret_condition, struct err *err);
void diff_condition_fini(struct diff_condition *condition);

#endif
