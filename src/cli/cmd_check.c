/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assay check: says whether a recording is whole, and compares it with limits, for use in scripts.
 * Exits with status 3 if it is not whole or a limit is not met.
 */
#include "analyze/gate.h"
#include "analyze/trust.h"
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/input_options.h"
#include "cli/say_losses.h"
#include "cli/symbolize_now.h"
#include "present/json.h"
#include "present/losses.h"

enum { OPTION_GATE = 256, OPTION_JSON = OPTION_GATE + GATE_COUNT };

struct arguments {
	const char *path;
	struct gate_limit limits[GATE_COUNT];
	bool given[GATE_COUNT];
	bool json;
};

static const struct argp_option option_list[] = {
	{ "min-samples", OPTION_GATE + GATE_MIN_SAMPLES, "N", 0, "Require at least N samples", 0 },
	{ "min-complete", OPTION_GATE + GATE_MIN_COMPLETE, "PERCENT", 0,
	  "Require this share of complete stacks", 0 },
	{ "min-symbolized", OPTION_GATE + GATE_MIN_SYMBOLIZED, "PERCENT", 0,
	  "Require this share of samples whose function is known", 0 },
	{ "max-lost", OPTION_GATE + GATE_MAX_LOST, "N|PERCENT%", 0,
	  "Allow at most this many lost samples", 0 },
	{ "max-skipped", OPTION_GATE + GATE_MAX_SKIPPED, "N|PERCENT%", 0,
	  "Allow at most this many samples that are missing because the "
	  "kernel skipped the sampler",
	  0 },
	{ "max-late", OPTION_GATE + GATE_MAX_LATE, "PERCENT", 0,
	  "Allow at most this share of samples taken late, after their tick", 0 },
	{ "max-overhead", OPTION_GATE + GATE_MAX_OVERHEAD, "PERCENT", 0,
	  "Allow at most this much CPU time for recording, as a share of one CPU", 0 },
	{ "json", OPTION_JSON, NULL, 0, "Print JSON", 0 },
	{ 0 },
};

static void parse_gate(struct arguments *arguments, enum gate gate, const char *text,
		       struct argp_state *state)
{
	struct err err;

	if (gate_parse(gate, text, &arguments->limits[gate], &err) < 0)
		argp_error(state, "%s", err.text);
	if (arguments->given[gate])
		argp_error(state, "--%s can be given only once", gate_name(gate));
	arguments->given[gate] = true;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	if (key >= OPTION_GATE && key < OPTION_GATE + GATE_COUNT) {
		parse_gate(arguments, (enum gate)(key - OPTION_GATE), arg, state);
		return 0;
	}
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->path;
		return 0;
	case OPTION_JSON:
		arguments->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- printing ---- */

static void print_text(const struct gate_limit *limit, const struct gate_result *result)
{
	const char *unit = limit->percent ? " %" : " samples";

	(void)printf("%-6s  %-14s  ", result->ok ? "ok" : "failed", gate_name(limit->gate));
	if (result->missing)
		(void)printf("unknown because %s", result->missing);
	else
		(void)printf("%.*f%s", limit->percent ? 2 : 0, result->value, unit);
	(void)printf(" (limit %.*g%s)", 15, limit->limit, unit);
	(void)printf("%s%s\n", result->note ? "; " : "", result->note ? result->note : "");
}

static void print_json(struct json *json, const struct gate_limit *limit,
		       const struct gate_result *result)
{
	json_open(json, NULL, '{');
	json_string(json, "gate", gate_name(limit->gate));
	json_bool(json, "ok", result->ok);
	if (result->missing)
		json_string(json, "missing", result->missing);
	else
		json_double(json, "value", result->value);
	if (result->note)
		json_string(json, "note", result->note);
	json_double(json, "limit", limit->limit);
	json_string(json, "unit", limit->percent ? "percent" : "samples");
	json_close(json);
}

/* Returns what a recording lacks that is not whole, or NULL. */
static const char *what_is_missing(const struct model *model)
{
	const struct shortfall shortfall = shortfall_of(model);

	if (shortfall.damaged)
		return "parts of the file are damaged or missing";
	return shortfall.cut ? "the end of the run is missing" : NULL;
}

static void print_whole(struct json *json, const char *missing)
{
	if (!json) {
		(void)printf("%-6s  %-14s  %s%s\n", missing ? "failed" : "ok", "whole",
			     missing ? "no: " : "yes", missing ? missing : "");
		return;
	}
	json_open(json, NULL, '{');
	json_string(json, "gate", "whole");
	json_bool(json, "ok", !missing);
	if (missing)
		json_string(json, "note", missing);
	json_close(json);
}

/*
 * Prints whether the recording is whole, and the result of each gate (a limit set by the user).
 * Returns true if it is, and all limits are met.
 */
static bool print_gates(const struct arguments *arguments, const struct profile *profile,
			const struct health *health)
{
	const char *missing = what_is_missing(profile->model);
	struct json json = { .out = stdout };
	bool ok = !missing;

	if (arguments->json) {
		json_open(&json, NULL, '{');
		json_u64(&json, "version", 1);
		losses_json(&json, LOSSES_KEY, profile->model);
		json_open(&json, "gates", '[');
	}
	print_whole(arguments->json ? &json : NULL, missing);
	for (int gate = 0; gate < GATE_COUNT; gate++) {
		const struct gate_limit *limit = &arguments->limits[gate];
		struct gate_result result;

		if (!arguments->given[gate])
			continue;
		result = gate_judge(limit, profile, health);
		ok = ok && result.ok;
		if (arguments->json)
			print_json(&json, limit, &result);
		else
			print_text(limit, &result);
	}
	if (arguments->json) {
		json_close(&json);
		json_bool(&json, "ok", ok);
		json_close(&json);
	}
	return ok;
}

/* ---- checking ---- */

struct checking {
	struct recording *recording;
	struct model model;
	struct profile profile;
	struct health health;
	struct err err;
};

static void checking_fini(struct checking *checking)
{
	health_fini(&checking->health);
	profile_fini(&checking->profile);
	model_fini(&checking->model);
	recording_close(checking->recording);
}

static int read_recording(struct checking *checking, const char *path)
{
	int rc = cli_load_recording(path, &checking->recording, &checking->model, &checking->err);

	if (rc < 0)
		return rc;
	rc = profile_read(checking->recording, &checking->model, &(struct profile_options){ 0 },
			  &checking->profile, &checking->err);
	if (rc < 0)
		return rc;
	rc = cli_say_losses(path, checking->recording, &checking->model, &checking->err);
	if (rc < 0)
		return rc;
	rc = health_make(&checking->profile, profile_first_event(&checking->profile),
			 &checking->health);
	return rc < 0 ? err_sys(&checking->err, rc, "%s", path) : 0;
}

static int check(const struct arguments *arguments)
{
	_cleanup_(checking_fini) struct checking checking = { 0 };

	if (read_recording(&checking, arguments->path) < 0) {
		cli_error(&checking.err);
		return EXIT_FAILED;
	}
	return print_gates(arguments, &checking.profile, &checking.health) ? EXIT_OK
									   : EXIT_NO_MATCH;
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = { INPUTS_OPTIONS, { 0 } };
	static const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.children = children,
		.args_doc = "[FILE]",
		.doc = "Checks that a recording (default: " DEFAULT_RECORDING
		       ") is whole and meets limits; exits with 3 if not.",
	};
	struct arguments arguments = { .path = DEFAULT_RECORDING };

	if (cli_parse(&argp, argc, argv, 0, &arguments) != 0)
		return EXIT_USAGE;
	return check(&arguments);
}

const struct command cmd_check = {
	.name = "check",
	.summary = "check that a recording is whole and meets limits",
	.run = run,
};
