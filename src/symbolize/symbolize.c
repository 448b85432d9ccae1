/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/symbolize.h"

#include "base/cleanup.h"
#include "symbolize/hits.h"
#include "symbolize/names.h"

static int compare_hits(const void *a, const void *b)
{
	const struct hit *left = a, *right = b;

	if (left->image != right->image)
		return left->image < right->image ? -1 : 1;
	if (left->vaddr != right->vaddr)
		return left->vaddr < right->vaddr ? -1 : 1;
	return 0;
}

/* Collects the locations that @wanted accepts, sorted by image and address. */
static int collect_hits(const struct model *model, hits_want_fn wanted, struct hit **ret_hits,
			size_t *ret_count)
{
	struct hit *hits = calloc(model->locations.count, sizeof(*hits));
	size_t count = 0;

	if (!hits)
		return -ENOMEM;
	for (size_t i = 1; i < model->locations.count; i++) {
		const struct location *location = &model->locations.at[i];

		if (!wanted(model, location))
			continue;
		hits[count++] = (struct hit){
			.vaddr = location->vaddr,
			.image = location->image,
			.location = (uint32_t)i,
		};
	}
	qsort(hits, count, sizeof(*hits), compare_hits);
	*ret_hits = hits;
	*ret_count = count;
	return 0;
}

/* The hits of one image. Images with a higher rank are processed earlier. */
struct turn {
	uint64_t rank;
	size_t start, count;
};

static int compare_turns(const void *a, const void *b)
{
	const struct turn *left = a, *right = b;

	if (left->rank != right->rank)
		return left->rank > right->rank ? -1 : 1;
	return (left->start > right->start) - (left->start < right->start);
}

/*
 * Writes one entry for each image to @turns, which has space for @count entries. Returns the number
 * of entries.
 */
static size_t make_turns(const struct symbolize_options *options, const struct hit *hits,
			 size_t count, struct turn *turns)
{
	size_t turn_count = 0, end;

	for (size_t start = 0; start < count; start = end) {
		uint32_t image = hits[start].image;

		for (end = start; end < count && hits[end].image == image; end++)
			;
		turns[turn_count++] = (struct turn){
			.rank = options->image_ranks ? options->image_ranks[image] : 0,
			.start = start,
			.count = end - start,
		};
	}
	qsort(turns, turn_count, sizeof(*turns), compare_turns);
	return turn_count;
}

int hits_each_image(struct model *model, const struct symbolize_options *options,
		    hits_want_fn wanted, hits_visit_fn visit, void *context)
{
	_cleanup_free_ struct turn *turns = NULL;
	_cleanup_free_ struct hit *hits = NULL;
	size_t count, turn_count;
	int rc = collect_hits(model, wanted, &hits, &count);

	if (rc < 0)
		return rc;
	turns = calloc(count + 1, sizeof(*turns));
	if (!turns)
		return -ENOMEM;
	turn_count = make_turns(options, hits, count, turns);
	for (size_t i = 0; i < turn_count; i++) {
		struct image_hits group = {
			.model = model,
			.options = options,
			.image = hits[turns[i].start].image,
			.hits = hits + turns[i].start,
			.count = turns[i].count,
		};

		rc = visit(&group, context);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int name_image(const struct image_hits *hits, void *context)
{
	switch (hits_image(hits)->kind) {
	case IMAGE_FILE:
		user_image_name(hits);
		break;
	case IMAGE_KERNEL:
	case IMAGE_MODULE:
	case IMAGE_BPF:
		kernel_image_name(hits);
		break;
	case IMAGE_VDSO:
		vdso_name(hits);
		break;
	case IMAGE_JIT:		/* jit_name() has named the location already, see jit.h */
	case IMAGE_UNKNOWN:
		break;
	}
	names_from_image(hits);
	return 0;
}

static bool is_unnamed(const struct model *model, const struct location *location)
{
	return !location->function;
}

int symbolize(struct model *model, const struct symbolize_options *options, struct err *err)
{
	if (hits_each_image(model, options, is_unnamed, name_image, NULL) < 0)
		return err_set(err, -ENOMEM, "no memory to name %zu locations",
			       model->locations.count);
	return 0;
}

/* Returns true if reading the files again could give a better name. */
static bool can_be_refined(const struct model *model, const struct location *location)
{
	return model->images.at[location->image].kind == IMAGE_FILE &&
	       model->functions.at[location->function].quality != QUALITY_SYMTAB;
}

static bool is_better(const struct model *model, uint32_t function, uint32_t than)
{
	return function &&
	       (!than || model->functions.at[function].quality < model->functions.at[than].quality);
}

int symbolize_refine(struct model *model, const struct symbolize_options *options,
		     uint64_t *ret_refined, struct err *err)
{
	size_t count = model->locations.count;
	_cleanup_free_ uint32_t *before = calloc(count, sizeof(*before));
	const struct losses losses = model->losses;
	int rc;

	*ret_refined = 0;
	if (!before)
		return err_set(err, -ENOMEM, "no memory to name %zu locations", count);
	for (size_t i = 1; i < count; i++) {
		struct location *location = &model->locations.at[i];

		before[i] = location->function;
		if (can_be_refined(model, location))
			location->function = 0;
	}
	rc = symbolize(model, options, err);
	model->losses = losses;		/* keep the losses of the recording */
	for (size_t i = 1; i < count; i++) {
		uint32_t *function = &model->locations.at[i].function;

		if (is_better(model, *function, before[i]))
			++*ret_refined;
		else
			*function = before[i];
	}
	return rc;
}
