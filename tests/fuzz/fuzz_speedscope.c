/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope's JSON, both kinds of profile. */
#include "fuzz.h"
#include "support/fuzz_import.h"

#define HEAD "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","

static const char *const seeds[] = {
	(HEAD "\"profiles\":[{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"milliseconds\","
	      "\"startValue\":1.5,\"endValue\":9,\"samples\":[[0,1],[],[0],[1,7]],"
	      "\"weights\":[1,0.25,1e1,3]},"
	      "{\"type\":\"sampled\",\"name\":\"b\",\"unit\":\"bytes\",\"weights\":[5],"
	      "\"samples\":[[0]]}],"
	      "\"shared\":{\"frames\":[{\"name\":\"a\",\"file\":\"x.py\",\"line\":3,\"col\":1},"
	      "{\"name\":\"[k] \\u00e9\",\"file\":\"[kernel]\"}]}}"),
	(HEAD "\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":["
	      "{\"type\":\"evented\",\"name\":\"m\",\"unit\":\"none\",\"startValue\":0,"
	      "\"endValue\":9,\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":0},"
	      "{\"type\":\"O\",\"frame\":1,\"at\":2},{\"type\":\"C\",\"frame\":1,\"at\":5.5},"
	      "{\"type\":\"C\",\"frame\":0,\"at\":9}]}],\"name\":\"n\",\"exporter\":\"e@1\"}"),
	(HEAD "\"exporter\":\"assay 1\",\"name\":\"sh (3 samples lost: memory)\","
	      "\"profiles\":[{\"type\":\"sampled\",\"name\":\"cpu-clock\","
	      "\"unit\":\"nanoseconds\",\"samples\":[[2,3,0],[2,0]],\"weights\":[5,6]}],"
	      "\"shared\":{\"frames\":[{\"name\":\"f\",\"file\":\"a.c\",\"image\":\"/x\"},"
	      "{\"name\":\"g\"},{\"name\":\"sh\"},{\"name\":\"<truncated stack>\"}]}}"),
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	fuzz_import("speedscope", bytes, size_bytes);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	return fuzz_text_seed(seeds, sizeof(seeds) / sizeof(seeds[0]), i, ret_bytes,
			      ret_size_bytes);
}
