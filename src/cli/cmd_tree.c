/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay tree: prints samples by call path. */
#include <errno.h>

#include "base/cleanup.h"
#include "cli/call_main.h"
#include "cli/option_values.h"

#define TEXT_LINES 60
#define DEPTH_LARGEST 1000000

struct tree_options {
	struct call_options call;
	bool bottom_up, children;
	uint32_t depth_max;	/* maximum number of levels; 0: unlimited */
};

enum option_key {
	OPTION_BOTTOM_UP = 256,
	OPTION_CHILDREN,
	OPTION_DEPTH,
};

static const struct argp_option option_list[] = {
	{ "bottom-up", OPTION_BOTTOM_UP, NULL, 0,
	  "Start at the sampled functions and go out to their callers", 1 },
	{ "children", OPTION_CHILDREN, NULL, 0,
	  "Print a table of functions, each with the functions it called", 1 },
	{ "depth", OPTION_DEPTH, "N", 0, "Show at most N levels of the tree", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tree_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->call;
		return 0;
	case OPTION_BOTTOM_UP:
		options->bottom_up = true;
		return 0;
	case OPTION_CHILDREN:
		options->children = true;
		return 0;
	case OPTION_DEPTH:
		options->depth_max = (uint32_t)option_count("--depth", arg, DEPTH_LARGEST, state);
		return 0;
	case ARGP_KEY_END:
		if (options->children && (options->bottom_up || options->depth_max))
			argp_error(state, "--children prints a table, so do not combine it with "
					  "--bottom-up or --depth");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int print_flat(const struct call_tree *tree, const struct call_style *style, FILE *out)
{
	_cleanup_(call_graph_fini) struct call_graph graph = { 0 };
	int rc = call_graph_make(tree, &graph);

	return rc < 0 ? rc : call_flat_print(&graph, style, out);
}

static int print(const struct profile *profile, const struct call_style *style, const void *context,
		 FILE *out)
{
	_cleanup_(call_tree_fini) struct call_tree tree = { 0 };
	const struct tree_options *options = context;
	const struct call_tree_options wanted = {
		.bottom_up = options->bottom_up,
		.min_rank = call_style_min_rank(style, profile),
		.depth_max = options->depth_max,
	};
	int rc = call_tree_make(profile, &wanted, &tree);

	if (rc < 0)
		return rc;
	if (options->children)
		return print_flat(&tree, style, out);
	return call_tree_print(&tree, options->depth_max, style, out);
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = { { &call_argp, 0, NULL, 0 }, { 0 } };
	const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.children = children,
		.args_doc = "[FILE]",
		.doc = "Prints the samples of a recording (default: " DEFAULT_RECORDING
		       ") as a tree of calls.",
	};
	struct tree_options options = { .call = CALL_OPTIONS_INIT };
	int status = EXIT_USAGE;

	if (cli_parse(&argp, argc, argv, 0, &options) == 0)
		status = call_main(&options.call, TEXT_LINES, print, &options);
	call_options_fini(&options.call);
	return status;
}

const struct command cmd_tree = {
	.name = "tree",
	.summary = "print the calls that led to the samples as a tree",
	.run = run,
};
