/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay callgraph: lists functions with their callers and callees, in the style of gprof. */
#include "base/cleanup.h"
#include "cli/call_main.h"

static int print(const struct profile *profile, const struct call_style *style, const void *context,
		 FILE *out)
{
	_cleanup_(call_graph_fini) struct call_graph graph = { 0 };
	_cleanup_(call_tree_fini) struct call_tree tree = { 0 };
	int rc = call_tree_make(profile, &(struct call_tree_options){ 0 }, &tree);

	(void)context;
	if (rc < 0)
		return rc;
	rc = call_graph_make(&tree, &graph);
	if (rc < 0)
		return rc;
	return call_graph_print(&graph, style, out);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = { { &call_argp, 0, NULL, 0 }, { 0 } };
	const struct argp argp = {
		.parser = parse,
		.children = children,
		.args_doc = "[FILE]",
		.doc = "Prints the call graph of a recording (default: " DEFAULT_RECORDING ").",
	};
	struct call_options options = CALL_OPTIONS_INIT;
	int status = EXIT_USAGE;

	if (cli_parse(&argp, argc, argv, 0, &options) == 0)
		status = call_main(&options, 0, print, NULL);
	call_options_fini(&options);
	return status;
}

const struct command cmd_callgraph = {
	.name = "callgraph",
	.summary = "print functions with their callers and callees",
	.run = run,
};
