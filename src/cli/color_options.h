/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * color_options.h - the option --color
 *
 * Like PRINT_OPTIONS, COLOR_OPTIONS is an argp child. Its input is an enum color_when. By default
 * output is colored if it goes to a terminal, unless the variable NO_COLOR is set (no-color.org) or
 * the terminal cannot show colors.
 */
#ifndef ASSAY_CLI_COLOR_OPTIONS_H
#define ASSAY_CLI_COLOR_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

extern const struct argp color_argp;

#define COLOR_OPTIONS \
	{ \
		&color_argp, 0, NULL, 0 \
	}

/* Returns true if output to @fd is to be colored. Call this before a pager replaces @fd. */
bool color_wanted(enum color_when when, int fd);

#endif
