/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merging several rings: time order, ties, the horizon, damaged records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>

#include "capture/stream.h"
#include "sampler/wire_record.h"

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
		.ops = &perf_stream_ops,
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

/*
 * The other kind of ring, that of the in-kernel sampler. It is not filled to its end, so it needs
 * no second mapping of the data.
 */
struct fake_sampler {
	uint64_t consumer, producer;
	_Alignas(8) uint8_t data[4096];
	struct stream stream;
};

static void sampler_init(struct fake_sampler *fake, uint32_t cpu)
{
	memset(fake, 0, sizeof(*fake));
	fake->stream = (struct stream){
		.ops = &sampler_stream_ops,
		.bpf_ring = { .consumer = &fake->consumer,
			      .producer = &fake->producer,
			      .data = fake->data,
			      .size_bytes = sizeof(fake->data) },
		.cpu = cpu,
	};
}

static uint8_t *sampler_reserve(struct fake_sampler *fake, uint32_t size_bytes)
{
	uint8_t *at = fake->data + fake->producer;

	memcpy(at, &size_bytes, sizeof(size_bytes));
	fake->producer += BPF_RINGBUF_HDR_SZ + (size_bytes + 7) / 8 * 8;
	return at + BPF_RINGBUF_HDR_SZ;
}

static void sampler_write(struct fake_sampler *fake, uint64_t time_ns, uint32_t tid)
{
	const struct wire_sample sample = { .time_ns = time_ns, .kind = WIRE_SAMPLE, .tid = tid };

	memcpy(sampler_reserve(fake, sizeof(sample)), &sample, sizeof(sample));
}

static size_t take(struct merge *merge, uint64_t horizon_ns, uint32_t *tids)
{
	size_t taken = 0;

	while (merge_first(merge) && merge_first(merge)->record.time_ns < horizon_ns) {
		tids[taken++] = merge_first(merge)->record.tid;
		merge_advance(merge);
	}
	merge_end(merge);
	return taken;
}

/*
 * Takes all records before @horizon_ns. @tids returns their tids in the order in which they came.
 */
static size_t drain(struct merge *merge, struct fake *fakes, size_t count, uint64_t horizon_ns,
		    uint32_t *tids)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(merge_add(merge, &fakes[i].stream), 0);
	return take(merge, horizon_ns, tids);
}

/* A LOST record as the kernel writes it with FIELDS. */
struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
	uint32_t sample_pid, sample_tid;
	uint64_t sample_time;
	uint32_t cpu, reserved;
	uint64_t identifier;
};

static void write_lost(struct fake *fake, uint64_t time_ns)
{
	struct lost_record record = {
		.header = { .type = PERF_RECORD_LOST, .size = sizeof(record) },
		.lost = 3,
		.sample_time = time_ns,
	};

	memcpy(fake->data + fake->control.data_head, &record, sizeof(record));
	fake->control.data_head += sizeof(record);
}

static const struct perf_record *next_of(struct merge *merge)
{
	assert_non_null(merge_first(merge));
	merge_advance(merge);
	assert_non_null(merge_first(merge));
	return &merge_first(merge)->record;
}

/*
 * Process events between 100 and 900 are in doubt from 100 on, not from the time at which the loss
 * becomes known.
 */
static void test_losses_of_process_events_begin_where_they_do(void **state)
{
	struct fake fakes[2];
	struct merge merge = { VEC_INIT };
	const struct perf_record *record;

	fake_init(&fakes[0], true);
	fake_init(&fakes[1], false);
	fake_write(&fakes[0], 100, 1);
	write_lost(&fakes[0], 900);
	fake_write(&fakes[0], 910, 3);
	fake_write(&fakes[1], 500, 2);
	write_lost(&fakes[1], 800);	/* the loss of samples is only counted */
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(merge_add(&merge, &fakes[i].stream), 0);
	record = next_of(&merge);
	assert_int_equal(record->kind, RECORD_LOST);
	assert_int_equal(record->time_ns, 100);
	assert_int_equal(record->lost.until_ns, 900);
	assert_int_equal(next_of(&merge)->time_ns, 500);
	assert_int_equal(next_of(&merge)->time_ns, 800);
	assert_int_equal(next_of(&merge)->tid, 3);
	merge_end(&merge);
	merge_fini(&merge);
}

/*
 * The ring was cut when full, and had room again at 150. If the next record is a LOST record, it
 * reports losses from before 150. If another record comes first, nothing had been lost by then, and
 * a later loss lasts until its own LOST record.
 */
static void test_room_ends_no_later_loss(void **state)
{
	const struct perf_record *record;
	struct merge merge = { VEC_INIT };
	struct fake fake;

	for (int is_late = 0; is_late < 2; is_late++) {
		fake_init(&fake, true);
		fake.stream.last_ns = 100;
		fake.stream.freed_ns = 150;
		if (is_late)
			fake_write(&fake, 500, 1);
		write_lost(&fake, 900);
		assert_int_equal(merge_add(&merge, &fake.stream), 0);
		if (is_late)
			merge_advance(&merge);
		record = &merge_first(&merge)->record;
		assert_int_equal(record->kind, RECORD_LOST);
		assert_int_equal(record->time_ns, is_late ? 500 : 100);
		assert_int_equal(record->lost.until_ns, is_late ? 900 : 150);
		merge_end(&merge);
	}
	merge_fini(&merge);
}

/* This holds even if times go backwards. */
static void test_loss_does_not_end_before_it_begins(void **state)
{
	struct merge merge = { VEC_INIT };
	struct fake fake;

	fake_init(&fake, true);
	fake.stream.last_ns = 1000;
	fake.stream.freed_ns = 150;
	write_lost(&fake, 900);
	assert_int_equal(merge_add(&merge, &fake.stream), 0);
	assert_int_equal(fake.stream.record.time_ns, 1000);
	assert_int_equal(fake.stream.record.lost.until_ns, 1000);
	merge_fini(&merge);
}

/* The LOST record comes only when the kernel writes the next record, which may be much later. */
static void test_full_ring_is_cut(void **state)
{
	static uint8_t data[32768];
	struct fake fake;
	struct merge merge = { VEC_INIT };
	const uint64_t full_head = sizeof(data) - sizeof(struct exit_record) / 2;
	const struct stream *stream = &fake.stream;

	fake_init(&fake, true);
	fake.stream.ring.data = data;
	fake.stream.ring.size_bytes = sizeof(data);
	for (int full = 0; full < 2; full++) {
		struct exit_record record = {
			.header = { .type = PERF_RECORD_EXIT, .size = sizeof(record) },
			.sample_time = 100,
		};
		uint64_t at = fake.control.data_head;

		while (at + sizeof(record) <= (full ? full_head : sizeof(data) / 2)) {
			memcpy(data + at, &record, sizeof(record));
			at += sizeof(record);
		}
		fake.control.data_head = at;
		if (full) {	/* no record was taken before */
			fake.stream.ring.tail = 0;
			fake.control.data_tail = 0;
		}
		assert_int_equal(merge_add(&merge, &fake.stream), 0);
		while (merge_first(&merge)) {
			assert_false(stream_is_cut(stream));
			merge_advance(&merge);
		}
		assert_int_equal(stream_is_cut(stream), full);
		assert_int_equal(stream->last_ns, 100);
		merge_end(&merge);
	}
	merge_fini(&merge);
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

/* A long drain gives space back to the kernel while it is running. */
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

static void test_both_kinds_in_one_order(void **state)
{
	struct fake_sampler samplers[2];
	struct fake sideband;
	struct merge merge = { VEC_INIT };
	uint32_t tids[16];

	(void)state;
	fake_init(&sideband, true);
	for (uint32_t i = 0; i < 2; i++)
		sampler_init(&samplers[i], i);
	sampler_write(&samplers[0], 100, 1);
	sampler_write(&samplers[1], 200, 2);
	fake_write(&sideband, 300, 3);
	sampler_write(&samplers[0], 300, 4);	/* comes after the process event of the same time */
	sampler_write(&samplers[1], 400, 5);
	fake_write(&sideband, 500, 6);
	sampler_write(&samplers[0], 600, 7);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(merge_add(&merge, &samplers[i].stream), 0);
	assert_int_equal(drain(&merge, &sideband, 1, 600, tids), 6);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(tids[i], i + 1);
	assert_int_equal(samplers[1].consumer, samplers[1].producer);
	assert_int_equal(samplers[0].consumer, 2 * (BPF_RINGBUF_HDR_SZ + 40));
	assert_int_equal(merge_add(&merge, &samplers[0].stream), 0);
	assert_int_equal(take(&merge, UINT64_MAX, tids), 1);
	assert_int_equal(tids[0], 7);
	assert_int_equal(samplers[0].consumer, samplers[0].producer);
	merge_fini(&merge);
}

static void test_a_samplers_record_has_the_cpu_of_its_ring(void **state)
{
	struct fake_sampler sampler;
	struct merge merge = { VEC_INIT };

	(void)state;
	sampler_init(&sampler, 7);
	sampler_write(&sampler, 100, 1);
	assert_int_equal(merge_add(&merge, &sampler.stream), 0);
	assert_int_equal(merge_first(&merge)->record.kind, RECORD_SAMPLE);
	assert_true(merge_first(&merge)->record.sample.by_sampler);
	assert_int_equal(merge_first(&merge)->record.cpu, 7);
	merge_end(&merge);
	assert_int_equal(sampler.consumer, 0);
	merge_fini(&merge);
}

/* A record that is still being written stops its own ring, and no other. */
static void test_unfinished_record_of_the_sampler(void **state)
{
	struct fake_sampler samplers[2];
	struct merge merge = { VEC_INIT };
	uint32_t tids[16], busy = 40 | BPF_RINGBUF_BUSY_BIT, done = 40;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		sampler_init(&samplers[i], i);
		sampler_write(&samplers[i], 100 + i, i);
	}
	memcpy(samplers[0].data, &busy, sizeof(busy));
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(merge_add(&merge, &samplers[i].stream), 0);
	assert_int_equal(take(&merge, UINT64_MAX, tids), 1);
	assert_int_equal(tids[0], 1);
	memcpy(samplers[0].data, &done, sizeof(done));
	assert_int_equal(merge_add(&merge, &samplers[0].stream), 0);
	assert_int_equal(take(&merge, UINT64_MAX, tids), 1);
	assert_int_equal(tids[0], 0);
	merge_fini(&merge);
}

static void test_damage_of_the_sampler_is_counted(void **state)
{
	struct fake_sampler sampler;
	struct merge merge = { VEC_INIT };
	uint32_t tids[16];

	(void)state;
	sampler_init(&sampler, 0);
	sampler_write(&sampler, 100, 1);
	memset(sampler_reserve(&sampler, 40), 0xee, 40);	/* an unknown kind of record */
	memset(sampler_reserve(&sampler, 3), 0, 3);
	sampler_write(&sampler, 300, 2);
	assert_int_equal(merge_add(&merge, &sampler.stream), 0);
	assert_int_equal(take(&merge, UINT64_MAX, tids), 2);
	assert_int_equal(tids[1], 2);
	assert_int_equal(sampler.stream.malformed, 2);
	(void)sampler_reserve(&sampler, 0);	/* an impossible length discards the rest */
	sampler_write(&sampler, 400, 3);
	assert_int_equal(merge_add(&merge, &sampler.stream), 0);
	assert_null(merge_first(&merge));
	assert_int_equal(sampler.stream.malformed, 3);
	sampler_write(&sampler, 500, 4);
	assert_int_equal(merge_add(&merge, &sampler.stream), 0);
	assert_int_equal(take(&merge, UINT64_MAX, tids), 1);
	assert_int_equal(tids[0], 4);
	merge_fini(&merge);
}

/* The record is skipped, because waiting for its time would hold up all records after it. */
static void test_record_of_the_future(void **state)
{
	struct merge merge = { 0 };
	struct fake fake;

	fake_init(&fake, true);
	fake_write(&fake, 10, 1);
	fake_write(&fake, UINT64_MAX / 2, 2);
	fake_write(&fake, 20, 3);
	assert_int_equal(merge_add(&merge, &fake.stream), 0);
	assert_int_equal(merge_first(&merge)->record.time_ns, 10);
	merge_advance(&merge);
	assert_int_equal(merge_first(&merge)->record.time_ns, 20);
	assert_int_equal(fake.stream.malformed, 1);
	merge_advance(&merge);
	assert_null(merge_first(&merge));
	merge_fini(&merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_order_across_rings),
		cmocka_unit_test(test_losses_of_process_events_begin_where_they_do),
		cmocka_unit_test(test_room_ends_no_later_loss),
		cmocka_unit_test(test_loss_does_not_end_before_it_begins),
		cmocka_unit_test(test_full_ring_is_cut),
		cmocka_unit_test(test_young_records_stay),
		cmocka_unit_test(test_process_events_come_first),
		cmocka_unit_test(test_space_goes_back_while_draining),
		cmocka_unit_test(test_damage_is_counted_and_passed_over),
		cmocka_unit_test(test_both_kinds_in_one_order),
		cmocka_unit_test(test_a_samplers_record_has_the_cpu_of_its_ring),
		cmocka_unit_test(test_unfinished_record_of_the_sampler),
		cmocka_unit_test(test_damage_of_the_sampler_is_counted),
		cmocka_unit_test(test_record_of_the_future),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
