/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spans.h - prints what the stopwatch measured: a table of functions, and histograms
 *
 *	spans_begin(&print, out)
 *	spans_print(&print, &show)	once, or for each interval
 *	spans_end(&print)
 */
#ifndef ASSAY_PRESENT_SPANS_H
#define ASSAY_PRESENT_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/counter.h"
#include "present/json.h"
#include "stopwatch/span_times.h"

enum spans_format { SPANS_TEXT, SPANS_JSON, SPANS_CSV };

struct spans_print {
	enum spans_format format;
	bool intervals;
	bool interrupts;		/* their time is known */
	const char *value;		/* what is measured instead of durations; NULL: nothing */
	const char *also_value;		/* what is measured besides them; NULL: nothing */
	bool waits;			/* off_ns and run_queue_ns are known */
	/* Events that were counted in calls: at most SPAN_EVENTS. */
	size_t counter_count;
	const char *const *counter_names;
	const struct counter_kind *counter_kinds;
	enum span_by by;		/* what the groups of the rows are, and its name */
	const char *by_name, *by_second;	/* NULL: there is no second value */
	size_t limit;			/* rows shown as text; 0: all */
	size_t width;			/* of the terminal; 0: no limit */
	FILE *out;			/* set by spans_begin(), like the next one */
	struct json json;
};

struct spans_show {
	const struct span_row *rows;	/* in the order in which they are shown */
	size_t row_count;
	double time_seconds;		/* how long was measured, up to the end of the interval */
};

#define SPANS_NS_MAX 16

/* Writes a duration with a unit and three digits, such as "1.23 ms". */
void spans_ns(double ns, char ret_text[static SPANS_NS_MAX]);

/* For qsort(): rows by their total time, and those without any last. */
int spans_compare_rows(const void *a, const void *b);

void spans_begin(struct spans_print *print, FILE *out);
int spans_print(struct spans_print *print, const struct spans_show *show);	/* 0 or -ENOMEM */
void spans_end(struct spans_print *print);

/* Adds the member "spans", an array with an object for each row, to the open object. */
void spans_json_members(struct json *json, const struct spans_print *print,
			const struct span_row *rows, size_t count);

#endif
