/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/source_main.h"

#include <inttypes.h>

#include "analyze/lookup.h"
#include "analyze/source_view.h"
#include "cli/annotate_meant.h"
#include "cli/annotate_source.h"
#include "cli/command.h"
#include "cli/pager.h"
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

	if (rc == 0)
		rc = annotate_read_profile(work->recording, &work->model, work->options,
					   &work->profile, &work->err);
	work->selection = annotate_selection(&work->profile, work->options);
	return rc;
}

static int make_views(struct work *work)
{
	const struct annotate_found *found = &work->meant.found;
	bool *functions = calloc(work->model.functions.count + 1, sizeof(*functions));
	const struct source_wanted wanted = {
		.functions = work->meant.file ? NULL : functions,
		.file = work->meant.file,
	};
	int rc = functions ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < found->functions.count; i++)
		functions[found->functions.at[i].key[0]] = true;
	if (rc == 0)
		rc = source_views_make(&work->profile, &work->selection, &wanted, &work->views);
	free(functions);
	return rc;
}

static int read_sources(struct work *work)
{
	size_t files = work->options->functions;
	int rc = recording_read_sources(work->recording, &work->model, &work->sources, NULL);

	for (size_t i = 0; rc == 0 && i < work->views.list.count && i < files; i++)
		rc = annotate_add_source(&work->model, work->views.list.at[i].file,
					 &work->options->sources, &work->sources);
	return rc;
}

/*
 * Prints a message if the requested line does not exist or if no source lines are known. Returns
 * the exit status.
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
		.columns = pager_columns(),
	};
	struct pager pager;
	int rc;

	pager_start(&pager, options->print.format == REPORT_TEXT && !options->print.no_pager);
	rc = printers[options->print.format](&work->views, &style, stdout);
	pager_end(&pager);
	return rc;
}

int source_print(const char *path, const struct annotate_options *options)
{
	struct work work = { .options = options };
	int status = EXIT_OK, rc = load(&work, path);

	work.meant = (struct annotate_meant){
		.path = path,
		.options = options,
		.profile = &work.profile,
		.selection = &work.selection,
	};
	if (rc == 0)
		rc = annotate_find_meant(&work.meant, &status, &work.err);
	if (rc == 0 && status == EXIT_OK) {
		rc = make_views(&work);
		if (rc == 0)
			rc = read_sources(&work);
		if (rc == 0)
			status = check(&work);
		if (rc == 0 && status == EXIT_OK)
			rc = print(&work);
		if (rc < 0)
			(void)err_sys(&work.err, rc, "%s", path);
	}
	if (rc < 0)
		cli_error(&work.err);
	work_fini(&work);
	return rc < 0 ? EXIT_FAILED : status;
}
