/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stopwatch_options.h - command line options of `assay stopwatch` */
#ifndef ASSAY_CLI_STOPWATCH_OPTIONS_H
#define ASSAY_CLI_STOPWATCH_OPTIONS_H

#include <argp.h>

#include "base/vec.h"
#include "cli/option_values.h"
#include "cli/point_options.h"
#include "present/spans.h"
#include "cli/record_options.h"
#include "session/stopwatch_session.h"

struct stopwatch_arguments {
	struct stopwatch_session_options options;	/* borrows from the rest */
	struct point_options points;
	struct point_list from, to;
	const char *key;
	bool follows;		/* @from and @to are the same */
	const char *place;
	const char *value;	/* what is measured instead of the time; NULL: nothing */
	char *name;		/* of the span from @from to @to */
	struct id_list ids;
	bool system_wide, quiet;
	bool has_slow;
	struct record_spans_options records;	/* only which single calls are recorded */
	enum spans_format format;
	size_t limit;
	const char *output;	/* the recording, if there is to be one */
};

/* Returns true if single calls are to be recorded. */
static inline bool stopwatch_records(const struct stopwatch_arguments *arguments)
{
	return arguments->has_slow || arguments->records.every;
}

extern const struct argp stopwatch_argp;	/* its input is struct stopwatch_arguments */

void stopwatch_arguments_fini(struct stopwatch_arguments *arguments);

#endif
