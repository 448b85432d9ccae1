/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include <fcntl.h>

#include "elf/image_file.h"

struct model *fixture_model(void)
{
	static struct model model;

	model_fini(&model);
	if (model_init(&model) < 0)
		abort();
	return &model;
}

uint32_t fixture_image(struct model *model, enum image_kind kind, const char *path)
{
	struct image image = { .path = model_intern(model, path), .kind = kind };

	return model_image_id(model, &image);
}

uint32_t fixture_file_image(struct model *model, const char *path)
{
	struct image image = { .path = model_intern(model, path), .kind = IMAGE_FILE };
	struct image_file file;

	if (image_file_open(AT_FDCWD, path, &file, NULL) < 0)
		abort();
	image.build_id_size = file.build_id_size;
	memcpy(image.build_id, file.build_id, sizeof(image.build_id));
	image.dev = file.dev;
	image.inode = file.inode;
	image.mtime_ns = file.mtime_ns;
	image_file_fini(&file);
	return model_image_id(model, &image);
}

void fixture_hit(struct model *model, uint32_t image, uint64_t vaddr)
{
	(void)model_location_id(model, image, vaddr);
}

const struct function *fixture_function(struct model *model, uint32_t image, uint64_t vaddr)
{
	uint32_t location = model_location_id(model, image, vaddr);

	return &model->functions.at[model->locations.at[location].function];
}

const char *fixture_name(struct model *model, uint32_t image, uint64_t vaddr)
{
	return model_string(model, fixture_function(model, image, vaddr)->name);
}
