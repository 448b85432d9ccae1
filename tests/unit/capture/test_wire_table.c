/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows in pages, searched the way the sampler does. */
#include "support/test.h"

#include "bpf/wire.h"
#include "capture/wire_table.h"

#define ROW(at, number) \
	{ \
		.offset = (at), .rule = (number) \
	}

/* Several in one page, a page without any, one at the border of a page and one at its end. */
static const struct unwind_row rows[] = {
	ROW(16, 1), ROW(20, 2), ROW(255, 3), ROW(768, 4), ROW(1023, 5), ROW(1024, 0),
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))
#define PAGE_COUNT 5

/* The rule at @offset; -1 for none. */
static int rule_in_pages(const uint64_t *values, uint32_t offset)
{
	uint64_t page = values[offset >> WIRE_PAGE_SHIFT];
	uint32_t row = (uint32_t)page;

	while (row < page >> 32 && (uint32_t)values[PAGE_COUNT + row] <= offset)
		row++;
	return row == 0 ? -1 : (int)(values[PAGE_COUNT + row - 1] >> 32);
}

static int rule_in_rows(uint32_t offset)
{
	int rule = -1;

	for (size_t i = 0; i < ROW_COUNT && rows[i].offset <= offset; i++)
		rule = rows[i].rule;
	return rule;
}

static void test_every_offset(void **state)
{
	uint64_t values[PAGE_COUNT + ROW_COUNT];

	assert_int_equal(wire_table_page_count(rows, ROW_COUNT), PAGE_COUNT);
	wire_table_fill(rows, ROW_COUNT, values);
	for (uint32_t offset = 0; offset < PAGE_COUNT << WIRE_PAGE_SHIFT; offset++)
		assert_int_equal(rule_in_pages(values, offset), rule_in_rows(offset));
}

static void test_no_rows(void **state)
{
	assert_int_equal(wire_table_page_count(NULL, 0), 0);
	wire_table_fill(NULL, 0, NULL);
}

static void test_the_last_possible_offset(void **state)
{
	const struct unwind_row last = ROW(UINT32_MAX, 0);

	assert_int_equal(wire_table_page_count(&last, 1), 1u << (32 - WIRE_PAGE_SHIFT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_offset),
		cmocka_unit_test(test_no_rows),
		cmocka_unit_test(test_the_last_possible_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
