/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of samples: their columns, and the texts of data sources. */
#include "support/test.h"

#include <linux/perf_event.h>

#include "model/sample_field.h"

#define S(field, value) PERF_MEM_S(field, value)

static void test_columns(void **state)
{
	struct model model;

	assert_int_equal(model_init(&model), 0);
	assert_int_equal(sample_field_column(&model, FIELD_LATENCY), FIELD_NO_COLUMN);
	(void)vec_push(&model.events);
	vec_push(&model.events)->is_counter = true;
	assert_int_equal(sample_field_add(&model, FIELD_DATA_ADDRESS), 0);
	assert_int_equal(sample_field_add(&model, FIELD_LATENCY), 0);
	assert_int_equal(sample_field_column(&model, FIELD_DATA_ADDRESS), 1);
	assert_int_equal(sample_field_column(&model, FIELD_LATENCY), 2);
	assert_int_equal(sample_field_column(&model, FIELD_DATA_SOURCE), FIELD_NO_COLUMN);
	model_fini(&model);
}

/* Texts in the way of `perf mem report`, for values that processors give. */
static void test_sources(void **state)
{
	static const struct {
		uint64_t value;
		const char *text;
	} sources[] = {
		{ 0, "[none]" },
		/* PERF_MEM_NA, which the kernel gives for events without a source */
		{ S(OP, NA) | S(LVL, NA) | S(SNOOP, NA) | S(LOCK, NA) | S(TLB, NA) | S(LVLNUM, NA),
		  "[none]" },
		{ S(OP, LOAD) | S(LVL, HIT) | S(LVL, L1) | S(SNOOP, NONE) | S(TLB, HIT) |
			  S(TLB, L1),
		  "load L1 hit" },
		{ S(OP, STORE) | S(LVL, MISS) | S(LVL, L1) | S(LOCK, LOCKED),
		  "store L1 miss, locked" },
		{ S(OP, LOAD) | S(LVL, HIT) | S(LVL, L3) | S(LVLNUM, L3) | S(SNOOP, HITM),
		  "load L3 hit, modified elsewhere" },
		{ S(OP, LOAD) | S(LVL, HIT) | S(LVL, REM_RAM1) | S(TLB, MISS) | S(TLB, WK),
		  "load remote RAM hit, TLB miss" },
		{ S(OP, LOAD) | S(LVLNUM, RAM) | S(REMOTE, REMOTE), "load remote RAM" },
		{ S(OP, LOAD) | S(LVLNUM, PMEM), "load pmem" },
		{ S(OP, PFETCH) | S(LVL, NA), "prefetch" },
		/* all bits: nothing is read behind the tables of names */
		{ UINT64_MAX, "load and store I/O miss, modified elsewhere, TLB miss, locked" },
	};

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		char text[FIELD_TEXT_MAX], shown[FIELD_TEXT_MAX];

		assert_string_equal(sample_field_text(FIELD_DATA_SOURCE, sources[i].value, text),
				    sources[i].text);
		assert_string_equal(sample_field_text(FIELD_DATA_SOURCE,
						      data_source_shown(sources[i].value), shown),
				    text);
	}
}

static void test_numbers(void **state)
{
	char text[FIELD_TEXT_MAX];

	assert_string_equal(sample_field_text(FIELD_DATA_ADDRESS, 0, text), "[none]");
	assert_string_equal(sample_field_text(FIELD_DATA_ADDRESS, UINT64_MAX, text),
			    "0xffffffffffffffff");
	assert_string_equal(sample_field_text(FIELD_LATENCY, 250, text), "250");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
