/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assay doctor: shows which features work on this machine. For each feature that does not work,
 * shows what is missing from recordings without it, and the command that enables it.
 */
#include "cli/command.h"
#include "cli/doctor_checks.h"
#include "present/escape.h"

#define FORMAT_VERSION 1

static const char *const verdict_names[] = {
	[VERDICT_GOOD] = "good",
	[VERDICT_LIMITED] = "limited",
	[VERDICT_UNKNOWN] = "unknown",
};

static void print_text(const struct check *checks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct check *check = &checks[i];

		(void)printf("%-8s %-22s %s\n", verdict_names[check->verdict], check->what,
			     check->state);
		if (check->verdict == VERDICT_GOOD)
			continue;
		(void)printf("%9scosts:  %s\n", "", check->cost);
		if (check->enable[0]) {
			(void)printf("%9sallow:  ", "");
			escape_text(stdout, check->enable);
			(void)putchar('\n');
		}
	}
}

static void print_member(const char *name, const char *value)
{
	(void)printf(", \"%s\": ", name);
	if (value && *value)
		escape_json(stdout, value);
	else
		(void)fputs("null", stdout);
}

static void print_json(const struct check *checks, size_t count, bool usable)
{
	(void)printf("{\"version\": %d, \"usable\": %s, \"checks\": [", FORMAT_VERSION,
		     usable ? "true" : "false");
	for (size_t i = 0; i < count; i++) {
		const struct check *check = &checks[i];
		bool good = check->verdict == VERDICT_GOOD;

		(void)printf("%s\n  {\"verdict\": \"%s\"", i ? "," : "",
			     verdict_names[check->verdict]);
		print_member("what", check->what);
		print_member("state", check->state);
		print_member("cost", good ? NULL : check->cost);
		print_member("enable", good ? NULL : check->enable);
		(void)putchar('}');
	}
	(void)fputs("\n]}\n", stdout);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	*json = true;
	return 0;
}

static int run(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "json", 'j', NULL, 0, "print one JSON object instead of a table", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Checks what a recording needs and shows what is missing, what that "
		       "costs and which command enables it.",
	};
	struct check checks[CHECKS_MAX];
	bool json = false, usable;
	size_t count;

	if (cli_parse(&argp, argc, argv, 0, &json) != 0)
		return EXIT_USAGE;
	count = doctor_checks(checks, &usable);
	if (json)
		print_json(checks, count, usable);
	else
		print_text(checks, count);
	return usable ? EXIT_OK : EXIT_FAILED;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "show what can be profiled here and what would allow more",
	.run = run,
};
