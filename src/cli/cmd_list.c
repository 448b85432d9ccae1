/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay list: shows what this machine can sample, and the names that other commands accept. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

#include "analyze/group.h"
#include "base/cleanup.h"
#include "perf/event_spec.h"
#include "perf/portable_events.h"
#include "cli/command.h"
#include "export/export.h"
#include "import/import.h"
#include "model/context.h"
#include "model/loss.h"
#include "present/escape.h"
#include "session/file_readers.h"
#include "session/kernel_symbols.h"
#include "stopwatch/presets.h"
#include "stopwatch/stopwatch.h"

#define FORMAT_VERSION 1
#define FIRST_COLUMN_WIDTH 40
#define COLUMN_WIDTH 12
#define PROBE_NAME_MAX 4096	/* longer names are cut */

DEFINE_CLEANUP(struct readers, readers_free);
DEFINE_CLEANUP(struct stopwatch, stopwatch_free);

struct list_options {
	const struct list *list;
	const char *pattern;	/* pattern that names must match; NULL: list everything */
	bool json;
};

/* State of the list that is being printed. Each row of the list is an array of strings. */
struct listing {
	const struct list_options *options;
	/*
	 * column titles, NULL-terminated; only values in the first column are matched against the
	 * pattern
	 */
	const char *const *columns;
	size_t row_count;
};

/* A pattern without wildcards matches every name that contains it. */
static bool matches(const char *pattern, const char *name)
{
	if (!pattern)
		return true;
	if (!strpbrk(pattern, "*?["))
		return strstr(name, pattern) != NULL;
	return fnmatch(pattern, name, 0) == 0;
}

static void print_table_row(const struct listing *listing, const char *const *values)
{
	for (size_t i = 0; listing->columns[i]; i++) {
		if (!listing->columns[i + 1])
			(void)printf("%s\n", values[i]);
		else
			(void)printf("%-*s ", i == 0 ? FIRST_COLUMN_WIDTH : COLUMN_WIDTH,
				     values[i]);
	}
}

static void print_json_row(const struct listing *listing, const char *const *values)
{
	(void)fputs(listing->row_count ? ",\n  {" : "\n  {", stdout);
	for (size_t i = 0; listing->columns[i]; i++) {
		(void)printf("%s\"%s\": ", i ? ", " : "", listing->columns[i]);
		escape_json(stdout, values[i]);
	}
	(void)putchar('}');
}

static void print_row(struct listing *listing, const char *const *values)
{
	if (!matches(listing->options->pattern, values[0]))
		return;
	if (listing->options->json)
		print_json_row(listing, values);
	else
		print_table_row(listing, values);
	listing->row_count++;
}

/* ---- the lists ---- */

static void print_event(void *context, const char *name, const char *kind, enum event_use use)
{
	static const char *const uses[] = {
		[EVENT_UNUSABLE] = "no",
		[EVENT_COUNTS] = "counts",
		[EVENT_SAMPLES] = "yes",
		[EVENT_UNTRIED] = "untried",
	};

	print_row(context, (const char *const[]){ name, kind, uses[use] });
}

/*
 * If tracepoints cannot be listed, prints a message but does not fail, because most machines also
 * have other events.
 */
static int list_events(struct listing *listing, struct err *err)
{
	if (events_each(print_event, listing, err) < 0)
		cli_message("cannot list tracepoints: %s", err->text);
	return 0;
}

static void print_portable(void *context, const char *name, const char *here, const char *meaning)
{
	print_row(context, (const char *const[]){ name, here ? here : "no", meaning });
}

static int list_portable(struct listing *listing, struct err *err)
{
	portable_events_each(print_portable, listing);
	return 0;
}

static int list_dimensions(struct listing *listing, struct err *err)
{
	for (int i = 0; i < DIMENSION_COUNT; i++)
		print_row(listing, (const char *const[]){ dimension_name((enum dimension)i) });
	return 0;
}

static int list_contexts(struct listing *listing, struct err *err)
{
	for (int i = 0; i < CONTEXT_COUNT; i++)
		print_row(listing, (const char *const[]){ context_name((enum context)i) });
	return 0;
}

static int list_losses(struct listing *listing, struct err *err)
{
	for (int i = 0; i < LOSS_COUNT; i++) {
		enum loss reason = (enum loss)i;

		print_row(listing, (const char *const[]){ loss_name(reason), loss_unit(reason),
							  loss_meaning(reason) });
	}
	return 0;
}

static int list_formats(struct listing *listing, struct err *err)
{
	for (size_t i = 0; import_formats[i]; i++)
		print_row(listing, (const char *const[]){ import_formats[i]->name, "import",
							  import_formats[i]->description });
	for (size_t i = 0; export_formats[i]; i++)
		print_row(listing, (const char *const[]){ export_formats[i]->name, "export",
							  export_formats[i]->description });
	return 0;
}

static int list_presets(struct listing *listing, struct err *err)
{
	for (size_t i = 0; i < stopwatch_preset_count; i++)
		print_row(listing, (const char *const[]){ stopwatch_presets[i].name,
							  stopwatch_presets[i].question });
	return 0;
}

/* ---- probes ---- */

static void print_tracepoint(void *context, const char *name, const char *kind, enum event_use use)
{
	struct listing *listing = context;
	char probe[PROBE_NAME_MAX];

	if (strcmp(kind, "tracepoint") != 0)
		return;
	(void)snprintf(probe, sizeof(probe), "tracepoint:%s", name);
	print_row(listing, (const char *const[]){ probe, "tracepoint", "-" });
}

static void print_probe(struct listing *listing, const struct point *point,
			const struct stopwatch_span *span)
{
	static const char *const kinds[] = {
		[SPAN_FUNCTION] = "function",
		[SPAN_SYSTEM_CALL] = "syscall",
		[SPAN_KERNEL_FUNCTION] = "kernel",
	};
	const char *image = span->kind == SPAN_FUNCTION ? point->image : kinds[span->kind];
	const char *entry = span->kind != SPAN_FUNCTION || span->cost == PROBE_UNKNOWN ? "-"
			    : span->cost == PROBE_STEPPED			       ? "slow"
										       : "fast";
	char probe[PROBE_NAME_MAX];

	(void)snprintf(probe, sizeof(probe), "%s:%s", image, span->name);
	print_row(listing, (const char *const[]){ probe, kinds[span->kind], entry });
}

struct usdt_listing {
	struct listing *listing;
	const char *image;
};

static void print_usdt(void *context, const char *provider, const char *name)
{
	const struct usdt_listing *usdt = context;
	char probe[PROBE_NAME_MAX];

	(void)snprintf(probe, sizeof(probe), "usdt:%s:%s:%s", usdt->image, provider, name);
	print_row(usdt->listing, (const char *const[]){ probe, "usdt", "-" });
}

/* The point itself is the pattern, so rows are not compared with it again. */
static int print_probes(struct listing *listing, const struct point *point, struct err *err)
{
	_cleanup_(readers_freep) struct readers *readers = file_readers_new();
	_cleanup_(kallsyms_fini) struct kallsyms kallsyms = { 0 };
	_cleanup_(stopwatch_freep) struct stopwatch *stopwatch = NULL;
	const struct stopwatch_options options = {
		.what = { .points = point, .point_count = 1 },
		.program_dirs = getenv("PATH"),
		.readers = readers,
		.kallsyms = &kallsyms,
	};
	int rc = point->kind == POINT_KERNEL ? kernel_symbols_read(NULL, &kallsyms, err) : 0;

	if (point->kind == POINT_USDT)
		return stopwatch_list_usdt(&options, point, print_usdt,
					   &(struct usdt_listing){ listing, point->image }, err);
	if (rc == 0)
		rc = stopwatch_find(&options, &stopwatch, err);
	for (size_t i = 0; rc == 0 && i < stopwatch_span_count(stopwatch); i++) {
		struct stopwatch_span span = stopwatch_span(stopwatch, i);

		print_probe(listing, point, &span);
	}
	return rc;
}

static int list_probes(struct listing *listing, struct err *err)
{
	const struct list_options *options = listing->options;
	const char *pattern = options->pattern ? options->pattern : "syscall:*";
	struct list_options all = *options;
	struct point point;
	int rc;

	if (strncmp(pattern, "tracepoint:", strlen("tracepoint:")) == 0)
		return events_each(print_tracepoint, listing, err);
	rc = point_parse(pattern, &point, err);
	if (rc < 0)
		return rc;
	all.pattern = NULL;
	listing->options = &all;
	rc = print_probes(listing, &point, err);
	listing->options = options;
	point_fini(&point);
	return rc == -ENOENT ? 0 : rc;
}

static const struct list {
	const char *name;
	const char *columns[4];
	int (*print)(struct listing *listing, struct err *err);
} lists[] = {
	{ "events", { "name", "kind", "usable" }, list_events },
	{ "portable", { "name", "event", "meaning" }, list_portable },
	{ "dimensions", { "name" }, list_dimensions },
	{ "contexts", { "name" }, list_contexts },
	{ "losses", { "name", "unit", "meaning" }, list_losses },
	{ "formats", { "name", "command", "meaning" }, list_formats },
	{ "presets", { "name", "question" }, list_presets },
	{ "probes", { "name", "kind", "entry" }, list_probes },
};

static const struct list *find_list(const char *name)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcmp(lists[i].name, name) == 0)
			return &lists[i];
	return NULL;
}

static int print_list(const struct list_options *options)
{
	const struct list *list = options->list;
	struct listing listing = { .options = options, .columns = list->columns };
	struct err err = { 0 };
	int rc;

	/* Print the header only on a terminal, because scripts need only the rows. */
	if (!options->json && isatty(STDOUT_FILENO))
		print_table_row(&listing, list->columns);
	if (options->json)
		(void)printf("{\"version\": %d, \"%s\": [", FORMAT_VERSION, list->name);
	rc = list->print(&listing, &err);
	if (options->json)
		(void)fputs("\n]}\n", stdout);
	if (rc < 0) {
		cli_error(&err);
		return EXIT_FAILED;
	}
	return listing.row_count ? EXIT_OK : EXIT_NO_MATCH;
}

/* ---- the command ---- */

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct list_options *options = state->input;

	if (key == 'j') {
		options->json = true;
		return 0;
	}
	if (key != ARGP_KEY_ARG || state->arg_num > 1)
		return ARGP_ERR_UNKNOWN;
	if (state->arg_num == 1) {
		options->pattern = arg;
		return 0;
	}
	options->list = find_list(arg);
	if (!options->list)
		argp_error(state,
			   "unknown list '%s'; choose events, portable, dimensions, contexts, "
			   "losses, formats, presets or probes",
			   arg);
	return 0;
}

static int run(int argc, char **argv)
{
	static const struct argp_option options_list[] = {
		{ "json", 'j', NULL, 0, "print one JSON object instead of a table", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		.options = options_list,
		.parser = parse,
		.args_doc = "[LIST [PATTERN]]",
		.doc = "Lists events (of this machine; this is the default), portable (event names "
		       "that work on every machine), dimensions, contexts, losses, formats, "
		       "presets or probes (points of assay stopwatch that match the PATTERN, such "
		       "as 'libc:mem*', 'kernel:vfs_*', 'syscall:*' or 'tracepoint:sched:*'). "
		       "Except for losses, other commands accept these words with -e, --by, "
		       "--context, -f, --preset and as points.",
	};
	struct list_options options = { .list = &lists[0] };

	if (cli_parse(&argp, argc, argv, 0, &options) != 0)
		return EXIT_USAGE;
	return print_list(&options);
}

const struct command cmd_list = {
	.name = "list",
	.summary = "list events and the words that other commands accept",
	.run = run,
};
