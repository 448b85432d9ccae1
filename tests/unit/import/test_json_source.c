/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers in the JSON stream. Damaged text is tested with speedscope. */
#include "support/test.h"

#include <string.h>

#include "import/json_source.h"

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		bool is_one;
		uint64_t whole;
		uint32_t billionths;
	} numbers[] = {
		{ "0", true, 0, 0 },
		{ "-0", true, 0, 0 },
		{ "-1", false, 0, 0 },
		{ "1.5", true, 1, 500000000 },
		{ "15e-1", true, 1, 500000000 },
		{ "1E3", true, 1000, 0 },
		{ "0.0000000014", true, 0, 1 },
		{ "0.0000000015", true, 0, 2 },
		{ "9223372036854775807", true, INT64_MAX, 0 },
		{ "9223372036854775808", false, 0, 0 },
		{ "1e400", false, 0, 0 },
		{ "1e-400", true, 0, 0 },
		{ "0e99999", true, 0, 0 },
		{ "123456789.12345678901234567890123", true, 123456789, 123456789 },
		{ "100000000000000000000000000000e-27", true, 100, 0 },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		json_amount amount = 0;

		assert_int_equal(json_amount_parse(numbers[i].text, strlen(numbers[i].text),
						   &amount),
				 numbers[i].is_one);
		if (!numbers[i].is_one)
			continue;
		assert_int_equal((uint64_t)(amount / JSON_BILLION), numbers[i].whole);
		assert_int_equal((uint64_t)(amount % JSON_BILLION), numbers[i].billionths);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
