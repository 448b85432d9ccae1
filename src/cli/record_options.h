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
	struct record_options options;	/* for record_session() */
	struct id_list ids;		/* -p or -t; options.capture.ids points to them */
	char cache_dir[PATH_MAX];	/* options.cache_dir points here */
	bool system_wide;		/* -a */
	bool has_uid;			/* -u */
	bool quiet;
};

/*
 * Reads the command line of a command that @doc describes.  Options that were not given get their
 * defaults; combinations that make no sense are refused with a message.  Returns false if the
 * command should end with EXIT_USAGE.  Call record_arguments_fini() after either.  The result
 * must not be copied: it points into itself.
 */
bool record_arguments_read(int argc, char **argv, const char *doc,
			   struct record_arguments *ret_arguments);
void record_arguments_fini(struct record_arguments *arguments);

/*
 * The same for a command that has more options: record_argp is a child parser whose input is a
 * zeroed struct record_arguments; after parsing call record_arguments_settle(), which returns
 * 0 or -EINVAL.
 */
extern const struct argp record_argp;
int record_arguments_settle(struct record_arguments *arguments, struct err *err);

#endif
