/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/embed_sources.h"

#include <limits.h>

#include "analyze/lookup.h"
#include "base/cleanup.h"
#include "disasm/disasm.h"
#include "model/source.h"
#include "store/code_table.h"
#include "store/source_table.h"
#include "symbolize/lines.h"

#define INSTRUCTIONS_MAX (1u << 18)	/* maximum number of instructions of all hot functions */

bool source_dir_add(struct source_options *options, const char *dir)
{
	if (options->source_dir_count == SOURCE_DIRS_MAX)
		return false;
	options->source_dirs[options->source_dir_count++] = dir;
	return true;
}

/* ---- all instructions of hot functions ---- */

static size_t add_locations(struct model *model, uint32_t function, const struct code *code,
			    size_t room)
{
	struct instructions instructions = { 0 };
	struct disasm *disasm = NULL;
	size_t count = 0;

	if (disasm_new(code->machine, NULL, NULL, &disasm, NULL) == 0 &&
	    disasm_walk(disasm, code->bytes, code->size_bytes, code->vaddr, &instructions, NULL) ==
		    0)
		count = instructions.list.count < room ? instructions.list.count : room;
	for (size_t i = 0; i < count; i++) {
		uint32_t id = model_location_id(model, code->image, instructions.list.at[i].vaddr);

		if (id && !model->locations.at[id].function)
			model->locations.at[id].function = function;
	}
	vec_free(&instructions.list);
	disasm_free(disasm);
	return count;
}

static int add_hot_code(struct recording *recording, struct model *model,
			const struct function_ids *hot, struct err *err)
{
	size_t room = INSTRUCTIONS_MAX;

	for (size_t i = 0; i < hot->list.count && room; i++) {
		const struct function *function = function_of(model, hot->list.at[i]);
		struct code code;
		int rc = 0;

		if (image_of(model, function->image)->kind == IMAGE_FILE)
			rc = recording_read_code(recording, function, &code, err);
		if (rc < 0)
			return rc;
		if (rc == 0)
			continue;
		room -= add_locations(model, hot->list.at[i], &code, room);
		code_fini(&code);
	}
	return 0;
}

/* ---- their files ---- */

struct embedding {
	struct model *model;
	/* a copy of the caller's options, with only_public set */
	const struct source_options *options;
	struct source_list *kept;		/* files that the recording already has */
};

struct ranked_file {
	/*
	 * string id of the path; rank of the hottest function with code in the file (1: the hottest
	 * of all functions)
	 */
	uint32_t file, rank;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked_file *left = a, *right = b;

	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return (left->file > right->file) - (left->file < right->file);
}

/*
 * Records that the file of @line, and the files of the lines into which @line is inlined, contain
 * code of the function with the rank @rank (0: the hottest function). @ranks is indexed by string
 * id. If the string is the path of a file with code of hot functions, the element is 1 plus the
 * rank of the hottest of these functions. Otherwise the element is 0.
 */
static void rank_chain(const struct model *model, uint32_t line, uint32_t rank, uint32_t *ranks)
{
	for (struct line_walk walk = { .line = line }; walk.line; line_walk_out(model, &walk)) {
		const struct source_line *at = line_of(model, walk.line);

		if (at->file && (!ranks[at->file] || ranks[at->file] > rank + 1))
			ranks[at->file] = rank + 1;
	}
}

static void rank_files(const struct model *model, const struct function_ids *hot,
		       uint32_t *function_ranks, uint32_t *ranks)
{
	for (size_t i = hot->list.count; i-- > 0;)
		if (hot->list.at[i] < model->functions.count)
			function_ranks[hot->list.at[i]] = (uint32_t)i + 1;
	for (size_t i = 1; i < model->locations.count; i++) {
		const struct location *location = &model->locations.at[i];
		uint32_t rank = function_ranks[location->function];

		if (rank)
			rank_chain(model, location->line, rank - 1, ranks);
	}
}

/*
 * Sets *@ret_files to the files that contain code of hot functions. The files of the hottest
 * functions come first.
 */
static int find_files(const struct model *model, const struct function_ids *hot,
		      struct ranked_file **ret_files, size_t *ret_count)
{
	size_t strings = model->strings.offset.count, count = 0;
	_cleanup_free_ uint32_t *ranks = calloc(strings + 1, sizeof(*ranks));
	_cleanup_free_ uint32_t *functions = calloc(model->functions.count + 1, sizeof(*functions));
	struct ranked_file *files = calloc(strings + 1, sizeof(*files));

	if (!ranks || !functions || !files) {
		free(files);
		return -ENOMEM;
	}
	rank_files(model, hot, functions, ranks);
	for (uint32_t i = 1; i < strings; i++)
		if (ranks[i])
			files[count++] = (struct ranked_file){ i, ranks[i] };
	qsort(files, count, sizeof(*files), by_rank);
	*ret_files = files;
	*ret_count = count;
	return 0;
}

/*
 * If the recording already has the text of the file text->file, moves that text to @text. So the
 * text stays in the recording even if the file no longer exists.
 */
static void take_kept(struct source_list *kept, struct source_text *text)
{
	for (size_t i = 0; i < kept->list.count; i++) {
		struct source_text *old = &kept->list.at[i];

		if (old->file != text->file || !old->bytes)
			continue;
		source_text_fini(text);
		*text = *old;
		*old = (struct source_text){ 0 };
		return;
	}
}

/* Returns 1 if the file was added, 0 if it cannot be read or would exceed a limit, or -ENOMEM. */
static int add_file(const struct embedding *embedding, uint32_t file, struct source_list *sources)
{
	const char *path = model_string(embedding->model, file);
	struct source_text text = { .file = file }, *slot;

	if (sources->list.count == SOURCES_MAX || strlen(path) >= PATH_MAX)
		return 0;
	if (source_file_read(path, embedding->options, &text) < 0)
		return -ENOMEM;
	if (!text.bytes)
		take_kept(embedding->kept, &text);
	if (!text.bytes || text.size_bytes > SOURCES_BYTES_MAX - sources->size_bytes) {
		source_text_fini(&text);
		return 0;
	}
	slot = vec_push(&sources->list);
	if (!slot) {
		source_text_fini(&text);
		return -ENOMEM;
	}
	*slot = text;
	sources->size_bytes += text.size_bytes;
	return 1;
}

static int read_files(const struct embedding *embedding, const struct function_ids *hot,
		      struct source_list *sources)
{
	_cleanup_free_ struct ranked_file *files = NULL;
	struct model *model = embedding->model;
	size_t count;
	int rc;

	model->losses.count[LOSS_SOURCE_LEFT_OUT] = 0;	/* forget the previous count */
	rc = find_files(model, hot, &files, &count);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++) {
		rc = add_file(embedding, files[i].file, sources);
		if (rc < 0)
			return rc;
		if (rc == 0)
			loss_add(&model->losses, LOSS_SOURCE_LEFT_OUT, 1);
	}
	return 0;
}

static void function_ids_fini(struct function_ids *ids)
{
	vec_free(&ids->list);
}

int embed_sources(struct recording *recording, struct model *model,
		  const struct symbolize_options *named, const struct source_options *options,
		  struct err *err)
{
	struct source_options public = *options;
	_cleanup_(function_ids_fini) struct function_ids hot = { 0 };
	_cleanup_(source_list_fini) struct source_list sources = { 0 };
	_cleanup_(source_list_fini) struct source_list kept = { 0 };
	const struct embedding embedding = { model, &public, &kept };
	int rc = recording_hot_functions(recording, &hot, err);

	if (rc < 0)
		return rc;
	rc = add_hot_code(recording, model, &hot, err);
	if (rc < 0)
		return rc;
	rc = lines_resolve(model, named, err);
	if (rc < 0)
		return rc;
	rc = recording_read_sources(recording, model, &kept, err);
	if (rc < 0)
		return rc;
	public.only_public = true;
	public.own_too = false;
	rc = read_files(&embedding, &hot, &sources);
	if (rc < 0)
		return err_set(err, rc, "no memory for source files");
	rc = recording_keep_lines(recording, model, err);
	if (rc < 0)
		return rc;
	return recording_keep_sources(recording, model, &sources, err);
}
