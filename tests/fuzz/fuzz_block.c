/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Column blocks without their checksum, which an attacker who crafts a file can make right. Input:
 * kind (one byte), number of entries (two, little-endian), the bytes of the block.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "store/code_block.h"
#include "store/dictionary_block.h"
#include "store/function_block.h"
#include "store/line_block.h"
#include "store/mapping_block.h"
#include "store/sample_block.h"
#include "store/source_block.h"

#define FIRST 1000
#define PREFIX_BYTES 3
#define SEED_ROWS 40

static void check(bool good)
{
	if (!good)
		abort();
}

static void decode_samples(struct block_codec *codec, struct block_header *header)
{
	struct sample_batch batch = { 0 };

	header->time_max_ns = UINT64_MAX;
	if (sample_block_decode(codec, header, &batch) == 0) {
		check(batch.samples.count == header->count);
		check(batch.counters.count == batch.samples.count * batch.counter_count);
	}
	sample_batch_fini(&batch);
}

static void decode_stacks(struct block_codec *codec, const struct block_header *header)
{
	struct stack_node *rows = calloc(header->count + 1u, sizeof(*rows));

	check(rows != NULL);
	if (stack_block_decode(codec, header, rows) == 0)
		for (uint32_t i = 0; i < header->count; i++)
			check(rows[i].parent < header->first + i);
	free(rows);
}

static void decode_locations(struct block_codec *codec, const struct block_header *header)
{
	struct location *rows = calloc(header->count + 1u, sizeof(*rows));
	struct function functions[4] = { 0 };
	struct function_index index;

	check(rows != NULL);
	for (uint32_t i = 1; i < 4; i++)
		functions[i] = (struct function){ .image = i, .size_bytes = UINT64_MAX };
	check(function_index_init(&index, functions, 4) == 0);
	if (header->kind == BLOCK_LOCATION)
		(void)location_block_decode(codec, header, rows);
	else if (header->kind == BLOCK_LOCATION_LINE)
		(void)location_line_block_decode(codec, header, rows);
	else
		(void)location_function_block_decode(codec, header, rows, &index);
	function_index_fini(&index);
	free(rows);
}

static void decode_mappings(struct block_codec *codec, const struct block_header *header)
{
	struct mapping *rows = calloc(header->count + 1u, sizeof(*rows));

	check(rows != NULL);
	(void)mapping_block_decode(codec, header, rows);
	free(rows);
}

static void decode_functions(struct block_codec *codec, const struct block_header *header)
{
	struct function *rows = calloc(header->count + 1u, sizeof(*rows));
	struct byte_vec texts = { 0 };

	check(rows != NULL);
	if (function_block_decode(codec, header, rows, &texts) == 0)
		for (uint32_t i = 0; i < header->count; i++) {
			check(memchr(texts.at + rows[i].name, 0, texts.count - rows[i].name));
			check(rows[i].linkage_name < texts.count);
		}
	vec_free(&texts);
	free(rows);
}

static void decode_codes(struct block_codec *codec)
{
	struct code_cursor cursor = { 0 };
	struct code_entry entry;

	while (code_block_next(codec, &cursor, &entry) > 0)
		check(entry.bytes >= codec->text.at &&
		      entry.bytes + entry.size_bytes <= codec->text.at + codec->text.count);
}

static void decode_sources(struct block_codec *codec)
{
	struct source_cursor cursor = { 0 };
	const char *text = (const char *)codec->text.at;
	struct source_entry entry;
	size_t at = 0;

	while (source_block_next(codec, &cursor, &entry) > 0) {
		check(entry.path == text + at);
		at += entry.path_size_bytes;
		check(entry.bytes == text + at);
		at += entry.size_bytes;
		check(at <= codec->text.count);
	}
}

static void decode_lines(struct block_codec *codec, const struct block_header *header)
{
	struct source_line *rows = calloc(header->count + 1u, sizeof(*rows));
	struct byte_vec texts = { 0 };

	check(rows && vec_push(&texts));	/* as in a dictionary: entry 0 is "" */
	if (line_block_decode(codec, header, rows, &texts) == 0)
		for (uint32_t i = 0; i < header->count; i++) {
			check(memchr(texts.at + rows[i].file, 0, texts.count - rows[i].file));
			check(rows[i].caller < header->first + i);
		}
	vec_free(&texts);
	free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	struct block_codec codec = { 0 };
	struct block_header header = { .first = FIRST };

	if (size_bytes < PREFIX_BYTES)
		return 0;
	header.kind = (enum block_kind)(bytes[0] % BLOCK_KIND_COUNT);
	header.count = bytes[1] | (uint32_t)bytes[2] << 8;
	if (block_unpack(&codec, bytes + PREFIX_BYTES, size_bytes - PREFIX_BYTES, header.count) ==
	    0) {
		check(header.count <= BLOCK_COUNT_MAX);
		if (header.kind == BLOCK_SAMPLE)
			decode_samples(&codec, &header);
		else if (header.kind == BLOCK_STACK)
			decode_stacks(&codec, &header);
		else if (header.kind == BLOCK_FUNCTION)
			decode_functions(&codec, &header);
		else if (header.kind == BLOCK_CODE)
			decode_codes(&codec);
		else if (header.kind == BLOCK_SOURCE)
			decode_sources(&codec);
		else if (header.kind == BLOCK_LINE)
			decode_lines(&codec, &header);
		else if (header.kind == BLOCK_MAPPING)
			decode_mappings(&codec, &header);
		else
			decode_locations(&codec, &header);
	}
	block_codec_fini(&codec);
	return 0;
}

/* ---- seeds ---- */

static int encode_samples(struct block_codec *codec)
{
	const struct event event = { .is_time = true, .frequency_hz = 999 };
	struct sample_batch batch = { .counter_count = 2 };
	struct sample_slice slice = { &batch, 0, SEED_ROWS, &event, 1 };
	int rc;

	for (uint32_t i = 0; i < SEED_ROWS; i++) {
		struct sample *sample = vec_push(&batch.samples);

		check(sample && vec_push(&batch.counters) && vec_push(&batch.counters));
		*sample = (struct sample){ .time_ns = 1000000 * i,
					   .stack = i * i % 70,
					   .thread = i % 5,
					   .cpu = (uint16_t)(i % 3),
					   .late_ns = (int32_t)(i * 37 % 900),
					   .weight = 1001001 };
		batch.counters.at[2 * i] = i;
	}
	rc = sample_block_encode(codec, &slice);
	sample_batch_fini(&batch);
	return rc;
}

static int encode_dictionary(struct block_codec *codec, enum block_kind kind)
{
	const struct block_header header = { .kind = kind, .first = FIRST, .count = SEED_ROWS };
	const struct function_index index = { 0 };
	static struct mapping mappings[FIRST + SEED_ROWS];
	static struct stack_node stacks[FIRST + SEED_ROWS];
	static struct location locations[FIRST + SEED_ROWS];

	for (uint32_t i = 0; i < SEED_ROWS; i++) {
		stacks[FIRST + i] = (struct stack_node){ FIRST - i, i * 3 % 50 };
		locations[FIRST + i] = (struct location){
			.image = i % 4,
			.function = i % 9,
			.line = i % 7,
			.vaddr = 0x400000 + i * 77,
		};
		mappings[FIRST + i] = (struct mapping){ i / 4,	      i % 4,
							4096 * i * i, 4096 * i * i + 8192,
							4096 * i,     1000 * i };
	}
	if (kind == BLOCK_MAPPING)
		return mapping_block_encode(codec, &header, mappings);
	if (kind == BLOCK_STACK)
		return stack_block_encode(codec, &header, stacks);
	if (kind == BLOCK_LOCATION_LINE)
		return location_line_block_encode(codec, &header, locations);
	return kind == BLOCK_LOCATION
		       ? location_block_encode(codec, &header, locations)
		       : location_function_block_encode(codec, &header, locations, &index);
}

static int encode_functions(struct block_codec *codec)
{
	const struct block_header header = { .kind = BLOCK_FUNCTION,
					     .first = 1,
					     .count = SEED_ROWS };
	struct model model;
	int rc;

	check(model_init(&model) == 0);
	for (uint32_t i = 1; i <= SEED_ROWS; i++) {
		struct function function = { .name = model_intern(&model, i % 2 ? "main" : "read"),
					     .vaddr = 0x1000 * i,
					     .size_bytes = 64 + i };

		check(model_function_id(&model, &function) == i);
	}
	rc = function_block_encode(codec, &header, &model);
	model_fini(&model);
	return rc;
}

static int encode_codes(struct block_codec *codec)
{
	static uint8_t bytes[SEED_ROWS];
	struct code_list codes = { 0 };
	int rc;

	for (uint32_t i = 0; i < SEED_ROWS; i++) {
		struct code *code = vec_push(&codes.list);

		check(code != NULL);
		*code = (struct code){ i % 3, 62, 0x1000 * i, bytes, i + 1 };
	}
	rc = code_block_encode(codec, &codes);
	vec_free(&codes.list);
	return rc;
}

static int encode_sources(struct block_codec *codec)
{
	static char bytes[] = "int x;\nint y;\n";
	struct source_list sources = { 0 };
	struct model model;
	uint32_t count;
	int rc;

	check(model_init(&model) == 0);
	for (uint32_t i = 0; i < SEED_ROWS; i++) {
		struct source_text *text = vec_push(&sources.list);

		check(text != NULL);
		text->file = model_intern(&model, i % 2 ? "/a.c" : "/src/b.h");
		text->bytes = bytes;
		text->size_bytes = i % sizeof(bytes);
		text->mtime_ns = i * i;
	}
	rc = source_block_encode(codec, &model, &sources, &count);
	check(count == SEED_ROWS);
	vec_free(&sources.list);
	model_fini(&model);
	return rc;
}

static int encode_lines(struct block_codec *codec)
{
	const struct block_header header = { .kind = BLOCK_LINE, .first = 1, .count = SEED_ROWS };
	struct model model;
	int rc;

	check(model_init(&model) == 0);
	for (uint32_t i = 1; i <= SEED_ROWS; i++) {
		struct source_line line = { .file = model_intern(&model, i % 2 ? "a.c" : "b.h"),
					    .line = 10 * i,
					    .function = i % 4,
					    .caller = i / 2 };

		check(model_line_id(&model, &line) == i);
	}
	rc = line_block_encode(codec, &header, &model);
	model_fini(&model);
	return rc;
}

static int encode_seed(struct block_codec *codec, enum block_kind kind)
{
	if (kind == BLOCK_SAMPLE)
		return encode_samples(codec);
	if (kind == BLOCK_CODE)
		return encode_codes(codec);
	if (kind == BLOCK_SOURCE)
		return encode_sources(codec);
	if (kind == BLOCK_LINE)
		return encode_lines(codec);
	return kind == BLOCK_FUNCTION ? encode_functions(codec) : encode_dictionary(codec, kind);
}

int fuzz_seed(unsigned int i, uint8_t **ret_bytes, size_t *ret_size_bytes)
{
	struct block_codec codec = { 0 };

	if (i >= BLOCK_KIND_COUNT)
		return -1;
	check(encode_seed(&codec, (enum block_kind)i) == 0);
	check(block_pack(&codec) == 0);
	*ret_size_bytes = PREFIX_BYTES + codec.packed.count;
	*ret_bytes = calloc(1, *ret_size_bytes);
	check(*ret_bytes != NULL);
	(*ret_bytes)[0] = (uint8_t)i;
	(*ret_bytes)[1] = SEED_ROWS;
	memcpy(*ret_bytes + PREFIX_BYTES, codec.packed.at, codec.packed.count);
	block_codec_fini(&codec);
	return 0;
}
