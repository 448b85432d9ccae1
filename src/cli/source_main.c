/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/source_main.h"

#include <inttypes.h>

#include "analyze/lookup.h"
#include "analyze/source_view.h"
#include "base/cleanup.h"
#include "cli/annotate_target.h"
#include "cli/annotate_source.h"
#include "cli/command.h"
#include "cli/pager.h"
#include "cli/say_losses.h"
#include "present/source_view.h"
#include "store/source_table.h"

struct work {
	const struct annotate_options *options;
	struct recording *recording;
	struct model model;
	struct profile profile;
	struct group_selection selection;
	struct annotate_meant meant;
	struct source_views views;
	struct source_list sources;
	struct err err;
};

static void work_fini(struct work *work)
{
	source_list_fini(&work->sources);
	source_views_fini(&work->views);
	annotate_meant_fini(&work->meant);
	profile_fini(&work->profile);
	model_fini(&work->model);
	recording_close(work->recording);
}

static int load(struct work *work, const char *path)
{
	int rc = annotate_load(path, work->options, &work->recording, &work->model, &work->err);

	if (rc < 0)
		return rc;
	rc = annotate_read_profile(work->recording, &work->model, work->options, &work->profile,
				   &work->err);
	if (rc == 0)
		rc = cli_say_losses(path, work->recording, &work->model, &work->err);
	if (rc < 0)
		return rc;
	work->selection = annotate_selection(&work->profile, work->options);
	return 0;
}

static int make_views(struct work *work)
{
	const struct annotate_found *found = &work->meant.found;
	_cleanup_free_ bool *functions = calloc(work->model.functions.count + 1,
						sizeof(*functions));
	const struct source_wanted wanted = {
		.functions = work->meant.file ? NULL : functions,
		.file = work->meant.file,
	};

	if (!functions)
		return -ENOMEM;
	for (size_t i = 0; i < found->functions.count; i++)
		functions[found->functions.at[i].key[0]] = true;
	return source_views_make(&work->profile, &work->selection, &wanted, &work->views);
}

static int read_sources(struct work *work)
{
	size_t files = work->options->functions;
	int rc = recording_read_sources(work->recording, &work->model, &work->sources, NULL);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < work->views.list.count && i < files; i++) {
		rc = annotate_add_source(&work->model, work->views.list.at[i].file,
					 &work->options->sources, &work->sources);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * Prints a message if the requested line is beyond the end of the file, or if no sample has a known
 * source line. Returns the exit status.
 */
static int check(const struct work *work)
{
	const struct annotate_meant *meant = &work->meant;
	const struct source_text *text = source_of(&work->sources, meant->file);

	if (meant->file && meant->line && text && text->bytes && meant->line > text->starts.count)
		return annotate_no_such_line(meant, text);
	if (work->views.list.count)
		return EXIT_OK;
	cli_message("none of the %" PRIu64 " samples in '%s' has a known source line",
		    work->views.total.samples, work->options->what);
	return EXIT_NO_MATCH;
}

static int print(struct work *work)
{
	static int (*const printers[])(const struct source_views *, const struct source_style *,
				       FILE *) = {
		[REPORT_TEXT] = source_views_as_text,
		[REPORT_JSON] = source_views_as_json,
		[REPORT_CSV] = source_views_as_csv,
	};
	const struct annotate_options *options = work->options;
	const struct source_style style = {
		.sources = &work->sources,
		.files = options->functions,
		.limit = options->limit_given || options->print.format == REPORT_TEXT
				 ? options->style.limit
				 : 0,
		.line = work->meant.line,
		.columns = pager_columns(STDOUT_FILENO),
		.settings = &option_names,
	};
	struct pager pager;
	int rc;

	pager_start(&pager, options->print.format == REPORT_TEXT && !options->print.no_pager);
	rc = printers[options->print.format](&work->views, &style, stdout);
	pager_end(&pager);
	return rc;
}

static int make_and_print(struct work *work, int *ret_status)
{
	int rc = make_views(work);

	if (rc < 0)
		return rc;
	rc = read_sources(work);
	if (rc < 0)
		return rc;
	*ret_status = check(work);
	return *ret_status == EXIT_OK ? print(work) : 0;
}

/*
 * Loads the recording and prints the source files. If the user's text cannot be matched to code or
 * to lines, prints only a message and sets *ret_status to an exit status other than EXIT_OK.
 */
static int load_and_print(struct work *work, const char *path, int *ret_status)
{
	int rc = load(work, path);

	if (rc < 0)
		return rc;
	work->meant = (struct annotate_meant){
		.path = path,
		.options = work->options,
		.profile = &work->profile,
		.selection = &work->selection,
	};
	rc = annotate_find_meant(&work->meant, ret_status, &work->err);
	if (rc < 0 || *ret_status != EXIT_OK)
		return rc;
	rc = make_and_print(work, ret_status);
	return rc < 0 ? err_sys(&work->err, rc, "%s", path) : 0;
}

int source_print(const char *path, const struct annotate_options *options)
{
	_cleanup_(work_fini) struct work work = { .options = options };
	int status = EXIT_OK;

	if (load_and_print(&work, path, &status) < 0) {
		cli_error(&work.err);
		return EXIT_FAILED;
	}
	return status;
}
