/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/stopwatch_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

#define DURATION_SECONDS_MAX (30 * 86400)

enum {
	KEY_BY = 0x100,
	KEY_COUNTERS,
	KEY_CSV,
	KEY_FOLLOW,
	KEY_FROM,
	KEY_INTERRUPTS,
	KEY_KEY,
	KEY_LIMIT,
	KEY_MAX_OVERHEAD,
	KEY_OFF_CPU,
	KEY_PLACE,
	KEY_PRESET,
	KEY_RETURN_PROBES,
	KEY_SLOW,
	KEY_TRACE,
	KEY_TO,
	KEY_VALUE
};

static const struct argp_option options_list[] = {
	{ NULL, 0, NULL, 0, "What:", 1 },
	{ "from", KEY_FROM, "POINT", 0,
	  "measure from this point (or one of several) to one of --to", 0 },
	{ "to", KEY_TO, "POINT", 0, "where a span ends that has begun at --from", 0 },
	{ "key", KEY_KEY, "NAME[=NAME],...", 0,
	  "values that are the same at --from and --to, with the name at --to if it differs: a "
	  "field of a tracepoint, an argument (its name, or arg0 to arg5), retval, tid, tgid, cpu "
	  "(default: tid)",
	  0 },
	{ "follow", KEY_FOLLOW, "POINT", 0,
	  "follow items from one hit of this point to the next with the same key: how long they "
	  "stay at each place",
	  0 },
	{ "place", KEY_PLACE, "NAME", 0, "with --follow: the value that is the place of an item",
	  0 },
	{ "by", KEY_BY, "WORD|NAME,NAME", 0,
	  "tell spans apart by application, process, thread, cpu, cgroup, the function that calls "
	  "(caller), or one or two values where they begin: a field of a tracepoint, an argument; "
	  "or by what a call returns: retval, or retval-sign",
	  0 },
	{ "preset", KEY_PRESET, "NAME", 0,
	  "measure what is often asked for: syscalls, runqueue, block-io, page-faults, futex, irq, "
	  "softirq, fork or exec (see assay list presets)",
	  0 },
	{ NULL, 0, NULL, 0, "Where:", 2 },
	{ "all-cpus", 'a', NULL, 0,
	  "in all processes (default without a COMMAND); if a COMMAND is given, until it exits",
	  0 },
	{ "pid", 'p', "TGID|NAME,...", 0,
	  "only in these processes, or in all that now run the program NAME, and in the children "
	  "they start",
	  0 },
	{ NULL, 0, NULL, 0, "How:", 3 },
	{ "off-cpu", KEY_OFF_CPU, NULL, 0,
	  "split the time of calls: on a CPU, waiting for one (runnable), and asleep (blocked)",
	  0 },
	{ "value", KEY_VALUE, "NAME", 0,
	  "measure how large an argument or the result (retval) of calls is, or a field of a "
	  "tracepoint, not how long something takes",
	  0 },
	{ "interrupts", KEY_INTERRUPTS, NULL, 0,
	  "how long interrupts took in calls, while the task of the call was current", 0 },
	{ "counters", KEY_COUNTERS, "EVENT,...", 0,
	  "count these events in calls, at most four, each as long as the task of the call runs: "
	  "page-faults, cycles and instructions, or another event of assay list",
	  0 },
	{ "slow", KEY_SLOW, "DURATION|pPERCENT", 0,
	  "find out why calls are slow that take at least this long (2ms), or longer than this "
	  "percentage of all (p99): sample, too, and write a recording to the file of -o",
	  0 },
	{ "trace", KEY_TRACE, NULL, 0,
	  "keep each call, in order: sample, too, and write a recording to the file of -o", 0 },
	{ "return-probes", KEY_RETURN_PROBES, NULL, 0,
	  "let the kernel catch returns: fast, but C++ exceptions and pthread_cancel(3) through a "
	  "measured function abort the program",
	  0 },
	{ "max-overhead", KEY_MAX_OVERHEAD, "PERCENT", 0,
	  "stop measuring if the probes of calls take more than this share of the machine's CPU "
	  "time",
	  0 },
	{ "duration", 'd', "SECONDS", 0, "stop after this time", 0 },
	{ "interval", 'I', "MS", 0,
	  "print what was measured at this interval, in ms or with a unit (2s)", 0 },
	{ NULL, 0, NULL, 0, "Output:", 4 },
	{ "limit", KEY_LIMIT, "N", 0, "show at most N functions (default: 20)", 0 },
	{ "json", 'j', NULL, 0, "print one JSON object", 0 },
	{ "csv", KEY_CSV, NULL, 0, "print comma-separated values", 0 },
	{ "output", 'o', "FILE", 0, "write to FILE (default: standard output)", 0 },
	{ "quiet", 'q', NULL, 0, "print no messages but errors", 0 },
	{ 0 },
};

static void put_points(const struct point_list *points, FILE *out)
{
	for (size_t i = 0; i < points->list.count; i++)
		(void)fprintf(out, "%s%s", i ? ", " : "", points->list.at[i].text);
}

/* Items are told apart by place, and by the value of --by, too, such as the item. */
static void add_place(struct argp_state *state, struct stopwatch_arguments *arguments)
{
	struct stopwatch_session_options *options = &arguments->options;

	if (options->by_second || (options->by && options->by != SPAN_BY_VALUE)) {
		argp_error(state, "with --follow, --by can be one value, such as that of --key");
		return;
	}
	options->by = SPAN_BY_VALUE;
	options->by_second = options->by_value;
	options->by_value = arguments->place;
}

/* The points of --from and --to are one span. */
static void join_options(struct argp_state *state, struct stopwatch_arguments *arguments)
{
	struct span_join join = {
		.from = arguments->from.list.at,
		.from_count = arguments->from.list.count,
		.to = arguments->to.list.at,
		.to_count = arguments->to.list.count,
		.key = arguments->key ? arguments->key : "tid",
	};
	size_t bytes;
	FILE *out;

	if (arguments->follows != (arguments->place != NULL) ||
	    (arguments->follows && !arguments->key)) {
		argp_error(state, "--follow needs --key and --place");
		return;
	}
	if (arguments->follows)
		add_place(state, arguments);
	if (!join.from_count && !join.to_count) {
		if (arguments->key)
			argp_error(state, "--key needs --from and --to");
		return;
	}
	if (!join.from_count || !join.to_count) {
		argp_error(state, "give both --from and --to");
		return;
	}
	out = open_memstream(&arguments->name, &bytes);
	if (out)
		put_points(&arguments->from, out);
	if (out && !arguments->follows) {
		(void)fputs(" -> ", out);
		put_points(&arguments->to, out);
	}
	if (!out || fclose(out) != 0) {
		argp_failure(state, EXIT_FAILED, ENOMEM, "--from");
		return;
	}
	join.name = arguments->name;
	point_options_join(&arguments->points, &join, state);
}

/* ---- options ---- */

/* Any other word is the name of a value. */
static enum span_by by_of(const char *word)
{
	static const struct {
		const char *word;
		enum span_by by;
	} words[] = {
		{ "application", SPAN_BY_APPLICATION }, { "process", SPAN_BY_PROCESS },
		{ "thread", SPAN_BY_THREAD },		{ "cpu", SPAN_BY_CPU },
		{ "retval", SPAN_BY_RESULT },		{ "retval-sign", SPAN_BY_SIGN },
		{ "caller", SPAN_BY_CALLER },		{ "cgroup", SPAN_BY_CGROUP },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i].word) == 0)
			return words[i].by;
	return SPAN_BY_VALUE;
}

static void set_by(struct argp_state *state, struct stopwatch_arguments *arguments, char *word)
{
	struct stopwatch_session_options *options = &arguments->options;
	char *comma = strchr(word, ',');

	if (comma)
		*comma++ = '\0';
	options->by = by_of(word);
	options->by_value = word;
	options->by_second = comma;
	if (comma &&
	    (options->by != SPAN_BY_VALUE || by_of(comma) != SPAN_BY_VALUE || strchr(comma, ',')))
		argp_error(state, "--by takes one word, or two values, such as arg0,arg1");
}

static void set_value(struct stopwatch_arguments *arguments, const char *name)
{
	arguments->value = name;
	arguments->options.argument = name;
	arguments->options.measure = strcmp(name, "retval") == 0 ? SPAN_RESULT : SPAN_ARGUMENT;
}

/* Values are those of calls. */
static void check_value(struct argp_state *state, const struct stopwatch_arguments *arguments)
{
	if (arguments->value && (arguments->points.joins.count || arguments->points.what.run_queue))
		argp_error(state, "--value measures only calls, not the time between points");
	if (arguments->value && arguments->options.waits && !stopwatch_records(arguments))
		argp_error(state, "choose one of --value and --off-cpu");
}

/* A recording has no groups. Of its calls, the time is measured in any case. */
static void check_records(struct argp_state *state, const struct stopwatch_arguments *arguments)
{
	const struct stopwatch_session_options *options = &arguments->options;
	const char *option = arguments->has_slow ? "--slow" : "--trace";

	if (!stopwatch_records(arguments))
		return;
	if (!arguments->output)
		argp_error(state, "%s needs -o FILE, for the recording", option);
	if (options->by || options->interval_ms)
		argp_error(state, "%s cannot be combined with --by or -I", option);
}

static void set_format(struct argp_state *state, struct stopwatch_arguments *arguments,
		       enum spans_format format)
{
	if (arguments->format != SPANS_TEXT && arguments->format != format)
		argp_error(state, "choose one of --json and --csv");
	arguments->format = format;
}

/* When all is parsed, the options borrow from the rest. */
static void finish(struct stopwatch_arguments *arguments)
{
	struct stopwatch_session_options *options = &arguments->options;

	point_options_settle(&arguments->points);
	options->what = arguments->points.what;
	options->tgids = arguments->ids.list.at;
	options->tgid_count = arguments->ids.list.count;
	options->all_processes = arguments->system_wide;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stopwatch_arguments *arguments = state->input;

	switch (key) {
	case 'a':
		arguments->system_wide = true;
		return 0;
	case 'p':
		option_processes(arg, state, &arguments->ids, NULL);
		return 0;
	case 'd':
		arguments->options.duration_ms = option_seconds_ms("-d", arg, 1,
								   DURATION_SECONDS_MAX, state);
		return 0;
	case KEY_FROM:
		point_list_add(&arguments->from, arg, state);
		return 0;
	case KEY_TO:
		point_list_add(&arguments->to, arg, state);
		return 0;
	case KEY_FOLLOW:
		point_list_add(&arguments->from, arg, state);
		point_list_add(&arguments->to, arg, state);
		arguments->follows = true;
		return 0;
	case KEY_PLACE:
		arguments->place = arg;
		return 0;
	case KEY_KEY:
		arguments->key = arg;
		return 0;
	case KEY_BY:
		set_by(state, arguments, arg);
		return 0;
	case KEY_VALUE:
		set_value(arguments, arg);
		return 0;
	case KEY_PRESET:
		point_options_add_preset(&arguments->points, arg, state);
		return 0;
	case 'I':
		arguments->options.interval_ms = option_interval_ms("-I", arg, state);
		return 0;
	case KEY_OFF_CPU:
		arguments->options.waits = true;
		return 0;
	case KEY_INTERRUPTS:
		arguments->options.interrupts = true;
		return 0;
	case KEY_COUNTERS:
		arguments->options.counters = arg;
		return 0;
	case KEY_SLOW:
		record_parse_slow(&arguments->records, arg, state);
		arguments->has_slow = true;
		return 0;
	case KEY_TRACE:
		arguments->records.every = true;
		return 0;
	case KEY_RETURN_PROBES:
		arguments->options.return_probes = true;
		return 0;
	case KEY_MAX_OVERHEAD:
		arguments->options.max_overhead_percent = option_share("--max-overhead", arg,
								       state);
		return 0;
	case KEY_LIMIT:
		arguments->limit = option_rows(arg, state);
		return 0;
	case 'j':
		set_format(state, arguments, SPANS_JSON);
		return 0;
	case KEY_CSV:
		set_format(state, arguments, SPANS_CSV);
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case 'q':
		arguments->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		point_list_add(&arguments->points.points, arg, state);
		return 0;
	case ARGP_KEY_END:
		join_options(state, arguments);
		check_value(state, arguments);
		check_records(state, arguments);
		finish(arguments);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp stopwatch_argp = {
	.options = options_list,
	.parser = parse,
	.args_doc = "[POINT...] [-- COMMAND [ARG...]]",
	.doc = "Measures how long functions (IMAGE:FUNCTION), functions of the kernel "
	       "(kernel:FUNCTION) and system calls (syscall:NAME) take, or the time from one point "
	       "to another, which may be a tracepoint (tracepoint:GROUP:NAME) or where a function "
	       "returns (FUNCTION%return).",
};

void stopwatch_arguments_fini(struct stopwatch_arguments *arguments)
{
	point_options_fini(&arguments->points);
	point_list_fini(&arguments->from);
	point_list_fini(&arguments->to);
	free(arguments->name);
	vec_free(&arguments->ids.list);
}
