/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The merge of several rings: time order, ties, the horizon, records that are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "capture/stream.h"

#define FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

static const struct record_layout layout = { .sample_type = FIELDS, .sample_id_all = true };

/* An EXIT record as the kernel writes it with FIELDS. */
struct exit_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
	uint32_t sample_pid, sample_tid;
	uint64_t sample_time;
	uint32_t cpu, reserved;
	uint64_t identifier;
};

struct fake {
	struct perf_event_mmap_page control;
	uint8_t data[4096];
	struct stream stream;
};

static void fake_init(struct fake *fake, bool sideband)
{
	memset(fake, 0, sizeof(*fake));
	fake->stream = (struct stream){
		.ring = { .control = &fake->control,
			  .data = fake->data,
			  .size_bytes = sizeof(fake->data) },
		.layout = &layout,
		.sideband = sideband,
	};
}

static void fake_write(struct fake *fake, uint64_t time_ns, uint32_t tid)
{
	struct exit_record record = {
		.header = { .type = PERF_RECORD_EXIT, .size = sizeof(record) },
		.pid = tid,
		.tid = tid,
		.sample_time = time_ns,
		.time = time_ns,
	};

	memcpy(fake->data + fake->control.data_head, &record, sizeof(record));
	fake->control.data_head += sizeof(record);
}

/* Takes everything before @horizon_ns; the tids in the order in which they came. */
static size_t drain(struct merge *merge, struct fake *fakes, size_t count, uint64_t horizon_ns,
		    uint32_t *tids)
{
	size_t taken = 0;

	for (size_t i = 0; i < count; i++)
		assert_int_equal(merge_add(merge, &fakes[i].stream), 0);
	while (merge_first(merge) && merge_first(merge)->record.time_ns < horizon_ns) {
		tids[taken++] = merge_first(merge)->record.tid;
		merge_advance(merge);
	}
	merge_end(merge);
	return taken;
}

static void test_time_order_across_rings(void **state)
{
	struct fake fakes[3];
	struct merge merge = { VEC_INIT };
	uint32_t tids[16];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		fake_init(&fakes[i], false);
	fake_write(&fakes[0], 100, 1);
	fake_write(&fakes[0], 400, 4);
	fake_write(&fakes[1], 200, 2);
	fake_write(&fakes[1], 300, 3);
	fake_write(&fakes[2], 500, 5);
	assert_int_equal(drain(&merge, fakes, 3, UINT64_MAX, tids), 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(tids[i], i + 1);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(fakes[i].control.data_tail, fakes[i].control.data_head);
	merge_fini(&merge);
}

static void test_young_records_stay(void **state)
{
	struct fake fake;
	struct merge merge = { VEC_INIT };
	uint32_t tids[16];

	(void)state;
	fake_init(&fake, false);
	fake_write(&fake, 100, 1);
	fake_write(&fake, 200, 2);
	assert_int_equal(drain(&merge, &fake, 1, 200, tids), 1);
	assert_int_equal(fake.control.data_tail, sizeof(struct exit_record));
	assert_int_equal(drain(&merge, &fake, 1, 201, tids), 1);
	assert_int_equal(tids[0], 2);
	merge_fini(&merge);
}

static void test_process_events_come_first(void **state)
{
	struct fake fakes[2];
	struct merge merge = { VEC_INIT };
	uint32_t tids[16];

	(void)state;
	fake_init(&fakes[0], false);
	fake_init(&fakes[1], true);
	fake_write(&fakes[0], 100, 1);
	fake_write(&fakes[1], 100, 2);
	assert_int_equal(drain(&merge, fakes, 2, UINT64_MAX, tids), 2);
	assert_int_equal(tids[0], 2);
	merge_fini(&merge);
}

/* A long drain makes room for the kernel while it lasts. */
static void test_space_goes_back_while_draining(void **state)
{
	struct fake fake;
	struct merge merge = { VEC_INIT };
	const size_t count = sizeof(fake.data) / sizeof(struct exit_record);

	(void)state;
	fake_init(&fake, false);
	for (uint32_t i = 0; i < count; i++)
		fake_write(&fake, 100 + i, i);
	assert_int_equal(merge_add(&merge, &fake.stream), 0);
	for (size_t i = 1; i < count; i++) {
		size_t taken = i * sizeof(struct exit_record);

		merge_advance(&merge);
		assert_int_equal(merge_first(&merge)->record.tid, i);
		assert_true(fake.control.data_tail <= taken);
		assert_true(taken - fake.control.data_tail < sizeof(fake.data) / 8);
	}
	merge_end(&merge);
	merge_fini(&merge);
}

static void test_damage_is_counted_and_passed_over(void **state)
{
	struct fake fake;
	struct merge merge = { VEC_INIT };
	struct perf_event_header impossible = { .type = PERF_RECORD_EXIT, .size = 3 };
	uint32_t tids[16];

	(void)state;
	fake_init(&fake, false);
	fake_write(&fake, 100, 1);
	memcpy(fake.data + fake.control.data_head, &impossible, sizeof(impossible));
	fake.control.data_head += sizeof(impossible);
	assert_int_equal(drain(&merge, &fake, 1, UINT64_MAX, tids), 1);
	assert_int_equal(fake.stream.malformed, 1);
	assert_int_equal(fake.control.data_tail, fake.control.data_head);
	fake_write(&fake, 300, 3);
	assert_int_equal(drain(&merge, &fake, 1, UINT64_MAX, tids), 1);
	assert_int_equal(tids[0], 3);
	merge_fini(&merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_order_across_rings),
		cmocka_unit_test(test_young_records_stay),
		cmocka_unit_test(test_process_events_come_first),
		cmocka_unit_test(test_space_goes_back_while_draining),
		cmocka_unit_test(test_damage_is_counted_and_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
