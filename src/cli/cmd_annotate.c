/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay annotate: a function, instruction by instruction. */
#include <argp.h>

#include "cli/annotate_main.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/option_values.h"

struct arguments {
	const char *path;
	struct annotate_options options;
};

enum option_key {
	OPTION_BY = 256,
	OPTION_LIMIT,
	OPTION_FUNCTIONS,
	OPTION_VMLINUX,
};

static const struct argp_option option_list[] = {
	{ "by", OPTION_BY, "KEY", 0, "A row for each instruction (the default) or block", 1 },
	{ "limit", OPTION_LIMIT, "N", 0,
	  "Instructions of each function, the hottest and those around them; 0: all (default: up "
	  "to 120 in text)",
	  1 },
	{ "functions", OPTION_FUNCTIONS, "N", 0,
	  "Of an image, so many of its hottest functions (default: 3, at most 50)", 1 },
	{ "vmlinux", OPTION_VMLINUX, "FILE", 0, "Kernel code from this file", 1 },
	{ 0 },
};

static void parse_by(struct annotate_options *options, const char *text, struct argp_state *state)
{
	options->style.by_block = strcmp(text, "block") == 0;
	if (!options->style.by_block && strcmp(text, "instruction") != 0)
		argp_error(state, "--by is instruction or block, not '%s'", text);
}

static void parse_functions(struct annotate_options *options, const char *text,
			    struct argp_state *state)
{
	char *end;
	unsigned long count = strtoul(text, &end, 10);

	if (end == text || *end || text[0] == '-' || count < 1 || count > ANNOTATE_FUNCTIONS_MAX)
		argp_error(state, "--functions '%s' is no number from 1 to %d", text,
			   ANNOTATE_FUNCTIONS_MAX);
	options->functions = count;
}

static void parse_argument(struct arguments *arguments, char *arg, struct argp_state *state)
{
	if (state->arg_num == 0)
		arguments->options.what = arg;
	else if (state->arg_num == 1)
		arguments->path = arg;
	else
		argp_error(state, "one function or image and one recording at a time");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct annotate_options *options = &arguments->options;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->filter;
		state->child_inputs[1] = &options->print;
		return 0;
	case OPTION_BY:
		parse_by(options, arg, state);
		return 0;
	case OPTION_LIMIT:
		options->style.limit = option_rows(arg, state);
		options->limit_given = true;
		return 0;
	case OPTION_FUNCTIONS:
		parse_functions(options, arg, state);
		return 0;
	case OPTION_VMLINUX:
		options->vmlinux = arg;
		return 0;
	case ARGP_KEY_ARG:
		parse_argument(arguments, arg, state);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which function, image or address?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = { FILTER_OPTIONS, PRINT_OPTIONS, { 0 } };
	const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.children = children,
		.args_doc = "SYMBOL|IMAGE|0xADDRESS [FILE]",
		.doc = "Prints a function's instructions with the samples that hit them "
		       "(default: of " DEFAULT_RECORDING ").",
	};
	struct arguments arguments = { .path = DEFAULT_RECORDING,
				       .options = ANNOTATE_OPTIONS_INIT };
	int status = EXIT_USAGE;

	if (cli_parse(&argp, argc, argv, 0, &arguments) == 0)
		status = annotate_print(arguments.path, &arguments.options);
	annotate_options_fini(&arguments.options);
	return status;
}

const struct command cmd_annotate = {
	.name = "annotate",
	.summary = "show the instructions of a function and what hit them",
	.run = run,
};
