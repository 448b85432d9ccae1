/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay flame: draws samples by call path, as a flame graph. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/nearest_word.h"
#include "cli/advice_lines.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/input_options.h"
#include "cli/metric_options.h"
#include "cli/option_values.h"
#include "cli/output_file.h"
#include "cli/pager.h"
#include "cli/print_options.h"
#include "cli/rights.h"
#include "cli/say_losses.h"
#include "cli/symbolize_now.h"
#include "present/flame_svg.h"
#include "present/losses.h"

#define DEFAULT_SVG "profile.svg"

struct flame_arguments {
	/* @path is the recording to draw. @before is the recording to compare it with, or NULL. */
	const char *path, *before;
	const char *output;	/* NULL means stdout, or DEFAULT_SVG if stdout is a terminal */
	struct filter filter;
	struct flame_options options;
	bool color_given;
	/* DIMENSION_COUNT: --group was not given */
	enum dimension group;
	bool no_group;
	bool no_inline;
	/* @filter.inlined is the default: use the lines at hand, and look for no others */
	bool lines_at_hand;
};

enum option_key {
	OPTION_ICICLE = 256,
	OPTION_COLOR,
	OPTION_MIN_PERCENT,
	OPTION_DIFF,
	OPTION_TITLE,
	OPTION_NO_INLINE,
	OPTION_GROUP,
};

static const struct argp_option option_list[] = {
	{ "output", 'o', "FILE", 0,
	  "Write to FILE (default: standard output, or " DEFAULT_SVG " if that is a terminal)", 1 },
	{ "icicle", OPTION_ICICLE, NULL, 0, "Draw callers above the functions they called", 1 },
	{ "color-by", OPTION_COLOR, "WHAT", 0, "Color by image (the default) or by context", 1 },
	{ "color", OPTION_COLOR, "WHAT", OPTION_ALIAS | OPTION_HIDDEN, NULL, 1 },
	{ "group", OPTION_GROUP, "WHAT", 0,
	  "Draw one tower for each application, process, thread, cgroup, context or cpu, or with "
	  "none for all together (default: application if the whole machine was recorded)",
	  1 },
	{ "no-inline", OPTION_NO_INLINE, NULL, 0,
	  "Do not draw inlined functions (default: draw those that are known)", 1 },
	{ "diff", OPTION_DIFF, "RECORDING", 0,
	  "Color by change since that recording: red is more, blue is less, grey is within noise",
	  1 },
	{ "title", OPTION_TITLE, "TEXT", 0,
	  "Use this title (default: the command, host, date and event)", 1 },
	{ "min-percent", OPTION_MIN_PERCENT, "P", 0,
	  "Draw only functions with at least this share (default: all that are wide enough to "
	  "see, up to 2 MB)",
	  1 },
	{ 0 },
};

static enum flame_view parse_color(const char *text, struct argp_state *state)
{
	if (strcmp(text, "image") == 0)
		return FLAME_BY_IMAGE;
	if (strcmp(text, "context") != 0)
		argp_error(state, "--color-by must be image or context, not '%s'", text);
	return FLAME_BY_CONTEXT;
}

static void parse_group(const char *text, struct flame_arguments *arguments,
			struct argp_state *state)
{
	static const enum dimension groups[] = { BY_APPLICATION, BY_PROCESS, BY_THREAD,
						 BY_CGROUP,	 BY_CONTEXT, BY_CPU };
	struct nearest_word nearest = { .wanted = text };
	char meant[NEAREST_WORD_TEXT_MAX];

	arguments->no_group = strcmp(text, "none") == 0;
	arguments->group = DIMENSION_COUNT;
	nearest_word_offer(&nearest, "none");
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		nearest_word_offer(&nearest, dimension_name(groups[i]));
		if (strcmp(text, dimension_name(groups[i])) == 0)
			arguments->group = groups[i];
	}
	if (arguments->group == DIMENSION_COUNT && !arguments->no_group)
		argp_error(state,
			   "--group must be application, process, thread, cgroup, context, cpu or "
			   "none, not '%s'%s",
			   text, nearest_word_text(&nearest, meant));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct flame_arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		for (int i = 0; i < 3; i++)
			state->child_inputs[i] = &arguments->filter;
		state->child_inputs[3] = &arguments->path;
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case OPTION_ICICLE:
		arguments->options.icicle = true;
		return 0;
	case OPTION_DIFF:
		arguments->before = arg;
		return 0;
	case OPTION_GROUP:
		parse_group(arg, arguments, state);
		return 0;
	case OPTION_NO_INLINE:
		arguments->no_inline = true;
		return 0;
	case OPTION_TITLE:
		arguments->options.title = arg;
		return 0;
	case OPTION_COLOR:
		arguments->options.view = parse_color(arg, state);
		arguments->color_given = true;
		return 0;
	case OPTION_MIN_PERCENT:
		arguments->options.min_share = option_percent(arg, state) / 100;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- reading ---- */

struct flame {
	/* sides[0], the earlier recording, is only used with --diff */
	struct diff_side sides[DIFF_SIDES];
	struct model models[DIFF_SIDES];
	struct metric metric;
	struct profile profile;
	struct call_tree tree;
	struct path_change *changes;
	struct err err;
};

static void flame_fini(struct flame *flame)
{
	free(flame->changes);
	call_tree_fini(&flame->tree);
	profile_fini(&flame->profile);
	metric_fini(&flame->metric);
	for (int i = 0; i < DIFF_SIDES; i++) {
		model_fini(&flame->models[i]);
		recording_close(flame->sides[i].recording);
	}
}

static int load(struct flame *flame, enum diff_which which, const struct flame_arguments *arguments)
{
	const char *path = which == DIFF_BEFORE ? arguments->before : arguments->path;
	const struct filter *filter = &arguments->filter;
	struct diff_side *side = &flame->sides[which];

	side->model = &flame->models[which];
	side->filter = filter_is_set(filter) ? filter : NULL;
	if (!filter->inlined)
		return cli_load_recording(path, &side->recording, side->model, &flame->err);
	return (arguments->lines_at_hand ? cli_load_with_lines_at_hand : cli_load_with_lines)(
		path, &side->recording, side->model, &flame->err);
}

/* Sets *@options to the groups that were asked for, or to the default. */
static void choose_groups(const struct flame_arguments *arguments, const struct model *model,
			  struct call_tree_options *options)
{
	options->grouped = arguments->group != DIMENSION_COUNT ||
			   (model_is_of_machine(model) && !arguments->no_group);
	options->group = arguments->group != DIMENSION_COUNT ? arguments->group : BY_APPLICATION;
}

static int read_tree(struct flame *flame, const struct flame_arguments *arguments)
{
	const struct metric_options metric = { .filter = &arguments->filter, .states = true };
	const struct diff_side *side = &flame->sides[DIFF_AFTER];
	struct call_tree_options options = { 0 };
	int rc = load(flame, DIFF_AFTER, arguments);

	if (rc < 0)
		return rc;
	rc = cli_metric_make(arguments->path, side->recording, side->model, &metric, &flame->metric,
			     &flame->err);
	if (rc < 0)
		return rc;
	choose_groups(arguments, side->model, &options);
	rc = profile_read(side->recording, side->model,
			  &(struct profile_options){ .filter = side->filter,
						     .metric = &flame->metric,
						     .by_stack = true,
						     .stacks_apart = options.grouped,
						     .by_cpu = options.grouped &&
							       options.group == BY_CPU,
						     .inlined = arguments->filter.inlined },
			  &flame->profile, &flame->err);
	if (rc < 0)
		return rc;
	rc = cli_say_losses(arguments->path, side->recording, side->model, &flame->err);
	if (rc < 0)
		return rc;
	rc = call_tree_make(&flame->profile, &options, &flame->tree);
	return rc < 0 ? err_sys(&flame->err, rc, "%s", arguments->path) : 0;
}

/*
 * Returns -ENODATA if there are no samples to draw. There is one exception: without a filter and
 * without a second recording, a recording without samples is accepted, and the flame graph is
 * empty.
 */
static int check_samples(struct flame *flame, const struct flame_arguments *arguments)
{
	filter_say_doubts(&arguments->filter, &flame->models[DIFF_AFTER]);
	if (call_tree_total(&flame->tree)->samples)
		return 0;
	if (flame->profile.filtered) {
		filter_say_unmatched(&arguments->filter, &flame->models[DIFF_AFTER]);
		return err_set(&flame->err, -ENODATA, "%s: no sample matches the filter",
			       arguments->path);
	}
	return arguments->before ? err_set(&flame->err, -ENODATA,
					   "%s: the recording has no samples", arguments->path)
				 : 0;
}

/*
 * Loads the earlier recording. Then tests for each path whether its share changed significantly.
 * Only paths whose share is at least the minimum share are tested, because the fewer paths are
 * tested, the smaller the changes that can be recognized as significant.
 */
static int read_changes(struct flame *flame, const struct flame_arguments *arguments)
{
	double min_share = arguments->options.min_share;
	int rc = load(flame, DIFF_BEFORE, arguments);

	if (rc == 0)
		rc = path_changes_make(flame->sides, &flame->tree,
				       min_share < 0 ? FLAME_TESTED_SHARE : min_share,
				       &flame->changes, &flame->err);
	if (rc == 0)
		rc = cli_say_losses(arguments->before, flame->sides[DIFF_BEFORE].recording,
				    flame->sides[DIFF_BEFORE].model, &flame->err);
	return rc == -ENODATA ? err_prefix(&flame->err, "%s", arguments->before) : rc;
}

/* ---- writing ---- */

/* Returns the recorded command, or what was recorded instead. */
static const char *title_of(const struct model *model)
{
	const char *command = model_fact(model, FACT_COMMAND);

	if (command && *command)
		return command;
	return model_is_of_machine(model) ? "whole machine" : "profile";
}

/*
 * Returns what follows the command in the title, such as " on build7, 2026-11-26 13:58 UTC:
 * cpu-clock, 12345 samples". The caller frees it.
 */
static char *subtitle_of(const struct flame *flame, const char *before)
{
	const struct model *model = &flame->models[DIFF_AFTER];
	const char *host = model_fact(model, FACT_HOST);
	time_t start = (time_t)(model_fact_u64(model, FACT_START_REALTIME_NS) / NS_PER_SEC);
	char event[512], date[64] = "", *subtitle = NULL;
	struct tm utc;

	if (start && gmtime_r(&start, &utc))
		(void)strftime(date, sizeof(date), ", %Y-%m-%d %H:%M UTC", &utc);
	group_label(&flame->profile, BY_EVENT, flame->tree.event, event, sizeof(event));
	if (asprintf(&subtitle, "%s%s%s: %s, %llu samples%s%s", host && *host ? " on " : "",
		     host ? host : "", date, event,
		     (unsigned long long)call_tree_total(&flame->tree)->samples,
		     before ? ", compared with " : "", before ? before : "") < 0)
		return NULL;
	return subtitle;
}

static int open_output(const struct flame_arguments *arguments, struct output_file *file,
		       struct err *err)
{
	const char *output = arguments->output;

	if (!output && isatty(STDOUT_FILENO))
		output = DEFAULT_SVG;
	if (!output || strcmp(output, "-") == 0) {
		file->out = stdout;
		return 0;
	}
	if (input_is_file(arguments->path, output) ||
	    (arguments->before && input_is_file(arguments->before, output)))
		return err_set(err, -EINVAL,
			       "%s is an input of the flame graph and must not be overwritten",
			       output);
	return output_file_open(file, output, err);
}

static int flame_write(struct flame *flame, const struct flame_arguments *arguments)
{
	const struct shortfall shortfall = shortfall_of(&flame->models[DIFF_AFTER]);
	struct flame_options options = arguments->options;
	_cleanup_free_ char *subtitle = NULL;
	char losses[LOSSES_TEXT_MAX];
	struct output_file file;
	int rc = open_output(arguments, &file, &flame->err);

	if (rc < 0)
		return rc;
	if (!options.title) {
		options.title = title_of(&flame->models[DIFF_AFTER]);
		options.subtitle = subtitle = subtitle_of(flame, arguments->before);
	}
	options.changes = flame->changes;
	if (losses_text(&shortfall, losses))
		options.note = losses;
	if (flame->changes && !arguments->color_given)
		options.view = FLAME_BY_CHANGE;
	rc = flame_svg(&flame->tree, &options, file.out);
	if (rc < 0)
		(void)err_sys(&flame->err, rc, "%s: cannot draw the flame graph", arguments->path);
	if (file.out != stdout)		/* main() checks stdout for errors */
		rc = output_file_close(&file, rc, &flame->err);
	if (rc < 0)
		return rc;
	if (flame->tree.cut)
		cli_message("the recording has too many different stacks: some are counted in "
			    "their callers or groups, and not drawn");
	if (!arguments->output && file.out != stdout)
		cli_message("the flame graph is in %s", DEFAULT_SVG);
	return advice_print(&flame->profile, arguments->path,
			    &(struct advice_style){ .columns = pager_columns(STDERR_FILENO) },
			    stderr);
}

static int read_and_write(struct flame *flame, const struct flame_arguments *arguments)
{
	int rc = read_tree(flame, arguments);

	if (rc < 0)
		return rc;
	rc = check_samples(flame, arguments);
	if (rc < 0)
		return rc;
	if (arguments->before) {
		rc = read_changes(flame, arguments);
		if (rc < 0)
			return rc;
	}
	return flame_write(flame, arguments);
}

static int draw(const struct flame_arguments *arguments)
{
	_cleanup_(flame_fini) struct flame flame = { 0 };
	int rc;

	rights_allow(arguments->output ? arguments->output : DEFAULT_SVG);
	rights_allow(arguments->path);
	rights_allow(arguments->before);
	rc = read_and_write(&flame, arguments);

	if (rc < 0) {
		cli_error(&flame.err);
		return rc == -ENODATA && flame.profile.filtered ? EXIT_NO_MATCH : EXIT_FAILED;
	}
	return EXIT_OK;
}

/* --no-inline wins over --inline. Without both, known inlined functions are drawn. */
static const struct flame_arguments *settle_inline(struct flame_arguments *arguments)
{
	arguments->lines_at_hand = !arguments->filter.inlined;
	arguments->filter.inlined = !arguments->no_inline;
	return arguments;
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {
		FILTER_OPTIONS, INLINE_OPTIONS, WALL_OPTIONS, INPUTS_OPTIONS, { 0 }
	};
	const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.children = children,
		.args_doc = "[FILE]",
		.doc = "Draws a recording's samples as a flame graph "
		       "(default: " DEFAULT_RECORDING ").",
	};
	struct flame_arguments arguments = {
		.path = DEFAULT_RECORDING,
		.filter = FILTER_INIT,
		.options = { .min_share = -1 },
		.group = DIMENSION_COUNT,
	};
	int status = EXIT_USAGE;

	if (cli_parse(&argp, argc, argv, 0, &arguments) == 0)
		status = draw(settle_inline(&arguments));
	filter_fini(&arguments.filter);
	return status;
}

const struct command cmd_flame = {
	.name = "flame",
	.summary = "draw the calls that led to the samples as a flame graph",
	.run = run,
};
