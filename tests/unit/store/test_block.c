/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "base/clock.h"
#include "fixture.h"
#include "store/dictionary_block.h"
#include "store/function_block.h"
#include "store/mapping_block.h"
#include "store/sample_block.h"

static void test_columns_come_back(void **state)
{
	struct fixture random = { .state = 7 };

	for (int round = 0; round < 50; round++) {
		struct block_codec in = { 0 }, out = { 0 };
		uint32_t count = (uint32_t)fixture_random(&random, 500);
		uint32_t columns = (uint32_t)fixture_random(&random, 5);

		assert_int_equal(block_begin(&in, count, columns), 0);
		*vec_push(&in.parameters) = fixture_random(&random, UINT64_MAX);
		for (size_t i = 0; i < in.values.count; i++)
			in.values.at[i] = fixture_random(&random, UINT64_MAX) >>
					  fixture_random(&random, 64);
		for (uint64_t i = fixture_random(&random, 3) * 100; i; i--)
			*vec_push(&in.text) = (uint8_t)(round % 2 ? i : 7);
		assert_int_equal(block_pack(&in), 0);
		assert_int_equal(block_unpack(&out, in.packed.at, in.packed.count, count), 0);
		assert_int_equal(out.column_count, columns);
		assert_int_equal(out.parameters.at[0], in.parameters.at[0]);
		if (in.values.count)
			assert_memory_equal(out.values.at, in.values.at,
					    in.values.count * sizeof(uint64_t));
		assert_int_equal(out.text.count, in.text.count);
		if (in.text.count)
			assert_memory_equal(out.text.at, in.text.at, in.text.count);
		block_codec_fini(&in);
		block_codec_fini(&out);
	}
}

static void test_extremes_come_back(void **state)
{
	struct block_codec in = { 0 }, out = { 0 };

	assert_int_equal(block_begin(&in, 2, 1), 0);
	in.values.at[0] = UINT64_MAX;
	assert_int_equal(block_pack(&in), 0);
	assert_int_equal(block_unpack(&out, in.packed.at, in.packed.count, 2), 0);
	assert_true(out.values.at[0] == UINT64_MAX && out.values.at[1] == 0);
	block_codec_fini(&in);
	block_codec_fini(&out);
}

/* A constant column must take almost no space, which is the purpose of the format. */
static void test_constant_is_small(void **state)
{
	struct block_codec codec = { 0 };

	assert_int_equal(block_begin(&codec, BLOCK_COUNT_MAX, 4), 0);
	for (size_t i = 0; i < codec.values.count; i++)
		codec.values.at[i] = 123456789;
	assert_int_equal(block_pack(&codec), 0);
	assert_true(codec.packed.count < 40);
	block_codec_fini(&codec);
}

static void test_cut_short_is_refused(void **state)
{
	struct block_codec in = { 0 }, out = { 0 };

	assert_int_equal(block_begin(&in, 300, 3), 0);
	for (size_t i = 0; i < in.values.count; i++)
		in.values.at[i] = i * i % 1000;
	assert_int_equal(block_pack(&in), 0);
	for (size_t size = 0; size < in.packed.count; size++)
		assert_int_equal(block_unpack(&out, in.packed.at, size, 300), -EBADMSG);
	assert_int_equal(block_unpack(&out, in.packed.at, in.packed.count, 299), -EBADMSG);
	assert_int_equal(block_unpack(&out, in.packed.at, in.packed.count, 301), -EBADMSG);
	assert_int_equal(block_unpack(&out, in.packed.at, in.packed.count, UINT32_MAX), -EBADMSG);
	block_codec_fini(&in);
	block_codec_fini(&out);
}

static void test_checksum_sees_bytes_and_row(void **state)
{
	uint8_t bytes[100] = { 1, 2, 3 };
	struct block_header header = { .kind = BLOCK_STACK, .first = 4, .count = 10 };
	uint64_t checksum = block_checksum(&header, bytes, sizeof(bytes));

	bytes[50] ^= 4;
	assert_true(block_checksum(&header, bytes, sizeof(bytes)) != checksum);
	bytes[50] ^= 4;
	header.first++;
	assert_true(block_checksum(&header, bytes, sizeof(bytes)) != checksum);
}

static void check_samples(const struct sample_batch *have, const struct sample_batch *want)
{
	assert_int_equal(have->samples.count, want->samples.count);
	assert_int_equal(have->counter_count, want->counter_count);
	for (size_t i = 0; i < want->samples.count; i++) {
		const struct sample *a = &have->samples.at[i], *b = &want->samples.at[i];

		assert_true(a->time_ns == b->time_ns && a->weight == b->weight);
		assert_true(a->thread == b->thread && a->stack == b->stack && a->cpu == b->cpu);
		assert_int_equal(a->late_ns, b->late_ns);
		assert_int_equal(a->event, b->event);
		assert_int_equal(a->context, b->context);
	}
	if (want->counters.count)
		assert_memory_equal(have->counters.at, want->counters.at,
				    want->counters.count * sizeof(uint64_t));
}

static void test_samples_come_back(void **state)
{
	for (uint32_t counters = 0; counters < 4; counters += 3) {
		struct fixture fixture;
		struct block_codec in = { 0 }, out = { 0 };
		struct sample_batch decoded = { 0 };
		struct block_header header = { .kind = BLOCK_SAMPLE,
					       .count = 3000,
					       .time_max_ns = UINT64_MAX };
		struct sample_slice slice = { .batch = &fixture.batch, .count = 3000 };

		fixture_init(&fixture, counters, counters);
		fixture_grow(&fixture, 3000);
		slice.events = fixture.model.events.at;
		slice.event_count = fixture.model.events.count;
		assert_int_equal(sample_block_encode(&in, &slice), 0);
		assert_int_equal(block_pack(&in), 0);
		assert_int_equal(block_unpack(&out, in.packed.at, in.packed.count, 3000), 0);
		assert_int_equal(sample_block_decode(&out, &header, &decoded), 0);
		check_samples(&decoded, &fixture.batch);

		/* A time outside the range in the row is damage. */
		header.time_min_ns = fixture.batch.samples.at[0].time_ns + SAMPLE_GRAIN_NS;
		assert_int_equal(sample_block_decode(&out, &header, &decoded), -EBADMSG);
		block_codec_fini(&in);
		block_codec_fini(&out);
		sample_batch_fini(&decoded);
		fixture_fini(&fixture);
	}
}

/* A value that is stored in units of a grain comes back less than a grain earlier, and in order. */
static void test_lateness_has_a_grain(void **state)
{
	struct fixture fixture;
	struct block_codec in = { 0 }, out = { 0 };
	struct sample_batch decoded = { 0 };
	struct block_header header = { .kind = BLOCK_SAMPLE, .count = 2000 };
	struct sample_slice slice = { .batch = &fixture.batch, .count = 2000 };
	uint64_t last_ns = 0;

	fixture_init(&fixture, 8, 0);
	fixture_grow(&fixture, 2000);
	for (size_t i = 0; i < 2000; i++) {
		fixture.batch.samples.at[i].late_ns = (int32_t)fixture_random(&fixture, 1 << 20);
		fixture.batch.samples.at[i].time_ns = NS_PER_SEC + i * 40;
	}
	header.time_min_ns = fixture.batch.samples.at[0].time_ns;
	header.time_max_ns = fixture.batch.samples.at[1999].time_ns;
	slice.events = fixture.model.events.at;
	slice.event_count = fixture.model.events.count;
	assert_int_equal(sample_block_encode(&in, &slice), 0);
	assert_int_equal(block_pack(&in), 0);
	assert_int_equal(block_unpack(&out, in.packed.at, in.packed.count, 2000), 0);
	assert_int_equal(sample_block_decode(&out, &header, &decoded), 0);
	for (size_t i = 0; i < 2000; i++) {
		const struct sample *a = &decoded.samples.at[i];
		const struct sample *b = &fixture.batch.samples.at[i];

		assert_in_range(b->late_ns - a->late_ns, 0, SAMPLE_GRAIN_NS - 1);
		assert_in_range(b->time_ns - a->time_ns, 0, SAMPLE_GRAIN_NS - 1);
		assert_true(a->time_ns >= last_ns);
		last_ns = a->time_ns;
	}
	block_codec_fini(&in);
	block_codec_fini(&out);
	sample_batch_fini(&decoded);
	fixture_fini(&fixture);
}

static void check_functions(const struct model *model, const struct function *rows,
			    const struct byte_vec *texts)
{
	for (size_t i = 0; i < model->functions.count - 1; i++) {
		const struct function *a = &rows[i], *b = &model->functions.at[i + 1];

		assert_string_equal((const char *)texts->at + a->name,
				    model_string(model, b->name));
		assert_string_equal((const char *)texts->at + a->linkage_name,
				    model_string(model, b->linkage_name));
		assert_string_equal((const char *)texts->at + a->before,
				    model_string(model, b->before));
		assert_string_equal((const char *)texts->at + a->after,
				    model_string(model, b->after));
		assert_true(a->image == b->image && a->quality == b->quality && a->root == b->root);
		assert_true(a->vaddr == b->vaddr && a->size_bytes == b->size_bytes);
	}
}

static void test_functions_come_back(void **state)
{
	struct fixture fixture;
	struct block_codec in = { 0 }, out = { 0 };
	struct model *model = &fixture.model;
	struct byte_vec texts = { 0 };
	struct block_header header = { .kind = BLOCK_FUNCTION, .first = 1 };
	struct function *rows;

	fixture_init(&fixture, 4, 0);
	fixture_grow(&fixture, 500);
	fixture_name(&fixture);
	header.count = function_block_share(model, 1);
	assert_int_equal(header.count, model->functions.count - 1);
	rows = calloc(header.count, sizeof(*rows));
	assert_non_null(rows);
	assert_non_null(vec_push(&texts));
	assert_int_equal(function_block_encode(&in, &header, model), 0);
	assert_int_equal(block_pack(&in), 0);
	assert_int_equal(block_unpack(&out, in.packed.at, in.packed.count, header.count), 0);
	assert_int_equal(function_block_decode(&out, &header, rows, &texts), 0);
	check_functions(model, rows, &texts);
	out.text.count--;
	assert_int_equal(function_block_decode(&out, &header, rows, &texts), -EBADMSG);
	free(rows);
	vec_free(&texts);
	block_codec_fini(&in);
	block_codec_fini(&out);
	fixture_fini(&fixture);
}

static void assert_older(const char *name, const char *now, const char *before, const char *after)
{
	struct block_codec codec = { 0 };
	struct model maker = { 0 }, *model = &maker;
	struct byte_vec texts = { 0 };
	struct block_header header = { .kind = BLOCK_FUNCTION, .first = 1, .count = 1 };
	struct function row = { .quality = QUALITY_JIT, .vaddr = 0x401a30 };

	assert_int_equal(model_init(model), 0);
	row.name = model_intern(model, name);
	assert_int_not_equal(model_function_id(model, &row), 0);
	assert_non_null(vec_push(&texts));
	assert_int_equal(function_block_encode(&codec, &header, model), 0);
	block_column(&codec, 3)[0] = 2 * (uint64_t)QUALITY_BRACKET;
	assert_int_equal(function_block_decode(&codec, &header, &row, &texts), 0);
	assert_string_equal((const char *)texts.at + row.name, now);
	assert_string_equal((const char *)texts.at + row.before, before);
	assert_string_equal((const char *)texts.at + row.after, after);
	vec_free(&texts);
	block_codec_fini(&codec);
	model_fini(model);
}

/* Older recordings have the neighbours in the name. */
static void test_older_names_are_addresses_now(void **state)
{
	assert_older("a->b:401a30", "fn_401a30", "a", "b");
	assert_older("[start]->b:401a30", "fn_401a30", "", "b");
	assert_older("a->[end]", "gap_401a30", "a", "");
	assert_older("p<T>::operator->->std::b:401a30", "fn_401a30", "p<T>::operator->", "std::b");
	assert_older("a->std::b", "gap_401a30", "a", "std::b");
	assert_older("no arrow", "no arrow", "", "");
}

static void test_dictionaries_come_back(void **state)
{
	struct fixture fixture;
	struct block_codec codec = { 0 };
	struct model *model = &fixture.model;
	struct stack_node nodes[100];
	struct location locations[100];
	struct function_index index;
	struct block_header stack = { .kind = BLOCK_STACK,
				      .first = STACK_ROOT_COUNT + 50,
				      .count = 100 };
	struct block_header location = { .kind = BLOCK_LOCATION, .first = 200, .count = 100 };

	fixture_init(&fixture, 3, 0);
	fixture_grow(&fixture, 1000);
	fixture_name(&fixture);
	assert_int_equal(stack_block_encode(&codec, &stack, model->stacks.at), 0);
	assert_int_equal(stack_block_decode(&codec, &stack, nodes), 0);
	assert_memory_equal(nodes, model->stacks.at + stack.first, sizeof(nodes));

	assert_int_equal(location_block_encode(&codec, &location, model->locations.at), 0);
	assert_int_equal(location_block_decode(&codec, &location, locations), 0);
	assert_int_equal(function_index_init(&index, model->functions.at, model->functions.count),
			 0);
	model->locations.at[210].function = 0;
	model->locations.at[220].function = 7;
	assert_int_equal(
		location_function_block_encode(&codec, &location, model->locations.at, &index), 0);
	assert_int_equal(location_function_block_decode(&codec, &location, locations, &index), 0);
	function_index_fini(&index);
	assert_int_equal(location_line_block_encode(&codec, &location, model->locations.at), 0);
	assert_int_equal(location_line_block_decode(&codec, &location, locations), 0);
	assert_memory_equal(locations, model->locations.at + location.first, sizeof(locations));
	block_codec_fini(&codec);
	fixture_fini(&fixture);
}

/* Recordings of earlier versions store each function as the difference from the last. */
static void test_functions_of_earlier_versions(void **state)
{
	const struct block_header header = { .kind = BLOCK_LOCATION_FUNCTION,
					     .first = 1,
					     .count = 3 };
	const struct function_index index = { 0 };
	struct location rows[3] = { 0 };
	struct block_codec codec = { 0 };

	assert_int_equal(block_begin(&codec, 3, 1), 0);
	block_column(&codec, 0)[0] = zigzag(5);
	block_column(&codec, 0)[1] = zigzag(0);
	block_column(&codec, 0)[2] = zigzag((uint64_t)-2);
	assert_int_equal(location_function_block_decode(&codec, &header, rows, &index), 0);
	assert_int_equal(rows[0].function, 5);
	assert_int_equal(rows[1].function, 5);
	assert_int_equal(rows[2].function, 3);
	assert_non_null(vec_push(&codec.parameters));
	codec.parameters.at[0] = 2;
	assert_int_equal(location_function_block_decode(&codec, &header, rows, &index), -EBADMSG);
	block_codec_fini(&codec);
}

/* Functions that overlap, that begin at the same address, and that are in no order. */
static void test_functions_by_address(void **state)
{
	const struct function functions[] = {
		{ 0 },
		{ .image = 2, .vaddr = 0x1000, .size_bytes = 0x100 },
		{ .image = 1, .vaddr = 0xffffffff81000000, .size_bytes = 0x10 },
		{ .image = 1, .vaddr = 0x1000, .size_bytes = 0x100 },
		{ .image = 1, .vaddr = 0x1080, .size_bytes = 0x10 },
		{ .image = 1, .vaddr = 0x1080, .size_bytes = 0x20 },
		{ .image = 1, .vaddr = 0x1200 },
	};
	static const struct {
		uint32_t image;
		uint64_t vaddr;
		uint32_t function;
	} wanted[] = {
		{ 1, 0xfff, 0 },      { 1, 0x1000, 3 }, { 1, 0x107f, 3 },
		{ 1, 0x1080, 5 },     { 1, 0x109f, 5 }, { 1, 0x10a0, 0 },
		{ 1, 0x1200, 0 },     { 2, 0x10ff, 1 }, { 2, 0x1100, 0 },
		{ 0, 0x1000, 0 },     { 3, 0x1000, 0 }, { 1, 0xffffffff8100000f, 2 },
		{ 1, 0x81000000, 0 },
	};
	struct function_index index;

	assert_int_equal(
		function_index_init(&index, functions, sizeof(functions) / sizeof(*functions)), 0);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		const struct location location = { .image = wanted[i].image,
						   .vaddr = wanted[i].vaddr };

		assert_int_equal(function_index_find(&index, &location), wanted[i].function);
	}
	function_index_fini(&index);
	assert_int_equal(function_index_init(&index, functions, 1), 0);
	assert_int_equal(function_index_find(&index, &(struct location){ .image = 1 }), 0);
	function_index_fini(&index);
}

static void test_mappings(void **state)
{
	const struct mapping mappings[] = {
		{ 0 },
		{ 1, 1, 0x400000, 0x401000, 0, 1000 },
		{ 1, 2, 0x7f0000001000, 0x7f0000009000, 0x7f0000000000, 1000 },
		{ 9, 258, 0xffffffffff600000, 0, 0xffffffffff600000, 900 },
		{ 2, 2, 0x7e0000001234, 0x7e0000009234, 0x7e0000000234, 5000 },
		{ 0 },
		{ 3, 2, 0x10, 0x8, 0x20, UINT64_MAX },
	};
	const struct block_header header = { .kind = BLOCK_MAPPING, .first = 1, .count = 6 };
	struct block_codec codec = { 0 };
	struct mapping decoded[6];

	assert_int_equal(mapping_block_encode(&codec, &header, mappings), 0);
	assert_int_equal(mapping_block_decode(&codec, &header, decoded), 0);
	assert_memory_equal(decoded, mappings + 1, sizeof(decoded));
	block_column(&codec, 0)[0] = zigzag(UINT64_C(1) << 32);
	assert_int_equal(mapping_block_decode(&codec, &header, decoded), -EBADMSG);
	codec.column_count--;
	assert_int_equal(mapping_block_decode(&codec, &header, decoded), -EBADMSG);
	block_codec_fini(&codec);
}

/* Whatever a block contains, a walk towards the outermost frame must end. */
static void test_parents_come_before(void **state)
{
	const struct stack_node self = { .parent = 10, .location = 1 };
	struct stack_node rows[11], decoded;
	struct block_codec codec = { 0 };
	struct block_header header = { .kind = BLOCK_STACK, .first = 10, .count = 1 };

	rows[10] = self;
	assert_int_equal(stack_block_encode(&codec, &header, rows), 0);
	assert_int_equal(stack_block_decode(&codec, &header, &decoded), 0);
	assert_true(decoded.parent < 10);
	for (uint64_t code = 0; code < 64; code++) {
		block_column(&codec, 0)[0] = code < 32 ? code : UINT64_MAX - code;
		if (stack_block_decode(&codec, &header, &decoded) == 0)
			assert_true(decoded.parent < 10);
	}
	block_codec_fini(&codec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_come_back),
		cmocka_unit_test(test_extremes_come_back),
		cmocka_unit_test(test_constant_is_small),
		cmocka_unit_test(test_cut_short_is_refused),
		cmocka_unit_test(test_checksum_sees_bytes_and_row),
		cmocka_unit_test(test_samples_come_back),
		cmocka_unit_test(test_lateness_has_a_grain),
		cmocka_unit_test(test_functions_come_back),
		cmocka_unit_test(test_older_names_are_addresses_now),
		cmocka_unit_test(test_dictionaries_come_back),
		cmocka_unit_test(test_functions_of_earlier_versions),
		cmocka_unit_test(test_functions_by_address),
		cmocka_unit_test(test_mappings),
		cmocka_unit_test(test_parents_come_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
