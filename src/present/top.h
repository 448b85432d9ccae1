/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top.h - prints one frame of a live recording, as a screen of text or a line of JSON
 *
 * A screen has TOP_HEAD_LINES lines of heading, the last of which has the column titles of the
 * table. The rows of the table follow, one line each. The rest of the terminal is left to the
 * caller. These functions know nothing about terminals: the caller chooses the color of each line.
 * All names are escaped, so a line has exactly as many columns as characters. A line has at most
 * style.columns columns if the table fits into that width.
 *
 * JSON is one object on one line ("version": 1; fields may be added). The first members are
 * "time_ns" (CLOCK_MONOTONIC, end of the window), "span_seconds", "contexts" (samples),
 * "cpu_seconds", "idle_seconds", "steal_seconds" (of all CPUs, from /proc/stat), "hardirq_seconds",
 * "softirq_seconds" (measured), "own_cpu_seconds" and "losses" (in the window, by reason). The
 * members of a table of `assay report --json --by` follow.
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
