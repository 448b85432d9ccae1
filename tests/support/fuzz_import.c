/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/fuzz_import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/import.h"

#define BATCHES_MAX 2	/* a large count gives many equal samples, so stop early */

struct looking {
	const struct model *model;
	uint64_t last_ns;
	unsigned int batches;
};

static int look(void *context, struct sample_batch *batch, struct err *err)
{
	struct looking *looking = context;
	const struct model *model = looking->model;

	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *sample = &batch->samples.at[i];

		if (sample->thread >= model->threads.count ||
		    sample->stack >= model->stacks.count || sample->event >= model->events.count ||
		    sample->context >= CONTEXT_COUNT)
			abort();
		if (sample->time_ns && sample->time_ns < looking->last_ns)
			abort();
		looking->last_ns = sample->time_ns;
	}
	return ++looking->batches < BATCHES_MAX ? 0 : -ECANCELED;
}

static void check_rows(const struct model *model)
{
	for (size_t i = 1; i < model->locations.count; i++)
		if (model->locations.at[i].function >= model->functions.count ||
		    model->locations.at[i].line >= model->lines.count ||
		    model->locations.at[i].image >= model->images.count)
			abort();
	for (size_t i = 1; i < model->lines.count; i++)
		if (model->lines.at[i].caller >= i ||
		    model->lines.at[i].function >= model->functions.count)
			abort();
	for (size_t i = STACK_ROOT_COUNT; i < model->stacks.count; i++)
		if (model->stacks.at[i].parent >= i ||
		    model->stacks.at[i].location >= model->locations.count)
			abort();
}

void fuzz_import(const char *format, const uint8_t *bytes, size_t size_bytes)
{
	struct model model;
	struct looking looking = { .model = &model };
	const struct import_options options = {
		.format = import_format_find(format),
		.flush = look,
		.context = &looking,
		.host = "here",
	};
	struct import *import;
	struct err err = { 0 };
	char path[64];
	int fd = memfd_create(format, MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size_bytes) != (ssize_t)size_bytes || model_init(&model) < 0)
		abort();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (import_new(&model, &options, &import) == 0) {
		(void)import_read(import, path, &err);
		check_rows(&model);
		import_free(import);
	}
	model_fini(&model);
	(void)close(fd);
}

int fuzz_text_seed(const char *const *texts, size_t count, unsigned int i, uint8_t **ret_bytes,
		   size_t *ret_size_bytes)
{
	if (i >= count)
		return -1;
	*ret_bytes = (uint8_t *)strdup(texts[i]);
	*ret_size_bytes = strlen(texts[i]);
	return *ret_bytes ? 0 : -1;
}
