/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat_diff.h - prints a comparison of two stats, for people and for programs
 *
 * A change is significant if its adjusted p-value is below 5 % (p_adjusted, see holm_adjust() of
 * analyze/significance.h). So if nothing has really changed, the probability that a comparison
 * marks any of its rows as significant is below 5 %.
 */
#ifndef ASSAY_PRESENT_STAT_DIFF_H
#define ASSAY_PRESENT_STAT_DIFF_H

#include "analyze/counter_stats.h"
#include "present/stat.h"

#define STAT_DIFF_LEVEL 0.05

struct stat_diff_row {
	/* @where is the name of the CPU or thread, or "" if the counts are sums over all of them */
	const char *event, *where;
	const char *unit;		/* unit of the counter: "ns", "events" or another unit */
	struct spread before, after;
	struct change change;
	double p, p_adjusted;
};

struct stat_diff_show {
	const struct stat_diff_row *rows;
	size_t row_count;
	const char *before_path, *after_path;
	size_t unmatched;		/* number of counters that only one of the two files has */
};

/* Returns 0 or -ENOMEM. */
int stat_diff_print(const struct stat_diff_show *show, enum stat_format format, FILE *out);

/*
 * Returns "significant" or "within noise". Returns "unknown" if one of the two stats has fewer than
 * two runs.
 */
const char *stat_diff_verdict(const struct stat_diff_row *row);

#endif
