/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/option_values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

size_t option_rows(const char *text, struct argp_state *state)
{
	unsigned long long rows;
	char *end;

	errno = 0;
	rows = strtoull(text, &end, 10);
	if (errno || *end || text[0] < '0' || text[0] > '9')
		argp_error(state, "--limit '%s' is no number of rows", text);
	return (size_t)rows;
}

double option_percent(const char *text, struct argp_state *state)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !isfinite(percent) || percent < 0 || percent > 100)
		argp_error(state, "--min-percent '%s' is no percentage", text);
	return percent;
}

uint64_t option_count(const char *option, const char *text, uint64_t most, struct argp_state *state)
{
	unsigned long long count;
	char *end;

	errno = 0;
	count = strtoull(text, &end, 10);
	if (errno || *end || text[0] < '0' || text[0] > '9' || count < 1 || count > most)
		argp_error(state, "%s '%s' is no whole number from 1 to %" PRIu64, option, text,
			   most);
	return count;
}
