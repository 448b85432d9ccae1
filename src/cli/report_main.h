/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_main.h - from a recording's path to a printed report
 *
 * What `assay report` does once its options are read, and `assay run` after recording.
 */
#ifndef ASSAY_CLI_REPORT_MAIN_H
#define ASSAY_CLI_REPORT_MAIN_H

#include <stdbool.h>

#include "analyze/filter.h"
#include "analyze/group.h"
#include "cli/print_options.h"

struct report_options {
	struct filter filter;
	enum dimension by[GROUP_KEYS_MAX];
	size_t by_count;		/* 0: the full report */
	struct print_options print;
	struct report_style style;
	bool limit_given;		/* else text is limited and data is not */
	double min_percent;	/* applications and processes below get no profiles */
	bool min_percent_given;
	const char *vmlinux;	/* for blocks of the kernel; NULL: /proc/kcore */
	bool wall;		/* all of the time of threads, running or not */
};

#define REPORT_OPTIONS_INIT { .filter = FILTER_INIT, .style = { .limit = 20 }, .min_percent = 1 }

void report_options_fini(struct report_options *options);

/* False, with a message, where options exclude each other. */
bool report_options_check(const struct report_options *options);

/* Prints to stdout, errors to stderr; the exit status: 3 when the filter matched nothing. */
int report_print(const char *path, const struct report_options *options);

#endif
