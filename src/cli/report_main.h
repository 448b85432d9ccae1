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
#include "cli/color_options.h"
#include "cli/print_options.h"

struct report_options {
	struct filter filter;
	enum dimension by[GROUP_KEYS_MAX];
	/* number of keys in @by; 0: print the full report instead of a table */
	size_t by_count;
	struct print_options print;
	struct report_style style;
	enum color_when color;
	FILE *out;
	/*
	 * true if the user gave a limit; if false, style.limit applies only to text, and not to
	 * --by time
	 */
	bool limit_given;
	uint64_t step_ns;		/* length of the slices of --by time; 0: choose one */
	bool waits;			/* print who ended each wait */
	bool stopwatch;			/* print how long calls took that were measured */
	/* minimum share in percent that an application or process needs for a profile of its own */
	double min_percent;
	bool min_percent_given;
	/*
	 * kernel image from which kernel code is read, to find its basic blocks; NULL: no image
	 * (see cli/code_reader.h)
	 */
	const char *vmlinux;
};

#define REPORT_OPTIONS_INIT \
	{ \
		.filter = FILTER_INIT, .style = { .limit = 20 }, .min_percent = 1, .out = stdout \
	}

void report_options_fini(struct report_options *options);

/* Returns true if the options can be combined. Otherwise prints a message and returns false. */
bool report_options_check(const struct report_options *options);

/*
 * Prints the report to options->out and errors to stderr. Returns the exit status: 3 if no sample
 * matches the filter.
 */
int report_print(const char *path, const struct report_options *options);

#endif
