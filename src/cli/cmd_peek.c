/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assay peek: shows the callers and callees of each function whose name matches a regular
 * expression.
 */
#include <regex.h>

#include "base/cleanup.h"
#include "cli/call_main.h"

/* default maximum number of callers of a function, and also of its callees */
#define TEXT_ROWS 20

struct peek_options {
	struct call_options call;
	const char *pattern;
	regex_t regex;
	bool has_regex;
};

static void parse_pattern(struct peek_options *options, const char *text, struct argp_state *state)
{
	int rc = regcomp(&options->regex, text, REG_EXTENDED | REG_NOSUB);
	char problem[256];

	options->pattern = text;
	options->has_regex = rc == 0;
	if (rc == 0)
		return;
	(void)regerror(rc, &options->regex, problem, sizeof(problem));
	argp_error(state, "'%s' is not an extended regular expression: %s", text, problem);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct peek_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->call;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			/* the path of the recording, which call_argp parses */
			return ARGP_ERR_UNKNOWN;
		parse_pattern(options, arg, state);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "give a pattern for function names");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/*
 * Keeps only those of the @count elements of @vertices that are functions whose name matches
 * @regex. Moves them to the front of @vertices and returns their number.
 */
static size_t choose(const struct call_graph *graph, const regex_t *regex, uint32_t *vertices,
		     size_t count)
{
	char scratch[GROUP_IMAGE_NAME_MAX];
	size_t chosen = 0;

	for (size_t i = 0; i < count; i++) {
		const struct call_vertex *vertex = &graph->vertices.at[vertices[i]];
		const char *name = call_frame_name(graph->tree->profile, vertex->frame, scratch);

		if (vertex->kind == CALL_FUNCTION && regexec(regex, name, 0, NULL, 0) == 0)
			vertices[chosen++] = vertices[i];
	}
	return chosen;
}

static int print(const struct profile *profile, const struct call_style *style, const void *context,
		 FILE *out)
{
	_cleanup_(call_graph_fini) struct call_graph graph = { 0 };
	_cleanup_(call_tree_fini) struct call_tree tree = { 0 };
	_cleanup_free_ uint32_t *vertices = NULL;
	const struct peek_options *options = context;
	size_t count = 0;
	int rc = call_tree_make(profile, &(struct call_tree_options){ 0 }, &tree);

	if (rc < 0)
		return rc;
	rc = call_graph_make(&tree, &graph);
	if (rc < 0)
		return rc;
	vertices = call_graph_order(&graph, CALL_BY_TOTAL, &count);
	if (!vertices)
		return -ENOMEM;
	count = choose(&graph, &options->regex, vertices, count);
	if (!count) {
		cli_message("%s: no function on any stack matches '%s'", options->call.path,
			    options->pattern);
		return CALL_NO_MATCH;
	}
	return call_peek_print(&graph, vertices, count, style, out);
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = { { &call_argp, 0, NULL, 0 }, { 0 } };
	const struct argp argp = {
		.parser = parse,
		.children = children,
		.args_doc = "RE [FILE]",
		.doc = "Prints the callers and callees of the functions whose names match the "
		       "extended regular expression RE (default: " DEFAULT_RECORDING ").",
	};
	struct peek_options options = { .call = CALL_OPTIONS_INIT };
	int status = EXIT_USAGE;

	if (cli_parse(&argp, argc, argv, 0, &options) == 0)
		status = call_main(&options.call, TEXT_ROWS, print, &options);
	if (options.has_regex)
		regfree(&options.regex);
	call_options_fini(&options.call);
	return status;
}

const struct command cmd_peek = {
	.name = "peek",
	.summary = "print the callers and callees of chosen functions",
	.run = run,
};
