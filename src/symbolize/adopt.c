/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/adopt.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "symbolize/hits.h"
#include "symbolize/recorded.h"

struct adopting {
	bool trust_paths;
	size_t count;		/* images that have changed */
};

static uint64_t vaddr_of(const struct image_file *file, uint64_t offset)
{
	uint64_t vaddr = offset;

	(void)image_file_vaddr(file, offset, &vaddr);
	return vaddr;
}

/* Converts the offsets of the image's locations and mappings to addresses. */
static void convert(const struct image_hits *hits, const struct image_file *file)
{
	struct model *model = hits->model;

	for (size_t i = 0; i < hits->count; i++) {
		struct location *location = &model->locations.at[hits->hits[i].location];

		location->vaddr = vaddr_of(file, location->vaddr);
	}
	for (size_t i = 1; i < model->mappings.count; i++) {
		struct mapping *mapping = &model->mappings.at[i];

		if (mapping->image == hits->image)
			mapping->bias = mapping->start_addr -
					vaddr_of(file, mapping->start_addr - mapping->bias);
	}
	model->images.at[hits->image].unread = false;
}

/* The image takes over the identity of the file. */
static void trust(const struct image_hits *hits, const struct image_file *file)
{
	struct model *model = hits->model;
	struct image *image = &model->images.at[hits->image];
	uint64_t *unverified = &model->losses.count[LOSS_IMAGE_UNVERIFIED];
	_cleanup_free_ char *path = recorded_path_below(hits->options->sysroot, hits_path(hits));

	if (!image->inode && *unverified > 0)
		--*unverified;
	hits_loss(hits, LOSS_IMAGE_TRUSTED);
	image->build_id_size = file->build_id_size;
	memcpy(image->build_id, file->build_id, file->build_id_size);
	image->dev = file->dev;
	image->inode = file->inode;
	image->mtime_ns = file->mtime_ns;
	if (path)
		model_image_fact_set(model, FACT_TRUSTED_IMAGE, hits->image, path);
	else
		hits_loss(hits, LOSS_MEMORY);
}

static int adopt(const struct image_hits *hits, void *context)
{
	const struct image *image = hits_image(hits);
	struct adopting *adopting = context;
	bool can_trust = adopting->trust_paths && !image->build_id_size &&
			 !model_image_fact(hits->model, FACT_TRUSTED_IMAGE, hits->image);
	struct image_file file;
	bool is_it;

	if ((!image->unread && !can_trust) || user_image_open(hits, &file) < 0)
		return 0;
	is_it = recorded_file_is(image, &file);
	if (is_it || can_trust) {
		adopting->count += image->unread || !is_it;
		if (image->unread)
			convert(hits, &file);
		if (!is_it)
			trust(hits, &file);
	}
	image_file_fini(&file);
	return 0;
}

/* Leaves out the images that adopt() never changes, which are usually all. */
static bool may_be_adopted(const struct model *model, const struct location *location)
{
	const struct image *image = &model->images.at[location->image];

	return hits_is_in_file(model, location) && (image->unread || !image->build_id_size);
}

int adopt_files(struct model *model, const struct symbolize_options *options, bool trust_paths,
		size_t *ret_count, struct err *err)
{
	struct adopting adopting = { .trust_paths = trust_paths };
	int rc = hits_each_image(model, options, may_be_adopted, adopt, &adopting);

	*ret_count = adopting.count;
	return rc < 0 ? err_set(err, rc, "no memory for the addresses of %zu locations",
				model->locations.count)
		      : 0;
}

/* ---- without the file ---- */

/* Returns the offset at which the lowest mapping of the unread image starts, or UINT64_MAX. */
static uint64_t lowest_offset(const struct model *model, uint32_t image)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 1; i < model->mappings.count; i++) {
		const struct mapping *mapping = &model->mappings.at[i];
		uint64_t offset = mapping->start_addr - mapping->bias;

		if (mapping->image == image && offset < lowest)
			lowest = offset;
	}
	return lowest;
}

bool addresses_are_offsets(const struct model *model, uint32_t image,
			   const struct image_file *debug)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct elf_segment *code = NULL;

	for (size_t i = 0; i < debug->segments.count; i++) {
		if (!debug->segments.at[i].executable)
			continue;
		if (code)
			return false;
		code = &debug->segments.at[i];
	}
	return code && (code->vaddr & ~(page_bytes - 1)) == lowest_offset(model, image);
}
