/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input_options.h - the recording that a command reads: FILE or -i FILE
 *
 * Like FILTER_OPTIONS, INPUT_OPTIONS is an argp child. Its input is a const char *, which holds the
 * default and receives the path. The child also takes each argument for which the parser of the
 * command returns ARGP_ERR_UNKNOWN, and refuses a second recording.
 *
 * Commands that only read a recording use INPUTS_OPTIONS, which accepts -i several times. The const
 * char * then receives "-i a.assay -i b.assay", for messages and for hints of further commands.
 * cli_load_recording() recognizes this name by its address and reads the files as one recording. So
 * a command does not know how many files there are.
 */
#ifndef ASSAY_CLI_INPUT_OPTIONS_H
#define ASSAY_CLI_INPUT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

extern const struct argp input_argp, inputs_argp;

#define INPUT_OPTIONS \
	{ \
		&input_argp, 0, NULL, 0 \
	}
#define INPUTS_OPTIONS \
	{ \
		&inputs_argp, 0, NULL, 0 \
	}

/*
 * If INPUTS_OPTIONS set @path and there are several files, returns their paths and sets
 * *@ret_count. Otherwise returns NULL.
 */
const char *const *input_paths(const char *path, size_t *ret_count);

/* Returns true if @output is the file @path, or one of the files that INPUTS_OPTIONS set it to. */
bool input_is_file(const char *path, const char *output);

#endif
