/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jitdumps that a perf.data refers to: their process, time and clock. */
#include "support/test.h"

#include <string.h>

#include "import/import.h"
#include "support/perf_file.h"
#include "support/temp.h"

struct result {
	struct model model;
	int seen;
	struct import_jitdump dump;	/* the last one that was reported */
	char path[64];			/* the path of dump */
	size_t samples;
};

static void see(void *context, const struct import_jitdump *dump)
{
	struct result *result = context;

	result->seen++;
	result->dump = *dump;
	(void)snprintf(result->path, sizeof(result->path), "%s", dump->path);
}

static int count(void *context, struct sample_batch *batch, struct err *err)
{
	((struct result *)context)->samples += batch->samples.count;
	return 0;
}

static void import(struct result *result, const struct perf_file_form *form, const char *host)
{
	const struct import_options options = {
		.jitdump = see,
		.flush = count,
		.context = result,
		.host = host,
	};
	struct perf_file file = perf_file_make(form);
	struct temp_dir dir = temp_dir_make();
	struct import *import;
	struct err err = { 0 };

	*result = (struct result){ 0 };
	assert_int_equal(model_init(&result->model), 0);
	assert_int_equal(import_new(&result->model, &options, &import), 0);
	assert_int_equal(import_read(import,
				     temp_file(&dir, "perf.data", file.bytes, file.size_bytes),
				     &err),
			 0);
	assert_int_equal(result->samples, PERF_FILE_SAMPLES + 1);
	import_free(import);
	temp_dir_remove(&dir);
	perf_file_fini(&file);
}

/* A jitdump that is mapped twice is reported once. Another process's jitdump is not reported. */
static void a_dump_is_told_once(void **state)
{
	for (unsigned int i = 0; i < 8; i++) {
		const struct perf_file_form form = {
			.swapped = i & 1,
			.pipe = i & 2,
			.packed = i & 4,
			.monotonic = true,
			.jitdumps = true,
		};
		struct result result;

		import(&result, &form, PERF_FILE_HOST);
		assert_int_equal(result.seen, 1);
		assert_int_equal(result.dump.tgid, 100);
		assert_int_equal(result.dump.named_pid, 100);
		assert_int_equal(result.dump.inode, 4242);
		assert_int_equal(result.dump.exec_ns, 0);
		assert_true(result.dump.same_host);
		assert_string_equal(result.path, PERF_FILE_DUMP);
		assert_int_equal(result.model.losses.count[LOSS_JITDUMP_REFUSED], 0);
		assert_null(strstr(model_fact(&result.model, FACT_NOT_IN_FILE), "CLOCK_MONOTONIC"));
		model_fini(&result.model);
	}
}

static void on_another_host_it_is_said(void **state)
{
	const struct perf_file_form form = { .monotonic = true, .jitdumps = true };
	struct result result;

	import(&result, &form, "here");
	assert_int_equal(result.seen, 1);
	assert_false(result.dump.same_host);
	assert_int_equal(result.dump.inode, 4242);
	model_fini(&result.model);
}

static void by_another_clock_it_says_nothing(void **state)
{
	struct result result;

	import(&result, &(struct perf_file_form){ .jitdumps = true }, PERF_FILE_HOST);
	assert_int_equal(result.seen, 0);
	assert_int_equal(result.model.losses.count[LOSS_JITDUMP_REFUSED], 1);
	assert_non_null(strstr(model_fact(&result.model, FACT_NOT_IN_FILE), "CLOCK_MONOTONIC"));
	model_fini(&result.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dump_is_told_once),
		cmocka_unit_test(on_another_host_it_is_said),
		cmocka_unit_test(by_another_clock_it_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
