/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hits.h - the locations of one image to which symbolize.c has not yet assigned a function (hits)
 *
 * symbolize.c groups a model's unresolved locations by image. For each kind of image there is a
 * namer, a function that names addresses in such images. symbolize.c passes each group to the namer
 * for the kind of its image. The namer sets location.function of each location that it can name,
 * and leaves location.function at 0 for the others. At the end, locations without a function are
 * named after their image. Namers do not fail: if a file cannot be read or a name cannot be stored,
 * they count a loss in the model.
 */
#ifndef ASSAY_SYMBOLIZE_HITS_H
#define ASSAY_SYMBOLIZE_HITS_H

#include "model/model.h"
#include "symbolize/symbolize.h"

struct hit {
	uint64_t vaddr;		/* vaddr of the location, see model/image.h */
	uint32_t image;
	uint32_t location;	/* index in model.locations */
};

struct image_hits {
	struct model *model;
	const struct symbolize_options *options;
	uint32_t image;
	const struct hit *hits;	/* sorted by vaddr */
	size_t count;
};

static inline const struct image *hits_image(const struct image_hits *hits)
{
	return &hits->model->images.at[hits->image];
}

static inline const char *hits_path(const struct image_hits *hits)
{
	return model_string(hits->model, hits_image(hits)->path);
}

/* Returns a pointer to the function id of hit @i. The id is 0 until the hit has a function. */
static inline uint32_t *hits_function(const struct image_hits *hits, size_t i)
{
	return &hits->model->locations.at[hits->hits[i].location].function;
}

static inline void hits_loss(const struct image_hits *hits, enum loss reason)
{
	loss_add(&hits->model->losses, reason, 1);
}

/* Returns true if the location is in a program or library. */
static inline bool hits_is_in_file(const struct model *model, const struct location *location)
{
	return location->image && model->images.at[location->image].kind == IMAGE_FILE;
}

/*
 * For each image of @model, calls @visit with the locations of that image that @wanted accepts.
 * Stops when @visit returns a nonzero value. Returns 0, -ENOMEM, or the nonzero value that @visit
 * returned.
 */
typedef bool (*hits_want_fn)(const struct model *model, const struct location *location);
typedef int (*hits_visit_fn)(const struct image_hits *hits, void *context);
int hits_each_image(struct model *model, const struct symbolize_options *options,
		    hits_want_fn wanted, hits_visit_fn visit, void *context);

/*
 * Opens the file at the image's path below the sysroot. It may be another file than the recorded
 * one. Returns 0, -ENOENT if the path is not one of a file, or an error of image_file_open().
 */
int user_image_open(const struct image_hits *hits, struct image_file *ret_file);

/*
 * Opens the image's file and calls @use with it. If the recorded file cannot be found or opened,
 * counts a loss and returns false.
 */
typedef void (*user_image_use_fn)(const struct image_hits *hits, const struct image_file *file,
				  void *context);
bool user_image_use(const struct image_hits *hits, user_image_use_fn use, void *context);

/* The namers, each in a file of its own. */
void user_image_name(const struct image_hits *hits);
void kernel_image_name(const struct image_hits *hits);
void vdso_name(const struct image_hits *hits);

#endif
