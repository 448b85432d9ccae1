/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks. Counts are reduced, because high counts only repeat the same loop. */
#include "fuzz.h"
#include "support/fuzz_import.h"

#define BYTES_MAX 4096		/* every nine bytes can become a million samples */

static const char *const seeds[] = {
	"main;a;b 3\nmain;a;read_[k] 12\n# comment\nmain;c 4.5\r\n",
	"[unknown];x 1\n;; 2\nlong name with spaces;y 7",
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	fuzz_import("folded", bytes, size_bytes < BYTES_MAX ? size_bytes : BYTES_MAX);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	return fuzz_text_seed(seeds, sizeof(seeds) / sizeof(seeds[0]), i, ret_bytes,
			      ret_size_bytes);
}
