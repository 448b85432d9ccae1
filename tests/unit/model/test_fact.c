/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts have types, and unknown facts of later versions survive. */
#include "support/test.h"

#include <errno.h>

#include "model/model.h"

static void a_fact_replaces_its_earlier_value(void **state)
{
	struct model model;

	assert_int_equal(model_init(&model), 0);
	assert_null(model_fact(&model, FACT_HOST));
	model_fact_set(&model, FACT_HOST, "%s", "first");
	model_fact_set(&model, FACT_HOST, "%s", "second");
	assert_string_equal(model_fact(&model, FACT_HOST), "second");
	assert_int_equal(model.facts.count, 1);
	model_fact_set_u64(&model, FACT_CPUS, UINT64_MAX);
	assert_int_equal(model_fact_u64(&model, FACT_CPUS), UINT64_MAX);
	model_fini(&model);
}

static void a_value_of_another_type_is_refused_and_counted(void **state)
{
	struct model model;

	assert_int_equal(model_init(&model), 0);
	model_fact_set(&model, FACT_CPUS, "many");
	model_fact_set(&model, FACT_CPUS, "-1");
	model_fact_set(&model, FACT_CPUS, "%s", "");
	model_fact_set(&model, FACT_KERNEL_TEXT_START, "81000000");
	model_fact_set(&model, FACT_MAX_OVERHEAD_PERCENT, "1x");
	assert_int_equal(model.facts.count, 0);
	assert_int_equal(model.losses.count[LOSS_ROW_DAMAGED], 5);
	model_fact_set(&model, FACT_KERNEL_TEXT_START, "0x%x", 0x81000000u);
	model_fact_set(&model, FACT_MAX_OVERHEAD_PERCENT, "0.5");
	assert_int_equal(model.facts.count, 2);
	model_fini(&model);
}

static void recordings_are_read_by_key(void **state)
{
	struct model model;

	assert_int_equal(model_init(&model), 0);
	assert_int_equal(model_fact_load(&model, "cpus", "2"), 0);
	assert_int_equal(model_fact_u64(&model, FACT_CPUS), 2);
	assert_int_equal(model_fact_load(&model, "cpus", "two"), -EBADMSG);
	assert_int_equal(model_fact_load(&model, "of_a_later_version", "x"), 0);
	assert_int_equal(model_fact_load(&model, "lines_file_7", "missing"), 0);
	assert_string_equal(model_image_fact(&model, FACT_LINES_FILE, 7), "missing");
	assert_null(model_image_fact(&model, FACT_LINES_FILE, 8));
	assert_int_equal(model.facts.count, 3);
	model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fact_replaces_its_earlier_value),
		cmocka_unit_test(a_value_of_another_type_is_refused_and_counted),
		cmocka_unit_test(recordings_are_read_by_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
