/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assay top: shows what the machine is executing, on a screen or as a stream of JSON. */
#include <errno.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analyze/live.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/advice_lines.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/record_options.h"
#include "cli/rights.h"
#include "cli/talk.h"
#include "cli/top_keep.h"
#include "cli/top_screen.h"
#include "cli/top_view.h"
#include "present/top.h"

#define REFRESH_DEFAULT_S 2
#define WINDOW_DEFAULT_S 10
#define SECONDS_MAX 3600
#define FRAME_ROWS_DEFAULT 50		/* default number of rows per frame in JSON */
/* maximum number of keys handled before the perf rings are drained again */
#define KEYS_AT_ONCE 32

enum option_key {
	OPTION_BY = 0x200,
	OPTION_REFRESH,
	OPTION_WINDOW,
	OPTION_JSON,
	OPTION_FRAMES,
	OPTION_LIMIT,
};

struct arguments {
	struct record_arguments record;
	enum dimension by;
	uint64_t refresh_ms, window_ns;
	uint64_t frames;		/* number of frames to show; 0: no limit */
	size_t limit;			/* maximum number of rows in a JSON frame; 0: all */
	bool json;
};

static void arguments_fini(struct arguments *arguments)
{
	record_arguments_fini(&arguments->record);
}

struct top {
	const struct arguments *arguments;
	struct session_watch watch;
	struct live live;
	struct top_view view;
	struct live_frame frame;	/* the latest frame; zeroed before the first one */
	struct model *model;
	struct top_keep keep;
	char title[256];
	char *advice;			/* page of advice; NULL: it is not shown */
	uint64_t shown;			/* number of frames shown */
	bool irq_timed;
	/* true if the current time window has begun; false while the display is frozen */
	bool has_begun;
};

static const struct argp_option option_list[] = {
	{ NULL, 0, NULL, 0, "What to show:", 4 },
	{ "by", OPTION_BY, "DIMENSION", 0,
	  "begin with rows by process (default), application, thread, function, image, context, "
	  "cpu or another dimension of report --by",
	  0 },
	{ "refresh", OPTION_REFRESH, "SECONDS", 0, "update the screen this often (default: 2)", 0 },
	{ "window", OPTION_WINDOW, "SECONDS", 0,
	  "show the samples of the last SECONDS (default: 10)", 0 },
	{ "json", OPTION_JSON, NULL, 0, "print one JSON object per update instead of a screen", 0 },
	{ "frames", OPTION_FRAMES, "N", 0, "stop after N updates", 0 },
	{ "limit", OPTION_LIMIT, "N", 0,
	  "print at most N rows per update in JSON; 0: all (default: 50)", 0 },
	{ 0 },
};

/* ---- the command line ---- */

static enum dimension dimension_of(const char *text, struct argp_state *state)
{
	enum dimension by[GROUP_KEYS_MAX];
	uint64_t masks[FIELD_COUNT];
	struct err err = { 0 };
	size_t count = 0;

	if (dimensions_parse(text, by, &count, &err) < 0)
		argp_error(state, "%s", err.text);
	dimensions_field_masks(by, count, masks);
	for (int i = 0; i < FIELD_COUNT; i++)
		if (masks[i])
			argp_error(state, "--by: top cannot show '%s', which only recordings have",
				   text);
	if (count != 1 || by[0] == BY_TIME || by[0] == BY_LINE || by[0] == BY_ADDRESS ||
	    by[0] == BY_BLOCK || by[0] == BY_EVENT)
		argp_error(state,
			   "--by: top cannot show '%s'; give one dimension other than "
			   "address, line, block, event and time",
			   text);
	return by[0];
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->record;
		return 0;
	case OPTION_BY:
		arguments->by = dimension_of(arg, state);
		return 0;
	case OPTION_REFRESH:
		arguments->refresh_ms = option_seconds_ms("--refresh", arg, 100, SECONDS_MAX,
							  state);
		return 0;
	case OPTION_WINDOW:
		arguments->window_ns = option_seconds_ms("--window", arg, 100, SECONDS_MAX, state) *
				       NS_PER_MSEC;
		return 0;
	case OPTION_JSON:
		arguments->json = true;
		return 0;
	case OPTION_FRAMES:
		arguments->frames = option_rows(arg, state);
		return 0;
	case OPTION_LIMIT:
		arguments->limit = option_rows(arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int settle(struct arguments *arguments, struct err *err)
{
	struct record_arguments *record = &arguments->record;
	struct record_options *options = &record->options;

	if (options->command)
		return err_set(err, -EINVAL, "top does not run a command; use `assay run`");
	if (options->flush_ms)
		return err_set(err, -EINVAL,
			       "top writes once per update; use --refresh instead of -M");
	if (!record->system_wide && !record->ids.list.count && !options->capture.cgroup &&
	    !record->has_uid)
		record->system_wide = true;
	options->flush_ms = arguments->refresh_ms;
	options->no_calibration = true;
	options->no_recording = options->output == NULL;
	return record_arguments_settle(record, err);
}

static bool read_arguments(int argc, char **argv, struct arguments *arguments)
{
	static const struct argp_child children[] = { { &record_argp, 0, NULL, 1 }, { 0 } };
	static const struct argp argp = {
		.options = option_list,
		.parser = parse,
		.children = children,
		.doc = "Shows what the machine executes now and keeps updating it.",
	};
	struct err err = { 0 };

	if (cli_parse(&argp, argc, argv, ARGP_IN_ORDER, arguments) != 0)
		return false;
	if (settle(arguments, &err) == 0)
		return true;
	cli_error(&err);
	return false;
}

/* ---- showing ---- */

static size_t table_rows(void)
{
	size_t lines = top_screen_lines();

	return lines > TOP_HEAD_LINES + 1 ? lines - TOP_HEAD_LINES - 1 : 1;
}

static void bottom_line(const struct top *top, char *line, size_t size_bytes)
{
	const struct top_view *view = &top->view;

	if (view->typing == TOP_TYPES_NAMES)
		(void)snprintf(line, size_bytes, "names like: %s", view->typed);
	else if (view->typing == TOP_TYPES_FILE)
		(void)snprintf(line, size_bytes, "save as (top.assay): %s", view->typed);
	else
		(void)snprintf(line, size_bytes, "%s",
			       view->message[0] ? view->message : top_view_keys);
}

/* Makes the page of advice when it is first shown, because it takes a while to find packages. */
static int settle_advice(struct top *top)
{
	struct advice_lines lines;
	size_t size = 0, hints = 0;
	FILE *out;
	int rc;

	if (!top->view.advice) {
		free(TAKE_PTR(top->advice));
		return 0;
	}
	if (top->advice || !top->model)
		return 0;
	out = open_memstream(&top->advice, &size);
	if (!out)
		return -ENOMEM;
	rc = advice_lines_make(&top->frame.profile, NULL, &lines);
	for (size_t i = 0; rc == 0 && i < lines.count; i++)
		hints += !lines.at[i].warns;
	if (rc == 0 && hints == 0)
		(void)fputs("Nothing would name more of these functions.\n", out);
	if (rc == 0)
		advice_print_hints(&lines, top_screen_columns(), out);
	(void)fputs("\nPress any key to go back.\n", out);
	advice_lines_fini(&lines);
	return fclose(out) == 0 ? rc : -ENOMEM;
}

static int draw(struct top *top)
{
	const struct top_view *view = &top->view;
	const char *page = view->help ? top_view_help : view->advice ? top->advice : NULL;
	const struct top_style style = {
		.columns = top_screen_columns(),
		.first = view->first,
		.rows = table_rows(),
		.title = top->title,
		.process = view->question.process ? view->process : NULL,
		.names = view->names[0] ? view->names : NULL,
		.frozen = view->frozen,
		.irq_timed = top->irq_timed,
	};
	_cleanup_free_ char *text = NULL;
	size_t size = 0, selected = SIZE_MAX;
	char bottom[2 * TOP_TYPED_MAX];
	FILE *out = open_memstream(&text, &size);
	int rc;

	if (!out)
		return -ENOMEM;
	rc = top_as_text(&top->frame, &style, out);
	if (fclose(out) != 0 || rc < 0)
		return -ENOMEM;
	if (top->frame.table.rows.count)
		selected = TOP_HEAD_LINES + view->selected - view->first;
	bottom_line(top, bottom, sizeof(bottom));
	top_screen_show(page ? page : text, page ? 0 : TOP_HEAD_LINES - 1,
			page ? SIZE_MAX : selected, bottom, view->typing != TOP_TYPES_NOTHING);
	return 0;
}

static int look(struct top *top)
{
	live_frame_fini(&top->frame);
	top->frame = (struct live_frame){ 0 };
	if (!top->model)
		return 0;
	return live_look(&top->live, top->model, &top->view.question, &top->frame);
}

static int show(struct top *top)
{
	int rc = look(top);

	if (rc < 0)
		return rc;
	if (top->arguments->json) {
		rc = top_as_json(&top->frame, top->arguments->limit, stdout);
		return fflush(stdout) == 0 && !ferror(stdout) ? rc : -EPIPE;
	}
	top_view_settle(&top->view, top->frame.table.rows.count, table_rows());
	rc = settle_advice(top);
	return rc < 0 ? rc : draw(top);
}

/* ---- called by the recorder ---- */

/*
 * Adds the samples of one flush to the window. While the user has frozen the display, no samples
 * are added. When the user unfreezes the display, a new window begins.
 */
static int add(struct top *top, const struct session_sight *sight)
{
	if (top->view.frozen || !sight->start_ns) {
		top->has_begun = false;
		return 0;
	}
	if (!top->has_begun) {
		bool is_first = top->shown == 0 || !top->model;
		int rc = live_begin(&top->live, is_first ? NULL : sight->model,
				    is_first ? sight->start_cpu_ns : sight->own_cpu_ns,
				    is_first ? sight->start_ns : sight->now_ns);

		top->has_begun = true;
		if (rc < 0 || !is_first)
			return rc;
	}
	return live_add(&top->live, sight->model, sight->batch, sight->own_cpu_ns, sight->now_ns);
}

/*
 * Checks whether the recording can still be saved. If the user has already asked to save it (key
 * w), but the recorder has abandoned the recording since then, shows a message at once.
 */
static void look_after_keeping(struct top *top, const struct session_sight *sight)
{
	struct top_view *view = &top->view;

	view->can_save = top_keep_look(&top->keep, sight->is_kept);
	if (view->can_save || !view->file[0] || top->keep.is_users)
		return;
	(void)snprintf(view->message, sizeof(view->message),
		       "%s will not be saved: there are too many samples to keep", view->file);
}

static int on_flush(void *context, const struct session_sight *sight, struct err *err)
{
	struct top *top = context;
	int rc;

	look_after_keeping(top, sight);
	rc = symbolize(sight->model, sight->naming, err);
	if (rc < 0)
		return rc;
	rc = add(top, sight);
	top->model = sight->model;
	top->irq_timed = sight->irq_timed;
	if (rc == 0)
		rc = show(top);
	if (rc < 0 && rc != -EPIPE)
		return err_set(err, rc, "no memory to show %zu samples",
			       top->live.samples.samples.count);
	top->shown++;
	return rc == -EPIPE || top->shown == top->arguments->frames ? SESSION_END : SESSION_GO_ON;
}

static void on_release(void *context)
{
	struct top *top = context;

	live_forget(&top->live);
	if (!top->view.frozen)
		return;
	top->view.frozen = false;
	(void)snprintf(top->view.message, sizeof(top->view.message),
		       "no longer frozen: the memory of the frozen samples was needed");
}

static int on_input(void *context)
{
	struct top *top = context;
	int key, left = KEYS_AT_ONCE;

	while (left-- > 0 && !top->view.leave && (key = top_screen_key()) != TOP_KEY_NONE)
		top_view_key(&top->view, key, &top->frame, table_rows());
	top->watch.is_kept = top->keep.is_users || top->view.file[0];
	return show(top) < 0 || top->view.leave ? SESSION_END : SESSION_GO_ON;
}

/* ---- from start to end ---- */

static void make_title(struct top *top)
{
	struct utsname name;

	(void)snprintf(top->title, sizeof(top->title), "assay top on %s",
		       uname(&name) == 0 ? name.nodename : "this machine");
}

static void clean_up(void *context)
{
	top_keep_end(context);
}

/* Messages are printed only after the screen has been closed. */
static int run_top(struct top *top, const struct record_options *record)
{
	const struct session_listener silent = { 0 };
	struct record_outcome outcome;
	struct err err = { 0 };
	int status;

	if (!top->arguments->json && top_screen_open(clean_up, &top->keep, &err) < 0) {
		cli_error(&err);
		return EXIT_FAILED;
	}
	outcome = record_session(record, &silent, &top->watch);
	top_screen_close();
	if (outcome.err.code)
		cli_error(&outcome.err);
	status = talk_exit_status(&outcome);
	if (!top->view.file[0] || top->keep.is_users)
		return status;
	if (!outcome.have_recording)
		cli_message("%s was not saved: there were too many samples to keep",
			    top->view.file);
	else if (top_keep_take(&top->keep, top->view.file, &err) == 0)
		return status;
	else
		cli_error(&err);
	return EXIT_FAILED;
}

/* A recording that the user asks for is saved when the rights to save it anywhere are given up. */
static void give_guard(struct top *top, struct record_options *record)
{
	record->guard = rights_guard_new();
	if (!record->guard)
		return;
	if (top->keep.folder[0])
		(void)guard_allow(record->guard, top->keep.folder);
	(void)guard_allow_new(record->guard, ".");
	top->view.saves_here = true;
}

static void top_fini(struct top *top)
{
	live_frame_fini(&top->frame);
	free(top->advice);
	top_view_fini(&top->view);
	live_fini(&top->live);
	top_keep_end(&top->keep);
}

static int run(int argc, char **argv)
{
	_cleanup_(arguments_fini) struct arguments arguments = {
		.by = BY_PROCESS,
		.refresh_ms = REFRESH_DEFAULT_S * 1000,
		.window_ns = WINDOW_DEFAULT_S * NS_PER_SEC,
		.limit = FRAME_ROWS_DEFAULT,
	};
	_cleanup_(top_fini) struct top top = { .arguments = &arguments };

	if (!read_arguments(argc, argv, &arguments))
		return EXIT_USAGE;
	top_keep_begin(&top.keep, &arguments.record.options, arguments.json);
	top.watch = (struct session_watch){
		.fd = arguments.json ? -1 : STDIN_FILENO,
		.on_input = on_input,
		.on_flush = on_flush,
		.on_release = on_release,
		.context = &top,
		.is_kept = top.keep.is_users,
	};
	give_guard(&top, &arguments.record.options);
	live_init(&top.live, arguments.window_ns);
	top_view_init(&top.view, arguments.by);
	make_title(&top);
	return run_top(&top, &arguments.record.options);
}

const struct command cmd_top = {
	.name = "top",
	.summary = "show what the machine executes now",
	.run = run,
};
