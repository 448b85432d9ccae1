/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints call trees and graphs for test_calls.py.
 *
 *	print_calls text|json|csv tree|bottom-up|children|callgraph|peek [COLUMNS]
 *
 * The stacks are those below. In addition, each NUL-terminated name read from standard input gives
 * ten samples of a function of that name in an image of that name, called by main.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tally.h"
#include "present/call.h"
#include "tests/support/model_maker.h"

static const struct {
	const char *path;	/* outermost first */
	unsigned int count;
} stacks[] = {
	{ "main", 4 },
	{ "main read", 40 },
	{ "main read parse", 30 },
	{ "main write", 6 },
	{ "main even", 10 },
	{ "main even odd even", 20 },
	{ "main even odd leaf", 30 },
	{ "main fib fib fib", 50 },
	{ "~ leaf", 10 },
};

static uint32_t stack_of(struct model_maker *maker, const char *path)
{
	char *text = strdup(path), *rest = text, *word;
	uint32_t stack = STACK_ROOT_END;

	while (text && (word = strsep(&rest, " "))) {
		const struct maker_frame frame = { "/usr/bin/program", IMAGE_FILE, word,
						   QUALITY_SYMTAB, false };

		stack = strcmp(word, "~") == 0 ? (uint32_t)STACK_ROOT_TRUNCATED
					       : maker_stack(maker, stack, &frame);
	}
	free(text);
	return stack;
}

static void add_stacks(struct model_maker *maker, uint32_t thread)
{
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
		maker_samples(maker, &(struct maker_run){ .thread = thread,
							  .stack = stack_of(maker, stacks[i].path),
							  .context = CONTEXT_USER,
							  .count = stacks[i].count });
}

static void add_names(struct model_maker *maker, uint32_t thread)
{
	char *name = NULL;
	size_t size = 0;

	while (getdelim(&name, &size, '\0', stdin) > 0) {
		const struct maker_frame frame = { name, IMAGE_FILE, name, QUALITY_SYMTAB, false };
		uint32_t stack = maker_stack(maker, stack_of(maker, "main"), &frame);

		maker_samples(maker, &(struct maker_run){ .thread = thread,
							  .stack = stack,
							  .context = CONTEXT_USER,
							  .count = 10 });
	}
	free(name);
}

static int print_graph(const struct call_tree *tree, const char *what,
		       const struct call_style *style)
{
	struct call_graph graph;
	uint32_t *order = NULL;
	size_t count = 0;
	int rc = call_graph_make(tree, &graph);

	if (rc == 0 && strcmp(what, "children") == 0)
		rc = call_flat_print(&graph, style, stdout);
	else if (rc == 0 && strcmp(what, "callgraph") == 0)
		rc = call_graph_print(&graph, style, stdout);
	else if (rc == 0 && (order = call_graph_order(&graph, CALL_BY_NAME, &count)))
		rc = call_peek_print(&graph, order, count, style, stdout);
	free(order);
	call_graph_fini(&graph);
	return rc;
}

static int print(const struct profile *profile, const char *what, const struct call_style *style)
{
	const struct call_tree_options options = { .bottom_up = strcmp(what, "bottom-up") == 0 };
	struct call_tree tree;
	int rc = call_tree_make(profile, &options, &tree);

	if (rc == 0 && (options.bottom_up || strcmp(what, "tree") == 0))
		rc = call_tree_print(&tree, 0, style, stdout);
	else if (rc == 0)
		rc = print_graph(&tree, what, style);
	call_tree_fini(&tree);
	return rc;
}

int main(int argc, char **argv)
{
	const struct profile_options options = { .by_stack = true };
	const struct setting_names names = { .limit = "LIMIT",
					     .min_percent = "MIN_PERCENT",
					     .depth = "DEPTH" };
	struct call_style style = { .format = REPORT_TEXT, .settings = &names };
	struct model_maker maker;
	struct profile profile;
	struct tally tally;
	uint32_t thread;
	int rc;

	if (argc < 3)
		return 2;
	style.columns = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 0;
	if (strcmp(argv[1], "text") != 0)
		style.format = strcmp(argv[1], "json") == 0 ? REPORT_JSON : REPORT_CSV;
	model_maker_init(&maker);
	thread = maker_thread(&maker, "program", 100, false);
	add_stacks(&maker, thread);
	add_names(&maker, thread);
	if (tally_init(&tally, &maker.model, &options, 25000, &profile) < 0 ||
	    tally_batch(&tally, &maker.batch) < 0)
		return 1;
	tally_fini(&tally);
	rc = print(&profile, argv[2], &style);
	profile_fini(&profile);
	model_maker_fini(&maker);
	return rc < 0 || fflush(stdout) != 0;
}
