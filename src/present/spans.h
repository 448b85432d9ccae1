/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spans.h - prints what the stopwatch measured: a table of functions, and histograms */
#ifndef ASSAY_PRESENT_SPANS_H
#define ASSAY_PRESENT_SPANS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stopwatch/span_times.h"

enum spans_format { SPANS_TEXT, SPANS_JSON, SPANS_CSV };

struct spans_print {
	enum spans_format format;
	const struct span_row *rows;	/* in the order in which they are shown */
	size_t row_count;
	size_t limit;			/* rows shown as text; 0: all */
	double time_seconds;		/* how long was measured */
	size_t width;			/* of the terminal; 0: no limit */
};

#define SPANS_NS_MAX 16

/* Writes a duration with a unit and three digits, such as "1.23 ms". */
void spans_ns(double ns, char ret_text[static SPANS_NS_MAX]);

/* Returns 0 or -ENOMEM. */
int spans_print(const struct spans_print *print, FILE *out);

#endif
