/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text formats of pprof: which values, names and stacks become which samples. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "support/imported.h"

static uint64_t lost(const struct imported *result, enum loss reason)
{
	return result->model.losses.count[reason];
}

/* Returns the sum of the weights of an event. */
static uint64_t weight_of(const struct imported *result, const char *event)
{
	const struct model *model = &result->model;
	uint64_t weight = 0;

	for (size_t i = 0; i < result->samples.samples.count; i++) {
		const struct sample *sample = &result->samples.samples.at[i];

		if (strcmp(model_string(model, model->events.at[sample->event].name), event) == 0)
			weight += sample->weight;
	}
	return weight;
}

static const struct location *location_of(const struct imported *result, uint32_t stack)
{
	return &result->model.locations.at[result->model.stacks.at[stack].location];
}

static const char *name_of(const struct imported *result, const struct location *location)
{
	const struct model *model = &result->model;

	return model_string(model, model->functions.at[location->function].name);
}

/* The expected sums are those of go tool pprof -raw. */
static void test_heap(void **state)
{
	struct imported result;
	const struct model *model = &result.model;
	const struct location *leaf;
	uint32_t stack;

	imported_from_text(&result, "\nheap profile: 101: 6554016 [102: 6555552] @ heap/8192\n"
				    "100: 6553600 [100: 6553600] @ 0x4b4191 0x4b4334 0x461481\n"
				    "#\t0x4b4190\tmain.keep+0x50\t\t/src/a.go:5\n"
				    "#\t0x4b4333\tmain.inner+0x3\t\t/src/a.go:7\n"
				    "#\t0x4b4333\tmain.main+0x53\t\t/src/a.go:11\n\n"
				    "1: 416 [1: 416] @ 0x43f9e8\n"
				    "0: 0 [1: 1536] @ 0x4b41c6\n\n"
				    "# runtime.MemStats\n# Alloc = 12\nMAPPED_LIBRARIES:\n"
				    "1: 1 [1: 1] @ 0x1\n");
	assert_int_equal(result.rc, 0);
	assert_string_equal(model_string(model, model->events.at[0].name), "inuse_space");
	assert_int_equal(weight_of(&result, "inuse_space"), 6553600 + 4307);
	assert_int_equal(weight_of(&result, "inuse_objects"), 100 + 10);
	assert_int_equal(weight_of(&result, "alloc_space"), 6553600 + 4307 + 4911);
	assert_int_equal(weight_of(&result, "alloc_objects"), 100 + 10 + 3);
	assert_int_equal(lost(&result, LOSS_LINE_MALFORMED), 0);
	stack = result.samples.samples.at[0].stack;
	leaf = location_of(&result, stack);
	assert_string_equal(name_of(&result, leaf), "main.keep");
	assert_int_equal(leaf->vaddr, 0x4b4190);
	assert_int_equal(model->functions.at[leaf->function].vaddr, 0x4b4140);
	assert_int_equal(model->lines.at[leaf->line].line, 5);
	stack = model->stacks.at[stack].parent;
	leaf = location_of(&result, stack);
	assert_string_equal(name_of(&result, leaf), "main.main");
	assert_int_equal(model->lines.at[leaf->line].line, 7);
	stack = model->stacks.at[stack].parent;
	assert_int_equal(location_of(&result, stack)->vaddr, 0x461480);
	assert_int_equal(location_of(&result, stack)->function, 0);
	imported_fini(&result);
}

static void test_live_heap(void **state)
{
	struct imported result;

	imported_from_text(&result, "heap profile: 2: 30 [2: 30] @ heapprofile\n"
				    "2: 30 [2: 30] @ 0x10\n-1: -5 [0: 0] @ 0x10\n");
	assert_int_equal(result.rc, 0);
	assert_int_equal(result.model.events.count, 2);
	assert_int_equal(weight_of(&result, "space"), 30);
	assert_int_equal(weight_of(&result, "objects"), 2);
	assert_int_equal(lost(&result, LOSS_VALUE_NEGATIVE), 2);
	imported_fini(&result);
}

static void test_contention(void **state)
{
	static const char *const heads[] = { "--- contention:\n", "--- mutex:\n",
					     "--- contentionz 1 ---\n" };
	char text[256];

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct imported result;

		(void)snprintf(text, sizeof(text),
			       "%scycles/second=2000000000\nsampling period=3\n"
			       "5000 24 @ 0x4b42be 0x4b4275\n7 1 @\n",
			       heads[i]);
		imported_from_text(&result, text);
		assert_int_equal(result.rc, 0);
		assert_true(result.model.events.at[0].is_time);
		assert_int_equal(weight_of(&result, "delay"), 7500 + 10);
		assert_int_equal(weight_of(&result, "contentions"), 75);
		imported_fini(&result);
	}
}

static void test_counts(void **state)
{
	struct imported result;

	imported_from_text(&result, "goroutine profile: total 5000007\r\n"
				    "5000000 @ 0x4378b6 0x40619b\r\n"
				    "# labels: {\"a\":\"b\"}\r\n"
				    "7 @ 0x4378b6\r\nsense 3\r\n"
				    "99999999999999999999 @ 0x1\r\n");
	assert_int_equal(result.rc, 0);
	assert_string_equal(model_fact(&result.model, FACT_IMPORTED_FORMAT), "pprof-text");
	assert_int_equal(weight_of(&result, "goroutine"), 5000007);
	assert_int_equal(result.samples.samples.count, 1 + 7);
	assert_true(event_is_counted(&result.model.events.at[0]));
	assert_int_equal(lost(&result, LOSS_LINE_MALFORMED), 2);
	imported_fini(&result);
}

/* Values that are out of range after scaling are a loss. */
static void test_large_values(void **state)
{
	struct imported result;

	imported_from_text(&result, "--- mutex:\ncycles/second=1000000000\nsampling period=1000\n"
				    "9000000000000000000 9000000000000000000 @ 0x1\n1 1 @ 0x1\n");
	assert_int_equal(result.rc, 0);
	assert_int_equal(weight_of(&result, "delay"), 1000);
	assert_int_equal(weight_of(&result, "contentions"), 1000);
	assert_int_equal(lost(&result, LOSS_WEIGHT_OVERFLOW), 2);
	imported_fini(&result);
}

static void test_other_files(void **state)
{
	static const char *const texts[] = {
		"heap profile: many\n", "two words profile: total 8\n",
		" profile: total 8\n",	"goroutine profile: total x\n",
		"--- other:\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct imported result;

		imported_from_text(&result, texts[i]);
		assert_true(result.rc < 0 ||
			    strcmp(model_fact(&result.model, FACT_IMPORTED_FORMAT), "folded") == 0);
		imported_fini(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap),	     cmocka_unit_test(test_live_heap),
		cmocka_unit_test(test_contention),   cmocka_unit_test(test_counts),
		cmocka_unit_test(test_large_values), cmocka_unit_test(test_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
