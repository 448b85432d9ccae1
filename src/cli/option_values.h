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

#include "base/vec.h"

struct id_list {
	VEC(uint32_t) list;
};

size_t option_rows(const char *text, struct argp_state *state);		/* --limit */
double option_percent(const char *text, struct argp_state *state);	/* --min-percent */

/* Below, @option is how messages call it. */

/* A whole number from 1 to @most. */
uint64_t option_count(const char *option, const char *text, uint64_t most,
		      struct argp_state *state);

/* A number above zero with at most @decimals digits behind the point, times 10^decimals. */
uint64_t option_number(const char *option, const char *text, int decimals,
		       struct argp_state *state);

/* A percentage above 0. */
double option_share(const char *option, const char *text, struct argp_state *state);

/* Seconds as milliseconds, from @least_ms to @most_seconds. */
uint64_t option_seconds_ms(const char *option, const char *text, uint64_t least_ms,
			   uint64_t most_seconds, struct argp_state *state);

/* A duration with its unit, up to an hour: "500us", "1.5ms". */
uint64_t option_duration_ns(const char *option, const char *text, struct argp_state *state);

/* "12,345": ids of processes or threads, behind those in @ids, which the caller frees. */
void option_ids(const char *text, struct argp_state *state, struct id_list *ids);

#endif
