/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads .gnu_debugdata, a section that contains an ELF file compressed with xz. In a stripped file,
 * it can contain the names of the local functions. The decompressed size is not known in advance,
 * so both the decoder's memory and its output are limited.
 */
#include <errno.h>
#include <lzma.h>

#include "base/cleanup.h"
#include "elf/symbol_sources.h"

#define PACKED_MAX_BYTES (UINT64_C(64) << 20)
#define UNPACKED_MAX_BYTES (UINT64_C(256) << 20)
#define DECODER_MAX_BYTES (UINT64_C(128) << 20)
#define FIRST_OUTPUT_BYTES (256 * 1024)

struct output {
	VEC(uint8_t) bytes;
};

static int unpack_all(lzma_stream *stream, struct output *output)
{
	size_t wanted = FIRST_OUTPUT_BYTES;

	for (;; wanted = output->bytes.capacity + 1) {
		lzma_ret result;

		if (wanted > UNPACKED_MAX_BYTES)
			return -EFBIG;
		if (vec_reserve(&output->bytes, wanted) < 0)
			return -ENOMEM;
		stream->next_out = output->bytes.at + output->bytes.count;
		stream->avail_out = output->bytes.capacity - output->bytes.count;
		result = lzma_code(stream, LZMA_FINISH);
		output->bytes.count = output->bytes.capacity - stream->avail_out;
		if (result == LZMA_STREAM_END)
			return 0;
		if (result != LZMA_OK || stream->avail_out > 0)
			return -ENOEXEC;
	}
}

int minidebug_load(const struct elf_source *source, const struct elf_sections *sections,
		   uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	const struct elf_shdr *shdr = elf_section_find(sections, ".gnu_debugdata");
	lzma_stream stream = LZMA_STREAM_INIT;
	_cleanup_free_ uint8_t *packed = NULL;
	struct output output = { 0 };
	size_t packed_bytes;
	int rc;

	if (!shdr)
		return -ENOENT;
	rc = elf_section_load(source, shdr, PACKED_MAX_BYTES, &packed, &packed_bytes);
	if (rc < 0)
		return rc;
	if (lzma_stream_decoder(&stream, DECODER_MAX_BYTES, 0) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = packed;
	stream.avail_in = packed_bytes;
	rc = unpack_all(&stream, &output);
	lzma_end(&stream);
	if (rc < 0) {
		vec_free(&output.bytes);
		return rc;
	}
	*ret_bytes = output.bytes.at;
	*ret_size_bytes = output.bytes.count;
	return 0;
}
