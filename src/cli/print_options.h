/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print_options.h - options that choose the output format, and how samples of inlined functions are
 * counted
 *
 * PRINT_OPTIONS and INLINE_OPTIONS are argp child parsers, used together with FILTER_OPTIONS. Each
 * element of child_inputs is the input of the child with the same index:
 *
 *	static const struct argp_child children[] = { FILTER_OPTIONS, PRINT_OPTIONS,
 *	INLINE_OPTIONS,
 *						      { 0 } };
 *	case ARGP_KEY_INIT:
 *		state->child_inputs[0] = state->child_inputs[2] = &filter;
 *		state->child_inputs[1] = &print;
 */
#ifndef ASSAY_CLI_PRINT_OPTIONS_H
#define ASSAY_CLI_PRINT_OPTIONS_H

#include <argp.h>

#include "analyze/filter.h"
#include "present/report.h"

struct print_options {
	enum report_format format;	/* --json, --csv */
	bool no_pager;
};

extern const struct argp print_argp;	/* input: a struct print_options */
/* names of the command line options, such as "--limit", to be mentioned in reports */
extern const struct setting_names option_names;
/* input: a struct filter, of which the parser sets only the member @inlined */
extern const struct argp inline_argp;

#define PRINT_OPTIONS             \
	{                         \
		&print_argp, 0, NULL, 0 \
	}
#define INLINE_OPTIONS             \
	{                          \
		&inline_argp, 0, NULL, 0 \
	}

#endif
