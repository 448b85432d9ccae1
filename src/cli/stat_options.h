/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stat_options.h - command line options of `assay stat` */
#ifndef ASSAY_CLI_STAT_OPTIONS_H
#define ASSAY_CLI_STAT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "cli/option_values.h"
#include "present/stat.h"
#include "session/stat_session.h"

struct stat_arguments {
	struct stat_options options;	/* passed to stat_session() */
	VEC(const char *) events;	/* value of each -e; options.events points to them */
	struct id_list ids;		/* ids given with -p or -t; options.ids points to them */
	bool system_wide;		/* -a was given */
	bool list;			/* --list was given */
	bool diff;			/* --diff was given: compare @files */
	const char *files[2];
	enum stat_format format;
	const char *output;		/* path of the output file; NULL: standard output */
};

/*
 * Reads the command line. Returns false if the command should end with EXIT_USAGE. Call
 * stat_arguments_fini() in both cases.
 */
bool stat_arguments_read(int argc, char **argv, struct stat_arguments *ret_arguments);
void stat_arguments_fini(struct stat_arguments *arguments);

#endif
