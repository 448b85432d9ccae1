/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_main.h - prints annotated functions of a recording
 *
 * Finds the functions that the user named (annotate_target.h), reads their code, and prints each
 * instruction with the number of its samples.
 */
#ifndef ASSAY_CLI_ANNOTATE_MAIN_H
#define ASSAY_CLI_ANNOTATE_MAIN_H

#include "analyze/filter.h"
#include "cli/report_main.h"
#include "present/annotate.h"
#include "symbolize/source_file.h"

/* maximum number of functions; the code of all of them is in memory at the same time */
#define ANNOTATE_FUNCTIONS_MAX 50

struct annotate_options {
	/* what to annotate, as the user typed it; see cli/annotate_target.h */
	const char *what;
	struct filter filter;
	struct print_options print;
	struct annotate_style style;
	/*
	 * true if the user gave a limit; if false, style.limit applies to text but not to JSON and
	 * CSV
	 */
	bool limit_given;
	/*
	 * If the user named an image or a source line: maximum number of functions, never more than
	 * ANNOTATE_FUNCTIONS_MAX. With @source: maximum number of source files.
	 */
	size_t functions;
	const char *vmlinux;		/* kernel image to read code from, or NULL */
	bool no_source;
	/* print source files instead of functions, see cli/source_main.h */
	bool source;
	/*
	 * where to find source files; only_public and own_too need not be set, because both are
	 * switched on if assay runs as root
	 */
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
