/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/lines.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "dwarf/debug_lines.h"
#include "symbolize/adopt.h"
#include "symbolize/hits.h"
#include "symbolize/names.h"
#include "symbolize/recorded.h"

#define FILE_MISSING "missing"

/* State of one pass over all images, or over one image. */
struct making {
	uint64_t images;	/* number of images whose debug information was read */
	uint32_t only_image;	/* image id; 0: all images */
	bool only_missing;	/* only images whose files were missing in an earlier pass */
	bool opened;		/* the file of the last image was opened */
	int rc;			/* result of reading the last image's debug information */
};

static uint32_t take_name(void *context, const char *linkage_name)
{
	const struct image_hits *hits = context;
	struct function function = { .image = hits->image, .quality = QUALITY_SYMTAB };

	name_function(hits, linkage_name, &function);
	return name_function_id(hits, &function);
}

static uint32_t take_path(void *context, const char *path)
{
	const struct image_hits *hits = context;

	return model_intern(hits->model, path);
}

/*
 * Returns the outermost function of a chain. Uses the function from the symbol table if a symbol
 * covers the address, because its bounds are known. Otherwise uses the name from the debug
 * information.
 */
static uint32_t outermost_function(const struct model *model, const struct location *location,
				   const struct debug_frame *frame)
{
	enum quality quality = model->functions.at[location->function].quality;

	return frame->name && (!location->function || quality >= QUALITY_BRACKET)
		       ? frame->name
		       : location->function;
}

static int take_chain(void *context, size_t index, const struct debug_frame *frames, size_t count)
{
	const struct image_hits *hits = context;
	struct model *model = hits->model;
	struct location *location = &model->locations.at[hits->hits[index].location];
	struct source_line line = { .function = outermost_function(model, location,
								   &frames[count - 1]) };

	for (size_t i = count; i-- > 0;) {
		line.file = frames[i].path;
		line.line = frames[i].line;
		if (i + 1 < count)
			line.function = frames[i].name;
		line.caller = model_line_id(model, &line);
		if (!line.caller)
			return -ENOMEM;
	}
	location->line = line.caller;
	return 0;
}

/* ---- missing files ---- */

bool lines_file_is_missing(const struct model *model, uint32_t image)
{
	const char *state = model_image_fact(model, FACT_LINES_FILE, image);

	return state && strcmp(state, FILE_MISSING) == 0;
}

size_t lines_missing_files(const struct model *model, uint32_t *ret_first)
{
	size_t count = 0;

	for (uint32_t i = 1; i < model->images.count; i++) {
		if (!lines_file_is_missing(model, i))
			continue;
		if (!count++)
			*ret_first = i;
	}
	return count;
}

static void remember_file(const struct image_hits *hits, bool missing)
{
	struct model *model = hits->model;

	if (missing || model_image_fact(model, FACT_LINES_FILE, hits->image))
		model_image_fact_set(model, FACT_LINES_FILE, hits->image,
				     missing ? FILE_MISSING : "found");
}

/* ---- result for each image ---- */

/*
 * Sets the fact that describes the result for the image. If the result has no problems (@fine), a
 * fact is needed only to replace one from an earlier pass.
 */
static void set_image_fact(const struct image_hits *hits, bool fine, const char *text)
{
	if (!fine || model_image_fact(hits->model, FACT_LINES_IMAGE, hits->image))
		model_image_fact_set(hits->model, FACT_LINES_IMAGE, hits->image, text);
}

static void judge(const struct image_hits *hits, const struct debug_lines_health *health, int rc)
{
	char text[192];

	if (health->not_fetched)
		hits_loss(hits, LOSS_LINES_NOT_FETCHED);
	if (rc == -ENOENT && health->not_fetched) {
		set_image_fact(hits, false, "no server sent the debug information");
		return;
	}
	if (rc == -ENOENT) {	/* not a loss: the file was built without debug information */
		set_image_fact(hits, true, "no debug information");
		return;
	}
	if (rc < 0 || health->damaged_units || health->exhausted)
		hits_loss(hits, LOSS_LINES_DAMAGED);
	if (health->missing_splits || health->missing_shared)
		hits_loss(hits, LOSS_LINES_INCOMPLETE);
	(void)snprintf(text, sizeof(text),
		       "%s%" PRIu64 " units damaged, %" PRIu64 " without their .dwo%s%s",
		       rc < 0 ? "unreadable, " : "", health->damaged_units, health->missing_splits,
		       health->missing_shared ? ", the shared file of dwz is missing" : "",
		       health->exhausted ? ", not read to the end (too much work)" : "");
	set_image_fact(hits,
		       rc == 0 && !health->damaged_units && !health->exhausted &&
			       !health->missing_splits && !health->missing_shared,
		       text);
}

static struct debug_lines_options options_of(const struct image_hits *hits)
{
	return (struct debug_lines_options){
		.debug_dirs = hits->options->debug_dirs,
		.sysroot = hits->options->sysroot,
		.source = hits->options->debug_source,
		.name = hits_path(hits),
	};
}

static void from_file(const struct image_hits *hits, const struct image_file *file, void *context)
{
	const struct debug_lines_options options = options_of(hits);
	const struct debug_lines_sink sink = {
		.context = (void *)hits,
		.name = take_name,
		.path = take_path,
		.chain = take_chain,
	};
	_cleanup_free_ uint64_t *vaddrs = calloc(hits->count, sizeof(*vaddrs));
	struct debug_lines_health health;
	struct making *making = context;
	int rc;

	if (!vaddrs) {
		hits_loss(hits, LOSS_MEMORY);
		return;
	}
	for (size_t i = 0; i < hits->count; i++)
		vaddrs[i] = hits->hits[i].vaddr;
	rc = debug_lines_resolve(file, &options, vaddrs, hits->count, &sink, &health);
	making->opened = true;
	making->rc = rc;
	making->images += rc == 0;
	if (rc == -ENOMEM)
		hits_loss(hits, LOSS_MEMORY);
	judge(hits, &health, rc);
}

/*
 * Resolves an image whose file is missing. Finds a debug file by build-id. Such a file contains
 * everything needed.
 */
static void from_debug_file(const struct image_hits *hits, void *context)
{
	const struct debug_lines_options options = options_of(hits);
	const struct image *image = hits_image(hits);
	struct debug_lines_health health = { 0 };
	struct image_file debug;
	int rc = debug_lines_open(image->build_id, image->build_id_size, &options, &debug);

	if (rc == 0) {
		if (!image->unread || addresses_are_offsets(hits->model, hits->image, &debug))
			from_file(hits, &debug, context);
		image_file_fini(&debug);
	} else if (rc == -ENOMEM) {
		hits_loss(hits, LOSS_MEMORY);
	} else if (rc != -ENOENT) {
		health.not_fetched = true;
		judge(hits, &health, -ENOENT);
	}
}

static int visit(const struct image_hits *hits, void *context)
{
	struct making *making = context;

	if (making->only_image && making->only_image != hits->image)
		return 0;
	if (making->only_missing && !lines_file_is_missing(hits->model, hits->image))
		return 0;
	making->opened = false;
	if (!user_image_use(hits, from_file, context))
		from_debug_file(hits, context);
	if (!making->only_image)
		remember_file(hits, !making->opened);
	return 0;
}

static bool file_is_here(const struct image_hits *hits)
{
	struct image_file file;
	bool is_it;

	if (user_image_open(hits, &file) < 0)
		return false;
	is_it = recorded_file_is(hits_image(hits), &file);
	image_file_fini(&file);
	return is_it;
}

static int look_for(const struct image_hits *hits, void *context)
{
	const struct debug_lines_options options = options_of(hits);
	const struct image *image = hits_image(hits);
	struct image_file debug;
	bool *is_here = context;

	if (*is_here || !lines_file_is_missing(hits->model, hits->image))
		return 0;
	*is_here = file_is_here(hits);
	if (!*is_here && !image->unread &&
	    debug_lines_open(image->build_id, image->build_id_size, &options, &debug) == 0) {
		image_file_fini(&debug);
		*is_here = true;
	}
	return 0;
}

static bool has_no_line(const struct model *model, const struct location *location)
{
	return hits_is_in_file(model, location) && !location->line;
}

bool lines_are_made(const struct model *model)
{
	return model_fact(model, FACT_LINES);
}

bool lines_can_be_completed(struct model *model, const struct symbolize_options *options)
{
	uint32_t first;
	bool is_here = false;

	if (!lines_missing_files(model, &first))
		return false;
	(void)hits_each_image(model, options, hits_is_in_file, look_for, &is_here);
	return is_here;
}

/*
 * Resolves lines. Counts only the losses that concern lines, because files that cannot be read were
 * already counted when their functions were named.
 */
static int make(struct model *model, const struct symbolize_options *options, struct making *making,
		struct err *err)
{
	static const enum loss own[] = {
		LOSS_LINES_DAMAGED,
		LOSS_LINES_INCOMPLETE,
		LOSS_LINES_NOT_FETCHED,
		LOSS_MEMORY,
	};
	struct losses losses = model->losses;
	int rc = hits_each_image(model, options, hits_is_in_file, visit, making);

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		losses.count[own[i]] = model->losses.count[own[i]];
	model->losses = losses;
	if (rc < 0)
		return err_set(err, rc, "no memory for the lines of %zu locations",
			       model->locations.count);
	model_fact_set(model, FACT_LINES, "made");
	return 0;
}

int lines_resolve(struct model *model, const struct symbolize_options *options, struct err *err)
{
	struct making making = { 0 };
	int rc;

	model->losses.count[LOSS_LINES_DAMAGED] = 0;	/* reset: this pass counts them again */
	model->losses.count[LOSS_LINES_INCOMPLETE] = 0;
	model->losses.count[LOSS_LINES_NOT_FETCHED] = 0;
	rc = make(model, options, &making, err);
	if (rc < 0)
		return rc;
	model_fact_set_u64(model, FACT_LINES_IMAGES, making.images);
	return 0;
}

int lines_complete(struct model *model, const struct symbolize_options *options, struct err *err)
{
	struct making making = { .only_missing = true };
	uint64_t before = model_fact_u64(model, FACT_LINES_IMAGES);
	int rc = make(model, options, &making, err);

	if (rc < 0)
		return rc;
	model_fact_set_u64(model, FACT_LINES_IMAGES, before + making.images);
	return 0;
}

static void say_why(const struct model *model, const struct making *making, bool replaced,
		    char why[static LINES_WHY_MAX])
{
	const char *path = model_string(model, model->images.at[making->only_image].path);
	const char *reason = "source lines are read from programs and libraries only";

	why[0] = '\0';
	if (making->opened && making->rc == 0)
		return;
	if (making->opened)
		reason = making->rc == -ENOENT
				 ? "the file has no debug information, and no separate debug file "
				   "was found"
				 : "the debug information cannot be read";
	else if (replaced)
		reason = "the file is not the one that was recorded";
	else if (model->images.at[making->only_image].kind == IMAGE_FILE)
		reason = "the file cannot be read";
	(void)snprintf(why, LINES_WHY_MAX, "no source lines for %.60s: %s", path, reason);
}

int lines_resolve_image(struct model *model, const struct symbolize_options *options,
			uint32_t image, char ret_why[static LINES_WHY_MAX], struct err *err)
{
	const struct losses losses = model->losses;
	struct making making = { .only_image = image };
	int rc = hits_each_image(model, options, has_no_line, visit, &making);
	bool replaced = model->losses.count[LOSS_IMAGE_REPLACED] +
				model->losses.count[LOSS_IMAGE_UNVERIFIED] !=
			losses.count[LOSS_IMAGE_REPLACED] + losses.count[LOSS_IMAGE_UNVERIFIED];

	model->losses = losses;		/* discard the losses that this pass has counted */
	if (rc < 0)
		return err_set(err, rc, "no memory for the lines of an image");
	say_why(model, &making, replaced, ret_why);
	return 0;
}
