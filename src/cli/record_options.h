/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_options.h - command line options of `assay record` and `assay run` */
#ifndef ASSAY_CLI_RECORD_OPTIONS_H
#define ASSAY_CLI_RECORD_OPTIONS_H

#include <argp.h>
#include <limits.h>
#include <stdbool.h>

#include "base/vec.h"
#include "cli/option_values.h"
#include "session/record_session.h"

#define DEFAULT_FLUSH_MS 1000

struct record_arguments {
	struct record_options options;	/* passed to record_session() */
	/* ids given with -p or -t; options.capture.ids points to them */
	struct id_list ids;
	char cache_dir[PATH_MAX];	/* text that options.cache_dir points to */
	bool system_wide;		/* -a was given */
	bool has_uid;			/* -u was given */
	bool quiet;
};

/*
 * Reads the command line of a command. @doc is the command's help text for argp. Options that were
 * not given get their defaults. Prints a message if options cannot be combined. Returns false if
 * the command should end with EXIT_USAGE. Call record_arguments_fini() in both cases. Do not copy
 * the result, because it contains pointers into itself.
 */
bool record_arguments_read(int argc, char **argv, const char *doc,
			   struct record_arguments *ret_arguments);
void record_arguments_fini(struct record_arguments *arguments);

/*
 * For commands that have other options, too. record_argp is a child parser, and its input is a
 * zeroed struct record_arguments. After parsing, the command calls record_arguments_settle(), which
 * fills in the defaults, checks the options and returns 0 or -EINVAL.
 */
extern const struct argp record_argp;
int record_arguments_settle(struct record_arguments *arguments, struct err *err);

#endif
