/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assay doctor: shows which features work on this machine. For each feature that does not work,
 * shows what is missing from recordings without it, and the command that enables it.
 */
#include "base/cleanup.h"
#include "cli/advice_lines.h"
#include "cli/command.h"
#include "cli/doctor_checks.h"
#include "cli/input_options.h"
#include "cli/pager.h"
#include "cli/symbolize_now.h"
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

/* ---- a recording ---- */

struct examined {
	struct recording *recording;
	struct model model;
	struct profile profile;
	struct advice_lines lines;
	struct err err;
};

static void examined_fini(struct examined *examined)
{
	advice_lines_fini(&examined->lines);
	profile_fini(&examined->profile);
	model_fini(&examined->model);
	recording_close(examined->recording);
}

static int examine(struct examined *examined, const char *path)
{
	int rc = cli_load_recording(path, &examined->recording, &examined->model, &examined->err);

	if (rc < 0)
		return rc;
	rc = profile_read(examined->recording, &examined->model, &(struct profile_options){ 0 },
			  &examined->profile, &examined->err);
	if (rc < 0)
		return rc;
	rc = advice_lines_make(&examined->profile, path, &examined->lines);
	return rc < 0 ? err_sys(&examined->err, rc, "%s", path) : 0;
}

static int advise_on(const char *path, bool json)
{
	_cleanup_(examined_fini) struct examined examined = { 0 };
	struct json writer = { .out = stdout };
	size_t columns = pager_columns(STDOUT_FILENO);

	if (examine(&examined, path) < 0) {
		cli_error(&examined.err);
		return EXIT_FAILED;
	}
	if (json) {
		json_open(&writer, NULL, '{');
		json_u64(&writer, "version", FORMAT_VERSION);
		advice_json(&examined.lines, &writer);
		json_close(&writer);
		return EXIT_OK;
	}
	advice_print_warnings(&examined.lines, columns, false, stdout);
	advice_print_hints(&examined.lines, columns, stdout);
	if (!examined.lines.count)
		(void)printf("%s: nothing would make this recording better\n", path);
	return EXIT_OK;
}

/* ---- the command line ---- */

struct arguments {
	bool json;
	const char *path;		/* NULL: examine this machine */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->path;
		return 0;
	case 'j':
		arguments->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "json", 'j', NULL, 0, "print one JSON object instead of a table", 0 },
		{ 0 },
	};
	static const struct argp_child children[] = { INPUTS_OPTIONS, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.children = children,
		.args_doc = "[FILE]",
		.doc = "Checks which features of assay work on this machine. For each "
		       "feature that does not work, shows what recordings lack without "
		       "it, and which command enables it. With FILE, shows instead what "
		       "would make this recording better.",
	};
	struct check checks[CHECKS_MAX];
	struct arguments arguments = { 0 };
	bool usable;
	size_t count;

	if (cli_parse(&argp, argc, argv, 0, &arguments) != 0)
		return EXIT_USAGE;
	if (arguments.path)
		return advise_on(arguments.path, arguments.json);
	count = doctor_checks(checks, &usable);
	if (arguments.json)
		print_json(checks, count, usable);
	else
		print_text(checks, count);
	return usable ? EXIT_OK : EXIT_FAILED;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "show what can be profiled on this machine and how to allow more",
	.run = run,
};
