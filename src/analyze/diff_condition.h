/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_condition.h - what a script wants to be told of a change
 *
 *	self(RE) > +2% @95	functions that match took over 2 points more than before
 *	total(RE) < -1%		they and what they call took over 1 point less (@95 is understood)
 *	self(RE) > x1.1		they took more than 1.1 times of what they did
 *
 * RE is an extended regular expression, found anywhere in a function's name; self is about the
 * sampled function, total about any in the stack, and everything that matches counts as one.
 * With DIFF_PER_WALL a point is a hundredth of one CPU.  A condition holds when chance is not
 * enough to bring the change over the limit: when the one-sided interval at the given level lies
 * beyond it.  So `> +0%` asks for any growth.  Each stands for itself, at its own level.
 */
#ifndef ASSAY_ANALYZE_DIFF_CONDITION_H
#define ASSAY_ANALYZE_DIFF_CONDITION_H

#include <regex.h>
#include <stdbool.h>

#include "base/err.h"

#define DIFF_CONDITIONS_MAX 16

struct diff_condition {
	char *text;		/* as it was given; owned */
	regex_t regex;
	bool total;		/* else self */
	bool less;		/* else greater */
	double factor;		/* of the value before; 1 for points */
	double limit;		/* 0.02 for +2%; 0 for factors */
	double confidence;	/* 0.95 */
};

/* -EINVAL, saying what is wrong, or -ENOMEM; diff_condition_fini() after success only. */
int diff_condition_parse(const char *text, struct diff_condition *ret_condition, struct err *err);
void diff_condition_fini(struct diff_condition *condition);

#endif
