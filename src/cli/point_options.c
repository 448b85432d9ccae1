/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/point_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "stopwatch/presets.h"

void point_list_add(struct point_list *points, const char *text, struct argp_state *state)
{
	struct point *point = vec_push(&points->list);
	struct err err = { 0 };

	if (!point)
		argp_failure(state, EXIT_FAILED, ENOMEM, "%s", text);
	else if (point_parse(text, point, &err) < 0) {
		points->list.count--;
		argp_error(state, "%s", err.text);
	}
}

void point_list_fini(struct point_list *points)
{
	for (size_t i = 0; i < points->list.count; i++)
		point_fini(&points->list.at[i]);
	vec_free(&points->list);
}

/* Keeps a point that only a join has. Returns NULL after an error. */
static const struct point *add_joined(struct point_options *options, const char *text,
				      struct argp_state *state)
{
	struct point **slot = vec_push(&options->joined);
	struct err err = { 0 };

	if (!slot)
		argp_failure(state, EXIT_FAILED, ENOMEM, "%s", text);
	if (!slot)
		return NULL;
	*slot = calloc(1, sizeof(**slot));
	if (!*slot)
		argp_failure(state, EXIT_FAILED, ENOMEM, "%s", text);
	else if (point_parse(text, *slot, &err) < 0)
		argp_error(state, "%s", err.text);
	return *slot;
}

void point_options_join(struct point_options *options, const struct span_join *join,
			struct argp_state *state)
{
	struct span_join *slot = vec_push(&options->joins);

	if (slot)
		*slot = *join;
	else
		argp_failure(state, EXIT_FAILED, ENOMEM, "%s", join->name);
}

void point_options_add_preset(struct point_options *options, const char *name,
			      struct argp_state *state)
{
	const struct stopwatch_preset *preset = stopwatch_preset_find(name);
	struct span_join join = { .from_count = 1, .to_count = 1 };

	if (!preset) {
		argp_error(state, "there is no preset '%s'; assay list presets shows them", name);
		return;
	}
	for (size_t i = 0; preset->points[i]; i++)
		point_list_add(&options->points, preset->points[i], state);
	options->what.run_queue |= preset->run_queue;
	for (size_t i = 0; i < options->joins.count; i++)
		if (strcmp(options->joins.at[i].name, preset->name) == 0)
			return;
	if (!preset->from)
		return;
	join.name = preset->name;
	join.key = preset->key;
	join.from = add_joined(options, preset->from, state);
	join.to = add_joined(options, preset->to, state);
	if (join.from && join.to)
		point_options_join(options, &join, state);
}

void point_options_add(struct point_options *options, const char *text, struct argp_state *state)
{
	if (strchr(text, ':'))
		point_list_add(&options->points, text, state);
	else
		point_options_add_preset(options, text, state);
}

void point_options_settle(struct point_options *options)
{
	options->what.points = options->points.list.at;
	options->what.point_count = options->points.list.count;
	options->what.joins = options->joins.at;
	options->what.join_count = options->joins.count;
}

void point_options_fini(struct point_options *options)
{
	point_list_fini(&options->points);
	for (size_t i = 0; i < options->joined.count; i++) {
		if (options->joined.at[i])
			point_fini(options->joined.at[i]);
		free(options->joined.at[i]);
	}
	vec_free(&options->joined);
	vec_free(&options->joins);
}
