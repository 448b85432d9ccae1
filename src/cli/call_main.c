/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/call_main.h"
#include "cli/filter_options.h"
#include "cli/metric_options.h"

#include "base/cleanup.h"
#include "cli/advice_lines.h"
#include "cli/pager.h"
#include "cli/say_losses.h"
#include "cli/symbolize_now.h"

#define MIN_PERCENT 0.5		/* default minimum share in text output, in percent */

struct view {
	struct recording *recording;
	struct model model;
	struct metric metric;
	struct profile profile;
	struct palette palette;
	struct err err;
};

static void view_fini(struct view *view)
{
	palette_fini(&view->palette);
	profile_fini(&view->profile);
	metric_fini(&view->metric);
	model_fini(&view->model);
	recording_close(view->recording);
}

static int load(struct view *view, const struct call_options *options)
{
	const struct profile_options wanted = {
		.filter = filter_is_set(&options->filter) ? &options->filter : NULL,
		.metric = &view->metric,
		.by_stack = true,
		.inlined = options->filter.inlined,
	};
	const struct metric_options metric = { .filter = &options->filter, .states = true };
	int rc = (options->filter.inlined ? cli_load_with_lines : cli_load_recording)(
		options->path, &view->recording, &view->model, &view->err);

	if (rc < 0)
		return rc;
	rc = cli_metric_make(options->path, view->recording, &view->model, &metric, &view->metric,
			     &view->err);
	if (rc < 0)
		return rc;
	rc = profile_read(view->recording, &view->model, &wanted, &view->profile, &view->err);
	if (rc < 0)
		return rc;
	rc = cli_say_losses(options->path, view->recording, &view->model, &view->err);
	if (rc < 0)
		return rc;
	/*
	 * Close the recording before the pager starts, because the user may leave the pager open
	 * for a long time. As long as the recording is open here, a recorder that is still running
	 * cannot move its journal into the file.
	 */
	recording_close(TAKE_PTR(view->recording));
	return 0;
}

static struct call_style style_of(const struct view *view, const struct call_options *options,
				  size_t text_limit)
{
	bool is_text = options->print.format == REPORT_TEXT;
	struct call_style style = {
		.format = options->print.format,
		.limit = options->limit,
		.min_share = options->min_percent / 100,
		.columns = pager_columns(STDOUT_FILENO),
		.settings = &option_names,
	};

	if (is_text && !options->limit_given && !options->min_percent_given) {
		style.limit = text_limit;
		style.min_share = MIN_PERCENT / 100;
	}
	if (color_wanted(options->color, STDOUT_FILENO))
		style.palette = &view->palette;
	return style;
}

static int print_advice(const struct view *view, const struct call_options *options,
			const struct call_style *style)
{
	const struct advice_style how = { .columns = style->columns,
					  .is_colored = style->palette != NULL };

	return advice_print(&view->profile, options->path, &how, stdout);
}

int call_main(const struct call_options *options, size_t text_limit, call_print_fn print,
	      const void *context)
{
	_cleanup_(view_fini) struct view view = { 0 };
	/*
	 * Compute the style before the pager starts: the style includes the terminal's width, which
	 * is read from stdout, and the pager replaces stdout.
	 */
	const struct call_style style = style_of(&view, options, text_limit);
	struct pager pager;
	int rc;

	if (load(&view, options) < 0) {
		cli_error(&view.err);
		return EXIT_FAILED;
	}
	if (view.profile.filtered && !view.profile.stacks.total.samples) {
		filter_say_unmatched(&options->filter, &view.model);
		cli_message("%s: no sample matches the filter", options->path);
		return EXIT_NO_MATCH;
	}
	filter_say_doubts(&options->filter, &view.model);
	pager_start(&pager, options->print.format == REPORT_TEXT && !options->print.no_pager);
	rc = palette_make(&view.profile, view.profile.stacks.event, &view.palette);
	if (rc == 0)
		rc = print(&view.profile, &style, context, stdout);
	if (rc == 0 && style.format == REPORT_TEXT)
		rc = print_advice(&view, options, &style);
	pager_end(&pager);
	if (rc < 0) {
		(void)err_sys(&view.err, rc, "%s", options->path);
		cli_error(&view.err);
		return EXIT_FAILED;
	}
	return rc == CALL_NO_MATCH ? EXIT_NO_MATCH : EXIT_OK;
}
