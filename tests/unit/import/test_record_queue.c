/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that arrive out of order come out in order, as soon as the end of a round shows that no
 * earlier record can follow.
 */
#include "support/test.h"

#include <string.h>

#include "import/record_queue.h"

struct seen {
	uint64_t times[64];
	size_t count;
	int stop_at;
};

static int see(void *context, const struct queued_record *record)
{
	struct seen *seen = context;
	uint64_t time_ns;

	if (seen->stop_at && (int)seen->count == seen->stop_at)
		return -7;
	memcpy(&time_ns, record->bytes, sizeof(time_ns));
	assert_int_equal(time_ns, record->time_ns);
	seen->times[seen->count++] = time_ns;
	return 0;
}

static void add(struct record_queue *queue, uint64_t time_ns, uint32_t size_bytes)
{
	struct queued_record record = { .time_ns = time_ns, .size_bytes = size_bytes };

	record.bytes = record_queue_room(queue, size_bytes);
	assert_non_null(record.bytes);
	memset(record.bytes, 0, size_bytes);
	memcpy(record.bytes, &time_ns, sizeof(time_ns));
	assert_int_equal(record_queue_add(queue, &record), 0);
}

static void assert_times(const struct seen *seen, const uint64_t *times, size_t count)
{
	assert_int_equal(seen->count, count);
	assert_memory_equal(seen->times, times, count * sizeof(*times));
}

/* Records of one round can be followed by older records only in the next round. */
static void test_rounds(void **state)
{
	struct record_queue queue = { 0 };
	struct seen seen = { 0 };

	add(&queue, 30, 8);
	add(&queue, 10, 8);
	assert_int_equal(record_queue_round(&queue, see, &seen), 0);
	assert_int_equal(seen.count, 0);
	add(&queue, 50, 8);
	add(&queue, 20, 8);
	assert_int_equal(record_queue_round(&queue, see, &seen), 0);
	assert_times(&seen, (uint64_t[]){ 10, 20, 30 }, 3);
	add(&queue, 40, 8);
	assert_int_equal(record_queue_end(&queue, see, &seen), 0);
	assert_times(&seen, (uint64_t[]){ 10, 20, 30, 40, 50 }, 5);
	record_queue_fini(&queue);
	assert_int_equal(queue.bytes, 0);
}

/*
 * Round marks without records do not each search all waiting records. Waiting records still come
 * out later.
 */
static void test_marks_without_records(void **state)
{
	struct record_queue queue = { 0 };
	struct seen seen = { 0 };

	for (uint64_t i = 0; i < 48; i++)
		add(&queue, 100 + i, 8);
	for (int i = 0; i < 3; i++)
		assert_int_equal(record_queue_round(&queue, see, &seen), 0);
	assert_int_equal(seen.count, 0);
	for (uint64_t i = 0; i < 3; i++)
		add(&queue, 200 + i, 8);
	assert_int_equal(record_queue_round(&queue, see, &seen), 0);
	assert_int_equal(seen.count, 48);
	assert_int_equal(record_queue_end(&queue, see, &seen), 0);
	assert_int_equal(seen.count, 51);
	record_queue_fini(&queue);
}

/* A chunk is freed with its last record, in whatever order the records were added. */
static void test_chunks_are_given_back(void **state)
{
	struct record_queue queue = { 0 };
	struct seen seen = { 0 };

	for (uint64_t i = 0; i < 60; i++)
		add(&queue, 100 - i, 60000);
	assert_true(queue.bytes >= (size_t)60 * 60000);
	assert_int_equal(record_queue_halve(&queue, see, &seen), 0);
	assert_int_equal(seen.count, 30);
	assert_int_equal(seen.times[0], 41);
	assert_int_equal(record_queue_end(&queue, see, &seen), 0);
	assert_int_equal(seen.count, 60);
	assert_true(queue.bytes <= (size_t)1 << 20);
	record_queue_fini(&queue);
	assert_int_equal(queue.bytes, 0);
}

static void test_stops_where_the_visitor_says(void **state)
{
	struct record_queue queue = { 0 };
	struct seen seen = { .stop_at = 1 };

	add(&queue, 1, 8);
	add(&queue, 2, 8);
	assert_int_equal(record_queue_end(&queue, see, &seen), -7);
	assert_int_equal(seen.count, 1);
	record_queue_fini(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_marks_without_records),
		cmocka_unit_test(test_chunks_are_given_back),
		cmocka_unit_test(test_stops_where_the_visitor_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
