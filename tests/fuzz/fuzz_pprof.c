/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof profiles, both compressed as they come and as they are when unpacked. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "support/fuzz_import.h"
#include "support/pprof_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	fuzz_import("pprof", bytes, size_bytes);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	struct pprof_file file;

	if (i > 1)
		return -1;
	file = pprof_file_make((int)i);
	*ret_bytes = malloc(file.size_bytes);
	if (!*ret_bytes)
		return -1;
	memcpy(*ret_bytes, file.bytes, file.size_bytes);
	*ret_size_bytes = file.size_bytes;
	return 0;
}
