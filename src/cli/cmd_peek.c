/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay peek: shows the callers and callees of each function whose name matches a pattern. */
#include "base/cleanup.h"
#include "base/nearest_word.h"
#include "base/pattern.h"
#include "cli/call_main.h"

/* default maximum number of callers of a function, and also of its callees */
#define TEXT_ROWS 20

struct peek_options {
	struct call_options call;
	struct pattern pattern;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct peek_options *options = state->input;
	struct err err = { 0 };

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->call;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			/* the path of the recording, which call_argp parses */
			return ARGP_ERR_UNKNOWN;
		if (pattern_compile(arg, PATTERN_NAME, &options->pattern, &err) < 0)
			argp_error(state, "%s", err.text);
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
 * @pattern. Moves them to the front of @vertices and returns their number.
 */
static size_t choose(const struct call_graph *graph, const struct pattern *pattern,
		     uint32_t *vertices, size_t count)
{
	char scratch[GROUP_IMAGE_NAME_MAX];
	size_t chosen = 0;

	for (size_t i = 0; i < count; i++) {
		const struct call_vertex *vertex = &graph->vertices.at[vertices[i]];
		const char *name = call_frame_name(graph->tree->profile, vertex->frame, scratch);

		if (vertex->kind == CALL_FUNCTION && pattern_matches(pattern, name))
			vertices[chosen++] = vertices[i];
	}
	return chosen;
}

static void say_no_match(const struct peek_options *options, const struct model *model)
{
	const char *text = options->pattern.text;
	struct nearest_word nearest = { .wanted = text };
	char meant[NEAREST_WORD_TEXT_MAX];

	for (size_t i = 1; i < model->functions.count; i++)
		nearest_word_offer(&nearest, model_string(model, model->functions.at[i].name));
	cli_message("%s: no function on any stack matches '%s'%s%s", options->call.path, text,
		    nearest_word_text(&nearest, meant),
		    !nearest.found && pattern_resembles_expression(text)
			    ? "; write a regular expression between slashes"
			    : "");
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
	count = choose(&graph, &options->pattern, vertices, count);
	if (!count) {
		say_no_match(options, profile->model);
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
		.args_doc = "NAME [FILE]",
		.doc = "Prints the callers and callees of the functions of this name (default: "
		       "in " DEFAULT_RECORDING "). NAME can be a shell pattern, or a regular "
		       "expression between slashes.",
	};
	struct peek_options options = { .call = CALL_OPTIONS_INIT };
	int status = EXIT_USAGE;

	if (cli_parse(&argp, argc, argv, 0, &options) == 0)
		status = call_main(&options.call, TEXT_ROWS, print, &options);
	pattern_fini(&options.pattern);
	call_options_fini(&options.call);
	return status;
}

const struct command cmd_peek = {
	.name = "peek",
	.summary = "print the callers and callees of chosen functions",
	.run = run,
};
