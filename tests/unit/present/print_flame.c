/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a flame graph of the machine of tests/support/model_maker.
 *
 *	print_flame [icicle|context|changed|all|nested]...
 *
 * Each NUL-terminated name read from standard input is a function with ten samples, whose image and
 * caller have the same name. With "nested", each function is called by the previous one instead.
 * With "all", no box is left out. With "changed", each function has a change: burn's functions had
 * half as many samples before, and all other changes are within noise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tally.h"
#include "present/flame_svg.h"
#include "tests/support/model_maker.h"

#define SAMPLES_OF_NAME 10

static void add_names(struct model_maker *maker, bool nested)
{
	uint32_t stack = STACK_ROOT_END;
	char *name = NULL;
	size_t size = 0;

	while (getdelim(&name, &size, '\0', stdin) > 0) {
		const struct maker_frame frame = { name, IMAGE_FILE, name, QUALITY_SYMTAB, false };

		if (!nested)
			stack = maker_stack(maker, STACK_ROOT_END, &frame);
		stack = maker_stack(maker, stack, &frame);
		maker_samples(maker,
			      &(struct maker_run){ .thread = maker_thread(maker, name, 9000, false),
						   .stack = stack,
						   .context = CONTEXT_USER,
						   .count = SAMPLES_OF_NAME });
		model_fact_set(&maker->model, FACT_COMMAND, "%s", name);
	}
	free(name);
}

static struct path_change *changes_of(const struct call_tree *tree)
{
	struct path_change *changes = calloc(tree->nodes.count, sizeof(*changes));
	char scratch[GROUP_IMAGE_NAME_MAX];

	for (uint32_t node = 0; changes && node < tree->nodes.count; node++) {
		const char *name = call_frame_name(tree->profile, tree->nodes.at[node].frame,
						   scratch);
		double share = count_share(&tree->nodes.at[node].total, call_tree_total(tree),
					   tree->by_weight);
		bool burns = strncmp(name, "burn", 4) == 0;

		changes[node] = (struct path_change){
			.before = burns ? share / 2 : share,
			.after = share,
			.low = burns ? share / 2 - 0.01 : -0.01,
			.high = burns ? share / 2 + 0.01 : 0.01,
			.tested = true,
			.significant = burns,
		};
	}
	return changes;
}

static int print(const struct profile *profile, int argc, char **argv)
{
	struct flame_options options = { .min_share = -1 };
	struct path_change *changes = NULL;
	struct call_tree tree;
	const char *command = model_fact(profile->model, FACT_COMMAND);
	int rc = call_tree_make(profile, &(struct call_tree_options){ 0 }, &tree);

	options.title = command ? command : "";
	for (int i = 1; i < argc && rc == 0; i++) {
		if (strcmp(argv[i], "icicle") == 0)
			options.icicle = true;
		if (strcmp(argv[i], "context") == 0)
			options.view = FLAME_BY_CONTEXT;
		if (strcmp(argv[i], "all") == 0)
			options.min_share = 0;
		if (strcmp(argv[i], "changed") != 0)
			continue;
		options.changes = changes = changes_of(&tree);
		options.view = FLAME_BY_CHANGE;
	}
	if (rc == 0)
		rc = flame_svg(&tree, &options, stdout);
	free(changes);
	call_tree_fini(&tree);
	return rc;
}

int main(int argc, char **argv)
{
	const struct profile_options wanted = { .by_stack = true };
	struct model_maker maker;
	struct profile profile;
	struct tally tally;
	bool nested = false;
	int rc;

	model_maker_machine(&maker);
	for (int i = 1; i < argc; i++)
		nested |= strcmp(argv[i], "nested") == 0;
	add_names(&maker, nested);
	if (tally_init(&tally, &maker.model, &wanted, 25000, &profile) < 0 ||
	    tally_batch(&tally, &maker.batch) < 0)
		return 1;
	tally_fini(&tally);
	rc = print(&profile, argc, argv);
	profile_fini(&profile);
	model_maker_fini(&maker);
	return rc < 0 || fflush(stdout) != 0;
}
