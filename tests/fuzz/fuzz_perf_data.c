/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The perf.data reader in all its forms, through to the samples of the model. */
#include "fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/import.h"
#include "support/perf_file.h"

static int look(void *context, struct sample_batch *batch, struct err *err)
{
	const struct model *model = context;

	for (size_t i = 0; i < batch->samples.count; i++) {
		const struct sample *sample = &batch->samples.at[i];

		if (sample->thread >= model->threads.count ||
		    sample->stack >= model->stacks.count || sample->event >= model->events.count)
			abort();
		if (i && sample->time_ns && sample->time_ns < sample[-1].time_ns)
			abort();
	}
	return 0;
}

static void see_jitdump(void *context, const struct import_jitdump *dump)
{
	if (!dump->named_pid || dump->named_pid != dump->tgid || !dump->path[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	struct model model;
	const struct import_options options = {
		.jitdump = see_jitdump,
		.flush = look,
		.context = &model,
		.host = "here",
	};
	char path[64];
	struct import *import;
	int fd = memfd_create("perf.data", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size_bytes) != (ssize_t)size_bytes || model_init(&model) < 0)
		abort();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (import_new(&model, &options, &import) == 0) {
		struct err err = { 0 };

		(void)import_read(import, path, &err);
		import_free(import);
	}
	model_fini(&model);
	(void)close(fd);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static const struct perf_file_form forms[] = {
		{ .two_events = true },
		{ .branches = true, .pipe = true },
		{ .swapped = true },
		{ .accesses = true },
		{ .pipe = true, .swapped = true, .two_events = true },
		{ .pipe = true, .packed = true },
		{ .packed = true, .packed_new = true },
		{ .monotonic = true, .jitdumps = true },
	};
	struct perf_file file;

	if (i >= sizeof(forms) / sizeof(forms[0]))
		return -1;
	file = perf_file_make(&forms[i]);
	*ret_bytes = file.bytes;
	*ret_size_bytes = file.size_bytes;
	return 0;
}
