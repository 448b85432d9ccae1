/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_main.h - prints annotated functions of a recording
 *
 * Finds the functions by name, reads their code and prints their instructions with samples.
 */
#ifndef ASSAY_CLI_ANNOTATE_MAIN_H
#define ASSAY_CLI_ANNOTATE_MAIN_H

#include "analyze/filter.h"
#include "cli/report_main.h"
#include "present/annotate.h"
#include "symbolize/source_file.h"

#define ANNOTATE_FUNCTIONS_MAX 50	/* code of all these functions is in memory together */

struct annotate_options {
	/* what to annotate, as the user typed it; see cli/annotate_target.h */
	const char *what;
	struct filter filter;
	struct print_options print;
	struct annotate_style style;
	/* the user chose a limit; otherwise text output is limited and JSON and CSV are not */
	bool limit_given;
	/*
	 * maximum number of functions, at most ANNOTATE_FUNCTIONS_MAX, if the user named an image;
	 * with @source, maximum number of source files
	 */
	size_t functions;
	const char *vmlinux;		/* kernel image to read code from, or NULL */
	bool no_source;
	/* print source files instead of functions, see cli/source_main.h */
	bool source;
	/* where to find source files; the caller need not set only_public */
	struct source_options sources;
};

#define ANNOTATE_OPTIONS_INIT \
	{ \
		.filter = FILTER_INIT, .style = { .limit = 120 }, .functions = 3 \
	}

void annotate_options_fini(struct annotate_options *options);

/*
 * Prints the annotated functions to stdout and errors to stderr. Returns the exit status: 2 if
 * options->what is ambiguous, 3 if nothing matches it.
 */
int annotate_print(const char *path, const struct annotate_options *options);

#endif
