/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_main.h - from a recording's path and a name to annotated functions
 */
#ifndef ASSAY_CLI_ANNOTATE_MAIN_H
#define ASSAY_CLI_ANNOTATE_MAIN_H

#include "analyze/filter.h"
#include "cli/report_main.h"
#include "present/annotate.h"

#define ANNOTATE_FUNCTIONS_MAX 50	/* each has its code in memory */

struct annotate_options {
	const char *what;		/* analyze/annotate_find.h */
	struct filter filter;
	struct print_options print;
	struct annotate_style style;
	bool limit_given;		/* else text is limited and data is not */
	size_t functions;		/* of an image, at most ANNOTATE_FUNCTIONS_MAX */
	const char *vmlinux;		/* NULL: none */
};

#define ANNOTATE_OPTIONS_INIT \
	{ \
		.filter = FILTER_INIT, .style = { .limit = 120 }, .functions = 3 \
	}

void annotate_options_fini(struct annotate_options *options);

/*
 * Prints to stdout, errors to stderr; the exit status: 2 where several functions are meant, 3
 * where none is.
 */
int annotate_print(const char *path, const struct annotate_options *options);

#endif
