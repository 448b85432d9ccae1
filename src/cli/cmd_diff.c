/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assay diff: shows what changed between two recordings, and which changes are statistically
 * significant. Several recordings on a side are separated from those of the other side by a word
 * ":", which survives wildcards of the shell and the reordering of options.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/metric_options.h"
#include "cli/option_values.h"
#include "cli/pager.h"
#include "cli/print_options.h"
#include "cli/rights.h"
#include "cli/say_losses.h"
#include "cli/symbolize_now.h"
#include "present/diff.h"

#define ROWS_IN_TEXT 20
#define SEPARATOR ":"
#define PATHS_MAX (2 * DIFF_RUNS_MAX)

enum option_key {
	OPTION_BY = 256,
	OPTION_PER,
	OPTION_BEFORE,
	OPTION_AFTER,
	OPTION_FAIL_IF,
	OPTION_LIMIT,
	OPTION_SPAN,
};

struct arguments {
	const char *paths[PATHS_MAX];	/* of before, then of after */
	size_t path_count;
	bool separated;
	struct filter filter;		/* conditions that apply to both recordings */
	/* for each side, a filter that has only its time range and whether calls are slow */
	struct filter sides[DIFF_SIDES];
	struct diff_options options;
	struct diff_condition conditions[DIFF_CONDITIONS_MAX];
	struct print_options print;
	size_t limit;
	bool limit_given, range_given;
	bool by_calls;			/* slow calls are compared with fast ones */
};

static void arguments_fini(struct arguments *arguments)
{
	filter_fini(&arguments->filter);
	for (size_t i = 0; i < arguments->options.condition_count; i++)
		diff_condition_fini(&arguments->conditions[i]);
}

/* ---- options ---- */

static const struct argp_option option_list[] = {
	{ "input", 'i', "FILE", 0, "Compare this recording; the same as to name it without -i", 1 },
	{ "by", OPTION_BY, "KEY,...", 0,
	  "Compare by function (the default), image, application, comm, ... or by stack, which "
	  "is the whole path of functions",
	  1 },
	{ "per", OPTION_PER, "WHAT", 0,
	  "Compare CPU time or other amounts per run (the default if both recordings are of a "
	  "command), per share (of the samples; the default otherwise), per second (of wall "
	  "clock), per count of an EVENT, or per call (with --span; then the default)",
	  1 },
	{ "before", OPTION_BEFORE, "A-B", 0,
	  "Use this time range of the first recording, such as 0s-10s", 1 },
	{ "after", OPTION_AFTER, "A-B", 0,
	  "Use this time range of the second recording, or of the only one", 1 },
	/* in place of the one of filter_options.h, whose help is shown */
	{ "span", OPTION_SPAN, "LIST", OPTION_HIDDEN, "", 1 },
	{ "fail-if", OPTION_FAIL_IF, "CONDITION", 0,
	  "Exit with 3 if a change exceeds this limit and is more than chance: 'self(RE) > +2% "
	  "@95', 'total(RE) > x1.1' (repeatable)",
	  1 },
	{ "limit", OPTION_LIMIT, "N", 0, "Show at most N rows; 0: all (default: 20 in text)", 1 },
	{ 0 },
};

static void parse_by(struct arguments *arguments, const char *text, struct argp_state *state)
{
	struct diff_options *options = &arguments->options;
	struct err err;

	options->by_stack = strcmp(text, "stack") == 0;
	if (options->by_stack)
		options->by_count = 0;
	else if (dimensions_parse(text, options->by, &options->by_count, &err) < 0 ||
		 diff_check_dimensions(options->by, options->by_count, &err) < 0)
		argp_error(state, "%s", err.text);
}

static void parse_per(struct arguments *arguments, const char *text, struct argp_state *state)
{
	static const struct {
		const char *word;
		enum diff_per per;
	} words[] = {
		{ "run", DIFF_PER_RUN },      { "share", DIFF_PER_SHARE },
		{ "sample", DIFF_PER_SHARE }, { "second", DIFF_PER_SECOND },
		{ "wall", DIFF_PER_SECOND },
	};

	if (!*text)
		argp_error(state, "--per must be run, share, second or the name of an event");
	arguments->options.per = DIFF_PER_EVENT;
	arguments->options.per_event = text;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(text, words[i].word) == 0)
			arguments->options.per = words[i].per;
}

static void parse_range(struct arguments *arguments, enum diff_which which, const char *text,
			struct argp_state *state)
{
	struct err err;

	if (filter_add(&arguments->sides[which], "time", text, &err) < 0)
		argp_error(state, "%s", err.text);
	arguments->range_given = true;
}

/* The word "slow:fast", perhaps followed by ',' and names. */
static void parse_span(struct arguments *arguments, const char *text, struct argp_state *state)
{
	struct filter *before = &arguments->sides[DIFF_BEFORE];
	struct filter *after = &arguments->sides[DIFF_AFTER];
	size_t length = strcspn(text, ",");
	bool is_slow_first = length == 9 && strncmp(text, "slow:fast", 9) == 0;
	bool is_fast_first = length == 9 && strncmp(text, "fast:slow", 9) == 0;
	struct err err;

	if (is_slow_first || is_fast_first) {
		arguments->by_calls = true;
		before->slow_spans = after->fast_spans = is_slow_first;
		before->fast_spans = after->slow_spans = is_fast_first;
		text += text[length] ? length + 1 : length;
	}
	if (*text && filter_add(&arguments->filter, "span", text, &err) < 0)
		argp_error(state, "%s", err.text);
}

static void parse_condition(struct arguments *arguments, const char *text, struct argp_state *state)
{
	size_t *count = &arguments->options.condition_count;
	struct err err;

	if (*count == DIFF_CONDITIONS_MAX)
		argp_error(state, "--fail-if can be given at most %d times", DIFF_CONDITIONS_MAX);
	if (diff_condition_parse(text, &arguments->conditions[*count], &err) < 0)
		argp_error(state, "%s", err.text);
	++*count;
}

static bool has_range(const struct filter *filter)
{
	return filter->from_ns || filter->to_ns != UINT64_MAX;
}

/*
 * Called if both time ranges are in one recording. Exits with an error if a range is missing or if
 * the ranges overlap. If they overlapped, the samples in the overlap would be compared with
 * themselves.
 */
static void check_ranges(const struct arguments *arguments, struct argp_state *state)
{
	const struct filter *before = &arguments->sides[DIFF_BEFORE];
	const struct filter *after = &arguments->sides[DIFF_AFTER];

	if (arguments->by_calls)
		return;
	if (!has_range(before) || !has_range(after))
		argp_error(state, "to compare one recording with itself, give --before=A-B and "
				  "--after=C-D, or --span=slow:fast");
	if (before->from_ns < after->to_ns && after->from_ns < before->to_ns)
		argp_error(state, "--before and --after overlap");
}

/* The same file twice on a side would look like two runs that do not differ. */
static void check_repeated(const struct arguments *arguments, enum diff_which which,
			   struct argp_state *state)
{
	size_t from = which == DIFF_BEFORE ? 0 : arguments->options.run_counts[DIFF_BEFORE];
	size_t to = from + arguments->options.run_counts[which];

	for (size_t i = from; i < to; i++)
		for (size_t j = from; j < i; j++)
			if (strcmp(arguments->paths[i], arguments->paths[j]) == 0)
				argp_error(state, "%s is given twice on one side",
					   arguments->paths[i]);
}

static void check_count(struct arguments *arguments, struct argp_state *state)
{
	size_t *counts = arguments->options.run_counts;

	if (arguments->separated) {
		counts[DIFF_AFTER] = arguments->path_count - counts[DIFF_BEFORE];
		if (!counts[DIFF_BEFORE] || !counts[DIFF_AFTER])
			argp_error(state,
				   "give at least one recording on each side of '" SEPARATOR "'");
	} else {
		if (arguments->path_count > DIFF_SIDES)
			argp_error(state,
				   "give two recordings, or several on each side of a '" SEPARATOR
				   "', as in: A1 A2 A3 " SEPARATOR " B1 B2 B3");
		counts[DIFF_BEFORE] = counts[DIFF_AFTER] = 1;
	}
	if (counts[DIFF_BEFORE] > DIFF_RUNS_MAX || counts[DIFF_AFTER] > DIFF_RUNS_MAX)
		argp_error(state, "give at most %d recordings on each side", DIFF_RUNS_MAX);
}

/* The calls of some threads, or in a part of the time, were not counted apart. */
static void choose_per_call(struct arguments *arguments)
{
	struct diff_options *options = &arguments->options;

	if (options->per != DIFF_PER_DEFAULT)
		return;
	options->per = DIFF_PER_SHARE;
	if (arguments->range_given || filter_has_a_part(&arguments->filter))
		return;
	options->per = DIFF_PER_EVENT;
	options->per_event = DIFF_CALL;
}

static void check(struct arguments *arguments, struct argp_state *state)
{
	if (arguments->by_calls || filter_has_spans(&arguments->filter))
		choose_per_call(arguments);
	if (!arguments->path_count)
		argp_error(state, "give two recordings, or one with --before=A-B and --after=C-D");
	if (arguments->path_count == 1 && !arguments->separated) {
		check_ranges(arguments, state);
		arguments->paths[arguments->path_count++] = arguments->paths[0];
	}
	check_count(arguments, state);
	for (int i = 0; i < DIFF_SIDES; i++)
		check_repeated(arguments, (enum diff_which)i, state);
	if (arguments->range_given && has_range(&arguments->filter))
		argp_error(state, "--time applies to both sides; do not combine it with "
				  "--before or --after");
}

static void add_path(struct arguments *arguments, const char *path, struct argp_state *state)
{
	if (strcmp(path, SEPARATOR) == 0) {
		if (arguments->separated)
			argp_error(state, "give '" SEPARATOR "' only once");
		arguments->separated = true;
		arguments->options.run_counts[DIFF_BEFORE] = arguments->path_count;
		return;
	}
	if (arguments->path_count == PATHS_MAX)
		argp_error(state, "give at most %d recordings on each side", DIFF_RUNS_MAX);
	arguments->paths[arguments->path_count++] = path;
}

static error_t parse_other(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[2] = &arguments->filter;
		state->child_inputs[1] = &arguments->print;
		state->child_inputs[3] = &arguments->filter;
		return 0;
	case 'i':
	case ARGP_KEY_ARG:
		add_path(arguments, arg, state);
		return 0;
	case ARGP_KEY_END:
		check(arguments, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case OPTION_BY:
		parse_by(arguments, arg, state);
		return 0;
	case OPTION_PER:
		parse_per(arguments, arg, state);
		return 0;
	case OPTION_BEFORE:
	case OPTION_AFTER:
		parse_range(arguments, key == OPTION_BEFORE ? DIFF_BEFORE : DIFF_AFTER, arg, state);
		return 0;
	case OPTION_SPAN:
		parse_span(arguments, arg, state);
		return 0;
	case OPTION_FAIL_IF:
		parse_condition(arguments, arg, state);
		return 0;
	case OPTION_LIMIT:
		arguments->limit = option_rows(arg, state);
		arguments->limit_given = true;
		return 0;
	default:
		return parse_other(key, arg, state);
	}
}

/* ---- comparing ---- */

struct comparison {
	struct recording *recordings[PATHS_MAX];
	struct model models[PATHS_MAX];
	struct diff_side sides[PATHS_MAX];
	struct diff diff;
	struct err err;
};

static void comparison_fini(struct comparison *comparison)
{
	diff_fini(&comparison->diff);
	for (size_t i = 0; i < PATHS_MAX; i++) {
		model_fini(&comparison->models[i]);
		recording_close(comparison->recordings[i]);
	}
}

/*
 * Returns the filter for the recordings of one side: the conditions that apply to both, and the
 * side's own conditions. The filter points to conditions that @arguments owns, so the caller
 * must not free it.
 */
static struct filter filter_of(const struct arguments *arguments, enum diff_which which)
{
	const struct filter *side = &arguments->sides[which];
	struct filter filter = arguments->filter;

	if (has_range(side)) {
		filter.from_ns = side->from_ns;
		filter.to_ns = side->to_ns;
	}
	filter.slow_spans |= side->slow_spans;
	filter.fast_spans |= side->fast_spans;
	return filter;
}

static int compare(struct comparison *comparison, struct arguments *arguments)
{
	const struct filter filters[DIFF_SIDES] = { filter_of(arguments, DIFF_BEFORE),
						    filter_of(arguments, DIFF_AFTER) };
	bool lines = arguments->filter.inlined ||
		     dimensions_have(arguments->options.by, arguments->options.by_count, BY_LINE);
	int rc;

	for (size_t i = 0; i < arguments->path_count; i++)
		rights_allow(arguments->paths[i]);
	for (size_t i = 0; i < arguments->path_count; i++) {
		bool after = i >= arguments->options.run_counts[DIFF_BEFORE];

		rc = (lines ? cli_load_with_lines
			    : cli_load_recording)(arguments->paths[i], &comparison->recordings[i],
						  &comparison->models[i], &comparison->err);
		if (rc < 0)
			return rc;
		comparison->sides[i] = (struct diff_side){ comparison->recordings[i],
							   &comparison->models[i],
							   &filters[after] };
	}
	arguments->options.conditions = arguments->conditions;
	arguments->options.inlined = arguments->filter.inlined;
	rc = diff_make(comparison->sides, &arguments->options, &comparison->diff, &comparison->err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < arguments->path_count; i++) {
		rc = cli_say_losses(arguments->paths[i], comparison->recordings[i],
				    &comparison->models[i], &comparison->err);
		if (rc < 0)
			return rc;
		recording_close(TAKE_PTR(comparison->recordings[i]));
	}
	return 0;
}

static int print(struct comparison *comparison, const struct arguments *arguments)
{
	static int (*const printers[])(const struct diff_show *, FILE *) = {
		[REPORT_TEXT] = diff_as_text,
		[REPORT_JSON] = diff_as_json,
		[REPORT_CSV] = diff_as_csv,
	};
	struct diff_show show = {
		.diff = &comparison->diff,
		.paths = arguments->paths,
		.models = comparison->models,
		.style.limit = arguments->limit,
	};
	struct pager pager;
	int rc;

	if (!arguments->limit_given && arguments->print.format == REPORT_TEXT)
		show.style.limit = ROWS_IN_TEXT;
	show.style.columns = pager_columns(STDOUT_FILENO);
	show.style.settings = &option_names;
	pager_start(&pager, arguments->print.format == REPORT_TEXT && !arguments->print.no_pager);
	rc = printers[arguments->print.format](&show, stdout);
	pager_end(&pager);
	return rc < 0 ? err_sys(&comparison->err, rc, "%s", arguments->paths[0]) : 0;
}

/*
 * Returns the exit status, which is EXIT_NO_MATCH if a --fail-if condition is true. Prints a
 * message for each condition that is true, and for each condition that matches no function. The
 * messages go to stderr, so that the user sees them even if stdout is redirected to a file.
 */
static int status_of(const struct diff *diff)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < diff->options.condition_count; i++) {
		if (!diff->judgements[i].matched)
			cli_message("%s: no function of either recording matches",
				    diff->options.conditions[i].text);
		if (!diff->judgements[i].holds)
			continue;
		cli_message("%s: the condition holds", diff->options.conditions[i].text);
		status = EXIT_NO_MATCH;
	}
	return status;
}

/* Returns the path of the first recording of a side. */
/* Returns the number of the first recording of a side. */
static size_t first_of(const struct arguments *arguments, int which)
{
	return which == DIFF_BEFORE ? 0 : arguments->options.run_counts[DIFF_BEFORE];
}

static int compare_and_print(struct arguments *arguments)
{
	_cleanup_(comparison_fini) struct comparison comparison = { 0 };

	if (compare(&comparison, arguments) < 0) {
		cli_error(&comparison.err);
		return EXIT_FAILED;
	}
	for (int i = 0; i < DIFF_SIDES; i++)
		if (!comparison.diff.wholes[i].samples) {
			size_t first = first_of(arguments, i);

			filter_say_unmatched(&arguments->filter, &comparison.models[first]);
			cli_message(filter_is_set(&arguments->filter) || arguments->range_given ||
						    arguments->by_calls
					    ? "%s: no sample matches the filter"
					    : "%s: the recording has no samples",
				    arguments->paths[first]);
			return EXIT_NO_MATCH;
		}
	for (int i = 0; i < DIFF_SIDES; i++) {
		const struct filter filter = filter_of(arguments, (enum diff_which)i);

		filter_say_doubts(&filter, &comparison.models[first_of(arguments, i)]);
	}
	if (print(&comparison, arguments) < 0) {
		cli_error(&comparison.err);
		return EXIT_FAILED;
	}
	return status_of(&comparison.diff);
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {
		FILTER_OPTIONS, PRINT_OPTIONS, INLINE_OPTIONS, WALL_OPTIONS, { 0 }
	};
	static const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.children = children,
		.args_doc =
			"BEFORE AFTER\nBEFORE... : AFTER...\nRECORDING --before=A-B --after=C-D",
		.doc = "Shows what changed from one recording to another, and whether the "
		       "change is more than chance.",
	};
	_cleanup_(arguments_fini) struct arguments arguments = {
		.filter = FILTER_INIT,
		.sides = { FILTER_INIT, FILTER_INIT },
		.options = { .by = { BY_FUNCTION }, .by_count = 1 },
	};

	if (cli_parse(&argp, argc, argv, 0, &arguments) != 0)
		return EXIT_USAGE;
	return compare_and_print(&arguments);
}

const struct command cmd_diff = {
	.name = "diff",
	.summary = "compare two recordings and tell changes from chance",
	.run = run,
};
