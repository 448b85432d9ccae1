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
	/* names given with -p, owned; options.capture.names points to them */
	VEC(char *) names;
	char cache_dir[PATH_MAX];	/* text that options.cache_dir points to */
	bool system_wide;		/* -a was given */
	bool has_uid;			/* -u was given */
	bool quiet;
};

/*
 * Parses the command line @argv. @doc is the command's help text for argp. Options that are not on
 * the command line get their defaults. If options contradict each other, prints a message. Returns
 * false if the command should end with EXIT_USAGE. The caller must call record_arguments_fini() in
 * both cases. Do not copy *ret_arguments, because it contains pointers into itself.
 */
bool record_arguments_read(int argc, char **argv, const char *doc,
			   struct record_arguments *ret_arguments);
void record_arguments_fini(struct record_arguments *arguments);

/*
 * Used by commands that have options in addition to those of `assay record`. Such a command uses
 * record_argp as a child parser whose input is a zeroed struct record_arguments. After parsing, the
 * command calls record_arguments_settle(), which fills in the defaults and checks the options.
 * record_arguments_settle() returns 0 or -EINVAL.
 */
extern const struct argp record_argp;
int record_arguments_settle(struct record_arguments *arguments, struct err *err);

#endif
