/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metric_options.h - what a command adds up (analyze/metric.h), as its options say */
#ifndef ASSAY_CLI_METRIC_OPTIONS_H
#define ASSAY_CLI_METRIC_OPTIONS_H

#include <argp.h>

#include "analyze/metric.h"

/* The option --wall. Its input is the struct filter of the command. */
extern const struct argp wall_argp;

#define WALL_OPTIONS \
	{ \
		&wall_argp, 0, NULL, 0 \
	}

/* Calls metric_make(). The messages of errors name @path and the option that would help. */
int cli_metric_make(const char *path, struct recording *recording, struct model *model,
		    const struct metric_options *options, struct metric *ret_metric,
		    struct err *err);

/* Adds the name of the option that would help to the message of metric_make()'s error @rc. */
int cli_metric_err(const char *path, int rc, struct err *err);

#endif
