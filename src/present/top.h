/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top.h - prints one frame of a live recording, as a screen of text or a line of JSON
 *
 * A screen begins with TOP_HEAD_LINES lines of heading. The last of them has the column titles of
 * the table. The rows of the table follow, one line each. These functions print only the text. The
 * caller places it on the terminal, chooses the color of each line, and fills the rest of the
 * screen. All names are escaped, and each character is taken to be one column wide. A line has at
 * most style.columns columns if the table fits into that width.
 *
 * JSON is one object on one line ("version": 1; fields may be added). All sums refer to the window.
 * The first members are:
 * - "time_ns": the end of the window (CLOCK_MONOTONIC)
 * - "span_seconds": the length of the window
 * - "contexts": the number of samples in each context
 * - "cpu_seconds", "idle_seconds", "steal_seconds": sums over all CPUs, from /proc/stat
 * - "hardirq_seconds", "softirq_seconds": measured interrupt time
 * - "own_cpu_seconds": CPU time of assay itself
 * - "losses": the number of losses by reason
 *
 * They are followed by the members of a table of `assay report --json --by`.
 *
 * Both functions return 0 or -ENOMEM. The caller checks the error state of the FILE.
 */
#ifndef ASSAY_PRESENT_TOP_H
#define ASSAY_PRESENT_TOP_H

#include "analyze/live.h"
#include "present/report.h"

#define TOP_HEAD_LINES 5

struct top_style {
	size_t columns;		/* width of the terminal */
	/* @first: first row of the table to show; @rows: maximum number of rows */
	size_t first, rows;
	const char *title;	/* such as "assay top on host" */
	const char *process;	/* the only process shown; NULL: all processes */
	/* regular expression that selects names, as the user typed it; NULL: none */
	const char *names;
	bool frozen;
	bool irq_timed;		/* true if interrupts are measured and not only sampled */
};

int top_as_text(const struct live_frame *frame, const struct top_style *style, FILE *out);
int top_as_json(const struct live_frame *frame, size_t rows, FILE *out);

#endif
