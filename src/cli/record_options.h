/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_options.h - command line options of `assay record` and `assay run` */
#ifndef ASSAY_CLI_RECORD_OPTIONS_H
#define ASSAY_CLI_RECORD_OPTIONS_H

#include <argp.h>
#include <limits.h>
#include <stdbool.h>

#include "base/vec.h"
#include "cli/option_values.h"
#include "cli/point_options.h"
#include "session/record_session.h"

#define DEFAULT_FLUSH_MS 1000

struct record_arguments {
	struct record_options options;	/* passed to record_session() */
	/* ids given with -p or -t; options.capture.ids points to them */
	struct id_list ids;
	/* names given with -p, owned; options.capture.names points to them */
	VEC(char *) names;
	/* joined events of several -e, owned; options.capture.events points to them */
	char *events;
	/* points that a stopwatch measures; options.spans.what borrows from them */
	struct point_options points;
	char cache_dir[PATH_MAX];	/* text that options.cache_dir points to */
	bool system_wide;		/* -a was given */
	bool has_uid;			/* -u was given */
	bool quiet;
};

/*
 * The options of `assay record`. The input of the parser is a zeroed struct record_arguments. A
 * command with more options uses it as a child parser. After parsing, record_arguments_settle()
 * fills in the defaults and checks the options. It returns 0 or -EINVAL.
 */
extern const struct argp record_argp;

/*
 * Parses which calls are slow: a duration such as 2ms or '>2ms', or a percentile such as p99 or
 * p99.9. A bad one is reported with argp_error(), which exits.
 */
void record_parse_slow(struct record_spans_options *spans, const char *text,
		       struct argp_state *state);
int record_arguments_settle(struct record_arguments *arguments, struct err *err);

/*
 * Parses the command line with @argp, which is record_argp or has it as a child, and settles
 * @arguments. @input is the input of @argp. Prints a message if options contradict each other.
 * Returns false if the command should end with EXIT_USAGE. The caller must call
 * record_arguments_fini() in both cases. Do not copy *@arguments, because it contains pointers into
 * itself.
 */
bool record_arguments_read(const struct argp *argp, int argc, char **argv, void *input,
			   struct record_arguments *arguments);
void record_arguments_fini(struct record_arguments *arguments);

#endif
