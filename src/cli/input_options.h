/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input_options.h - the recording that a command reads: FILE or -i FILE
 *
 * Like FILTER_OPTIONS, INPUT_OPTIONS is an argp child. Its input is a const char *, which holds the
 * default and receives the path. The child also takes each argument for which the parser of the
 * command returns ARGP_ERR_UNKNOWN, and refuses a second recording.
 */
#ifndef ASSAY_CLI_INPUT_OPTIONS_H
#define ASSAY_CLI_INPUT_OPTIONS_H

#include <argp.h>

extern const struct argp input_argp;

#define INPUT_OPTIONS \
	{ \
		&input_argp, 0, NULL, 0 \
	}

#endif
