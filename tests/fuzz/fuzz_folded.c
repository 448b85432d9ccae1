/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks; counts are cut to what is quick, as they are nothing but loops. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/import.h"

#define BYTES_MAX 4096		/* each nine of them can become a million samples */

static int look(void *context, struct sample_batch *batch, struct err *err)
{
	const struct model *model = context;

	for (size_t i = 0; i < batch->samples.count; i++)
		if (batch->samples.at[i].stack >= model->stacks.count ||
		    batch->samples.at[i].stack < STACK_ROOT_COUNT)
			abort();
	return -ECANCELED;	/* one batch says enough */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	struct model model;
	const struct import_options options = { .flush = look, .context = &model };
	char path[64];
	struct import *import;
	int fd = memfd_create("folded", MFD_CLOEXEC);

	size_bytes = size_bytes < BYTES_MAX ? size_bytes : BYTES_MAX;
	if (fd < 0 || write(fd, bytes, size_bytes) != (ssize_t)size_bytes || model_init(&model) < 0)
		abort();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (import_new(&model, &options, &import) == 0) {
		(void)import_read(import, path, NULL);
		import_free(import);
	}
	model_fini(&model);
	(void)close(fd);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static const char *const texts[] = {
		"main;a;b 3\nmain;a;read_[k] 12\n# comment\nmain;c 4.5\r\n",
		"[unknown];x 1\n;; 2\nlong name with spaces;y 7",
	};

	if (i >= sizeof(texts) / sizeof(texts[0]))
		return -1;
	*ret_bytes = (uint8_t *)strdup(texts[i]);
	*ret_size_bytes = strlen(texts[i]);
	return *ret_bytes ? 0 : -1;
}
