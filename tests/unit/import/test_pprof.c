/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof profiles: what their rows become, compressed or not, complete, truncated and damaged. */
#include "support/test.h"

#include <string.h>
#include <zlib.h>

#include "support/imported.h"
#include "support/pprof_file.h"

static uint64_t lost(const struct imported *result, enum loss reason)
{
	return result->model.losses.count[reason];
}

static void assert_inlined(const struct model *model, const struct location *leaf)
{
	const struct source_line *line = &model->lines.at[leaf->line];
	const struct image *image = &model->images.at[leaf->image];

	assert_int_equal(leaf->vaddr, 0x1010);
	assert_int_equal(image->kind, IMAGE_FILE);
	assert_int_equal(image->build_id_size, 3);
	assert_int_equal(image->build_id[2], 0x0c);
	assert_string_equal(model_string(model, model->functions.at[leaf->function].name), "step");
	assert_string_equal(model_string(model, model->functions.at[line->function].name), "add");
	assert_int_equal(line->line, 7);
	line = &model->lines.at[line->caller];
	assert_int_equal(line->line, 12);
	assert_string_equal(model_string(model, line->file), "work.c");
}

static void assert_samples(const struct imported *result)
{
	const struct model *model = &result->model;
	const struct sample *sample = result->samples.samples.at;
	const struct thread *thread = &model->threads.at[sample[3].thread];
	uint32_t unused;

	assert_int_equal(result->samples.samples.count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(sample[i].weight, 10000000);
		assert_int_equal(sample[i].event, 0);
	}
	assert_inlined(model, &model->locations.at[model->stacks.at[sample->stack].location]);
	assert_int_equal(thread->tid, 8);
	assert_int_equal(model->processes.at[thread->process].tgid, 7);
	assert_string_equal(model_string(model, thread->comm), "worker");
	assert_int_equal(sample[3].context, CONTEXT_SYSCALL);
	assert_int_equal(sample[4].context, CONTEXT_USER);
	assert_int_equal(model_stack_root(model, sample[3].stack, &unused), STACK_ROOT_END);
	assert_int_equal(model_stack_root(model, sample[4].stack, &unused), STACK_ROOT_BROKEN);
}

static void test_whole(void **state)
{
	struct pprof_file file = pprof_file_make(0);
	struct imported result;

	imported_from_bytes(&result, file.bytes, file.size_bytes);
	assert_int_equal(result.rc, 0);
	assert_samples(&result);
	assert_int_equal(result.model.events.count, 1);
	assert_true(result.model.events.at[0].is_time);
	assert_int_equal(result.model.events.at[0].period, 10000000);
	assert_int_equal(lost(&result, LOSS_SAMPLE_RING_FULL), 9);
	assert_int_equal(lost(&result, LOSS_RECORD_MALFORMED), 0);
	assert_string_equal(model_fact(&result.model, FACT_START_REALTIME_NS),
			    "1700000000000000000");
	assert_string_equal(model_fact(&result.model, FACT_END_NS), "2000000000");
	imported_fini(&result);
}

static void test_damaged(void **state)
{
	struct pprof_file file = pprof_file_make(1);
	struct imported result;

	imported_from_bytes(&result, file.bytes, file.size_bytes);
	assert_int_equal(result.rc, 0);
	assert_samples(&result);
	assert_int_equal(lost(&result, LOSS_RECORD_MALFORMED), 5);
	assert_int_equal(lost(&result, LOSS_VALUE_NEGATIVE), 1);
	assert_int_equal(lost(&result, LOSS_REFERENCE_MISSING), 1);
	imported_fini(&result);
}

/*
 * Samples count, however short they are. If there are too many inlined functions, the one that
 * contains the code is kept.
 */
static void test_deep_and_short(void **state)
{
	for (unsigned int lines = 255; lines < 300; lines += 40) {
		struct pprof_file file = pprof_file_deep(lines);
		struct imported result;
		const struct model *model = &result.model;
		const struct location *leaf;

		imported_from_bytes(&result, file.bytes, file.size_bytes);
		assert_int_equal(result.samples.samples.count, 5);
		assert_int_equal(result.samples.samples.at->weight, 0);
		leaf = &model->locations
				.at[model->stacks.at[result.samples.samples.at->stack].location];
		assert_string_equal(model_string(model, model->functions.at[leaf->function].name),
				    "main");
		assert_int_equal(lost(&result, LOSS_LINE_BUDGET), lines > 256);
		imported_fini(&result);
	}
}

/* ---- values ---- */

/* The sums of one event. */
struct sums {
	uint64_t rows, samples, weight;
};

static struct sums sums_of(const struct imported *result, const char *event)
{
	const struct model *model = &result->model;
	struct sums sums = { 0 };

	for (size_t i = 0; i < result->samples.samples.count; i++) {
		const struct sample *sample = &result->samples.samples.at[i];

		if (strcmp(model_string(model, model->events.at[sample->event].name), event) != 0)
			continue;
		sums.rows++;
		sums.samples += model_samples(model, sample);
		sums.weight += sample->weight;
	}
	return sums;
}

static const struct pprof_file_type cpu_types[] = { { "samples", "count" },
						    { "cpu", "nanoseconds" } };

static struct imported import_values(const struct pprof_file_type *types, size_t type_count,
				     const int64_t *values, size_t record_count)
{
	struct pprof_file file = pprof_file_values(types, type_count, values, record_count);
	struct imported result;

	imported_from_bytes(&result, file.bytes, file.size_bytes);
	assert_int_equal(result.rc, 0);
	return result;
}

/* Five and one million samples of 10 ms do not become six million rows. */
static void test_many_samples(void **state)
{
	const int64_t values[] = { 5000000, 50000000000000, 1000000, 10000000000000, 3, 30000000 };
	struct imported result = import_values(cpu_types, 2, values, 3);
	struct sums sums = sums_of(&result, "cpu");

	assert_int_equal(sums.samples, 6000003);
	assert_int_equal(sums.weight, 60000030000000);
	assert_int_equal(sums.rows, 5);
	assert_int_equal(result.model.events.at[0].period, 10000000);
	assert_true(result.model.events.at[0].frequency_hz);
	imported_fini(&result);
}

/* If the samples differ, a row stands for the same number of samples in all records. */
static void test_many_different_samples(void **state)
{
	const int64_t values[] = { 5000000, 50000000000007, 1000000, 10000000000000 };
	struct imported result = import_values(cpu_types, 2, values, 2);
	struct sums sums = sums_of(&result, "cpu");

	assert_int_equal(sums.weight, 60000000000007);
	assert_int_equal(sums.rows, 5000000 / 6 + 1 + 1000000 / 6 + 1);
	imported_fini(&result);
}

/* Values of any size up to 2^63 - 1. */
static void test_largest_values(void **state)
{
	static const struct pprof_file_type types[] = { { "objects", "count" },
							{ "space", "bytes" },
							{ "delay", "milliseconds" } };
	const int64_t values[] = { INT64_MAX - 1, INT64_MAX, 7, 1, 1, INT64_MAX / 1000000 + 1 };
	struct imported result = import_values(types, 3, values, 2);

	assert_int_equal(sums_of(&result, "objects").weight, INT64_MAX);
	assert_int_equal(sums_of(&result, "space").weight, INT64_MAX);
	assert_int_equal(sums_of(&result, "delay").weight, 7000000);
	assert_int_equal(lost(&result, LOSS_WEIGHT_OVERFLOW), 2);
	assert_int_equal(lost(&result, LOSS_RECORD_MALFORMED), 0);
	imported_fini(&result);
}

/* The difference of two profiles has negative values. Those above 0 are imported. */
static void test_negative_values(void **state)
{
	const int64_t values[] = { 5, 50, -2, -20, -1, 10, 3, -30, INT64_MIN, 0 };
	struct imported result = import_values(cpu_types, 2, values, 5);
	struct sums sums = sums_of(&result, "cpu");

	assert_int_equal(sums.weight, 60);
	assert_int_equal(sums.samples, 6);
	assert_int_equal(lost(&result, LOSS_VALUE_NEGATIVE), 5);
	assert_int_equal(lost(&result, LOSS_RECORD_MALFORMED), 0);
	assert_string_equal(model_fact(&result.model, FACT_NEGATIVE_VALUES),
			    "samples: 3 values, sum -9223372036854775811 count; "
			    "cpu: 2 values, sum -50 nanoseconds");
	imported_fini(&result);
}

static void test_types_without_names(void **state)
{
	static const struct pprof_file_type types[] = { { NULL, NULL }, { NULL, "bytes" } };
	const int64_t values[] = { 5, 50, 7, 70 };
	struct imported result = import_values(types, 2, values, 2);

	assert_int_equal(sums_of(&result, "value").weight, 12);
	assert_int_equal(sums_of(&result, "bytes").weight, 120);
	imported_fini(&result);
}

/* A number without another value is a number of samples. */
static void test_numbers_alone(void **state)
{
	static const struct pprof_file_type type = { "goroutine", "count" };
	const int64_t values[] = { INT64_C(1) << 40, 1 };
	struct imported result = import_values(&type, 1, values, 2);
	struct sums sums = sums_of(&result, "goroutine");

	assert_int_equal(sums.rows, 2);
	assert_int_equal(sums.samples, (UINT64_C(1) << 40) + 1);
	assert_int_equal(result.model.events.at[0].period, 1);
	imported_fini(&result);
}

/* A truncated file is read to its end. Where the missing part can be detected, it is reported. */
static void test_cut(void **state)
{
	struct pprof_file file = pprof_file_make(0);

	for (size_t size = 40; size < file.size_bytes; size++) {
		struct imported result;

		imported_from_bytes(&result, file.bytes, size);
		assert_int_equal(result.rc, 0);
		assert_true(result.samples.samples.count <= 5);
		assert_true(lost(&result, LOSS_FILE_CUT) <= size);
		imported_fini(&result);
	}
}

/* ---- compressed ---- */

static size_t pack(const struct pprof_file *file, uint8_t *packed, size_t room)
{
	z_stream stream = {
		.next_in = (uint8_t *)file->bytes,
		.avail_in = (unsigned int)file->size_bytes,
		.next_out = packed,
		.avail_out = (unsigned int)room,
	};

	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	(void)deflateEnd(&stream);
	return room - stream.avail_out;
}

static void test_packed(void **state)
{
	struct pprof_file file = pprof_file_make(0), half = file, rest;
	uint8_t packed[2 * sizeof(file.bytes)] = { 0 };
	struct imported result;
	size_t size = pack(&file, packed, sizeof(packed));

	imported_from_bytes(&result, packed, size);
	assert_int_equal(result.rc, 0);
	assert_samples(&result);
	assert_int_equal(lost(&result, LOSS_FILE_CUT), 0);
	imported_fini(&result);
	/* Two gzip members, with zeros after them. */
	half.size_bytes = 100;
	rest.size_bytes = file.size_bytes - half.size_bytes;
	memcpy(rest.bytes, file.bytes + half.size_bytes, rest.size_bytes);
	memset(packed, 0, sizeof(packed));
	size = pack(&half, packed, sizeof(packed));
	size += pack(&rest, packed + size, sizeof(packed) - size);
	imported_from_bytes(&result, packed, size + 7);
	assert_int_equal(result.rc, 0);
	assert_samples(&result);
	assert_int_equal(lost(&result, LOSS_FILE_CUT), 0);
	imported_fini(&result);
}

static void test_packed_and_damaged(void **state)
{
	struct pprof_file file = pprof_file_make(0);
	uint8_t packed[2 * sizeof(file.bytes)] = { 0 };
	size_t size = pack(&file, packed, sizeof(packed));
	struct imported result;

	for (size_t cut = 1; cut < 12; cut++) {
		imported_from_bytes(&result, packed, size - cut);
		assert_int_equal(result.rc, 0);
		assert_int_equal(lost(&result, LOSS_FILE_CUT) > 0, 1);
		imported_fini(&result);
	}
	packed[size / 2] ^= 0x55;
	imported_from_bytes(&result, packed, size);
	if (result.rc == 0)
		assert_true(lost(&result, LOSS_FILE_CUT) > 0);
	imported_fini(&result);
}

/* A file that begins like another format is not accepted as a profile. */
static void test_other_files(void **state)
{
	static const char *const texts[] = { "\n\n", "main 12", "\x0a\x02\x18\x01", "\x0a\x02hi" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct imported result;

		imported_from_bytes(&result, texts[i], strlen(texts[i]));
		assert_true(result.rc < 0 ||
			    strcmp(model_fact(&result.model, FACT_IMPORTED_FORMAT), "pprof") != 0);
		imported_fini(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_deep_and_short),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_packed_and_damaged),
		cmocka_unit_test(test_many_samples),
		cmocka_unit_test(test_many_different_samples),
		cmocka_unit_test(test_negative_values),
		cmocka_unit_test(test_types_without_names),
		cmocka_unit_test(test_largest_values),
		cmocka_unit_test(test_numbers_alone),
		cmocka_unit_test(test_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
