/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One small recording in every form of perf.data, whole and damaged. */
#include "support/test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "import/import.h"
#include "model/sample_field.h"
#include "support/perf_file.h"
#include "support/temp.h"

#define BLANKS 100000		/* records without content, more than fit in one piece of a file */
#define SAMPLE_TIME_AT 32	/* after header, id, address and thread */

struct result {
	struct model model;
	struct sample_batch samples;
	struct err err;
	int rc;
	int searches;		/* number of searches for the kernel's symbols */
};

static int keep(void *context, struct sample_batch *batch, struct err *err)
{
	struct result *result = context;

	for (size_t i = 0; i < batch->samples.count; i++) {
		struct sample *slot = vec_push(&result->samples.samples);

		assert_non_null(slot);
		*slot = batch->samples.at[i];
	}
	for (size_t i = 0; i < batch->counters.count; i++)
		*vec_push(&result->samples.counters) = batch->counters.at[i];
	return 0;
}

static bool count_search(void *context, const struct import_kernel *kernel,
			 struct kallsyms *ret_kallsyms, bool *ret_same_boot)
{
	((struct result *)context)->searches++;
	return false;
}

static void import_path(struct result *result, const char *path)
{
	const struct import_options options = {
		.kallsyms = count_search,
		.flush = keep,
		.context = result,
		.host = "here",
	};
	struct import *import;

	*result = (struct result){ 0 };
	assert_int_equal(model_init(&result->model), 0);
	assert_int_equal(import_new(&result->model, &options, &import), 0);
	result->rc = import_read(import, path, &result->err);
	import_free(import);
}

static void import_bytes(struct result *result, const void *bytes, size_t size_bytes)
{
	struct temp_dir dir = temp_dir_make();

	import_path(result, temp_file(&dir, "perf.data", bytes, size_bytes));
	temp_dir_remove(&dir);
}

static void result_fini(struct result *result)
{
	sample_batch_fini(&result->samples);
	model_fini(&result->model);
}

static uint64_t lost(const struct result *result, enum loss reason)
{
	return result->model.losses.count[reason];
}

static const struct process *process_of(const struct result *result, size_t sample)
{
	uint32_t thread = result->samples.samples.at[sample].thread;

	return &result->model.processes.at[result->model.threads.at[thread].process];
}

static const char *comm_of(const struct result *result, size_t sample)
{
	uint32_t thread = result->samples.samples.at[sample].thread;

	return model_string(&result->model, result->model.threads.at[thread].comm);
}

/* The child's sample comes between the eighth and the ninth of the worker. */
static void assert_samples(const struct result *result)
{
	assert_int_equal(result->samples.samples.count, PERF_FILE_SAMPLES + 1);
	for (size_t i = 0; i <= PERF_FILE_SAMPLES; i++) {
		const struct sample *sample = &result->samples.samples.at[i];
		uint64_t number = i < 8 ? i + 1 : i;

		assert_int_equal(sample->time_ns, i == 8 ? 8200 : number * 1000);
		assert_int_equal(sample->weight, 1000000);
		assert_int_equal(sample->cpu, i == 8 ? 0 : 1 - number % 2);
		assert_int_equal(process_of(result, i)->tgid, i == 8 ? 101 : 100);
		assert_string_equal(comm_of(result, i), "worker");
	}
	assert_int_equal(result->model.processes.at[1].instance, 1);
	assert_int_equal(lost(result, LOSS_PROCESS_UNKNOWN), 0);
	assert_int_equal(lost(result, LOSS_MAPPING_UNKNOWN), 0);
	assert_int_equal(lost(result, LOSS_SAMPLE_RING_FULL), 9);
}

static void assert_stack(const struct result *result)
{
	const struct model *model = &result->model;
	const struct stack_node *leaf = &model->stacks.at[result->samples.samples.at[0].stack];
	const struct stack_node *caller = &model->stacks.at[leaf->parent];
	const struct location *location = &model->locations.at[leaf->location];

	assert_int_equal(caller->parent, STACK_ROOT_END);
	assert_int_equal(location->vaddr, 0x10);
	assert_int_equal(model->locations.at[caller->location].vaddr, 0x1f);
	assert_string_equal(model_string(model, model->images.at[location->image].path),
			    "/nowhere/worker");
}

static void assert_whole_file(const struct perf_file_form *form, struct perf_file file)
{
	struct result result;

	import_bytes(&result, file.bytes, file.size_bytes);
	assert_string_equal(result.err.text, "");
	assert_int_equal(result.rc, 0);
	assert_samples(&result);
	assert_stack(&result);
	assert_int_equal(result.model.events.count, 1);
	assert_string_equal(model_string(&result.model, result.model.events.at[0].name),
			    "cpu-clock");
	assert_int_equal(result.model.events.at[0].frequency_hz, 1000);
	assert_true(result.model.events.at[0].is_time);
	assert_int_equal(lost(&result, LOSS_FILE_CUT), 0);
	assert_int_equal(lost(&result, LOSS_RECORD_MALFORMED), 0);
	if (!form->unfinished) {
		const struct image *image = &result.model.images.at[1];

		assert_string_equal(model_fact(&result.model, FACT_HOST), PERF_FILE_HOST);
		assert_string_equal(model_fact(&result.model, FACT_COMMAND), "perf record");
		assert_int_equal(image->build_id_size, 20);
		assert_int_equal(image->build_id[3], 4);
	}
	result_fini(&result);
	perf_file_fini(&file);
}

static void assert_whole(const struct perf_file_form *form)
{
	assert_whole_file(form, perf_file_make(form));
}

/* Replaces the content of the file by what gzip makes of it. */
static void gzip_file(struct perf_file *file)
{
	z_stream stream = { .next_in = file->bytes, .avail_in = (unsigned int)file->size_bytes };
	struct perf_file packed = { 0 };

	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY),
			 Z_OK);
	packed.room_bytes = deflateBound(&stream, file->size_bytes);
	packed.bytes = malloc(packed.room_bytes);
	assert_non_null(packed.bytes);
	stream.next_out = packed.bytes;
	stream.avail_out = (unsigned int)packed.room_bytes;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	packed.size_bytes = stream.total_out;
	assert_int_equal(deflateEnd(&stream), Z_OK);
	perf_file_fini(file);
	*file = packed;
}

/* ---- undamaged files ---- */

static void test_every_form(void **state)
{
	for (unsigned int i = 0; i < 32; i++)
		assert_whole(&(struct perf_file_form){
			.swapped = i & 1,
			.pipe = i & 2,
			.packed = i & 4,
			.packed_new = i & 8,
			.two_events = i & 16,
		});
}

/* The features come after the records, so the reader must go back in the unpacked data. */
static void test_gzip(void **state)
{
	for (unsigned int i = 0; i < 16; i++) {
		const struct perf_file_form form = {
			.swapped = i & 1,
			.pipe = i & 2,
			.packed = i & 4,
			.unfinished = i & 8 && !(i & 2),
		};
		struct perf_file file = perf_file_make(&form);

		gzip_file(&file);
		assert_whole_file(&form, file);
	}
}

/* The calls in a branch stack are as good as a callchain. */
static void test_branches(void **state)
{
	assert_whole(&(struct perf_file_form){ .branches = true });
	assert_whole(&(struct perf_file_form){ .branches = true, .swapped = true });
}

static void test_memory_accesses(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct perf_file file = perf_file_make(
			&(struct perf_file_form){ .accesses = true, .swapped = i == 1 });
		const uint64_t *values;
		struct result result;

		import_bytes(&result, file.bytes, file.size_bytes);
		assert_int_equal(result.rc, 0);
		assert_samples(&result);
		assert_stack(&result);
		assert_int_equal(result.model.events.count, 1 + FIELD_COUNT);
		assert_int_equal(result.samples.counters.count,
				 result.samples.samples.count * FIELD_COUNT);
		values = result.samples.counters.at;
		for (size_t at = 0; at < result.samples.samples.count; at++) {
			assert_int_equal(values[FIELD_DATA_ADDRESS],
					 0x1000 + result.samples.samples.at[at].time_ns);
			assert_int_equal(values[FIELD_DATA_SOURCE], 0x42);
			assert_int_equal(values[FIELD_LATENCY], 7);
			values += FIELD_COUNT;
		}
		result_fini(&result);
		perf_file_fini(&file);
	}
}

/* The directory that perf record writes when it runs with several threads. */
static void test_directory(void **state)
{
	struct perf_file parts[] = {
		perf_file_make(&(struct perf_file_form){ .without_cpus = true }),
		{ 0 },
		perf_file_cpu(1),
	};
	struct perf_file slow = perf_file_cpu(0);
	static const char *const names[] = { "data", "data.0", "data.1" };
	struct temp_dir dir = temp_dir_make();
	struct result result;

	/* The useful records come long after those of the other CPU. */
	for (size_t i = 0; i < 100000; i++)
		perf_file_end(&parts[1], perf_file_begin(&parts[1], 60, 0));
	perf_file_put(&parts[1], slow.bytes, slow.size_bytes);
	perf_file_fini(&slow);
	for (size_t i = 0; i < 3; i++) {
		(void)temp_file(&dir, names[i], parts[i].bytes, parts[i].size_bytes);
		perf_file_fini(&parts[i]);
	}
	import_path(&result, dir.path);
	assert_int_equal(result.rc, 0);
	assert_samples(&result);
	assert_int_equal(lost(&result, LOSS_RECORD_LATE), 0);
	result_fini(&result);
	temp_dir_remove(&dir);
}

/*
 * Without times, the order of the file determines the order of events: a child is forked before its
 * first sample.
 */
static void test_without_times(void **state)
{
	struct perf_file file = perf_file_make(&(struct perf_file_form){ .without_times = true });
	struct result result;

	import_bytes(&result, file.bytes, file.size_bytes);
	assert_int_equal(result.rc, 0);
	assert_int_equal(result.samples.samples.count, PERF_FILE_SAMPLES + 1);
	for (size_t i = 0; i <= PERF_FILE_SAMPLES; i++)
		assert_string_equal(comm_of(&result, i), "worker");
	assert_int_equal(process_of(&result, 8)->tgid, 101);
	assert_int_equal(lost(&result, LOSS_PROCESS_UNKNOWN), 0);
	assert_int_equal(lost(&result, LOSS_MAPPING_UNKNOWN), 0);
	assert_int_equal(lost(&result, LOSS_RECORD_LATE), 0);
	assert_non_null(strstr(model_fact(&result.model, FACT_NOT_IN_FILE), "times of samples"));
	result_fini(&result);
	perf_file_fini(&file);
}

static void put_far_sample(struct perf_file *file)
{
	const uint64_t far_ns = UINT64_MAX;
	struct perf_file cpu = perf_file_cpu(1);
	uint16_t size_bytes;

	memcpy(&size_bytes, cpu.bytes + 6, sizeof(size_bytes));
	memcpy(cpu.bytes + SAMPLE_TIME_AT, &far_ns, sizeof(far_ns));
	perf_file_put(file, cpu.bytes, size_bytes);
	perf_file_fini(&cpu);
}

/* A time that no clock could have is ignored. Other samples keep their times. */
static void test_far_time(void **state)
{
	struct perf_file file = perf_file_make(&(struct perf_file_form){ .pipe = true });
	struct result result;

	put_far_sample(&file);
	import_bytes(&result, file.bytes, file.size_bytes);
	assert_int_equal(result.rc, 0);
	assert_samples(&result);
	assert_int_equal(lost(&result, LOSS_RECORD_MALFORMED), 1);
	assert_string_equal(model_fact(&result.model, FACT_END_NS), "12000");
	result_fini(&result);
	perf_file_fini(&file);
}

/*
 * Such a time does not end the other files of a directory either, whose samples come after the
 * first piece.
 */
static void test_far_time_in_directory(void **state)
{
	struct perf_file main_file = perf_file_make(
		&(struct perf_file_form){ .without_cpus = true });
	struct perf_file slow = { 0 }, first = perf_file_cpu(0), second = perf_file_cpu(1);
	struct temp_dir dir = temp_dir_make();
	struct result result;

	put_far_sample(&slow);
	for (size_t i = 0; i < BLANKS; i++)
		perf_file_end(&slow, perf_file_begin(&slow, 60, 0));
	perf_file_put(&slow, first.bytes, first.size_bytes);
	perf_file_put(&slow, second.bytes, second.size_bytes);
	(void)temp_file(&dir, "data", main_file.bytes, main_file.size_bytes);
	(void)temp_file(&dir, "data.0", slow.bytes, slow.size_bytes);
	import_path(&result, dir.path);
	assert_int_equal(result.rc, 0);
	assert_int_equal(result.samples.samples.count, PERF_FILE_SAMPLES + 1);
	assert_int_equal(lost(&result, LOSS_RECORD_MALFORMED), BLANKS + 1);
	result_fini(&result);
	temp_dir_remove(&dir);
	perf_file_fini(&main_file);
	perf_file_fini(&first);
	perf_file_fini(&second);
	perf_file_fini(&slow);
}

static void test_unfinished(void **state)
{
	assert_whole(&(struct perf_file_form){ .unfinished = true });
	assert_whole(&(struct perf_file_form){ .unfinished = true, .packed = true });
}

static void test_says_what_lacks(void **state)
{
	struct perf_file file = perf_file_make(&(struct perf_file_form){ 0 });
	struct result result;
	const char *lacks;

	import_bytes(&result, file.bytes, file.size_bytes);
	lacks = model_fact(&result.model, FACT_NOT_IN_FILE);
	assert_non_null(strstr(lacks, "the date"));
	assert_null(strstr(lacks, "times of samples"));
	assert_null(strstr(lacks, "build-ids"));
	assert_string_equal(model_fact(&result.model, FACT_START_NS), "1000");
	assert_string_equal(model_fact(&result.model, FACT_END_NS), "12000");
	result_fini(&result);
	perf_file_fini(&file);
}

/* ---- damaged files ---- */

static void put_kernel(struct perf_file *file, uint64_t symbol_addr)
{
	static const uint8_t trailer[32];
	size_t begin = perf_file_begin(file, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);

	perf_file_u32(file, UINT32_MAX);
	perf_file_u32(file, 0);
	perf_file_u64(file, 0xffffffff81000000);
	perf_file_u64(file, 0x1000000);
	perf_file_u64(file, symbol_addr);
	perf_file_put(file, "[kernel.kallsyms]_text\0", 24);
	perf_file_put(file, trailer, sizeof(trailer));
	perf_file_end(file, begin);
}

/* Each search reads files, so there is one for each kernel, and only a few in all. */
static void test_kernel_searches(void **state)
{
	for (int kernels = 1; kernels <= 100; kernels += 99) {
		struct perf_file file = perf_file_make(&(struct perf_file_form){ .pipe = true });
		struct result result;

		for (uint64_t i = 0; i < 100; i++)
			put_kernel(&file, 0xffffffff81000001 + i % (uint64_t)kernels);
		import_bytes(&result, file.bytes, file.size_bytes);
		assert_int_equal(result.rc, 0);
		assert_samples(&result);
		assert_int_equal(result.searches, kernels == 1 ? 1 : 4);
		result_fini(&result);
		perf_file_fini(&file);
	}
}

/* Wherever the file ends, all earlier records are read, in order, and the loss is counted. */
static void cut_everywhere(const struct perf_file_form *form)
{
	struct perf_file file = perf_file_make(form);
	size_t last = 0;

	for (size_t size = file.records_offset; size < file.size_bytes; size += 24) {
		struct result result;

		import_bytes(&result, file.bytes, size);
		assert_int_equal(result.rc, 0);
		assert_true(result.samples.samples.count >= last);
		last = result.samples.samples.count;
		for (size_t i = 1; i < last; i++)
			assert_true(result.samples.samples.at[i].time_ns >
				    result.samples.samples.at[i - 1].time_ns);
		result_fini(&result);
	}
	assert_true(last >= PERF_FILE_SAMPLES);
	perf_file_fini(&file);
}

static void test_cut(void **state)
{
	cut_everywhere(&(struct perf_file_form){ 0 });
	cut_everywhere(&(struct perf_file_form){ .swapped = true });
	cut_everywhere(&(struct perf_file_form){ .pipe = true });
}

static void test_cut_is_counted(void **state)
{
	struct perf_file file = perf_file_make(&(struct perf_file_form){ 0 });
	struct result result;

	import_bytes(&result, file.bytes, file.records_offset + 500);
	assert_int_equal(result.rc, 0);
	assert_in_range(lost(&result, LOSS_FILE_CUT), 1, 500);
	result_fini(&result);
	perf_file_fini(&file);
}

/* After a record of size 0, the start of the next record is unknown. */
static void test_damaged_record(void **state)
{
	struct perf_file file = perf_file_make(&(struct perf_file_form){ .pipe = true });
	static const uint8_t nothing[40];
	struct result result;

	perf_file_put(&file, nothing, sizeof(nothing));
	import_bytes(&result, file.bytes, file.size_bytes);
	assert_int_equal(result.rc, 0);
	assert_samples(&result);
	assert_int_equal(lost(&result, LOSS_FILE_CUT), sizeof(nothing));
	result_fini(&result);
	perf_file_fini(&file);
}

/* A few kilobytes that expand to more than the limit. The records before the limit are kept. */
static void test_bomb(void **state)
{
	const size_t plain_bytes = (size_t)80 << 20;
	struct perf_file file = perf_file_make(&(struct perf_file_form){ .pipe = true });
	struct perf_file bomb = { 0 };
	struct result result;

	while (bomb.size_bytes < plain_bytes)	/* records of an unknown kind */
		perf_file_end(&bomb, perf_file_begin(&bomb, 60, 0));
	perf_file_pack(&file, &bomb, false);
	import_bytes(&result, file.bytes, file.size_bytes);
	assert_int_equal(result.rc, 0);
	assert_samples(&result);
	assert_true(lost(&result, LOSS_FILE_CUT) > 0);
	result_fini(&result);
	perf_file_fini(&bomb);
	perf_file_fini(&file);
}

/* A small file that would fill the disk. */
static void test_gzip_bomb(void **state)
{
	const size_t plain_bytes = (size_t)80 << 20;
	struct perf_file file = perf_file_make(&(struct perf_file_form){ .unfinished = true });
	struct result result;

	while (file.size_bytes < plain_bytes)
		perf_file_end(&file, perf_file_begin(&file, 60, 0));
	gzip_file(&file);
	assert_in_range(file.size_bytes, 1, plain_bytes / 400);
	import_bytes(&result, file.bytes, file.size_bytes);
	assert_int_equal(result.rc, -E2BIG);
	assert_non_null(strstr(result.err.text, "expands to more than 200 times"));
	result_fini(&result);
	perf_file_fini(&file);
}

static void test_gzip_cut(void **state)
{
	struct perf_file file = perf_file_make(&(struct perf_file_form){ .unfinished = true });
	struct result result;

	gzip_file(&file);
	import_bytes(&result, file.bytes, file.size_bytes - 20);
	assert_int_equal(result.rc, 0);
	assert_true(result.samples.samples.count > 0);
	assert_true(lost(&result, LOSS_FILE_CUT) > 0);
	result_fini(&result);
	perf_file_fini(&file);
}

/* No compressed record reads past its end, and one inside another is refused. */
static void test_packed_in_packed(void **state)
{
	struct perf_file file = perf_file_make(&(struct perf_file_form){ .pipe = true });
	struct perf_file inner = { 0 }, outer = { 0 };
	struct result result;

	perf_file_end(&inner, perf_file_begin(&inner, 60, 0));
	perf_file_pack(&outer, &inner, false);
	perf_file_pack(&file, &outer, false);
	import_bytes(&result, file.bytes, file.size_bytes);
	assert_int_equal(result.rc, 0);
	assert_samples(&result);
	assert_true(lost(&result, LOSS_FILE_CUT) > 0);
	result_fini(&result);
	perf_file_fini(&inner);
	perf_file_fini(&outer);
	perf_file_fini(&file);
}

static void test_refuses(void **state)
{
	static const char *const files[] = {
		"",
		"no perf.data at all",
		"PERFILE2",
		"PERFILE2\x68\0\0\0\0\0\0\0\xff\xff\xff\xff",
	};
	static const size_t sizes[] = { 0, 19, 8, 20 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct result result;

		import_bytes(&result, files[i], sizes[i]);
		assert_int_equal(result.rc, -EINVAL);
		assert_non_null(strstr(result.err.text, "perf.data"));
		result_fini(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_form),
		cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_memory_accesses),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_without_times),
		cmocka_unit_test(test_far_time),
		cmocka_unit_test(test_far_time_in_directory),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_says_what_lacks),
		cmocka_unit_test(test_kernel_searches),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_is_counted),
		cmocka_unit_test(test_damaged_record),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_gzip_bomb),
		cmocka_unit_test(test_gzip_cut),
		cmocka_unit_test(test_packed_in_packed),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
