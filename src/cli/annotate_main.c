/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/annotate_main.h"

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "cli/annotate_target.h"
#include "cli/annotate_source.h"
#include "cli/code_reader.h"
#include "cli/command.h"
#include "cli/pager.h"
#include "cli/say_losses.h"
#include "cli/symbolize_now.h"
#include "store/source_table.h"

#define SWAP(a, b)			\
	do {				\
		__typeof__(a) _a = (a);	\
		(a) = (b);		\
		(b) = _a;		\
	} while (0)

/* Data of one annotated function. The function's struct annotation points to this data. */
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
	struct annotate_meant meant;
	struct code_reader reader;
	struct code_names *names;
	uint32_t names_image;
	struct annotated at[ANNOTATE_FUNCTIONS_MAX];
	struct annotation annotations[ANNOTATE_FUNCTIONS_MAX];
	size_t count;
	struct source_list sources;
	struct err err;
};

void annotate_options_fini(struct annotate_options *options)
{
	filter_fini(&options->filter);
}

static void annotated_fini(struct work *work, size_t i)
{
	annotation_fini(&work->annotations[i]);
	disasm_free(work->at[i].disasm);
	code_fini(&work->at[i].code);
}

static void work_free(struct work *work)
{
	if (!work)
		return;
	for (size_t i = 0; i < work->count; i++)
		annotated_fini(work, i);
	source_list_fini(&work->sources);
	code_names_free(work->names);
	code_reader_fini(&work->reader);
	annotate_meant_fini(&work->meant);
	profile_fini(&work->profile);
	model_fini(&work->model);
	recording_close(work->recording);
	free(work);
}

DEFINE_CLEANUP(struct work, work_free);

/* ---- which functions to annotate ---- */

static int read_profile(struct work *work)
{
	int rc = annotate_read_profile(work->recording, &work->model, work->options, &work->profile,
				       &work->err);

	work->selection = annotate_selection(&work->profile, work->options);
	work->meant = (struct annotate_meant){
		.path = work->path,
		.options = work->options,
		.profile = &work->profile,
		.selection = &work->selection,
	};
	return rc;
}

/* ---- their code ---- */

static const struct function *function_at(const struct work *work, size_t i)
{
	return function_of(&work->model, work->meant.found.functions.at[i].key[0]);
}

static int make_names(struct work *work, const struct function *function)
{
	if (work->names && work->names_image == function->image)
		return 0;
	code_names_free(TAKE_PTR(work->names));
	work->names_image = function->image;
	return code_names_new(&work->model, function->image, &work->reader.options, &work->names);
}

/*
 * Disassembles one instruction, so that a missing disassembler is reported before anything is
 * printed.
 */
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
		.function = (uint32_t)work->meant.found.functions.at[i].key[0],
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

/*
 * Returns the maximum number of functions to annotate. If the user asked for a source line, this is
 * ANNOTATE_FUNCTIONS_MAX, because only annotation shows which of the functions with hits in the
 * file have code of that line.
 */
static size_t wanted_functions(const struct work *work)
{
	if (work->meant.found.by == ANNOTATE_PLACE)
		return ANNOTATE_FUNCTIONS_MAX;
	return work->meant.found.by == ANNOTATE_IMAGE ? work->options->functions : 1;
}

/*
 * Annotates the functions. If the user named a single function and its code cannot be read, returns
 * the error. If the user named an image or a source line, skips the functions whose code cannot be
 * read, then prints a message with their number and the reason for the hottest of them. If no
 * function is left, returns the error of the hottest one.
 */
static int annotate_functions(struct work *work)
{
	bool several = work->meant.found.by != ANNOTATE_SYMBOL;
	size_t wanted = wanted_functions(work), passed_over = 0;
	struct err why = { 0 };

	for (size_t i = 0; i < work->meant.found.functions.count && work->count < wanted; i++) {
		size_t before = work->count;
		int rc = annotate_one(work, i);

		if (rc < 0 && (!several || work->count > before))
			return rc;
		if (rc < 0 && passed_over++ == 0)
			why = work->err;
	}
	if (work->count == 0) {
		work->err = why;
		return why.code;
	}
	if (passed_over)
		cli_message("functions left out because their code cannot be read: %zu; "
			    "error for the hottest one: %s",
			    passed_over, why.text);
	return 0;
}

/* ---- their source ---- */

/*
 * Marks each row whose code comes from the requested line. Returns true if at least one row is
 * marked.
 */
static bool has_place(const struct work *work, struct annotation *annotation)
{
	bool has = false;

	for (size_t i = 0; i < annotation->rows.count; i++) {
		struct annotate_row *row = &annotation->rows.at[i];

		row->asked = source_chain_has(&work->model, row->line, work->meant.file,
					      work->meant.line);
		has |= row->asked;
	}
	return has;
}

/*
 * Keeps only the annotated functions that have code of the requested line, and at most as many of
 * them as the user asked for. Removes the others. If no function is left, prints the reason and
 * sets *ret_status to an exit status other than EXIT_OK.
 */
static int keep_place(struct work *work, int *ret_status)
{
	size_t kept = 0, left_out = 0;
	int rc;

	for (size_t i = 0; i < work->count; i++) {
		bool has = has_place(work, &work->annotations[i]);

		left_out += has && kept >= work->options->functions;
		if (has && kept < work->options->functions) {
			SWAP(work->at[kept], work->at[i]);
			SWAP(work->annotations[kept], work->annotations[i]);
			work->annotations[kept].input.code = &work->at[kept].code;
			work->annotations[i].input.code = &work->at[i].code;
			kept++;
		}
	}
	for (size_t i = kept; i < work->count; i++)
		annotated_fini(work, i);
	work->count = kept;
	if (left_out)
		cli_message("%zu more function%s code from that line (--functions=N shows more)",
			    left_out, left_out == 1 ? " has" : "s have");
	if (kept)
		return 0;
	rc = annotate_add_source(&work->model, work->meant.file, &work->options->sources,
				 &work->sources);
	if (rc < 0)
		return err_set(&work->err, rc, "no memory for a source file");
	*ret_status = annotate_no_such_line(&work->meant,
					    source_of(&work->sources, work->meant.file));
	return 0;
}

/*
 * Adds the source line of each instruction and the texts of the source files. If lines were looked
 * up that the recording did not have, saves them in the recording for the next run, provided that
 * the recording is writable.
 */
static int add_source(struct work *work, int *ret_status)
{
	const struct annotate_options *options = work->options;
	const struct lines_before before = lines_before(&work->model);
	bool made = false;
	int rc;

	if ((options->no_source || options->style.by_block) && !work->meant.file)
		return 0;
	rc = annotate_make_lines(work->path, &work->model, work->annotations, work->count, &made,
				 &work->err);
	if (rc < 0)
		return rc;
	rc = recording_read_sources(work->recording, &work->model, &work->sources, &work->err);
	if (rc < 0)
		return rc;
	if (work->meant.file) {
		rc = keep_place(work, ret_status);
		if (rc < 0)
			return rc;
	}
	rc = annotate_read_sources(work->annotations, work->count, &options->sources,
				   &work->sources, &work->err);
	if (rc < 0)
		return rc;
	recording_close(TAKE_PTR(work->recording));
	if (made)
		annotate_keep_lines(work->path, &work->model, &before);
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

	style.columns = pager_columns(STDOUT_FILENO);
	style.place = work->meant.file ? options->what : NULL;
	style.sources = options->no_source ? NULL : &work->sources;
	if (!options->limit_given && options->print.format != REPORT_TEXT)
		style.limit = 0;
	pager_start(&pager, options->print.format == REPORT_TEXT && !options->print.no_pager);
	rc = printers[options->print.format](work->annotations, work->count, &style, stdout);
	pager_end(&pager);
	return rc < 0 ? err_sys(&work->err, rc, "%s", work->path) : 0;
}

/*
 * Loads the recording and prints the annotated functions. If the user's text cannot be matched to
 * code, prints only a message and sets *ret_status to an exit status other than EXIT_OK.
 */
static int load_and_print(struct work *work, int *ret_status)
{
	int rc = annotate_load(work->path, work->options, &work->recording, &work->model,
			       &work->err);

	if (rc < 0)
		return rc;
	work->reader = (struct code_reader){ .recording = work->recording,
					     .model = &work->model,
					     .vmlinux = work->options->vmlinux };
	rc = read_profile(work);
	if (rc == 0)
		rc = cli_say_losses(work->path, work->recording, &work->model, &work->err);
	if (rc < 0)
		return rc;
	rc = annotate_find_meant(&work->meant, ret_status, &work->err);
	if (rc < 0 || *ret_status != EXIT_OK)
		return rc;
	rc = annotate_functions(work);
	if (rc < 0)
		return rc;
	rc = add_source(work, ret_status);
	if (rc < 0 || *ret_status != EXIT_OK)
		return rc;
	recording_close(TAKE_PTR(work->recording));
	return print(work);
}

int annotate_print(const char *path, const struct annotate_options *options)
{
	_cleanup_(work_freep) struct work *work = calloc(1, sizeof(*work));
	int status = EXIT_OK;

	if (!work) {
		cli_message("out of memory");
		return EXIT_FAILED;
	}
	work->options = options;
	work->path = path;
	if (load_and_print(work, &status) < 0) {
		cli_error(&work->err);
		return EXIT_FAILED;
	}
	return status;
}
