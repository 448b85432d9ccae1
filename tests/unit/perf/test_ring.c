/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader of the ring, tested with a writer that is simulated in memory. */
#include "support/test.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "perf/ring.h"

#define DATA_BYTES 4096

struct fake_ring {
	struct perf_event_mmap_page control;
	_Alignas(8) uint8_t data[DATA_BYTES];
	struct ring ring;
};

static struct fake_ring *fake_new(uint64_t start)
{
	struct fake_ring *fake = calloc(1, sizeof(*fake));

	assert_non_null(fake);
	fake->control.data_head = start;
	fake->control.data_tail = start;
	fake->ring.control = &fake->control;
	fake->ring.data = fake->data;
	fake->ring.size_bytes = DATA_BYTES;
	fake->ring.head = start;
	fake->ring.tail = start;
	return fake;
}

static void fake_free(struct fake_ring *fake)
{
	free(fake->ring.bounce);
	free(fake);
}

static void put_byte(struct fake_ring *fake, uint8_t byte)
{
	fake->data[fake->control.data_head++ % DATA_BYTES] = byte;
}

/*
 * Writes a record of @size_bytes whose payload counts up from @seed. Its header says @claimed
 * bytes.
 */
static void put_record(struct fake_ring *fake, size_t size_bytes, uint16_t claimed, uint8_t seed)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = claimed };
	const uint8_t *bytes = (const uint8_t *)&header;

	for (size_t i = 0; i < sizeof(header); i++)
		put_byte(fake, bytes[i]);
	for (size_t i = sizeof(header); i < size_bytes; i++)
		put_byte(fake, (uint8_t)(seed + i));
}

static void assert_next(struct fake_ring *fake, size_t wanted_bytes, uint8_t seed)
{
	size_t size_bytes = 1;
	const uint8_t *record = ring_peek(&fake->ring, &size_bytes);

	assert_non_null(record);
	assert_int_equal(size_bytes, wanted_bytes);
	for (size_t i = sizeof(struct perf_event_header); i < size_bytes; i++)
		assert_int_equal(record[i], (uint8_t)(seed + i));
	ring_consume(&fake->ring, size_bytes);
}

static void assert_empty(struct fake_ring *fake)
{
	size_t size_bytes = 1;

	assert_null(ring_peek(&fake->ring, &size_bytes));
	assert_int_equal(fake->ring.tail, fake->ring.head);
}

static void test_nothing_before_refresh(void **state)
{
	struct fake_ring *fake = fake_new(0);

	put_record(fake, 64, 64, 1);
	assert_empty(fake);
	ring_refresh(&fake->ring);
	assert_next(fake, 64, 1);
	assert_empty(fake);
	fake_free(fake);
}

static void test_release_gives_space_back(void **state)
{
	struct fake_ring *fake = fake_new(0);

	put_record(fake, 64, 64, 1);
	put_record(fake, 128, 128, 2);
	ring_refresh(&fake->ring);
	assert_next(fake, 64, 1);
	assert_int_equal(fake->control.data_tail, 0);
	ring_release(&fake->ring);
	assert_int_equal(fake->control.data_tail, 64);
	assert_next(fake, 128, 2);
	ring_release(&fake->ring);
	assert_int_equal(fake->control.data_tail, 192);
	fake_free(fake);
}

/* From every possible offset, also near the overflow of the counter, a record is read whole. */
static void test_wrap_at_every_offset(void **state)
{
	for (uint64_t start = 0; start < DATA_BYTES; start += 8) {
		struct fake_ring *fake = fake_new((UINT64_MAX - 2 * DATA_BYTES + 1) + start);

		for (uint8_t i = 0; i < 5; i++)
			put_record(fake, 808, 808, i);
		ring_refresh(&fake->ring);
		for (uint8_t i = 0; i < 5; i++)
			assert_next(fake, 808, i);
		assert_empty(fake);
		fake_free(fake);
	}
}

static void test_record_that_fills_the_ring(void **state)
{
	struct fake_ring *fake = fake_new(8);

	put_record(fake, DATA_BYTES, DATA_BYTES, 9);
	ring_refresh(&fake->ring);
	assert_next(fake, DATA_BYTES, 9);
	assert_empty(fake);
	fake_free(fake);
}

/* Impossible sizes: too small, not a multiple of 8, more than was written, more than the ring. */
static void test_impossible_size_empties_the_ring(void **state)
{
	static const uint16_t claims[] = { 0, 4, 7, 60, 200, 65528 };

	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		struct fake_ring *fake = fake_new(DATA_BYTES - 64);
		size_t size_bytes = 1;

		put_record(fake, 64, 64, 1);
		put_record(fake, 64, claims[i], 2);
		put_record(fake, 64, 64, 3);
		ring_refresh(&fake->ring);
		assert_next(fake, 64, 1);
		assert_non_null(ring_peek(&fake->ring, &size_bytes));
		assert_int_equal(size_bytes, 0);
		assert_empty(fake);

		ring_release(&fake->ring);
		put_record(fake, 64, 64, 4);
		ring_refresh(&fake->ring);
		assert_next(fake, 64, 4);
		fake_free(fake);
	}
}

static void test_head_beyond_the_ring(void **state)
{
	struct fake_ring *fake = fake_new(0);
	size_t size_bytes = 1;

	put_record(fake, 64, 64, 1);
	fake->control.data_head = DATA_BYTES + 64;
	ring_refresh(&fake->ring);
	assert_non_null(ring_peek(&fake->ring, &size_bytes));
	assert_int_equal(size_bytes, 0);
	assert_empty(fake);
	fake_free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_before_refresh),
		cmocka_unit_test(test_release_gives_space_back),
		cmocka_unit_test(test_wrap_at_every_offset),
		cmocka_unit_test(test_record_that_fills_the_ring),
		cmocka_unit_test(test_impossible_size_empties_the_ring),
		cmocka_unit_test(test_head_beyond_the_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
