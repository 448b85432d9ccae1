/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/annotate_source.h"

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/debug_servers.h"
#include "symbolize/lines.h"

struct lines_before lines_before(const struct model *model)
{
	return (struct lines_before){
		.locations = model->locations.count,
		.functions = model->functions.count,
		.lines = model->lines.count,
		.strings = model->strings.offset.count,
	};
}

/* ---- lines ---- */

/*
 * Adds a location to the model for each instruction that has none. Returns true if it is worth
 * looking up the source lines of these instructions: either a location was added, or no instruction
 * has a line although lines may exist (they were never looked up, or the file was missing then).
 */
static bool add_locations(struct model *model, const struct annotation *annotation)
{
	const struct instruction *list = annotation->instructions.list.at;
	size_t count = annotation->instructions.list.count;
	uint32_t image = annotation->input.code->image;
	bool added = false, any = false;

	for (size_t i = 0; i < count && i < ANNOTATE_LINES_MAX; i++) {
		uint32_t id = model_location_find(model, image, list[i].vaddr);

		if (!id) {
			id = model_location_id(model, image, list[i].vaddr);
			added = true;
		}
		if (!model->locations.at[id].function)
			model->locations.at[id].function = annotation->input.function;
		any |= model->locations.at[id].line != 0;
	}
	/*
	 * If this function was annotated before, all its instructions already have locations, so
	 * none was added.
	 */
	return added || (!any && (!lines_are_made(model) || lines_file_is_missing(model, image)));
}

static int make_for_image(const struct symbolize_options *options, struct model *model,
			  uint32_t image, bool *made, struct err *err)
{
	size_t before = model->lines.count;
	char why[LINES_WHY_MAX];
	int rc = lines_resolve_image(model, options, image, why, err);

	if (rc < 0)
		return rc;
	if (why[0])
		cli_message("%s", why);
	*made |= model->lines.count > before;
	return 0;
}

static bool is_asked_before(const struct annotation *annotations, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (annotations[i].input.code->image == annotations[at].input.code->image)
			return true;
	return false;
}

static bool add_of_image(struct model *model, const struct annotation *annotations, size_t count,
			 uint32_t image)
{
	bool wanted = false;

	for (size_t i = 0; i < count; i++)
		if (annotations[i].input.code->image == image)
			wanted |= add_locations(model, &annotations[i]);
	return wanted;
}

static int make_lines(const struct symbolize_options *options, struct model *model,
		      const struct annotation *annotations, size_t count, bool *made,
		      struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t image = annotations[i].input.code->image;
		int rc;

		if (is_asked_before(annotations, i) ||
		    (image_of(model, image)->kind == IMAGE_FILE &&
		     !add_of_image(model, annotations + i, count - i, image)))
			continue;
		rc = make_for_image(options, model, image, made, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int annotate_make_lines(const char *path, struct model *model, struct annotation *annotations,
			size_t count, bool *ret_made, struct err *err)
{
	struct symbolize_options options = { .demangle = true };
	struct debug_servers servers;
	int rc = model_index_loaded(model);

	if (rc < 0)
		return err_set(err, rc, "no memory for the lines of functions");
	debug_servers_begin(&servers, path, DEBUG_SERVERS_REPORT_SECONDS, &options);
	rc = make_lines(&options, model, annotations, count, ret_made, err);
	debug_servers_end(&servers);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++)
		annotation_take_lines(&annotations[i]);
	return 0;
}

/*
 * Returns true if each table of @model still has as many rows as @before says. If so, the recording
 * has not changed since @before was filled in.
 */
static bool is_as_before(const struct model *model, const struct lines_before *before)
{
	const struct lines_before now = lines_before(model);

	return now.locations == before->locations && now.functions == before->functions &&
	       now.lines == before->lines && now.strings == before->strings;
}

/*
 * Returns true if no part of the recording is damaged. A damaged recording is not modified, because
 * someone may still want to examine it.
 */
static bool is_whole(const struct model *model)
{
	const uint64_t *count = model->losses.count;

	return !count[LOSS_BLOCK_DAMAGED] && !count[LOSS_BLOCK_OVERSIZED] &&
	       !count[LOSS_ROW_DAMAGED] && !count[LOSS_REFERENCE_MISSING] &&
	       !count[LOSS_TABLE_ALTERED];
}

void annotate_keep_lines(const char *path, const struct model *model,
			 const struct lines_before *before)
{
	struct recording *recording = NULL;
	struct model there;

	if (recording_open_rw(path, &recording, NULL) < 0)
		return;
	if (model_init(&there) == 0 && recording_load(recording, &there, NULL) == 0 &&
	    recording_is_complete(recording) && is_whole(&there) && is_as_before(&there, before))
		(void)recording_keep_lines(recording, model, NULL);
	model_fini(&there);
	recording_close(recording);
}

/* ---- texts ---- */

int annotate_add_source(const struct model *model, uint32_t file,
			const struct source_options *options, struct source_list *sources)
{
	struct source_options mine = *options;
	struct source_text *text;

	if (source_of(sources, file))
		return 0;
	text = vec_push(&sources->list);
	if (!text)
		return -ENOMEM;
	text->file = file;
	mine.only_public |= geteuid() == 0;
	mine.own_too = mine.only_public;
	if (sources->list.count > 2 * SOURCES_MAX || sources->size_bytes > SOURCES_BYTES_MAX) {
		(void)snprintf(text->why, sizeof(text->why),
			       "too much source text to show at once");
		return 0;
	}
	if (source_file_read(string_of(model, file), &mine, text) < 0)
		return -ENOMEM;
	sources->size_bytes += text->size_bytes;
	return 0;
}

int annotate_read_sources(const struct annotation *annotations, size_t count,
			  const struct source_options *options, struct source_list *sources,
			  struct err *err)
{
	uint32_t last = 0;

	for (size_t i = 0; i < count; i++) {
		const struct annotation *annotation = &annotations[i];
		const struct model *model = annotation->input.profile->model;

		for (size_t k = 0; k < annotation->rows.count; k++) {
			uint32_t file = line_of(model, annotation->rows.at[k].line)->file;
			int rc;

			if (!file || file == last)
				continue;
			rc = annotate_add_source(model, file, options, sources);
			if (rc < 0)
				return err_set(err, rc, "no memory for source files");
			last = file;
		}
	}
	return 0;
}
