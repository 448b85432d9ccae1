/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/stat_options.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/option_values.h"
#include "store/stat_file.h"

#define INTERVAL_MS_MAX (24u * 3600 * 1000)
#define DURATION_SECONDS_MAX (30 * 86400)
#define INTERVAL_MS_MIN 10	/* below it reading is what is measured */

enum { KEY_PER_THREAD = 0x100, KEY_PER_CPU, KEY_LIST, KEY_DIFF, KEY_CSV };

static const struct argp_option options_list[] = {
	{ NULL, 0, NULL, 0, "What to count:", 1 },
	{ "event", 'e', "EVENT,...", 0,
	  "which events (perf's syntax, groups in braces, portable names)", 0 },
	{ "list", KEY_LIST, NULL, 0, "the portable names, and what they are here", 0 },
	{ NULL, 0, NULL, 0, "Where:", 2 },
	{ "all-cpus", 'a', NULL, 0, "on the whole machine, for as long as the command runs", 0 },
	{ "pid", 'p', "TGID,...", 0, "these processes and the children they start", 0 },
	{ "tid", 't', "TID,...", 0, "exactly these threads", 0 },
	{ "cpu", 'C', "LIST", 0, "on these CPUs alone (0-3,8)", 0 },
	{ "per-thread", KEY_PER_THREAD, NULL, 0, "each thread of -p or -t apart", 0 },
	{ "per-cpu", KEY_PER_CPU, NULL, 0, "each CPU of -a or -C apart", 0 },
	{ NULL, 0, NULL, 0, "How often:", 3 },
	{ "repeat", 'r', "N", 0, "run the command so many times: mean, deviation, interval", 0 },
	{ "interval", 'I', "MS", 0, "print what was counted that often", 0 },
	{ "duration", 'd', "SECONDS", 0, "stop after so long", 0 },
	{ NULL, 0, NULL, 0, "Output:", 4 },
	{ "diff", KEY_DIFF, NULL, 0, "compare two files that --json wrote", 0 },
	{ "json", 'j', NULL, 0, "one JSON object", 0 },
	{ "csv", KEY_CSV, NULL, 0, "comma-separated values", 0 },
	{ "output", 'o', "FILE", 0, "into this file (default: standard output)", 0 },
	{ 0 },
};

static void add_ids(struct argp_state *state, struct stat_options *options, enum stat_target target,
		    const char *text)
{
	if (options->ids.list.count && options->target != target)
		argp_error(state, "-p and -t exclude each other");
	options->target = target;
	option_ids(text, state, &options->ids);
}

static void add_events(struct argp_state *state, struct stat_options *options, const char *text)
{
	const char **slot = vec_push(&options->events);

	if (!slot)
		argp_failure(state, EXIT_FAILED, ENOMEM, "events");
	else
		*slot = text;
}

static void set_format(struct argp_state *state, struct stat_options *options,
		       enum stat_format format)
{
	if (options->format != STAT_TEXT && options->format != format)
		argp_error(state, "choose one of --json and --csv");
	options->format = format;
}

static void take_arguments(struct argp_state *state, struct stat_options *options)
{
	char **arguments = state->argv + state->next;
	int count = state->argc - state->next;

	if (!options->diff) {
		options->command = arguments;
		return;
	}
	if (count != 2)
		argp_error(state, "--diff compares two files");
	options->files[0] = arguments[0];
	options->files[1] = arguments[1];
}

static error_t parse_numbers(int key, char *arg, struct argp_state *state,
			     struct stat_options *options)
{
	switch (key) {
	case 'r':
		options->runs = option_count("-r", arg, STAT_FILE_RUNS_MAX, state);
		return 0;
	case 'I':
		options->interval_ms = option_count("-I", arg, INTERVAL_MS_MAX, state);
		return 0;
	case 'd':
		options->duration_ms = option_seconds_ms("-d", arg, 1, DURATION_SECONDS_MAX, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stat_options *options = state->input;

	switch (key) {
	case 'e':
		add_events(state, options, arg);
		return 0;
	case 'a':
		options->system_wide = true;
		return 0;
	case 'p':
		add_ids(state, options, STAT_PROCESSES, arg);
		return 0;
	case 't':
		add_ids(state, options, STAT_THREADS, arg);
		return 0;
	case 'C':
		options->cpus = arg;
		return 0;
	case KEY_PER_THREAD:
		options->per_thread = true;
		return 0;
	case KEY_PER_CPU:
		options->per_cpu = true;
		return 0;
	case KEY_LIST:
		options->list = true;
		return 0;
	case KEY_DIFF:
		options->diff = true;
		return 0;
	case 'j':
		set_format(state, options, STAT_JSON);
		return 0;
	case KEY_CSV:
		set_format(state, options, STAT_CSV);
		return 0;
	case 'o':
		options->output = arg;
		return 0;
	case ARGP_KEY_ARGS:
		take_arguments(state, options);
		return 0;
	default:
		return parse_numbers(key, arg, state, options);
	}
}

static int settle_target(struct stat_options *options, struct err *err)
{
	bool on_cpus = options->system_wide || options->cpus;

	if (on_cpus && options->ids.list.count)
		return err_set(err, -EINVAL, "choose either CPUs (-a, -C) or tasks (-p, -t)");
	if (on_cpus)
		options->target = STAT_SYSTEM;
	else if (!options->ids.list.count && options->command)
		options->target = STAT_COMMAND;
	else if (!options->ids.list.count)
		return err_set(err, -EINVAL, "nothing to count: give a command, -a, -C, -p or -t");
	if (options->per_cpu && !on_cpus)
		return err_set(err, -EINVAL, "--per-cpu goes with -a or -C");
	if (options->per_thread && !options->ids.list.count)
		return err_set(err, -EINVAL, "--per-thread goes with -p or -t");
	return 0;
}

static int settle(struct stat_options *options, struct err *err)
{
	int rc = 0;

	if (options->list && (options->diff || options->command))
		return err_set(err, -EINVAL, "--list stands alone");
	if (options->diff && !options->files[0])
		return err_set(err, -EINVAL, "--diff compares two files");
	if (options->list || options->diff)
		return 0;
	rc = settle_target(options, err);
	if (rc < 0)
		return rc;
	if (options->interval_ms && options->runs > 1)
		return err_set(err, -EINVAL, "choose one of -r and -I");
	if (options->interval_ms && options->interval_ms < INTERVAL_MS_MIN)
		return err_set(err, -EINVAL, "-I takes no less than %d ms", INTERVAL_MS_MIN);
	if (options->runs > 1 && options->duration_ms)
		return err_set(err, -EINVAL, "choose one of -r and -d");
	if (options->runs > 1 && options->per_thread)
		return err_set(err, -EINVAL,
			       "choose one of -r and --per-thread: runs may have "
			       "different threads");
	if (options->runs > 1 && !options->command)
		return err_set(err, -EINVAL, "-r repeats a command, and there is none");
	if (!options->runs)
		options->runs = 1;
	return 0;
}

bool stat_options_read(int argc, char **argv, struct stat_options *ret_options)
{
	static const struct argp argp = {
		.options = options_list,
		.parser = parse,
		.args_doc = "[-- COMMAND [ARG...]]\n--diff BEFORE AFTER\n--list",
		.doc = "Counts events of a command, of processes or of the whole machine.",
	};
	struct err err = { 0 };

	*ret_options = (struct stat_options){ 0 };
	if (cli_parse(&argp, argc, argv, ARGP_IN_ORDER, ret_options) != 0)
		return false;
	if (settle(ret_options, &err) == 0)
		return true;
	cli_error(&err);
	return false;
}

void stat_options_fini(struct stat_options *options)
{
	vec_free(&options->events);
	vec_free(&options->ids.list);
}
