/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hits.h - the unnamed locations of one image, as the parts of this room hand them around
 *
 * symbolize.c groups a model's unresolved locations by image and gives each group to the
 * namer for its kind.  A namer sets location.function for what it knows and leaves the rest
 * at 0; what is still 0 at the end is named after its image.  Namers do not fail: what cannot
 * be read or kept is counted in the model's losses.
 */
#ifndef ASSAY_SYMBOLIZE_HITS_H
#define ASSAY_SYMBOLIZE_HITS_H

#include "model/model.h"
#include "symbolize/symbolize.h"

struct hit {
	uint64_t vaddr;		/* of the location, see model/image.h */
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

/* The id of the function of hit @i; 0 while it has none. */
static inline uint32_t *hits_function(const struct image_hits *hits, size_t i)
{
	return &hits->model->locations.at[hits->hits[i].location].function;
}

static inline void hits_loss(const struct image_hits *hits, enum loss reason)
{
	loss_add(&hits->model->losses, reason, 1);
}

/*
 * Calls @visit for each image with those of its locations that are @wanted. -ENOMEM, or what
 * @visit returned that was not 0.
 */
typedef bool (*hits_want_fn)(const struct model *model, const struct location *location);
typedef int (*hits_visit_fn)(const struct image_hits *hits, void *context);
int hits_each_image(struct model *model, const struct symbolize_options *options,
		    hits_want_fn wanted, hits_visit_fn visit, void *context);

/* Calls @use with the very file that ran. False, and counted, where it is not here. */
typedef void (*user_image_use_fn)(const struct image_hits *hits, const struct image_file *file,
				  void *context);
bool user_image_use(const struct image_hits *hits, user_image_use_fn use, void *context);

/* The namers, one file each. */
void user_image_name(const struct image_hits *hits);
void kernel_image_name(const struct image_hits *hits);
void vdso_name(const struct image_hits *hits);

#endif
