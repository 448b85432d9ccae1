/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat_diff.h - two stats beside each other, for people and for programs
 *
 * A change is significant where chance alone would show one like it, in any of the rows, in less
 * than 5 % of comparisons (p_adjusted, holm_adjust() of analyze/significance.h).
 */
#ifndef ASSAY_PRESENT_STAT_DIFF_H
#define ASSAY_PRESENT_STAT_DIFF_H

#include "analyze/counter_stats.h"
#include "present/stat.h"

#define STAT_DIFF_LEVEL 0.05

struct stat_diff_row {
	const char *event, *where;	/* @where "": all places together */
	const char *unit;		/* "ns", "events" or another */
	struct spread before, after;
	struct change change;
	double p, p_adjusted;
};

struct stat_diff_show {
	const struct stat_diff_row *rows;
	size_t row_count;
	const char *before_path, *after_path;
	size_t unmatched;		/* counters of one side alone */
};

/* 0 or -ENOMEM. */
int stat_diff_print(const struct stat_diff_show *show, enum stat_format format, FILE *out);

/* "significant", "within noise" or "unknown", where a side has less than two runs. */
const char *stat_diff_verdict(const struct stat_diff_row *row);

#endif
