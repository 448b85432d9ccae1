/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks: what each line becomes, and which files are not folded stacks. */
#include "support/test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/byte_source.h"
#include "import/import.h"
#include "support/temp.h"

#define ROOM 64		/* bytes for one line */

struct result {
	struct model model;
	uint64_t samples, weight, kernel;
	uint32_t last_stack;
	int rc;
};

static int count(void *context, struct sample_batch *batch, struct err *err)
{
	struct result *result = context;

	for (size_t i = 0; i < batch->samples.count; i++) {
		result->samples++;
		result->weight += batch->samples.at[i].weight;
		result->kernel += batch->samples.at[i].context == CONTEXT_KERNEL;
		result->last_stack = batch->samples.at[i].stack;
	}
	return 0;
}

static struct result import_text(const char *text, size_t length)
{
	struct temp_dir dir = temp_dir_make();
	const char *path = temp_file(&dir, "out.folded", text, length);
	struct result result = { 0 };
	const struct import_options options = { .flush = count, .context = &result };
	struct import *import;

	assert_int_equal(model_init(&result.model), 0);
	assert_int_equal(import_new(&result.model, &options, &import), 0);
	result.rc = import_read(import, path, NULL);
	import_free(import);
	temp_dir_remove(&dir);
	return result;
}

static struct result import_string(const char *text)
{
	return import_text(text, strlen(text));
}

static uint64_t malformed(const struct result *result)
{
	return result->model.losses.count[LOSS_LINE_MALFORMED];
}

static const char *name_of(const struct result *result, uint32_t node)
{
	const struct model *model = &result->model;
	const struct location *location = &model->locations.at[model->stacks.at[node].location];

	return model_string(model, model->functions.at[location->function].name);
}

static void test_lines(void **state)
{
	struct result result = import_string("# comment\n\nmain;a b;read_[k] 5\r\n"
					     "main;a b 7\nmain;;c 1");
	const struct stack_node *leaf;

	assert_int_equal(result.rc, 0);
	assert_int_equal(result.samples, 13);
	assert_int_equal(result.weight, 13);
	assert_int_equal(result.kernel, 5);
	assert_int_equal(malformed(&result), 0);
	leaf = &result.model.stacks.at[result.last_stack];
	assert_string_equal(name_of(&result, result.last_stack), "c");
	assert_string_equal(name_of(&result, leaf->parent), "main");
	assert_int_equal(result.model.stacks.at[leaf->parent].parent, STACK_ROOT_END);
	assert_non_null(strstr(model_fact(&result.model, FACT_NOT_IN_FILE), "times of samples"));
	model_fini(&result.model);
}

/* The head of the file, from which its format is detected, may consist of comments alone. */
static void test_long_comments(void **state)
{
	static const char *const lines[] = { "# a comment\n", "\n", " \t\r\n" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct result result;
		char *text = NULL;
		size_t length;
		FILE *out = open_memstream(&text, &length);

		assert_non_null(out);
		for (size_t size = 0; size < 9000; size += strlen(lines[i]))
			assert_true(fputs(lines[i], out) > 0);
		assert_true(fputs("main;a 5\n", out) > 0);
		assert_int_equal(fclose(out), 0);
		result = import_string(text);
		assert_int_equal(result.rc, 0);
		assert_int_equal(result.samples, 5);
		assert_int_equal(malformed(&result), 0);
		model_fini(&result.model);
		free(text);
	}
}

/* A file without samples is not an error if it is certain what it is. */
static void test_no_samples(void **state)
{
	struct result result = import_string("main;a 0\n");

	assert_int_equal(result.rc, 0);
	assert_int_equal(result.samples, 0);
	model_fini(&result.model);
	result = import_string("# a comment\n");
	assert_int_equal(result.rc, -EINVAL);
	model_fini(&result.model);
}

static void test_kernel(void **state)
{
	struct result result = import_string("read_[k] 1\n");

	assert_int_equal(result.kernel, 1);
	assert_string_equal(name_of(&result, result.last_stack), "read");
	model_fini(&result.model);
}

/* A comparison has two counts, and scaled counts have fractions. Neither is a number of samples. */
static void test_other_counts(void **state)
{
	struct result result = import_string("main;a 3\nmain;a 12 34\nmain;a 7.9\nmain;x2 4\n");

	assert_int_equal(result.rc, 0);
	assert_int_equal(result.samples, 7);
	assert_int_equal(malformed(&result), 2);
	model_fini(&result.model);
}

static void test_what_makes_no_sense_is_passed_over(void **state)
{
	struct result result = import_string(
		"main 1\nno number\n; 4\n 5\nmain 99999999999999999999\n"
		"main 0\nmain 2\nmain 3\nmain 4\n");

	assert_int_equal(result.rc, 0);
	assert_int_equal(result.samples, 10);
	assert_int_equal(malformed(&result), 4);
	model_fini(&result.model);
}

/* Large counts become weights. Otherwise a line could demand any amount of work. */
static void test_large_counts(void **state)
{
	struct result result = import_string("main;a 5000000\nmain;b 1000000\nmain;c 10\n");
	const struct event *event = &result.model.events.at[0];

	assert_int_equal(result.weight, 6000010);
	assert_int_equal(result.samples, 12);
	assert_true(event_is_counted(event));
	assert_int_equal(event_samples(event, 5000000), 5000000);
	assert_int_equal(event_samples(event, 0), 1);
	model_fini(&result.model);
}

static void test_largest_counts(void **state)
{
	struct result result = import_string("main;a 9223372036854775806\nmain;b 2\nmain;c 1\n"
					     "main;d 9223372036854775808\n");

	assert_int_equal(result.weight, INT64_MAX);
	assert_string_equal(name_of(&result, result.last_stack), "c");
	assert_int_equal(result.model.losses.count[LOSS_WEIGHT_OVERFLOW], 2);
	assert_int_equal(malformed(&result), 1);
	model_fini(&result.model);
}

/* Lines on both sides of the buffer's end, and a line that is longer than the buffer. */
static void test_buffer(void **state)
{
	const size_t long_bytes = 3 * BYTE_SOURCE_BUFFER;
	size_t length = 0, lines = 0;
	char *text = malloc(2 * long_bytes);
	struct result result;

	assert_non_null(text);
	for (; length < long_bytes; lines++)
		length += (size_t)snprintf(text + length, ROOM, "main;f%zu 1\n", lines % 100);
	memset(text + length, 'x', BYTE_SOURCE_BUFFER + 7);
	memcpy(text + length + BYTE_SOURCE_BUFFER, " 1\n", 3);
	length += BYTE_SOURCE_BUFFER + 3;
	length += (size_t)snprintf(text + length, ROOM, "main;end 1");
	result = import_text(text, length);
	assert_int_equal(result.rc, 0);
	assert_int_equal(result.samples, lines + 1);
	assert_int_equal(malformed(&result), 1);
	assert_string_equal(name_of(&result, result.last_stack), "end");
	model_fini(&result.model);
	free(text);
}

static void test_deep_stack(void **state)
{
	char *text = malloc(100000);
	struct result result;
	size_t length = 0;

	assert_non_null(text);
	for (int i = 0; i < 9000; i++)
		length += (size_t)snprintf(text + length, ROOM, "f%d;", i % 9);
	length += (size_t)snprintf(text + length, ROOM, "leaf 1\n");
	result = import_text(text, length);
	assert_int_equal(result.samples, 1);
	assert_int_equal(result.model.losses.count[LOSS_STACK_TRUNCATED], 1);
	assert_int_equal(result.model.stacks.count, 4096 + STACK_ROOT_COUNT);
	assert_string_equal(name_of(&result, result.last_stack), "leaf");
	model_fini(&result.model);
	free(text);
}

static void test_other_files(void **state)
{
	static const char *const texts[] = { "", "text without number\n",
					     ("\x7f"
					      "ELF 12 12\0x 1\n") };
	static const size_t sizes[] = { 0, 20, 16 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct result result = import_text(texts[i], sizes[i]);

		assert_int_equal(result.rc, -EINVAL);
		model_fini(&result.model);
	}
}

/*
 * A few lines that look like stacks do not make a file folded stacks, wherever they are. Costs of
 * callgrind are two numbers.
 */
static void test_few_stacks(void **state)
{
	static const char *const heads[] = {
		"fn=(1) main\n16 400\n17 20\n18 5\ncalls=1 50\n",
		"main;a 5\nsh 12 [000] 1.\n\tffff read (/bin/sh)\n",
	};
	struct result result;
	char *text = NULL;
	size_t length;
	FILE *out;

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		result = import_string(heads[i]);
		assert_int_equal(result.rc, -EINVAL);
		model_fini(&result.model);
	}
	out = open_memstream(&text, &length);
	assert_non_null(out);
	for (int i = 0; i < 3000; i++)
		assert_true(fputs(i < 1000 ? "main;a 5\n" : "other words\n", out) > 0);
	assert_int_equal(fclose(out), 0);
	result = import_string(text);
	assert_int_equal(result.rc, -EINVAL);
	model_fini(&result.model);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_long_comments),
		cmocka_unit_test(test_no_samples),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_other_counts),
		cmocka_unit_test(test_what_makes_no_sense_is_passed_over),
		cmocka_unit_test(test_large_counts),
		cmocka_unit_test(test_largest_counts),
		cmocka_unit_test(test_buffer),
		cmocka_unit_test(test_deep_stack),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_few_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
