/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text formats of pprof. */
#include "fuzz.h"
#include "support/fuzz_import.h"

#define BYTES_MAX 4096

#define HEAP                                                                     \
	"heap profile: 1: 16 [2: 32] @ heap/8192\n1: 16 [2: 32] @ 0x4b4191 0x4b4334\n" \
	"#\t0x4b4190\tmain.keep+0x50\t\t/src/a.go:5\n-1: -2 [0: 0] @ 0x1\nMAPPED_LIBRARIES:\n"

static const char *const seeds[] = {
	HEAP,
	"--- contention:\ncycles/second=2000000000\nsampling period=3\n5000 24 @ 0x4b42be\n",
	"goroutine profile: total 8\n7 @ 0x4378b6 0x40619b\n# labels: {}\n",
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	fuzz_import("pprof-text", bytes, size_bytes < BYTES_MAX ? size_bytes : BYTES_MAX);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	return fuzz_text_seed(seeds, sizeof(seeds) / sizeof(seeds[0]), i, ret_bytes,
			      ret_size_bytes);
}
