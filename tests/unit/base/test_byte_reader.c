/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "base/byte_reader.h"

static void reads_integers_in_both_orders(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct byte_reader r = byte_reader_of(bytes, sizeof(bytes));

	/* The host of these tests is little-endian. */
	assert_int_equal(byte_reader_u8(&r), 0x01);
	assert_int_equal(byte_reader_u16(&r), 0x0302);
	assert_int_equal(byte_reader_u32(&r), 0x07060504);
	assert_true(byte_reader_u64(&r) == 0x0f0e0d0c0b0a0908);
	assert_int_equal(byte_reader_left(&r), 0);
	assert_false(r.failed);

	byte_reader_seek(&r, 0);
	r.swapped = true;
	assert_int_equal(byte_reader_u8(&r), 0x01);
	assert_int_equal(byte_reader_u16(&r), 0x0203);
	assert_int_equal(byte_reader_u32(&r), 0x04050607);
	assert_true(byte_reader_u64(&r) == 0x08090a0b0c0d0e0f);
}

static void a_failed_reader_stays_failed(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	struct byte_reader r = byte_reader_of(bytes, sizeof(bytes));

	assert_int_equal(byte_reader_u32(&r), 0);
	assert_true(r.failed);
	assert_int_equal(byte_reader_left(&r), 0);
	byte_reader_seek(&r, 0);
	assert_true(r.failed);
	assert_int_equal(byte_reader_u8(&r), 0);
	assert_null(byte_reader_bytes(&r, 0));
	assert_string_equal(byte_reader_string(&r, NULL), "");
	assert_true(byte_reader_part(&r, 0, 0).failed);
}

static uint64_t uleb(const void *bytes, size_t size_bytes, bool *ret_failed)
{
	struct byte_reader r = byte_reader_of(bytes, size_bytes);
	uint64_t value = byte_reader_uleb(&r);

	*ret_failed = r.failed;
	return value;
}

static void reads_unsigned_leb128(void **state)
{
	bool failed;

	assert_int_equal(uleb("\x7f", 1, &failed), 127);
	assert_int_equal(uleb("\x80\x01", 2, &failed), 128);
	assert_int_equal(uleb("\xe5\x8e\x26", 3, &failed), 624485);
	assert_true(uleb("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, &failed) == UINT64_MAX);
	assert_false(failed);
	assert_int_equal(uleb("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, &failed), 0);
	assert_true(failed);
	assert_int_equal(uleb("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, &failed), 0);
	assert_true(failed);
	assert_int_equal(uleb("\x80", 1, &failed), 0);
	assert_true(failed);
}

static int64_t sleb(const void *bytes, size_t size_bytes, bool *ret_failed)
{
	struct byte_reader r = byte_reader_of(bytes, size_bytes);
	int64_t value = byte_reader_sleb(&r);

	*ret_failed = r.failed;
	return value;
}

static void reads_signed_leb128(void **state)
{
	bool failed;

	assert_int_equal(sleb("\x02", 1, &failed), 2);
	assert_int_equal(sleb("\x7e", 1, &failed), -2);
	assert_int_equal(sleb("\xff\x00", 2, &failed), 127);
	assert_int_equal(sleb("\x81\x7f", 2, &failed), -127);
	assert_true(sleb("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, &failed) == INT64_MIN);
	assert_false(failed);
	assert_int_equal(sleb("\x80", 1, &failed), 0);
	assert_true(failed);
	assert_int_equal(sleb("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, &failed), 0);
	assert_true(failed);
}

static void strings_end_inside_the_range(void **state)
{
	struct byte_reader r = byte_reader_of("one\0\0two", 8);
	size_t length = 99;

	assert_string_equal(byte_reader_string(&r, &length), "one");
	assert_int_equal(length, 3);
	assert_string_equal(byte_reader_string(&r, &length), "");
	assert_false(r.failed);
	/* "two" has no terminating NUL */
	assert_string_equal(byte_reader_string(&r, &length), "");
	assert_true(r.failed);
	assert_int_equal(length, 0);
}

static void parts_lie_inside(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4 };
	struct byte_reader r = byte_reader_of(bytes, sizeof(bytes));
	struct byte_reader part = byte_reader_part(&r, 1, 2);

	assert_int_equal(byte_reader_u8(&part), 2);
	assert_int_equal(byte_reader_u8(&part), 3);
	assert_int_equal(byte_reader_u8(&part), 0);
	assert_true(part.failed);
	assert_false(r.failed);
	assert_false(byte_reader_part(&r, 4, 0).failed);
	assert_true(byte_reader_part(&r, 5, 0).failed);
	assert_true(byte_reader_part(&r, 1, 4).failed);
	assert_true(byte_reader_part(&r, 1, UINT64_MAX).failed);
	assert_true(byte_reader_part(&r, UINT64_MAX, 2).failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_integers_in_both_orders),
		cmocka_unit_test(a_failed_reader_stays_failed),
		cmocka_unit_test(reads_unsigned_leb128),
		cmocka_unit_test(reads_signed_leb128),
		cmocka_unit_test(strings_end_inside_the_range),
		cmocka_unit_test(parts_lie_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
