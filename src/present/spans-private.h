/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spans-private.h - declarations shared by the files that implement spans.h
 *
 *	spans.c		the formats for programs, and what all formats need
 *	spans_text.c	the table and the histograms
 */
#ifndef ASSAY_PRESENT_SPANS_PRIVATE_H
#define ASSAY_PRESENT_SPANS_PRIVATE_H

#include "analyze/counter_ratio.h"
#include "present/spans.h"

#define SPANS_SHARES 4
#define SPANS_GROUP_MAX 48

extern const double spans_shares[SPANS_SHARES];	/* of the percentiles that are shown */

/* Of the total. */
double spans_on_cpu_ns(const struct span_times *times);
double spans_blocked_ns(const struct span_times *times);

/* Of spans_print.also_value; NAN if no call has any. */
double spans_mean_value(const struct span_times *times);

/* The ratio that is shown with a counter. Returns false if there is none. */
bool spans_ratio(const struct spans_print *print, size_t counter, struct counter_ratio *ret_ratio);
double spans_ratio_value(const struct counter_ratio *ratio, const struct span_times *times);

/* Returns what the group of the row is, unescaped, perhaps in @text; "" if it has none. */
const char *spans_group_text(enum span_by by, const struct span_row *row,
			     char text[static SPANS_GROUP_MAX]);

/* Of the second value, if there are two. */
const char *spans_second_text(const struct span_row *row, char text[static SPANS_GROUP_MAX]);

/* Adds a cell with the text of spans_ns(). */
struct table;
void spans_ns_cell(struct table *table, double ns);

int spans_as_text(const struct spans_print *print, const struct spans_show *show);
int spans_interval_as_text(const struct spans_print *print, const struct spans_show *show);

#endif
