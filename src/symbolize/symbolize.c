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

/* All locations without a function, by image and address. */
static int collect_hits(const struct model *model, struct hit **ret_hits, size_t *ret_count)
{
	struct hit *hits = calloc(model->locations.count, sizeof(*hits));
	size_t count = 0;

	if (!hits)
		return -ENOMEM;
	for (size_t i = 1; i < model->locations.count; i++) {
		const struct location *location = &model->locations.at[i];

		if (location->function)
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

static void name_image(const struct image_hits *hits)
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
	case IMAGE_JIT:
		if (hits->options->perf_maps)
			perf_map_name(hits);
		break;
	case IMAGE_UNKNOWN:
		break;
	}
	names_from_image(hits);
}

int symbolize(struct model *model, const struct symbolize_options *options, struct err *err)
{
	_cleanup_free_ struct hit *hits = NULL;
	size_t count, end;

	if (collect_hits(model, &hits, &count) < 0)
		return err_set(err, -ENOMEM, "no memory to name %zu locations",
			       model->locations.count);
	for (size_t start = 0; start < count; start = end) {
		struct image_hits group = {
			.model = model,
			.options = options,
			.image = hits[start].image,
			.hits = hits + start,
		};

		for (end = start; end < count && hits[end].image == group.image; end++)
			;
		group.count = end - start;
		name_image(&group);
	}
	return 0;
}
