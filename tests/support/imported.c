/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <string.h>

#include "support/imported.h"
#include "support/temp.h"

int imported_keep(void *context, struct sample_batch *batch, struct err *err)
{
	struct imported *imported = context;

	for (size_t i = 0; i < batch->samples.count; i++) {
		struct sample *slot = vec_push(&imported->samples.samples);

		assert_non_null(slot);
		*slot = batch->samples.at[i];
	}
	return 0;
}

void imported_from_bytes(struct imported *imported, const void *bytes, size_t size_bytes)
{
	struct temp_dir dir = temp_dir_make();
	const char *path = temp_file(&dir, "file", bytes, size_bytes);
	const struct import_options options = { .flush = imported_keep, .context = imported };
	struct import *import;

	*imported = (struct imported){ 0 };
	assert_int_equal(model_init(&imported->model), 0);
	assert_int_equal(import_new(&imported->model, &options, &import), 0);
	imported->rc = import_read(import, path, &imported->err);
	import_free(import);
	temp_dir_remove(&dir);
}

void imported_from_text(struct imported *imported, const char *text)
{
	imported_from_bytes(imported, text, strlen(text));
}

void imported_fini(struct imported *imported)
{
	sample_batch_fini(&imported->samples);
	model_fini(&imported->model);
}
