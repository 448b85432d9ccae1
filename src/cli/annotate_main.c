/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/annotate_main.h"

#include "analyze/annotate_find.h"
#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "cli/code_reader.h"
#include "cli/command.h"
#include "cli/pager.h"
#include "cli/symbolize_now.h"

#define CHOICES_MAX 20		/* that are listed where several functions are meant */

/* A function with all that its annotation borrows. */
struct annotated {
	struct code code;
	struct disasm *disasm;
	const char *code_from;
};

struct work {
	const struct annotate_options *options;
	const char *path;
	struct recording *recording;
	struct model model;
	struct profile profile;
	struct group_selection selection;
	struct annotate_found found;
	struct code_reader reader;
	struct code_names *names;
	uint32_t names_image;
	struct annotated at[ANNOTATE_FUNCTIONS_MAX];
	struct annotation annotations[ANNOTATE_FUNCTIONS_MAX];
	size_t count;
	struct err err;
};

void annotate_options_fini(struct annotate_options *options)
{
	filter_fini(&options->filter);
}

static void work_free(struct work *work)
{
	if (!work)
		return;
	for (size_t i = 0; i < work->count; i++) {
		annotation_fini(&work->annotations[i]);
		disasm_free(work->at[i].disasm);
		code_fini(&work->at[i].code);
	}
	code_names_free(work->names);
	code_reader_fini(&work->reader);
	annotate_found_fini(&work->found);
	profile_fini(&work->profile);
	model_fini(&work->model);
	recording_close(work->recording);
	free(work);
}

DEFINE_CLEANUP(struct work, work_free);

/* ---- which functions ---- */

static int read_profile(struct work *work)
{
	const struct filter *filter = &work->options->filter;
	const struct profile_options wanted = {
		.filter = filter_is_set(filter) ? filter : NULL,
		.by_address = true,
	};
	int rc = profile_read(work->recording, &work->model, &wanted, &work->profile, &work->err);

	work->selection = (struct group_selection){
		.event = profile_first_event(&work->profile),
		.contexts = filter->contexts ? GROUP_CONTEXTS_ALL : GROUP_CONTEXTS_BUSY,
	};
	return rc;
}

static int nothing_found(const struct work *work)
{
	if (work->found.total.samples == 0)
		cli_message(work->profile.filtered ? "%s: no sample matches the filter"
						   : "%s: it has no samples",
			    work->path);
	else
		cli_message("%s: no function or image '%s' has samples", work->path,
			    work->options->what);
	return EXIT_NO_MATCH;
}

static int several_found(const struct work *work)
{
	const struct annotate_found *found = &work->found;
	bool by_weight = group_goes_by_weight(&work->profile, (uint8_t)work->selection.event);
	char choice[REPORT_LABEL_MAX];

	cli_message("'%s' is %zu functions; choose one of", work->options->what,
		    found->functions.count);
	for (size_t i = 0; i < found->functions.count && i < CHOICES_MAX; i++) {
		const struct group_row *row = &found->functions.at[i];

		annotate_choice(&work->profile, found, i, choice, sizeof(choice));
		cli_message("%7.2f%%  %s", 100 * count_share(&row->count, &found->total, by_weight),
			    choice);
	}
	if (found->functions.count > CHOICES_MAX)
		cli_message("  ... and %zu more", found->functions.count - CHOICES_MAX);
	return EXIT_USAGE;
}

/* *ret_status tells what is wrong with what was asked. */
static int find(struct work *work, int *ret_status)
{
	int rc = annotate_find(&work->profile, &work->selection, work->options->what, &work->found,
			       &work->err);

	if (rc == -EINVAL) {
		cli_error(&work->err);
		*ret_status = EXIT_USAGE;
		return 0;
	}
	if (rc == 0 && work->found.by == ANNOTATE_NOTHING)
		*ret_status = nothing_found(work);
	else if (rc == 0 && work->found.by == ANNOTATE_SYMBOL && work->found.functions.count > 1)
		*ret_status = several_found(work);
	return rc;
}

/* ---- their code ---- */

static const struct function *function_at(const struct work *work, size_t i)
{
	return function_of(&work->model, work->found.functions.at[i].key[0]);
}

static int make_names(struct work *work, const struct function *function)
{
	if (work->names && work->names_image == function->image)
		return 0;
	code_names_free(TAKE_PTR(work->names));
	work->names_image = function->image;
	return code_names_new(&work->model, function->image, &work->reader.options, &work->names);
}

/* Text of one instruction, because the disassembler may be missing. */
static int try_text(const struct annotation *annotation, struct err *err)
{
	char text[DISASM_TEXT_MAX];

	return annotation->rows.count ? annotation_text(annotation, 0, text, err) : 0;
}

static int annotate_one(struct work *work, size_t i)
{
	const struct function *function = function_at(work, i);
	struct annotated *at = &work->at[work->count];
	struct annotation *annotation = &work->annotations[work->count];
	struct annotate_input input = {
		.profile = &work->profile,
		.selection = &work->selection,
		.function = (uint32_t)work->found.functions.at[i].key[0],
		.code = &at->code,
	};
	int rc;

	rc = code_reader_read(&work->reader, function, &at->code, &at->code_from, &work->err);
	if (rc < 0)
		return rc;
	work->count++;
	if (make_names(work, function) < 0)
		return err_set(&work->err, -ENOMEM, "no memory for names");
	rc = disasm_new(at->code.machine, code_name_at, work->names, &at->disasm, &work->err);
	if (rc < 0)
		return rc;
	input.disasm = at->disasm;
	input.code_from = at->code_from;
	rc = annotate(&input, annotation, &work->err);
	return rc < 0 ? rc : try_text(annotation, &work->err);
}

/* Of an image, those whose code is nowhere are passed over; why, the first one says. */
static int annotate_functions(struct work *work)
{
	size_t wanted = work->found.by == ANNOTATE_IMAGE ? work->options->functions : 1;
	size_t passed_over = 0;
	struct err why = { 0 };

	for (size_t i = 0; i < work->found.functions.count && work->count < wanted; i++) {
		size_t before = work->count;
		int rc = annotate_one(work, i);

		if (rc < 0 && (work->found.by != ANNOTATE_IMAGE || work->count > before))
			return rc;
		if (rc < 0 && passed_over++ == 0)
			why = work->err;
	}
	if (work->count == 0) {
		work->err = why;
		return why.code;
	}
	if (passed_over)
		cli_message("functions whose code cannot be read: %zu; the hottest: %s",
			    passed_over, why.text);
	return 0;
}

/* ---- printing ---- */

static int print(struct work *work)
{
	static int (*const printers[])(const struct annotation *, size_t,
				       const struct annotate_style *, FILE *) = {
		[REPORT_TEXT] = annotations_as_text,
		[REPORT_JSON] = annotations_as_json,
		[REPORT_CSV] = annotations_as_csv,
	};
	const struct annotate_options *options = work->options;
	struct annotate_style style = options->style;
	struct pager pager;
	int rc;

	style.columns = pager_columns();
	if (!options->limit_given && options->print.format != REPORT_TEXT)
		style.limit = 0;
	pager_start(&pager, options->print.format == REPORT_TEXT && !options->print.no_pager);
	rc = printers[options->print.format](work->annotations, work->count, &style, stdout);
	pager_end(&pager);
	return rc < 0 ? err_sys(&work->err, rc, "%s", work->path) : 0;
}

int annotate_print(const char *path, const struct annotate_options *options)
{
	_cleanup_(work_freep) struct work *work = calloc(1, sizeof(*work));
	int status = EXIT_OK, rc;

	if (!work) {
		cli_message("out of memory");
		return EXIT_FAILED;
	}
	work->options = options;
	work->path = path;
	rc = cli_load_recording(path, &work->recording, &work->model, &work->err);
	work->reader = (struct code_reader){ .recording = work->recording,
					     .model = &work->model,
					     .vmlinux = options->vmlinux };
	if (rc == 0)
		rc = read_profile(work);
	if (rc == 0)
		rc = find(work, &status);
	if (rc == 0 && status != EXIT_OK)
		return status;
	if (rc == 0)
		rc = annotate_functions(work);
	recording_close(TAKE_PTR(work->recording));
	if (rc == 0)
		rc = print(work);
	if (rc < 0)
		cli_error(&work->err);
	return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
