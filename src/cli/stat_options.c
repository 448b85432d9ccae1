/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/stat_options.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/option_values.h"
#include "store/stat_file.h"

#define DURATION_SECONDS_MAX (30 * 86400)
/* with shorter intervals, most of the measured work would be the reading of the counters */
#define INTERVAL_MS_MIN 10

enum { KEY_PER_THREAD = 0x100, KEY_PER_CPU, KEY_LIST, KEY_DIFF, KEY_CSV };

static const struct argp_option options_list[] = {
	{ NULL, 0, NULL, 0, "What to count:", 1 },
	{ "event", 'e', "EVENT,...", 0,
	  "count these events (perf's syntax, groups in braces, portable names)", 0 },
	{ "list", KEY_LIST, NULL, 0, "list the portable names and what they mean on this machine",
	  0 },
	{ NULL, 0, NULL, 0, "Where:", 2 },
	{ "all-cpus", 'a', NULL, 0, "on the whole machine; if a COMMAND is given, until it exits",
	  0 },
	{ "pid", 'p', "TGID|NAME,...", 0,
	  "these processes, or all that now run the program NAME, and the children they start", 0 },
	{ "tid", 't', "TID,...", 0, "only these threads", 0 },
	{ "cpu", 'C', "LIST", 0, "only on these CPUs (0-3,8)", 0 },
	{ "per-thread", KEY_PER_THREAD, NULL, 0, "show each thread of -p or -t separately", 0 },
	{ "per-cpu", KEY_PER_CPU, NULL, 0, "show each CPU of -a or -C separately", 0 },
	{ NULL, 0, NULL, 0, "How often:", 3 },
	{ "repeat", 'r', "N", 0, "run the command N times: show mean, deviation and interval", 0 },
	{ "interval", 'I', "MS", 0, "print the counts at this interval, in ms or with a unit (2s)",
	  0 },
	{ "duration", 'd', "SECONDS", 0, "stop after this time", 0 },
	{ NULL, 0, NULL, 0, "Output:", 4 },
	{ "diff", KEY_DIFF, NULL, 0, "compare two files written with --json", 0 },
	{ "json", 'j', NULL, 0, "print one JSON object", 0 },
	{ "csv", KEY_CSV, NULL, 0, "print comma-separated values", 0 },
	{ "output", 'o', "FILE", 0, "write to FILE (default: standard output)", 0 },
	{ 0 },
};

static void add_ids(struct argp_state *state, struct stat_arguments *arguments,
		    enum stat_target target, const char *text)
{
	if (arguments->ids.list.count && arguments->options.target != target)
		argp_error(state, "choose one of -p and -t");
	arguments->options.target = target;
	if (target == STAT_PROCESSES)
		option_processes(text, state, &arguments->ids, NULL);
	else
		option_ids(text, state, &arguments->ids);
}

static void add_events(struct argp_state *state, struct stat_arguments *arguments, const char *text)
{
	const char **slot = vec_push(&arguments->events);

	if (!slot)
		argp_failure(state, EXIT_FAILED, ENOMEM, "events");
	else
		*slot = text;
}

static void set_format(struct argp_state *state, struct stat_arguments *arguments,
		       enum stat_format format)
{
	if (arguments->format != STAT_TEXT && arguments->format != format)
		argp_error(state, "choose one of --json and --csv");
	arguments->format = format;
}

static void take_words(struct argp_state *state, struct stat_arguments *arguments)
{
	char **words = state->argv + state->next;
	int count = state->argc - state->next;

	if (!arguments->diff) {
		arguments->options.command = words;
		return;
	}
	if (count != 2)
		argp_error(state, "--diff needs exactly two files");
	arguments->files[0] = words[0];
	arguments->files[1] = words[1];
}

static error_t parse_numbers(int key, char *arg, struct argp_state *state,
			     struct stat_arguments *arguments)
{
	switch (key) {
	case 'r':
		arguments->options.runs = option_count("-r", arg, STAT_FILE_RUNS_MAX, state);
		return 0;
	case 'I':
		arguments->options.interval_ms = option_interval_ms("-I", arg, state);
		return 0;
	case 'd':
		arguments->options.duration_ms = option_seconds_ms("-d", arg, 1,
								   DURATION_SECONDS_MAX, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stat_arguments *arguments = state->input;

	switch (key) {
	case 'e':
		add_events(state, arguments, arg);
		return 0;
	case 'a':
		arguments->system_wide = true;
		return 0;
	case 'p':
		add_ids(state, arguments, STAT_PROCESSES, arg);
		return 0;
	case 't':
		add_ids(state, arguments, STAT_THREADS, arg);
		return 0;
	case 'C':
		arguments->options.cpus = arg;
		return 0;
	case KEY_PER_THREAD:
		arguments->options.per_thread = true;
		return 0;
	case KEY_PER_CPU:
		arguments->options.per_cpu = true;
		return 0;
	case KEY_LIST:
		arguments->list = true;
		return 0;
	case KEY_DIFF:
		arguments->diff = true;
		return 0;
	case 'j':
		set_format(state, arguments, STAT_JSON);
		return 0;
	case KEY_CSV:
		set_format(state, arguments, STAT_CSV);
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case ARGP_KEY_ARGS:
		take_words(state, arguments);
		return 0;
	default:
		return parse_numbers(key, arg, state, arguments);
	}
}

static int settle_target(struct stat_arguments *arguments, struct err *err)
{
	bool on_cpus = arguments->system_wide || arguments->options.cpus;

	if (on_cpus && arguments->ids.list.count)
		return err_set(err, -EINVAL, "choose either CPUs (-a, -C) or tasks (-p, -t)");
	if (on_cpus)
		arguments->options.target = STAT_SYSTEM;
	else if (!arguments->ids.list.count && arguments->options.command)
		arguments->options.target = STAT_COMMAND;
	else if (!arguments->ids.list.count)
		return err_set(err, -EINVAL, "nothing to count: give a command, -a, -C, -p or -t");
	if (arguments->options.per_cpu && !on_cpus)
		return err_set(err, -EINVAL, "--per-cpu requires -a or -C");
	if (arguments->options.per_thread && !arguments->ids.list.count)
		return err_set(err, -EINVAL, "--per-thread requires -p or -t");
	return 0;
}

static int settle(struct stat_arguments *arguments, struct err *err)
{
	int rc = 0;

	if (arguments->list && (arguments->diff || arguments->options.command))
		return err_set(err, -EINVAL, "--list cannot be combined with --diff or a command");
	if (arguments->diff && !arguments->files[0])
		return err_set(err, -EINVAL, "--diff needs exactly two files");
	if (arguments->list || arguments->diff)
		return 0;
	rc = settle_target(arguments, err);
	if (rc < 0)
		return rc;
	if (arguments->options.interval_ms && arguments->options.runs > 1)
		return err_set(err, -EINVAL, "choose one of -r and -I");
	if (arguments->options.interval_ms && arguments->options.interval_ms < INTERVAL_MS_MIN)
		return err_set(err, -EINVAL, "-I must be at least %d ms", INTERVAL_MS_MIN);
	if (arguments->options.runs > 1 && arguments->options.duration_ms)
		return err_set(err, -EINVAL, "choose one of -r and -d");
	if (arguments->options.runs > 1 && arguments->options.per_thread)
		return err_set(err, -EINVAL,
			       "choose one of -r and --per-thread, because runs may have "
			       "different threads");
	if (arguments->options.runs > 1 && !arguments->options.command)
		return err_set(err, -EINVAL, "-r repeats a command, so give a command");
	if (!arguments->options.runs)
		arguments->options.runs = 1;
	arguments->options.events = arguments->events.at;
	arguments->options.event_count = arguments->events.count;
	arguments->options.ids = arguments->ids.list.at;
	arguments->options.id_count = arguments->ids.list.count;
	return 0;
}

bool stat_arguments_read(int argc, char **argv, struct stat_arguments *ret_arguments)
{
	static const struct argp argp = {
		.options = options_list,
		.parser = parse,
		.args_doc = "[-- COMMAND [ARG...]]\n--diff BEFORE AFTER\n--list",
		.doc = "Counts events of a command, of processes or of the whole machine.",
	};
	struct err err = { 0 };

	*ret_arguments = (struct stat_arguments){ 0 };
	if (cli_parse(&argp, argc, argv, ARGP_IN_ORDER, ret_arguments) != 0)
		return false;
	if (settle(ret_arguments, &err) == 0)
		return true;
	cli_error(&err);
	return false;
}

void stat_arguments_fini(struct stat_arguments *arguments)
{
	vec_free(&arguments->events);
	vec_free(&arguments->ids.list);
}
