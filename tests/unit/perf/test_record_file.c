/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decoder on fields that occur only in perf's files. */
#include "support/test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "perf/record.h"
#include "support/record_writer.h"

static struct perf_record decoded(const struct record_writer *w, const struct record_layout *layout)
{
	struct perf_record record;

	assert_int_equal(record_decode(w->bytes, w->size_bytes, layout, &record), 0);
	return record;
}

static void test_passes_over_raw_data_and_branches(void **state)
{
	const struct record_layout layout = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
			       PERF_SAMPLE_STACK_USER,
		.branches = PERF_SAMPLE_BRANCH_HW_INDEX,
	};
	struct perf_record record;
	struct record_writer w;

	record_begin(&w, PERF_RECORD_SAMPLE, 0);
	record_u64(&w, 0x1234);
	/* raw data; its size field and data are a multiple of 8 bytes together */
	record_u32(&w, 12);
	record_u32(&w, 1);
	record_u64(&w, 2);
	record_u64(&w, 1);	/* branch stack: count, index, then the entries */
	record_u64(&w, 0);
	record_u64(&w, 0x10);
	record_u64(&w, 0x20);
	record_u64(&w, 0);
	record_u64(&w, 8);	/* stack */
	record_u64(&w, 0x5555);
	record_u64(&w, 8);
	record_end(&w);
	record = decoded(&w, &layout);
	assert_int_equal(record.sample.stack_bytes, 8);
	assert_int_equal(record.sample.stack[0], 0x55);
}

static void test_refuses_branches_past_the_end(void **state)
{
	const struct record_layout layout = { .sample_type = PERF_SAMPLE_BRANCH_STACK };
	struct perf_record record;
	struct record_writer w;

	record_begin(&w, PERF_RECORD_SAMPLE, 0);
	record_u64(&w, UINT64_MAX / 24 + 2);
	record_u64(&w, 0);
	record_end(&w);
	assert_int_equal(record_decode(w.bytes, w.size_bytes, &layout, &record), -EINVAL);
}

static void test_fork_of_who_was_there(void **state)
{
	const struct record_layout layout = { 0 };

	for (int was_there = 0; was_there < 2; was_there++) {
		struct record_writer w;

		record_begin(&w, PERF_RECORD_FORK, was_there ? PERF_RECORD_MISC_COMM_EXEC : 0);
		for (uint32_t i = 0; i < 4; i++)
			record_u32(&w, i);
		record_u64(&w, 0);
		record_end(&w);
		assert_int_equal(decoded(&w, &layout).was_there, was_there);
	}
}

/* The record is flagged to have a build-id but holds an inode: device 8:3. */
static void test_inode_that_is_no_build_id(void **state)
{
	const struct record_layout not_asked = { .no_build_ids = true }, asked = { 0 };
	struct record_writer w;
	struct perf_record record;

	record_begin(&w, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	record_u32(&w, 100);
	record_u32(&w, 101);
	for (int i = 0; i < 3; i++)
		record_u64(&w, 0x1000);
	record_u32(&w, 8);
	record_u32(&w, 3);
	record_u64(&w, 4242);
	record_u64(&w, 0);
	record_u32(&w, PROT_EXEC);
	record_u32(&w, 0);
	record_text(&w, "/usr/bin/x");
	record_end(&w);
	record = decoded(&w, &not_asked);
	assert_int_equal(record.mmap.build_id_size, 0);
	assert_int_equal(record.mmap.inode, 4242);
	assert_int_equal(decoded(&w, &asked).mmap.build_id_size, 8);
}

/* With and without each of the words before the time, and with these words truncated. */
static void test_time_alone(void **state)
{
	static const uint64_t words[] = { PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID };
	static const struct record_layout timeless = { .sample_type = PERF_SAMPLE_IP };
	uint64_t time_ns;

	for (unsigned int some = 0; some < 8; some++) {
		struct record_layout layout = { .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU };
		struct record_writer w;
		size_t before;

		record_begin(&w, PERF_RECORD_SAMPLE, 0);
		for (size_t i = 0; i < 3; i++) {
			if (!(some >> i & 1))
				continue;
			layout.sample_type |= words[i];
			record_u64(&w, 7);
		}
		before = w.size_bytes;
		record_u64(&w, 5000);
		record_u64(&w, 1);
		record_end(&w);
		assert_int_equal(record_sample_time(w.bytes, w.size_bytes, &layout, &time_ns), 0);
		assert_int_equal(time_ns, 5000);
		w.size_bytes = before;
		record_end(&w);
		assert_int_equal(record_sample_time(w.bytes, w.size_bytes, &layout, &time_ns),
				 -EINVAL);
		w.size_bytes = 8;
		record_end(&w);
		assert_int_equal(record_sample_time(w.bytes, w.size_bytes, &timeless, &time_ns),
				 -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_alone),
		cmocka_unit_test(test_passes_over_raw_data_and_branches),
		cmocka_unit_test(test_refuses_branches_past_the_end),
		cmocka_unit_test(test_fork_of_who_was_there),
		cmocka_unit_test(test_inode_that_is_no_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
