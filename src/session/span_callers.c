/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/span_callers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "elf/file_opener.h"
#include "process/mapped_files.h"
#include "symbolize/symbolize.h"

struct caller {
	uint32_t location;	/* in the model; 0: none */
	uint32_t name;		/* a string of the model */
};

struct span_callers {
	struct model model;
	struct readers *readers;
	struct file_opener *opener;
	struct pins *pins;
	struct mapped_files *files;
	VEC(struct caller) callers;	/* by number of the group */
};

/* ---- places ---- */

/* Returns where the caller is in the model, or 0 and a name of what is known. */
static uint32_t locate(struct span_callers *callers, const struct span_group *group, bool *scanned,
		       const char **ret_name)
{
	const struct mapped_place place = {
		.dev = makedev(group->file.dev >> 20, group->file.dev & ((1u << 20) - 1)),
		.inode = group->file.inode,
		.start_addr = group->mapping.start_addr,
		.user = { group->mapping.tgid, group->mapping.parent_tgid },
	};
	struct pin_user user;
	uint32_t pin, image;
	bool known;

	*ret_name = group->id == SPAN_NO_CALLER ? "[unknown]" : "[generated code]";
	if (!group->file.inode)
		return 0;
	known = mapped_files_find(callers->files, &place, &pin, &user);
	if (!known && !*scanned) {
		*scanned = true;
		(void)mapped_files_scan(callers->files);
		known = mapped_files_find(callers->files, &place, &pin, &user);
	}
	if (!known)
		*ret_name = "[unknown file]";
	if (!known || pin == PIN_GENERATED)
		return 0;
	image = pins_image(callers->pins, pin, user);
	/* As if the file were mapped at its offsets. */
	return image ? model_location_id(&callers->model, image,
					 group->id - pins_bias(callers->pins, pin, group->id,
							       group->id))
		     : 0;
}

/* ---- names ---- */

static int symbolize_callers(struct span_callers *callers, struct err *err)
{
	const struct symbolize_options options = {
		.image_file = pins_file,
		.image_file_context = callers->pins,
		.opener = callers->opener,
		.readers = callers->readers,
		.demangle = true,
	};

	return symbolize(&callers->model, &options, err);
}

/* A name in brackets is that of the image already. */
static uint32_t name_of(struct span_callers *callers, uint32_t location)
{
	struct model *model = &callers->model;
	const struct location *place = &model->locations.at[location];
	const char *path = model_string(model, model->images.at[place->image].path);
	const char *name = model_string(model, model->functions.at[place->function].name);
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *text = NULL;

	if (!place->function || name[0] == '[')
		return model->functions.at[place->function].name;
	if (asprintf(&text, "%s:%s", slash ? slash + 1 : path, name) < 0)
		return 0;
	return model_intern(model, text);
}

int span_callers_find(struct span_callers *callers, const struct span_group *groups, size_t count,
		      struct err *err)
{
	size_t first = callers->callers.count;
	bool scanned = false;
	int rc;

	if (first == count)
		return 0;
	(void)mapped_files_read(callers->files);
	if (vec_reserve(&callers->callers, count) < 0)
		return err_sys(err, -ENOMEM, "callers");
	for (size_t i = first; i < count; i++) {
		struct caller *caller = &callers->callers.at[callers->callers.count++];
		const char *name;

		caller->location = locate(callers, &groups[i], &scanned, &name);
		caller->name = caller->location ? 0 : model_intern(&callers->model, name);
	}
	rc = symbolize_callers(callers, err);
	for (size_t i = first; i < count && rc == 0; i++)
		if (callers->callers.at[i].location)
			callers->callers.at[i].name = name_of(callers,
							      callers->callers.at[i].location);
	return rc;
}

uint32_t span_callers_number(const struct span_callers *callers, size_t group)
{
	return callers->callers.at[group].name;
}

const char *span_callers_name(const struct span_callers *callers, size_t group)
{
	return model_string(&callers->model, callers->callers.at[group].name);
}

/* ---- all ---- */

int span_callers_new(struct readers *readers, struct span_callers **ret_callers, struct err *err)
{
	struct span_callers *callers = calloc(1, sizeof(*callers));
	int rc = callers ? model_init(&callers->model) : -ENOMEM;

	if (rc < 0) {
		free(callers);
		return err_sys(err, -ENOMEM, "callers");
	}
	callers->readers = readers;
	rc = file_opener_new(&callers->opener);
	if (rc == 0)
		rc = pins_new(&callers->model, callers->opener, &callers->pins);
	rc = rc < 0 ? err_sys(err, rc, "callers")
		    : mapped_files_new(callers->pins, &callers->files, err);
	if (rc < 0) {
		span_callers_free(callers);
		return rc;
	}
	*ret_callers = callers;
	return 0;
}

void span_callers_free(struct span_callers *callers)
{
	if (!callers)
		return;
	mapped_files_free(callers->files);
	pins_free(callers->pins);
	file_opener_free(callers->opener);
	model_fini(&callers->model);
	vec_free(&callers->callers);
	free(callers);
}

int span_callers_read(struct span_callers *callers)
{
	return mapped_files_read(callers->files);
}
