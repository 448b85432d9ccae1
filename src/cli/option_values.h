/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_values.h - values of options that several commands have
 *
 * What makes no sense ends in argp_error(), which says so and exits.
 */
#ifndef ASSAY_CLI_OPTION_VALUES_H
#define ASSAY_CLI_OPTION_VALUES_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

size_t option_rows(const char *text, struct argp_state *state);		/* --limit */
double option_percent(const char *text, struct argp_state *state);	/* --min-percent */

/* A whole number from 1 to @most; @option is named where it is none. */
uint64_t option_count(const char *option, const char *text, uint64_t most,
		      struct argp_state *state);

#endif
