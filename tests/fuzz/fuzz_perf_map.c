/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a perf map, against hits that lie near each other and far apart. */
#include "fuzz.h"
#include "symbolize/perf_map.h"

#define HIT_COUNT 32

/* Hits in rising order: dense around where the seeds have code, then with rising distance. */
static void place_hits(struct model *model, uint32_t image, struct hit hits[static HIT_COUNT])
{
	uint64_t vaddr = 0xff8;

	for (size_t i = 0; i < HIT_COUNT; i++) {
		hits[i].vaddr = vaddr;
		hits[i].image = image;
		hits[i].location = model_location_id(model, image, vaddr);
		vaddr += i < 16 ? 8 : UINT64_C(1) << (i + 24);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	const struct symbolize_options options = { 0 };
	const struct image image = { .kind = IMAGE_JIT };
	struct hit hits[HIT_COUNT];
	struct model model;
	struct image_hits work = { .model = &model, .options = &options, .hits = hits };

	if (model_init(&model) < 0)
		abort();
	work.image = model_image_id(&model, &image);
	work.count = HIT_COUNT;
	place_hits(&model, work.image, hits);
	perf_map_apply(&work, (const char *)bytes, size_bytes);
	for (size_t i = 0; i < HIT_COUNT; i++) {
		const struct function *function = &model.functions.at[*hits_function(&work, i)];

		/* Whatever the lines say, a name covers the address that it was given to. */
		if (*hits_function(&work, i) &&
		    (hits[i].vaddr < function->vaddr ||
		     hits[i].vaddr - function->vaddr >= function->size_bytes || !function->name))
			abort();
	}
	model_fini(&model);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static const char *const seeds[] = {
		"1000 20 first\n1020 0x10 second with spaces\r\n0x1030\t8\ttabs\n",
		"1000 100 old\n1040 20 middle\n1000 10 new\n1050 4 newest",
		("\n \n1000\n1000 10\n1000 0 none\nffffffffffffffff 2 wraps\n"
		 "0 ffffffffffffffff all\n"),
		"1000 10 \x1b[31mred\n7f0000001000 ff LFunction:~far\n",
	};

	if (i >= sizeof(seeds) / sizeof(*seeds))
		return -1;
	*ret_size_bytes = strlen(seeds[i]);
	*ret_bytes = malloc(*ret_size_bytes);
	if (!*ret_bytes)
		abort();
	memcpy(*ret_bytes, seeds[i], *ret_size_bytes);
	return 0;
}
