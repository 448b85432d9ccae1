/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay stat: counts events, and compares what was counted. */
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/stat_compare.h"
#include "cli/stat_session.h"

/* What `assay list portable` prints. */
static int list(const struct stat_options *options)
{
	char name[] = "assay list", what[] = "portable", json[] = "--json";
	char *argv[] = { name, what, options->format == STAT_JSON ? json : NULL, NULL };

	return cmd_list.run(options->format == STAT_JSON ? 3 : 2, argv);
}

static int run(int argc, char **argv)
{
	_cleanup_(stat_options_fini) struct stat_options options = { 0 };

	if (!stat_options_read(argc, argv, &options))
		return EXIT_USAGE;
	if (options.list)
		return list(&options);
	if (options.diff)
		return stat_compare(&options);
	return stat_session(&options);
}

const struct command cmd_stat = {
	.name = "stat",
	.summary = "count events of a command, processes or the whole machine",
	.run = run,
};
