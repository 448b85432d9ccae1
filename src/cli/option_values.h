/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_values.h - parsers for option values that several commands share
 *
 * An invalid value is reported with argp_error(), which exits.
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

/* parses the value of --limit */
size_t option_rows(const char *text, struct argp_state *state);
/* parses the value of --min-percent */
double option_percent(const char *text, struct argp_state *state);

/* In the functions below, @option is the name of the option, for error messages. */

/* Parses a whole number from 1 to @most. */
uint64_t option_count(const char *option, const char *text, uint64_t most,
		      struct argp_state *state);

/*
 * Parses a number above zero with at most @decimals digits after the decimal point. Returns it
 * multiplied by 10^decimals.
 */
uint64_t option_number(const char *option, const char *text, int decimals,
		       struct argp_state *state);

/* Parses a percentage above 0 and at most 100. */
double option_share(const char *option, const char *text, struct argp_state *state);

/*
 * Parses a number of seconds and returns it in milliseconds. The value must be at least @least_ms
 * milliseconds and at most @most_seconds seconds.
 */
uint64_t option_seconds_ms(const char *option, const char *text, uint64_t least_ms,
			   uint64_t most_seconds, struct argp_state *state);

/*
 * Parses a duration with a unit, such as "500us" or "1.5ms", and returns it in nanoseconds. The
 * maximum is one hour.
 */
uint64_t option_duration_ns(const char *option, const char *text, struct argp_state *state);

/* Parses an interval: a number of milliseconds, up to a day, or a duration with a unit. */
uint64_t option_interval_ms(const char *option, const char *text, struct argp_state *state);

/*
 * Parses a comma-separated list of process or thread ids, such as "12,345" (the ids 12 and 345).
 * Appends the ids to @ids, which the caller frees.
 */
void option_ids(const char *text, struct argp_state *state, struct id_list *ids);

/*
 * Parses the argument of -p: a comma-separated list of process ids, which are appended to @ids, and
 * of names of programs. @take_name is called for each name. If it is NULL, the ids of all processes
 * that now run the program are appended, and it is an error if there are none.
 */
typedef void (*option_name_fn)(const char *name, struct argp_state *state);
void option_processes(const char *text, struct argp_state *state, struct id_list *ids,
		      option_name_fn take_name);

#endif
