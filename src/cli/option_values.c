/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/option_values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/command.h"
#include "process/program_find.h"

#define DURATION_MAX_NS (3600 * NS_PER_SEC)
#define INTERVAL_MS_MAX (24u * 3600 * 1000)

size_t option_rows(const char *text, struct argp_state *state)
{
	unsigned long long rows;
	char *end;

	errno = 0;
	rows = strtoull(text, &end, 10);
	if (errno || *end || text[0] < '0' || text[0] > '9')
		argp_error(state, "--limit '%s' is not a number of rows", text);
	return (size_t)rows;
}

double option_percent(const char *text, struct argp_state *state)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !isfinite(percent) || percent < 0 || percent > 100)
		argp_error(state, "--min-percent '%s' is not a percentage", text);
	return percent;
}

uint64_t option_count(const char *option, const char *text, uint64_t most, struct argp_state *state)
{
	unsigned long long count;
	char *end;

	errno = 0;
	count = strtoull(text, &end, 10);
	if (errno || *end || text[0] < '0' || text[0] > '9' || count < 1 || count > most)
		argp_error(state, "%s '%s' is not a whole number from 1 to %" PRIu64, option, text,
			   most);
	return count;
}

/*
 * Parses a decimal number with at most @decimals digits after the point. Stores the number,
 * multiplied by 10^@decimals, in *ret_value. Returns 0 or -EINVAL.
 */
static int parse_scaled(const char *text, int decimals, uint64_t *ret_value)
{
	uint64_t value = 0;
	int behind = -1;

	if (!*text || strlen(text) > 15)
		return -EINVAL;
	for (; *text; text++) {
		if (*text == '.' && behind < 0) {
			behind = 0;
			continue;
		}
		if (*text < '0' || *text > '9' || behind == decimals)
			return -EINVAL;
		value = value * 10 + (uint64_t)(*text - '0');
		behind += behind >= 0;
	}
	for (int i = behind < 0 ? 0 : behind; i < decimals; i++)
		value *= 10;
	*ret_value = value;
	return 0;
}

uint64_t option_number(const char *option, const char *text, int decimals, struct argp_state *state)
{
	uint64_t value = 0;

	if (parse_scaled(text, decimals, &value) < 0 || value == 0)
		argp_error(state, "%s: '%s' is not a positive number%s", option, text,
			   decimals ? " (with at most three decimals)" : "");
	return value;
}

double option_share(const char *option, const char *text, struct argp_state *state)
{
	uint64_t thousandths = 0;

	if (parse_scaled(text, 3, &thousandths) < 0 || !thousandths || thousandths > 100000)
		argp_error(state,
			   "%s: '%s' is not a number above 0 and up to 100 (with at most three "
			   "decimals)",
			   option, text);
	return (double)thousandths / 1000;
}

uint64_t option_seconds_ms(const char *option, const char *text, uint64_t least_ms,
			   uint64_t most_seconds, struct argp_state *state)
{
	uint64_t ms = 0;

	if (parse_scaled(text, 3, &ms) < 0 || ms < least_ms || ms > most_seconds * 1000)
		argp_error(state, "%s: '%s' is not a number of seconds from %g to %" PRIu64, option,
			   text, (double)least_ms / 1000, most_seconds);
	return ms;
}

/* The unit is required because there is no obvious default. */
uint64_t option_duration_ns(const char *option, const char *text, struct argp_state *state)
{
	static const struct {
		const char *name;
		int decimals;
	} units[] = { { "ns", 0 }, { "us", 3 }, { "ms", 6 }, { "s", 9 } };
	size_t digits = strspn(text, "0123456789.");
	char number_text[16] = "";
	uint64_t value = 0;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text + digits, units[i].name) != 0 || digits >= sizeof(number_text))
			continue;
		memcpy(number_text, text, digits);
		if (parse_scaled(number_text, units[i].decimals, &value) == 0 &&
		    value <= DURATION_MAX_NS)
			return value;
	}
	argp_error(state, "%s: '%s' is not a duration such as 0ns, 500us, 1.5ms or 2s", option,
		   text);
	return 0;
}

uint64_t option_interval_ms(const char *option, const char *text, struct argp_state *state)
{
	bool has_unit = text[strspn(text, "0123456789")] != '\0';
	uint64_t ms = has_unit ? option_duration_ns(option, text, state) / NS_PER_MSEC
			       : option_number(option, text, 0, state);

	if (ms < 1 || ms > INTERVAL_MS_MAX)
		argp_error(state, "%s: '%s' is not an interval from 1 ms to 1 day", option, text);
	return ms;
}

void option_ids(const char *text, struct argp_state *state, struct id_list *ids)
{
	char *end;

	do {
		unsigned long id = strtoul(text, &end, 10);
		uint32_t *slot;

		if (end == text || (*end && *end != ',') || id == 0 || id > INT32_MAX)
			argp_error(state, "'%s' is not a list of process or thread ids", text);
		slot = vec_push(&ids->list);
		if (!slot)
			argp_failure(state, EXIT_FAILED, ENOMEM, "ids");
		else
			*slot = (uint32_t)id;
		text = end + 1;
	} while (*end == ',');
}

static int add_process(void *context, uint32_t tgid)
{
	struct id_list *ids = context;
	uint32_t *slot = vec_push(&ids->list);

	if (!slot)
		return -ENOMEM;
	*slot = tgid;
	return 0;
}

static void add_running(const char *name, struct argp_state *state, struct id_list *ids)
{
	size_t count = ids->list.count;
	int rc = program_find(name, add_process, ids);

	if (rc < 0)
		argp_failure(state, EXIT_FAILED, -rc, "-p %s", name);
	if (ids->list.count == count)
		argp_failure(state, EXIT_FAILED, 0, "-p: no process is called '%s'", name);
}

void option_processes(const char *text, struct argp_state *state, struct id_list *ids,
		      option_name_fn take_name)
{
	_cleanup_free_ char *list = strdup(text);
	char *rest = list, *word;

	while ((word = strsep(&rest, ","))) {
		if (word[0] == '\0')
			argp_error(state, "-p: '%s' has an empty name", text);
		if (word[strspn(word, "0123456789")] == '\0')
			option_ids(word, state, ids);
		/* No program is called so, but a mistyped number or option is. */
		else if (word[0] == '-')
			argp_error(state, "-p: '%s' is not the number or name of a process", word);
		else if (take_name)
			take_name(word, state);
		else
			add_running(word, state, ids);
	}
}
