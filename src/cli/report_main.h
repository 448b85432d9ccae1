/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_main.h - prints a report of a recording
 *
 * Used by `assay report` after it has read its options, and by `assay run` after recording.
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
	size_t by_count;		/* number of keys in @by; 0: the full report */
	struct print_options print;
	struct report_style style;
	/* the user chose a limit; otherwise text output is limited and JSON and CSV are not */
	bool limit_given;
	double min_percent;	/* applications and processes with a smaller share get no profile */
	bool min_percent_given;
	const char *vmlinux;	/* kernel image, for blocks of the kernel; NULL means /proc/kcore */
	bool wall;		/* show all of the threads' time, running or not */
};

#define REPORT_OPTIONS_INIT { .filter = FILTER_INIT, .style = { .limit = 20 }, .min_percent = 1 }

void report_options_fini(struct report_options *options);

/* Returns false, after a message, if options exclude each other. */
bool report_options_check(const struct report_options *options);

/*
 * Prints the report to stdout and errors to stderr. Returns the exit status: 3 if no sample matches
 * the filter.
 */
int report_print(const char *path, const struct report_options *options);

#endif
