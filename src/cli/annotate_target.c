/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/annotate_target.h"

#include <inttypes.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/symbolize_now.h"
#include "symbolize/lines.h"

#define CHOICES_MAX 20		/* maximum number of candidates listed if the text is ambiguous */
#define RANGE_END_MAX 40

/*
 * Returns true if the source lines of at least one image could not be found, or if no location has
 * a line. In these cases, samples that belong to a source file may not be attributed to it.
 */
static bool lacks_lines(const struct model *model)
{
	uint32_t first;

	if (lines_missing_files(model, &first))
		return true;
	for (size_t i = 0; i < model->locations.count; i++)
		if (model->locations.at[i].line)
			return false;
	return true;
}

static int nothing_found(const struct annotate_meant *meant)
{
	if (meant->found.total.samples == 0) {
		filter_say_unmatched(&meant->options->filter, meant->profile->model);
		cli_message(meant->profile->filtered ? "%s: no sample matches the filter"
						     : "%s: the recording has no samples",
			    meant->path);
	} else if (annotate_wants_lines(meant->options) && lacks_lines(meant->profile->model)) {
		cli_message("%s: no function or image '%s' has samples; source files are "
			    "unknown without debug information for the recorded programs",
			    meant->path, meant->options->what);
	} else {
		cli_message(annotate_wants_lines(meant->options)
				    ? "%s: no function, image or source file '%s' has samples"
				    : "%s: no function or image '%s' has samples",
			    meant->path, meant->options->what);
	}
	return EXIT_NO_MATCH;
}

/*
 * Called if the text matches no function that has samples of its own. If a function of that name
 * was inlined and the inlined code has samples, lists the functions into which it was inlined and
 * returns 1. Returns 0 if there is no such inlined code, or -ENOMEM.
 */
static int inlined_found(const struct annotate_meant *meant)
{
	struct group_table table;
	int rc = source_find_inlined(meant->profile, meant->selection, meant->options->what,
				     &table);
	size_t count = rc == 0 ? table.rows.count : 0;

	if (count)
		cli_message("all code of '%s' was inlined; annotate one of the functions "
			    "into which it was inlined:",
			    meant->options->what);
	for (size_t i = 0; i < count && i < CHOICES_MAX; i++) {
		const struct group_row *row = &table.rows.at[i];
		char name[REPORT_LABEL_MAX];

		group_label(meant->profile, BY_FUNCTION, row->key[0], name, sizeof(name));
		cli_message("  %s (%" PRIu64 " samples of the inlined code)", name,
			    row->count.samples);
	}
	if (count > CHOICES_MAX)
		cli_message("  ... and %zu more", count - CHOICES_MAX);
	group_table_fini(&table);
	return rc < 0 ? rc : count > 0;
}

static const struct function *found_function(const struct annotate_meant *meant, size_t row)
{
	return function_of(meant->profile->model, meant->found.functions.at[row].key[0]);
}

/* Returns true if all functions that were found are one function that was compiled again. */
static bool is_one_family(const struct annotate_meant *meant)
{
	uint32_t family = found_function(meant, 0)->family;

	for (size_t i = 1; i < meant->found.functions.count; i++)
		if (found_function(meant, i)->family != family)
			return false;
	return family != 0;
}

/* Writes the end of the range of generated code, whose begin is part of the choice. */
static const char *range_end(const struct annotate_meant *meant, size_t row,
			     char ret_text[static RANGE_END_MAX])
{
	const struct function *function = found_function(meant, row);

	ret_text[0] = '\0';
	if (function->family)
		(void)snprintf(ret_text, RANGE_END_MAX, " (to 0x%" PRIx64 ")",
			       function->vaddr + function->size_bytes);
	return ret_text;
}

static int several_found(const struct annotate_meant *meant)
{
	const struct annotate_found *found = &meant->found;
	bool by_weight = group_goes_by_weight(meant->profile, (uint8_t)meant->selection->event);
	char choice[REPORT_LABEL_MAX], end[RANGE_END_MAX];

	if (is_one_family(meant))
		cli_message("'%s' was compiled %zu times; choose one of its address ranges:",
			    meant->options->what, found->functions.count);
	else
		cli_message("'%s' matches %zu functions; choose one of", meant->options->what,
			    found->functions.count);
	for (size_t i = 0; i < found->functions.count && i < CHOICES_MAX; i++) {
		const struct group_row *row = &found->functions.at[i];

		annotate_choice(meant->profile, found, i, choice, sizeof(choice));
		cli_message("%7.2f%%  %s%s",
			    100 * count_share(&row->count, &found->total, by_weight), choice,
			    range_end(meant, i, end));
	}
	if (found->functions.count > CHOICES_MAX)
		cli_message("  ... and %zu more", found->functions.count - CHOICES_MAX);
	return EXIT_USAGE;
}

/* ---- places ---- */

static int several_files(const struct annotate_meant *meant, const struct source_files *files,
			 uint32_t line)
{
	const struct model *model = meant->profile->model;

	cli_message("'%s' matches %zu files; choose one of", meant->options->what,
		    files->list.count);
	for (size_t i = 0; i < files->list.count && i < CHOICES_MAX; i++) {
		const char *path = string_of(model, files->list.at[i]);

		if (line)
			cli_message("  %s:%" PRIu32, path, line);
		else
			cli_message("  %s", path);
	}
	if (files->list.count > CHOICES_MAX)
		cli_message("  ... and %zu more", files->list.count - CHOICES_MAX);
	return EXIT_USAGE;
}

static int take_file(struct annotate_meant *meant, uint32_t file, uint32_t line)
{
	annotate_found_fini(&meant->found);
	meant->file = file;
	meant->line = line;
	return source_find_functions(meant->profile, meant->selection, file, line, &meant->found);
}

static void source_place_fini(struct source_place *place)
{
	free(place->path);
}

static void source_files_fini(struct source_files *files)
{
	vec_free(&files->list);
}

/*
 * Looks for the source file or source line that the text names. Called if the text did not match a
 * function, an image or an address.
 */
static int find_place(struct annotate_meant *meant, int *ret_status)
{
	_cleanup_(source_place_fini) struct source_place place = { 0 };
	_cleanup_(source_files_fini) struct source_files files = { 0 };
	int rc = source_place_parse(meant->options->what, &place);

	if (rc < 0)
		return rc;
	rc = source_find_files(meant->profile, meant->selection, place.path, &files);
	if (rc < 0)
		return rc;
	if (files.list.count == 1)
		return take_file(meant, files.list.at[0], place.line);
	*ret_status = files.list.count ? several_files(meant, &files, place.line)
				       : nothing_found(meant);
	return 0;
}

/*
 * Called if no function, image or address matches the text. Looks for an inlined function of that
 * name first. Then, if @place is true, looks for a source file or line.
 */
static int find_other(struct annotate_meant *meant, bool place, int *ret_status)
{
	int rc = inlined_found(meant);

	if (rc < 0)
		return rc;
	if (rc > 0) {
		*ret_status = EXIT_NO_MATCH;
		return 0;
	}
	if (place)
		return find_place(meant, ret_status);
	*ret_status = nothing_found(meant);
	return 0;
}

bool annotate_wants_lines(const struct annotate_options *options)
{
	_cleanup_(source_place_fini) struct source_place place = { 0 };
	bool is_line = source_place_parse(options->what, &place) == 0 && place.line;

	return options->source || is_line;
}

int annotate_find_meant(struct annotate_meant *meant, int *ret_status, struct err *err)
{
	bool place = annotate_wants_lines(meant->options);
	int rc = annotate_find(meant->profile, meant->selection, meant->options->what,
			       &meant->found, err);

	if (rc == -EINVAL && !place) {
		cli_error(err);
		*ret_status = EXIT_USAGE;
		return 0;
	}
	if (rc == -EINVAL)
		rc = 0;
	if (rc < 0)
		return rc;
	if (meant->found.by == ANNOTATE_SYMBOL && meant->found.functions.count > 1)
		*ret_status = several_found(meant);
	if (meant->found.by != ANNOTATE_NOTHING)
		return 0;
	rc = find_other(meant, place, ret_status);
	return rc < 0 ? err_set(err, rc, "no memory to look for '%s'", meant->options->what) : 0;
}

void annotate_meant_fini(struct annotate_meant *meant)
{
	annotate_found_fini(&meant->found);
}

int annotate_no_such_line(const struct annotate_meant *meant, const struct source_text *text)
{
	const char *path = string_of(meant->profile->model, meant->file);

	if (text && text->bytes && meant->line > text->starts.count)
		cli_message("%s has only %zu lines, so it has no line %" PRIu32, path,
			    text->starts.count, meant->line);
	else
		cli_message("no function with samples has code from %s:%" PRIu32, path,
			    meant->line);
	return EXIT_NO_MATCH;
}

/* ---- reading ---- */

int annotate_load(const char *path, const struct annotate_options *options,
		  struct recording **ret_recording, struct model *model, struct err *err)
{
	return annotate_wants_lines(options) ? cli_load_with_lines(path, ret_recording, model, err)
					     : cli_load_recording(path, ret_recording, model, err);
}

int annotate_read_profile(struct recording *recording, struct model *model,
			  const struct annotate_options *options, struct profile *profile,
			  struct err *err)
{
	const struct filter *filter = &options->filter;
	const struct profile_options wanted = {
		.filter = filter_is_set(filter) ? filter : NULL,
		.by_address = true,
	};

	int rc = profile_read(recording, model, &wanted, profile, err);

	/* The code at each address of a function is shown apart. */
	profile->ranges_apart = true;
	return rc;
}

struct group_selection annotate_selection(const struct profile *profile,
					  const struct annotate_options *options)
{
	return (struct group_selection){
		.event = profile_first_event(profile),
		.contexts = options->filter.contexts ? GROUP_CONTEXTS_ALL : GROUP_CONTEXTS_BUSY,
	};
}
