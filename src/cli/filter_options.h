/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_options.h - the options that select samples, for every command that reads a recording
 *
 * The command's own parser uses this one as a child parser:
 *
 *	static const struct argp_child children[] = { FILTER_OPTIONS, { 0 } };
 *	case ARGP_KEY_INIT: state->child_inputs[0] = &filter;	(struct filter, initialised)
 */
#ifndef ASSAY_CLI_FILTER_OPTIONS_H
#define ASSAY_CLI_FILTER_OPTIONS_H

#include <argp.h>

#include "analyze/filter.h"
#include "model/model.h"

extern const struct argp filter_argp;

/*
 * Says which patterns of @filter match no name of the recording, and what the user may have meant.
 * Commands call it before they say that no sample matches the filter.
 */
void filter_say_unmatched(const struct filter *filter, const struct model *model);

/*
 * Warns if @filter selects calls because they are slow, but samples take so long that calls may be
 * slow because they were sampled.
 */
void filter_say_doubts(const struct filter *filter, const struct model *model);

#define FILTER_OPTIONS \
	{ \
		&filter_argp, 0, \
			"Use only these samples (lists of names, shell patterns or /RE/):", 2 \
	}

#endif
