/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay merge: writes several recordings as one. */
#include <inttypes.h>

#include "base/vec.h"
#include "cli/command.h"
#include "cli/rights.h"
#include "cli/say_losses.h"
#include "cli/symbolize_now.h"
#include "session/merge.h"

#define DEFAULT_MERGED "merged.assay"

struct arguments {
	VEC(const char *) paths;
	const char *output;
	bool quiet;
};

static const struct argp_option option_list[] = {
	{ "output", 'o', "FILE", 0, "Write to FILE (default: " DEFAULT_MERGED ")", 1 },
	{ "quiet", 'q', NULL, 0, "Print only errors", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	const char **path;

	switch (key) {
	case 'o':
		arguments->output = arg;
		return 0;
	case 'q':
		arguments->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		path = vec_push(&arguments->paths);
		if (!path)
			return ENOMEM;
		*path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "give the recordings to merge");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void say_result(const struct arguments *arguments, const struct merge_result *result)
{
	cli_say_losses_of(arguments->output, &result->losses, result->sample_count);
	if (!arguments->quiet)
		cli_message("%" PRIu64 " samples of %zu recordings, %.1f KiB in %s",
			    result->sample_count, arguments->paths.count,
			    (double)result->size_bytes / 1024, arguments->output);
}

static int run(int argc, char **argv)
{
	const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.args_doc = "FILE...",
		.doc = "Writes a new recording with everything that the recordings FILE... have. "
		       "Their runs follow each other on the time axis. Equal functions are "
		       "counted together, but processes stay apart.",
	};
	struct arguments arguments = { .output = DEFAULT_MERGED };
	struct merge_options options = { .load = cli_load_recording };
	struct merge_result result;
	struct err err = { 0 };
	int rc;

	if (cli_parse(&argp, argc, argv, 0, &arguments) != 0) {
		vec_free(&arguments.paths);
		return EXIT_USAGE;
	}
	options.paths = arguments.paths.at;
	options.count = arguments.paths.count;
	options.output = arguments.output;
	rights_allow(options.output);
	for (size_t i = 0; i < options.count; i++)
		rights_allow(options.paths[i]);
	rc = merge_recordings(&options, &result, &err);
	if (rc < 0)
		cli_error(&err);
	else
		say_result(&arguments, &result);
	vec_free(&arguments.paths);
	return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_merge = {
	.name = "merge",
	.summary = "write several recordings as one",
	.run = run,
};
