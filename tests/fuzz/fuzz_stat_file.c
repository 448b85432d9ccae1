/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Input of "assay stat --diff": JSON that anyone may have written. */
#include <math.h>

#include "fuzz.h"
#include "store/stat_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	char *text = malloc(size_bytes + 1);
	struct stat_file file = { 0 };

	if (!text)
		abort();
	memcpy(text, bytes, size_bytes);
	text[size_bytes] = '\0';
	if (stat_file_parse(text, size_bytes, "input", &file, NULL) == 0) {
		for (size_t i = 0; i < file.counters.count; i++) {
			const struct stat_file_counter *counter = &file.counters.at[i];

			if (!counter->event || !counter->where)
				abort();
			for (size_t j = 0; j < counter->values.count; j++)
				if (isinf(counter->values.at[j]))
					abort();
		}
		stat_file_fini(&file);
	}
	free(text);
	return 0;
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	static const char *const texts[] = {
		"{\"version\": 1,\"results\": [{\"runs\": 2,\"counters\": ["
		"{\"event\": \"cs\",\"unit\": \"events\",\"values\": [3,4.5]},"
		"{\"event\": \"task-clock\",\"where\": \"cpu 0\",\"unit\": \"ns\","
		"\"values\": [null,1e300,1e999,-1e999]}]}]}",
		"{\"version\": 1,\"results\": [{\"counters\": [{\"event\": \"a\",\"values\": []},"
		"{\"event\": \"a\\u0000b\",\"values\": {\"x\": [[]]}},{\"event\": \"c\"}]}]}",
	};

	if (i >= sizeof(texts) / sizeof(texts[0]))
		return -1;
	*ret_size_bytes = strlen(texts[i]);
	*ret_bytes = malloc(*ret_size_bytes);
	if (!*ret_bytes)
		return -1;
	memcpy(*ret_bytes, texts[i], *ret_size_bytes);
	return 0;
}
