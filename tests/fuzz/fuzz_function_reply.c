/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader that was taken over may reply when it is asked for functions. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_writer.h"
#include "symbolize/function_job.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	struct found_functions functions = { 0 };
	uint8_t *reply = malloc(size_bytes + 1);

	if (!reply)
		abort();
	if (size_bytes)
		memcpy(reply, bytes, size_bytes);
	if (functions_take(reply, size_bytes, &functions) == 0)
		for (size_t i = 0; i < functions.list.count; i++) {
			const struct found_function *function = &functions.list.at[i];

			if (function->first_exit + function->exit_count > functions.exits.count ||
			    strlen(function->name) >= size_bytes)
				abort();
		}
	found_functions_fini(&functions);
	return 0;
}

static void put_function(struct byte_writer *w, uint64_t vaddr, uint32_t exit_count,
			 const char *name)
{
	byte_writer_u64(w, vaddr);
	byte_writer_u64(w, vaddr - 0x1000);
	byte_writer_u64(w, 0x20);
	byte_writer_bytes(w, "\x55\x48\x89\xe5\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x5d\xc3",
			  16);
	byte_writer_u32(w, 1);
	byte_writer_u32(w, exit_count);
	for (uint32_t i = 0; i < exit_count; i++)
		byte_writer_u64(w, vaddr - 0x1000 + i);
	byte_writer_string(w, name);
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	struct byte_writer w = { 0 };

	if (i >= 2)
		return -1;
	byte_writer_u32(&w, 62);
	byte_writer_u32(&w, i);
	byte_writer_u32(&w, 2);
	put_function(&w, 0x2000, 1, "first");
	put_function(&w, 0x3000, i * 3, "second");
	if (w.failed)
		abort();
	*ret_bytes = w.bytes.at;
	*ret_size_bytes = w.bytes.count;
	return 0;
}
