/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/record_options.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/command.h"
#include "session/embed_sources.h"
#include "cli/cache_dir.h"
#include "cli/option_values.h"

enum {
	KEY_CALL_GRAPH = 0x100,
	KEY_COLLECTOR,
	KEY_COUNTERS,
	KEY_DATA_ADDRESS,
	KEY_KALLSYMS,
	KEY_NO_SELF,
	KEY_TABLE_MEMORY,
	KEY_MEMORY,
	KEY_MAX_OVERHEAD,
	KEY_NO_CALIBRATION,
	KEY_VMLINUX,
	KEY_NO_IRQ_TIME,
	KEY_OFF_CPU,
	KEY_OFF_CPU_WAKERS,
	KEY_CMDLINES,
	KEY_EMBED_SOURCES,
	KEY_SOURCE_DIR,
	KEY_STOPWATCH,
	KEY_SLOW,
	KEY_TRACE_SPANS,
	KEY_RETURN_PROBES,
};

#define OFF_CPU_MIN_NS NS_PER_MSEC
/* Sums of shorter waits do not tell in which calls they were, so with calls fewer are summed up. */
#define OFF_CPU_MIN_IN_CALLS_NS (NS_PER_MSEC / 10)
#define MEMORY_MIB_MAX 65536
#define NAMES_FLUSH_MS 100

static const struct argp_option target_list[] = {
	{ NULL, 0, NULL, 0, "What to profile:", 1 },
	{ "all-cpus", 'a', NULL, 0, "the whole machine; if a COMMAND is given, until it exits", 0 },
	{ "pid", 'p', "TGID|NAME,...", 0,
	  "these processes and the children they start; a name also selects processes that start "
	  "later",
	  0 },
	{ "tid", 't', "TID,...", 0, "only these threads", 0 },
	{ "cgroup", 'G', "PATH", 0, "one control group", 0 },
	{ "uid", 'u', "USER", 0, "all processes of one user, given by name or number", 0 },
	{ "no-self", KEY_NO_SELF, NULL, 0, "leave assay itself out", 0 },
	{ "cpu", 'C', "LIST", 0, "only on these CPUs (0-3,8)", 0 },
	{ "duration", 'd', "SECONDS", 0, "stop after this time", 0 },
	{ "delay", 'D', "MS", 0, "start sampling after this time", 0 },
	{ 0 },
};

static const struct argp_option method_list[] = {
	{ NULL, 0, NULL, 0, "How:", 2 },
	{ "event", 'e', "EVENT,...", 0,
	  "sample these events (perf's syntax; default: cycles if possible, else cpu-clock)", 0 },
	{ "freq", 'F', "HZ", 0, "samples per second and CPU (default: 999, but 99 with -a)", 0 },
	{ "count", 'c', "N", 0, "take one sample every N events (for clocks: every N ns)", 0 },
	{ "counters", KEY_COUNTERS, "EVENT,...", 0, "read these counters with every sample", 0 },
	{ "data-address", KEY_DATA_ADDRESS, NULL, 0,
	  "store which memory each sample accessed, where from, and how long that took, as far as "
	  "the events know it",
	  0 },
	{ "call-graph", KEY_CALL_GRAPH, "fp|dwarf[,BYTES]|none", 0,
	  "how to unwind user stacks when sampling with perf rings (default: dwarf without "
	  "privileges, otherwise fp)",
	  0 },
	{ "collector", KEY_COLLECTOR, "bpf|ring", 0,
	  "sample inside the kernel (bpf) or with perf rings (default: bpf if possible)", 0 },
	{ "memory", KEY_MEMORY, "MIB", 0,
	  "budget for what grows with the length of the run (default: 192, but at most a "
	  "quarter of what assay may have)",
	  0 },
	{ "table-memory", KEY_TABLE_MEMORY, "MIB", 0,
	  "use at most this much kernel memory for unwind tables (default: 5/16 of --memory)", 0 },
	{ "max-overhead", KEY_MAX_OVERHEAD, "PERCENT", 0,
	  "lower the rate if sampling takes more than this share of the machine's CPU time", 0 },
	{ "no-calibration", KEY_NO_CALIBRATION, NULL, 0,
	  "do not measure what a sampling interrupt costs", 0 },
	{ "no-irq-time", KEY_NO_IRQ_TIME, NULL, 0, "do not measure how long interrupts take", 0 },
	{ "off-cpu", KEY_OFF_CPU, "DURATION", OPTION_ARG_OPTIONAL,
	  "also record where and how long threads wait, for waits of at "
	  "least this duration (default: 1ms; with measured calls 100us)",
	  0 },
	{ "off-cpu-wakers", KEY_OFF_CPU_WAKERS, NULL, 0, "also record which threads end the waits",
	  0 },
	{ "stopwatch", KEY_STOPWATCH, "POINT|PRESET", 0,
	  "also measure how long calls of this function take (IMAGE:FUNCTION, kernel:FUNCTION, "
	  "syscall:NAME), or what a preset measures, and which samples fall into them (repeatable)",
	  0 },
	{ "slow", KEY_SLOW, "DURATION|pPERCENT", 0,
	  "with --stopwatch: which calls are slow, for example 2ms or p99 (see report --span slow)",
	  0 },
	{ "trace-spans", KEY_TRACE_SPANS, NULL, 0,
	  "with --stopwatch: record each call, not only slow and sampled ones", 0 },
	{ "return-probes", KEY_RETURN_PROBES, NULL, 0,
	  "with --stopwatch: let the kernel catch returns; see assay-stopwatch(1) for the danger",
	  0 },
	{ "flush", 'M', "MS", 0, "write to the file at least this often (default: 1000)", 0 },
	{ 0 },
};

static const struct argp_option output_list[] = {
	{ NULL, 0, NULL, 0, "Files and output:", 3 },
	{ "output", 'o', "FILE", 0, "write the recording to FILE (default: " DEFAULT_RECORDING ")",
	  0 },
	{ "kallsyms", KEY_KALLSYMS, "FILE", 0,
	  "read kernel symbols from this copy of /proc/kallsyms", 0 },
	{ "vmlinux", KEY_VMLINUX, "FILE", 0, "read kernel symbols from this vmlinux file", 0 },
	{ "cmdlines", KEY_CMDLINES, NULL, 0,
	  "keep the command lines of the sampled processes, which can contain secrets (see report "
	  "--by cmdline)",
	  0 },
	{ "embed-sources", KEY_EMBED_SOURCES, NULL, 0,
	  "store the source files of hot functions in the recording, if "
	  "all users may read these files",
	  0 },
	{ "source-dir", KEY_SOURCE_DIR, "DIR", 0,
	  "look for source files below DIR first, and accept all files "
	  "there that you may read (repeatable)",
	  0 },
	{ "quiet", 'q', NULL, 0, "print only errors", 0 },
	{ 0 },
};

static uint32_t user(struct argp_state *state, const char *name)
{
	const struct passwd *known = getpwnam(name);
	char *end;
	unsigned long uid = strtoul(name, &end, 10);

	if (known)
		return known->pw_uid;
	if (*end || name[0] < '0' || name[0] > '9' || uid >= UINT32_MAX)
		argp_error(state, "-u: there is no user '%s'", name);
	return (uint32_t)uid;
}

/*
 * Parses the number of stack bytes to copy with each sample. Rounds the number up to a multiple of
 * 8, as the kernel requires.
 */
static uint32_t stack_bytes(struct argp_state *state, const char *text)
{
	char *end;
	unsigned long bytes = strtoul(text, &end, 10);

	if (*end || text[0] < '1' || text[0] > '9' || bytes < 1024 || bytes > STACK_BYTES_MAX)
		argp_error(state,
			   "--call-graph dwarf: '%s' is not a number of bytes from 1024 to %u",
			   text, STACK_BYTES_MAX);
	return (uint32_t)(bytes + 7) & ~7u;
}

static void call_graph(struct argp_state *state, struct record_options *options, const char *arg)
{
	options->capture.stack_bytes = STACK_BYTES_DEFAULT;
	if (strncmp(arg, "dwarf,", 6) == 0)
		options->capture.stack_bytes = stack_bytes(state, arg + 6);
	if (strcmp(arg, "dwarf") == 0 || strncmp(arg, "dwarf,", 6) == 0)
		options->capture.callgraph = CALLGRAPH_DWARF;
	else if (strcmp(arg, "fp") == 0)
		options->capture.callgraph = CALLGRAPH_FP;
	else if (strcmp(arg, "none") == 0)
		options->capture.callgraph = CALLGRAPH_NONE;
	else
		argp_error(state, "--call-graph must be fp, dwarf or none, not '%s'", arg);
}

static void collector(struct argp_state *state, struct record_options *options, const char *arg)
{
	if (strcmp(arg, "bpf") == 0)
		options->capture.collector = COLLECTOR_BPF;
	else if (strcmp(arg, "ring") == 0)
		options->capture.collector = COLLECTOR_RING;
	else
		argp_error(state, "--collector must be bpf or ring, not '%s'", arg);
}

static void take_name(const char *name, struct argp_state *state)
{
	struct record_arguments *arguments = state->input;
	char **slot = vec_push(&arguments->names);

	if (!slot || !(*slot = strdup(name)))
		argp_failure(state, EXIT_FAILED, ENOMEM, "-p");
}

static void targets(struct argp_state *state, struct record_arguments *arguments,
		    enum target_kind kind, const char *text)
{
	if ((arguments->ids.list.count || arguments->names.count) &&
	    arguments->options.capture.target != kind)
		argp_error(state, "choose one of -p and -t");
	arguments->options.capture.target = kind;
	if (kind == TARGET_PROCESSES)
		option_processes(text, state, &arguments->ids, take_name);
	else
		option_ids(text, state, &arguments->ids);
}

static error_t parse_target(int key, char *arg, struct argp_state *state)
{
	struct record_arguments *arguments = state->input;
	struct record_options *options = &arguments->options;

	switch (key) {
	case 'a':
		arguments->system_wide = true;
		return 0;
	case 'p':
		targets(state, arguments, TARGET_PROCESSES, arg);
		return 0;
	case 't':
		targets(state, arguments, TARGET_THREADS, arg);
		return 0;
	case 'G':
		options->capture.cgroup = arg;
		return 0;
	case 'u':
		options->capture.uid = user(state, arg);
		arguments->has_uid = true;
		return 0;
	case KEY_NO_SELF:
		options->capture.leave_out_self = true;
		return 0;
	case 'C':
		options->capture.cpus = arg;
		return 0;
	case 'd':
		options->duration_ms = option_number("-d", arg, 3, state);
		return 0;
	case 'D':
		options->delay_ms = option_number("-D", arg, 0, state);
		return 0;
	case ARGP_KEY_ARGS:
		options->command = state->argv + state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Without a duration, settle_off_cpu() sets the default. */
static void off_cpu(struct argp_state *state, struct capture_options *capture, const char *arg)
{
	capture->off_cpu_min_ns = arg ? option_duration_ns("--off-cpu", arg, state) : 0;
	if (arg && capture->off_cpu_min_ns == 0)
		capture->off_cpu_min_ns = 1;
	capture->off_cpu = true;
}

/* The events of a further -e are added to those before. */
static void events(struct argp_state *state, struct record_arguments *arguments, const char *arg)
{
	struct capture_options *capture = &arguments->options.capture;
	char *joined;

	if (!capture->events) {
		capture->events = arg;
		return;
	}
	if (asprintf(&joined, "%s,%s", capture->events, arg) < 0) {
		argp_failure(state, EXIT_FAILED, ENOMEM, "-e");
		return;
	}
	free(arguments->events);
	capture->events = arguments->events = joined;
}

void record_parse_slow(struct record_spans_options *spans, const char *text,
		       struct argp_state *state)
{
	spans->slow_ns = 0;
	spans->slow_share = 0;
	if (text[0] == 'p')
		spans->slow_share = option_share("--slow", text + 1, state) / 100;
	else
		spans->slow_ns = option_duration_ns("--slow", text + (text[0] == '>'), state);
	if (spans->slow_share >= 1)
		argp_error(state, "--slow %s: no call is slower than all", text);
}

static error_t parse_spans(int key, char *arg, struct argp_state *state)
{
	struct record_arguments *arguments = state->input;
	struct record_spans_options *spans = &arguments->options.spans;

	switch (key) {
	case KEY_STOPWATCH:
		point_options_add(&arguments->points, arg, state);
		return 0;
	case KEY_SLOW:
		record_parse_slow(spans, arg, state);
		return 0;
	case KEY_TRACE_SPANS:
		spans->every = true;
		return 0;
	case KEY_RETURN_PROBES:
		spans->return_probes = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_method(int key, char *arg, struct argp_state *state)
{
	struct record_arguments *arguments = state->input;
	struct record_options *options = &arguments->options;

	switch (key) {
	case 'e':
		events(state, arguments, arg);
		return 0;
	case 'F':
		options->capture.frequency_hz = option_number("-F", arg, 0, state);
		return 0;
	case 'c':
		options->capture.period = option_number("-c", arg, 0, state);
		return 0;
	case KEY_COUNTERS:
		options->capture.counters = arg;
		return 0;
	case KEY_DATA_ADDRESS:
		options->capture.data_addresses = true;
		return 0;
	case KEY_CALL_GRAPH:
		call_graph(state, options, arg);
		return 0;
	case KEY_COLLECTOR:
		collector(state, options, arg);
		return 0;
	case KEY_MEMORY:
		options->memory_bytes =
			(uint64_t)option_count("--memory (MiB)", arg, MEMORY_MIB_MAX, state) << 20;
		return 0;
	case KEY_TABLE_MEMORY:
		options->capture.memory.table_bytes =
			(size_t)option_count("--table-memory (MiB)", arg, MEMORY_MIB_MAX, state)
			<< 20;
		return 0;
	case KEY_MAX_OVERHEAD:
		options->max_overhead_percent = option_share("--max-overhead", arg, state);
		return 0;
	case KEY_NO_CALIBRATION:
		options->no_calibration = true;
		return 0;
	case KEY_NO_IRQ_TIME:
		options->no_irq_time = true;
		return 0;
	case KEY_OFF_CPU:
		off_cpu(state, &options->capture, arg);
		return 0;
	case KEY_OFF_CPU_WAKERS:
		options->capture.off_cpu_wakers = true;
		return 0;
	case 'M':
		options->flush_ms = option_number("-M", arg, 0, state);
		return 0;
	default:
		return parse_spans(key, arg, state);
	}
}

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
	struct record_arguments *arguments = state->input;
	struct record_options *options = &arguments->options;

	switch (key) {
	case 'o':
		options->output = arg;
		return 0;
	case KEY_KALLSYMS:
		options->kallsyms = arg;
		return 0;
	case KEY_VMLINUX:
		options->vmlinux = arg;
		return 0;
	case KEY_CMDLINES:
		options->capture.command_lines = true;
		return 0;
	case KEY_EMBED_SOURCES:
		options->embed_sources = true;
		return 0;
	case KEY_SOURCE_DIR:
		if (!source_dir_add(&options->sources, arg))
			argp_error(state, "--source-dir can be given at most %d times",
				   SOURCE_DIRS_MAX);
		return 0;
	case 'q':
		arguments->quiet = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/*
 * The options are split into three lists, each with its own parser. All three parsers fill in the
 * same struct record_arguments.
 */
static const struct argp target_argp = { .options = target_list, .parser = parse_target };
static const struct argp method_argp = { .options = method_list, .parser = parse_method };
static const struct argp output_argp = { .options = output_list, .parser = parse_output };
static const struct argp_child parts[] = {
	{ &target_argp, 0, NULL, 0 },
	{ &method_argp, 0, NULL, 0 },
	{ &output_argp, 0, NULL, 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	for (size_t i = 0; parts[i].argp; i++)
		state->child_inputs[i] = state->input;
	return 0;
}

static int settle_target(struct record_arguments *arguments, struct err *err)
{
	struct capture_options *capture = &arguments->options.capture;
	bool has_list = arguments->ids.list.count || arguments->names.count;
	int kinds = arguments->system_wide + has_list + (capture->cgroup != NULL) +
		    arguments->has_uid;

	if (kinds > 1)
		return err_set(err, -EINVAL, "choose one of -a, -p, -t, -G and -u");
	if (arguments->system_wide)
		capture->target = TARGET_SYSTEM;
	else if (capture->cgroup)
		capture->target = TARGET_CGROUP;
	else if (arguments->has_uid)
		capture->target = TARGET_USER;
	else if (!has_list && arguments->options.command)
		capture->target = TARGET_COMMAND;
	else if (!has_list && capture->cpus)
		capture->target = TARGET_SYSTEM;
	else if (!has_list)
		return err_set(err, -EINVAL,
			       "nothing to profile: give a command, -a, -p, -t, -G or -u");
	capture->ids = arguments->ids.list.at;
	capture->id_count = arguments->ids.list.count;
	capture->names = (const char *const *)arguments->names.at;
	capture->name_count = arguments->names.count;
	return 0;
}

static int settle_spans(struct record_arguments *arguments, struct err *err)
{
	struct record_spans_options *spans = &arguments->options.spans;

	point_options_settle(&arguments->points);
	spans->what = arguments->points.what;
	spans->program_dirs = getenv("PATH");
	spans->max_overhead_percent = arguments->options.max_overhead_percent;
	if (!record_spans_are_wanted(spans) &&
	    (spans->slow_ns || spans->slow_share > 0 || spans->every || spans->return_probes))
		return err_set(err, -EINVAL,
			       "--slow, --trace-spans and --return-probes need --stopwatch");
	return 0;
}

static void settle_off_cpu(struct record_options *options)
{
	struct capture_options *capture = &options->capture;

	capture->off_cpu |= capture->off_cpu_wakers;
	if (capture->off_cpu && !capture->off_cpu_min_ns)
		capture->off_cpu_min_ns = record_spans_are_wanted(&options->spans)
						  ? OFF_CPU_MIN_IN_CALLS_NS
						  : OFF_CPU_MIN_NS;
}

int record_arguments_settle(struct record_arguments *arguments, struct err *err)
{
	struct record_options *options = &arguments->options;
	struct capture_options *capture = &options->capture;
	int rc = settle_target(arguments, err);

	if (rc < 0)
		return rc;
	if (capture->frequency_hz && capture->period)
		return err_set(err, -EINVAL, "choose one of -F and -c");
	if (options->max_overhead_percent > 0 && capture->period)
		return err_set(err, -EINVAL, "choose one of --max-overhead and -c");
	if (options->sources.source_dir_count && !options->embed_sources)
		return err_set(err, -EINVAL, "--source-dir requires --embed-sources");
	rc = settle_spans(arguments, err);
	if (rc < 0)
		return rc;
	settle_off_cpu(options);
	options->is_default_rate = !capture->frequency_hz && !capture->period;
	if (options->is_default_rate)
		capture->frequency_hz = capture->target == TARGET_SYSTEM ? 99 : 999;
	if (!options->output)
		options->output = DEFAULT_RECORDING;
	/* A process with a chosen name is found when its records are read. */
	if (!options->flush_ms)
		options->flush_ms = capture->name_count ? NAMES_FLUSH_MS : DEFAULT_FLUSH_MS;
	options->cache_dir = cache_dir(arguments->cache_dir, sizeof(arguments->cache_dir));
	capture->start_disabled = options->delay_ms > 0;
	return 0;
}

const struct argp record_argp = { .parser = parse, .children = parts };

bool record_arguments_read(const struct argp *argp, int argc, char **argv, void *input,
			   struct record_arguments *arguments)
{
	struct err err = { 0 };

	if (cli_parse(argp, argc, argv, ARGP_IN_ORDER, input) != 0)
		return false;
	if (record_arguments_settle(arguments, &err) == 0)
		return true;
	cli_error(&err);
	return false;
}

void record_arguments_fini(struct record_arguments *arguments)
{
	free(arguments->events);
	point_options_fini(&arguments->points);
	vec_free(&arguments->ids.list);
	for (size_t i = 0; i < arguments->names.count; i++)
		free(arguments->names.at[i]);
	vec_free(&arguments->names);
}
