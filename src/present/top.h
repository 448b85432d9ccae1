/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top.h - one look at a recording that goes on: a screen of text, or a line of JSON
 *
 * A screen has TOP_HEAD_LINES lines, of which the last names the columns of the table, then one
 * line for each row, and nothing below; what is left of the terminal is the caller's.  It knows
 * nothing of terminals: whoever shows it chooses colours by line.  All names are escaped, so that
 * a line is as long as it looks: style.columns where the table fits in there.
 *
 * JSON is one object on one line ("version": 1; fields may be added): the members of a table of
 * `assay report --json --by`, before them "time_ns" (CLOCK_MONOTONIC, end of the window),
 * "span_seconds", "contexts" (samples), "cpu_seconds", "idle_seconds", "steal_seconds" (of all
 * CPUs, by /proc/stat), "hardirq_seconds", "softirq_seconds" (measured), "own_cpu_seconds" and
 * "losses" (in the window, by cause).
 *
 * Both return 0 or -ENOMEM and leave the FILE's error state to the caller.
 */
#ifndef ASSAY_PRESENT_TOP_H
#define ASSAY_PRESENT_TOP_H

#include "analyze/live.h"
#include "present/report.h"

#define TOP_HEAD_LINES 5

struct top_style {
	size_t columns;		/* of the terminal */
	size_t first, rows;	/* the first row of the table that is shown, and how many at most */
	const char *title;	/* "assay top on host" */
	const char *process;	/* the one process that is shown; NULL: all */
	const char *names;	/* the expression for names, as typed; NULL: none */
	bool frozen;
	bool irq_timed;		/* interrupts are measured, not only sampled */
};

int top_as_text(const struct live_frame *frame, const struct top_style *style, FILE *out);
int top_as_json(const struct live_frame *frame, size_t rows, FILE *out);

#endif
