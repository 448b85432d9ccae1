/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader that was taken over may reply to the addresses of an image. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_writer.h"
#include "symbolize/name_job.h"

#define ADDRESS_COUNT 4

static void take(struct model *model, const uint8_t *bytes, size_t size_bytes)
{
	const struct symbolize_options options = { 0 };
	const struct image image = { .kind = IMAGE_FILE, .path = model_intern(model, "/a") };
	struct image_hits hits = { .model = model, .options = &options };
	struct hit addresses[ADDRESS_COUNT];
	int rc;

	hits.image = model_image_id(model, &image);
	hits.hits = addresses;
	hits.count = ADDRESS_COUNT;
	for (uint32_t i = 0; i < ADDRESS_COUNT; i++)
		addresses[i] = (struct hit){
			.vaddr = i,
			.image = hits.image,
			.location = model_location_id(model, hits.image, i),
		};
	rc = name_job_take(&hits, bytes, size_bytes);
	for (size_t i = 0; i < ADDRESS_COUNT; i++)
		if (*hits_function(&hits, i) >= model->functions.count ||
		    (rc < 0 && *hits_function(&hits, i)))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	struct model model;

	if (model_init(&model) < 0)
		abort();
	take(&model, bytes, size_bytes);
	model_fini(&model);
	return 0;
}

static void put_function(struct byte_writer *w, uint64_t vaddr, const char *name,
			 const char *before)
{
	byte_writer_u64(w, vaddr);
	byte_writer_u64(w, 0x20);
	byte_writer_u32(w, before[0] ? QUALITY_BRACKET : QUALITY_SYMTAB);
	byte_writer_u32(w, vaddr == 0);
	byte_writer_string(w, name);
	byte_writer_string(w, "_Z1av");
	byte_writer_string(w, before);
	byte_writer_string(w, "");
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	struct byte_writer w = { 0 };

	if (i > ADDRESS_COUNT)
		return -1;
	byte_writer_u32(&w, i % 2);
	if (i % 2) {
		byte_writer_u32(&w, LOSS_STRING_CUT);
		byte_writer_u64(&w, i);
	}
	byte_writer_u32(&w, i);
	for (uint32_t n = 0; n < i; n++)
		put_function(&w, n, n % 2 ? "name" : "a()", n == 2 ? "before" : "");
	for (uint32_t n = 0; n < ADDRESS_COUNT; n++)
		byte_writer_u32(&w, n <= i ? n : 0);
	*ret_bytes = w.bytes.at;
	*ret_size_bytes = w.bytes.count;
	return 0;
}
