/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader that was taken over may reply when it is asked for functions, parameters, or where
 * a function was inlined.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_writer.h"
#include "symbolize/function_job.h"
#include "symbolize/inlined_job.h"
#include "symbolize/parameter_job.h"

static uint8_t *copy(const uint8_t *bytes, size_t size_bytes)
{
	uint8_t *reply = malloc(size_bytes + 1);

	if (!reply)
		abort();
	if (size_bytes)
		memcpy(reply, bytes, size_bytes);
	return reply;
}

static void take_parameters(uint8_t *reply, size_t size_bytes)
{
	struct found_parameters parameters = { 0 };

	if (parameters_take(reply, size_bytes, &parameters) == 0)
		for (size_t i = 0; i < parameters.list.count; i++) {
			const struct debug_parameter *parameter = &parameters.list.at[i];

			if (strlen(parameter->name) >= size_bytes ||
			    (parameter->passed == PASSED_IN_REGISTER && parameter->size_bytes > 8))
				abort();
		}
	found_parameters_fini(&parameters);
}

static void take_inlined(uint8_t *reply, size_t size_bytes)
{
	struct found_inlined inlined = { 0 };

	if (inlined_take(reply, size_bytes, &inlined) == 0)
		for (uint32_t i = 0; i < inlined.name_count; i++)
			if (i >= INLINED_NAMES_MAX || strlen(inlined.names[i]) >= size_bytes)
				abort();
	found_inlined_fini(&inlined);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	struct found_functions functions = { 0 };

	take_inlined(copy(bytes, size_bytes), size_bytes);
	take_parameters(copy(bytes, size_bytes), size_bytes);
	if (functions_take(copy(bytes, size_bytes), size_bytes, &functions) == 0)
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

static void put_parameter(struct byte_writer *w, uint32_t passed, const char *name)
{
	byte_writer_u32(w, passed);
	byte_writer_u32(w, 1);
	byte_writer_u32(w, 4);
	byte_writer_u32(w, 1);
	byte_writer_string(w, name);
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	struct byte_writer w = { 0 };

	if (i >= 4)
		return -1;
	if (i < 2) {
		byte_writer_u32(&w, 62);
		byte_writer_u32(&w, i);
		byte_writer_u32(&w, 2);
		put_function(&w, 0x2000, 1, "first");
		put_function(&w, 0x3000, i * 3, "second");
	} else if (i == 3) {
		byte_writer_u32(&w, 9);
		byte_writer_u32(&w, 2);
		byte_writer_string(&w, "main");
		byte_writer_string(&w, "app::run");
	} else {
		byte_writer_u32(&w, 2);
		put_parameter(&w, PASSED_IN_REGISTER, "fd");
		put_parameter(&w, PASSED_SOMEHOW, "pair");
	}
	if (w.failed)
		abort();
	*ret_bytes = w.bytes.at;
	*ret_size_bytes = w.bytes.count;
	return 0;
}
