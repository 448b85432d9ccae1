/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * point_options.h - points and presets on the command line, of `assay stopwatch` and `assay record`
 *
 * Bad points are reported with argp_error(), which exits.
 */
#ifndef ASSAY_CLI_POINT_OPTIONS_H
#define ASSAY_CLI_POINT_OPTIONS_H

#include <argp.h>

#include "base/vec.h"
#include "stopwatch/point.h"

struct point_list {
	VEC(struct point) list;
};

struct point_options {
	struct span_points what;	/* borrows from the rest; see point_options_settle() */
	struct point_list points;	/* whose calls are measured */
	VEC(struct span_join) joins;
	VEC(struct point *) joined;	/* points that only joins of presets have */
};

void point_list_add(struct point_list *points, const char *text, struct argp_state *state);
void point_list_fini(struct point_list *points);

void point_options_add_preset(struct point_options *options, const char *name,
			      struct argp_state *state);

/* Adds a point (which has a ':') or a preset. */
void point_options_add(struct point_options *options, const char *text, struct argp_state *state);

/* Adds a span between points. What it points to must live as long as @options. */
void point_options_join(struct point_options *options, const struct span_join *join,
			struct argp_state *state);

/* Sets `what`. Call this when everything is added. */
void point_options_settle(struct point_options *options);
void point_options_fini(struct point_options *options);

#endif
