/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay annotate: shows functions instruction by instruction. */
#include <argp.h>

#include "cli/annotate_main.h"
#include "cli/command.h"
#include "session/embed_sources.h"
#include "cli/filter_options.h"
#include "cli/input_options.h"
#include "cli/option_values.h"
#include "cli/source_main.h"

struct arguments {
	const char *path;
	struct annotate_options options;
};

enum option_key {
	OPTION_BY = 256,
	OPTION_LIMIT,
	OPTION_FUNCTIONS,
	OPTION_VMLINUX,
	OPTION_NO_SOURCE,
	OPTION_SOURCE,
	OPTION_SOURCE_DIR,
};

static const struct argp_option option_list[] = {
	{ "by", OPTION_BY, "KEY", 0, "Print a row for each instruction (the default) or block", 1 },
	{ "limit", OPTION_LIMIT, "N", 0,
	  "Show at most N instructions of each function: the hottest and those around them; 0: "
	  "all (default: up to 120 in text)",
	  1 },
	{ "functions", OPTION_FUNCTIONS, "N", 0,
	  "Show at most N functions of an image or line, or N source files (default: 3, at most "
	  "50)",
	  1 },
	{ "no-source", OPTION_NO_SOURCE, NULL, 0, "Do not show source lines", 1 },
	{ "source", OPTION_SOURCE, NULL, 0,
	  "Show source files with the samples of each line instead", 1 },
	{ "source-dir", OPTION_SOURCE_DIR, "DIR", 0,
	  "Look for source files below DIR first (repeatable)", 1 },
	{ "vmlinux", OPTION_VMLINUX, "FILE", 0, "Read kernel code from this file", 1 },
	{ 0 },
};

static void parse_by(struct annotate_options *options, const char *text, struct argp_state *state)
{
	options->style.by_block = strcmp(text, "block") == 0;
	if (!options->style.by_block && strcmp(text, "instruction") != 0)
		argp_error(state, "--by must be instruction or block, not '%s'", text);
}

static void add_source_dir(struct source_options *sources, const char *dir,
			   struct argp_state *state)
{
	if (!source_dir_add(sources, dir))
		argp_error(state, "--source-dir can be given at most %d times", SOURCE_DIRS_MAX);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct annotate_options *options = &arguments->options;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->filter;
		state->child_inputs[1] = &options->print;
		state->child_inputs[2] = &arguments->path;
		return 0;
	case OPTION_BY:
		parse_by(options, arg, state);
		return 0;
	case OPTION_LIMIT:
		options->style.limit = option_rows(arg, state);
		options->limit_given = true;
		return 0;
	case OPTION_FUNCTIONS:
		options->functions = option_count("--functions", arg, ANNOTATE_FUNCTIONS_MAX,
						  state);
		return 0;
	case OPTION_VMLINUX:
		options->vmlinux = arg;
		return 0;
	case OPTION_NO_SOURCE:
		options->no_source = true;
		return 0;
	case OPTION_SOURCE:
		options->source = true;
		return 0;
	case OPTION_SOURCE_DIR:
		add_source_dir(&options->sources, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			return ARGP_ERR_UNKNOWN;	/* the recording */
		options->what = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "give a function, image, address or source line to annotate");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {
		FILTER_OPTIONS, PRINT_OPTIONS, INPUTS_OPTIONS, { 0 }
	};
	const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.children = children,
		.args_doc = "SYMBOL|IMAGE|0xADDRESS|SOURCE:LINE [FILE]",
		.doc = "Prints a function's instructions with the samples that hit them "
		       "(default: of " DEFAULT_RECORDING ").",
	};
	struct arguments arguments = { .path = DEFAULT_RECORDING,
				       .options = ANNOTATE_OPTIONS_INIT };
	int status = EXIT_USAGE;

	if (cli_parse(&argp, argc, argv, 0, &arguments) == 0)
		status = arguments.options.source
				 ? source_print(arguments.path, &arguments.options)
				 : annotate_print(arguments.path, &arguments.options);
	annotate_options_fini(&arguments.options);
	return status;
}

const struct command cmd_annotate = {
	.name = "annotate",
	.summary = "show the instructions of a function with their samples",
	.run = run,
};
