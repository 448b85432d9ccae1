/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decoder on hand-written records: every field at its place, and no size trusted. */
#include "support/test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "perf/record.h"
#include "support/record_writer.h"

#define TRAILER \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static const struct record_layout sideband = { .sample_type = TRAILER, .sample_id_all = true };

static void put_trailer(struct record_writer *w)
{
	record_u32(w, 900); /* writer's tgid */
	record_u32(w, 901);
	record_u64(w, 5000); /* time */
	record_u64(w, 77); /* id */
	record_u64(w, 88); /* stream id */
	record_u32(w, 3); /* cpu */
	record_u32(w, 0);
	record_u64(w, 77); /* identifier */
	record_end(w);
}

static struct perf_record decoded(const struct record_writer *w, const struct record_layout *layout)
{
	struct perf_record record;

	memset(&record, 0xa5, sizeof(record));
	assert_int_equal(record_decode(w->bytes, w->size_bytes, layout, &record), 0);
	return record;
}

static void assert_refused(const struct record_writer *w, const struct record_layout *layout)
{
	struct perf_record record;

	assert_int_equal(record_decode(w->bytes, w->size_bytes, layout, &record), -EINVAL);
}

static void assert_trailer(const struct perf_record *record)
{
	assert_int_equal(record->time_ns, 5000);
	assert_int_equal(record->id, 77);
	assert_int_equal(record->cpu, 3);
}

static void put_mmap_range(struct record_writer *w)
{
	record_u32(w, 100);
	record_u32(w, 101);
	record_u64(w, 0x7f0000001000);
	record_u64(w, 0x5000);
	record_u64(w, 0x2000);
}

static void put_mmap2(struct record_writer *w, uint32_t protection)
{
	record_begin(w, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put_mmap_range(w);
	record_u32(w, 8);
	record_u32(w, 1);
	record_u64(w, 4711);
	record_u64(w, 12);
	record_u32(w, protection);
	record_u32(w, MAP_PRIVATE);
	record_text(w, "/usr/lib/libx.so");
	put_trailer(w);
}

static void test_mmap2(void **state)
{
	struct record_writer w;
	struct perf_record record;

	put_mmap2(&w, PROT_READ | PROT_EXEC);
	record = decoded(&w, &sideband);
	assert_int_equal(record.kind, RECORD_MMAP);
	assert_int_equal(record.tgid, 100);
	assert_int_equal(record.tid, 101);
	assert_int_equal(record.mmap.start_addr, 0x7f0000001000);
	assert_int_equal(record.mmap.size_bytes, 0x5000);
	assert_int_equal(record.mmap.offset, 0x2000);
	assert_int_equal(record.mmap.dev, makedev(8, 1));
	assert_int_equal(record.mmap.inode, 4711);
	assert_int_equal(record.mmap.inode_generation, 12);
	assert_int_equal(record.mmap.build_id_size, 0);
	assert_string_equal(record.mmap.path, "/usr/lib/libx.so");
	assert_trailer(&record);
}

static void test_mmap2_with_build_id(void **state)
{
	struct record_writer w;
	struct perf_record record;

	record_begin(&w, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	put_mmap_range(&w);
	record_u32(&w, BUILD_ID_MAX); /* size and three reserved bytes */
	for (uint32_t i = 0; i < BUILD_ID_MAX / 4; i++)
		record_u32(&w, 0x01010101 * (i + 1));
	record_u32(&w, PROT_EXEC);
	record_u32(&w, MAP_PRIVATE);
	record_text(&w, "/bin/x");
	put_trailer(&w);
	record = decoded(&w, &sideband);
	assert_int_equal(record.mmap.build_id_size, BUILD_ID_MAX);
	for (size_t i = 0; i < BUILD_ID_MAX; i++)
		assert_int_equal(record.mmap.build_id[i], i / 4 + 1);
	assert_int_equal(record.mmap.inode, 0);
	assert_string_equal(record.mmap.path, "/bin/x");

	w.bytes[8 + 32] = BUILD_ID_MAX + 1;
	assert_refused(&w, &sideband);
}

static void test_only_executable_mappings(void **state)
{
	struct record_writer w;

	put_mmap2(&w, PROT_READ | PROT_WRITE);
	assert_int_equal(decoded(&w, &sideband).kind, RECORD_OTHER);
	for (int data = 0; data < 2; data++) {
		record_begin(&w, PERF_RECORD_MMAP, data ? PERF_RECORD_MISC_MMAP_DATA : 0);
		put_mmap_range(&w);
		record_text(&w, "//anon");
		put_trailer(&w);
		assert_int_equal(decoded(&w, &sideband).kind, data ? RECORD_OTHER : RECORD_MMAP);
	}
}

static void test_comm(void **state)
{
	struct record_writer w;
	struct perf_record record;

	for (int exec = 0; exec < 2; exec++) {
		record_begin(&w, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
		record_u32(&w, 100);
		record_u32(&w, 101);
		record_text(&w, "fifteen letters");
		put_trailer(&w);
		record = decoded(&w, &sideband);
		assert_int_equal(record.kind, RECORD_COMM);
		assert_int_equal(record.exec, exec);
		assert_int_equal(record.tid, 101);
		assert_string_equal(record.comm.name, "fifteen letters");
		assert_trailer(&record);
	}
}

static void test_fork_and_exit(void **state)
{
	static const uint32_t types[] = { PERF_RECORD_FORK, PERF_RECORD_EXIT };
	struct record_writer w;
	struct perf_record record;

	for (size_t i = 0; i < 2; i++) {
		record_begin(&w, types[i], 0);
		record_u32(&w, 200);
		record_u32(&w, 100);
		record_u32(&w, 201);
		record_u32(&w, 101);
		record_u64(&w, 4999);
		put_trailer(&w);
		record = decoded(&w, &sideband);
		assert_int_equal(record.kind, i == 0 ? RECORD_FORK : RECORD_EXIT);
		assert_int_equal(record.tgid, 200);
		assert_int_equal(record.tid, 201);
		assert_int_equal(record.parent_tgid, 100);
		assert_int_equal(record.parent_tid, 101);
		assert_trailer(&record);
	}
}

static void test_fork_without_trailer_has_its_own_time(void **state)
{
	static const struct record_layout bare = { .sample_type = TRAILER };
	struct record_writer w;
	struct perf_record record;

	record_begin(&w, PERF_RECORD_FORK, 0);
	for (uint32_t i = 0; i < 4; i++)
		record_u32(&w, 200 + i);
	record_u64(&w, 4999);
	record_end(&w);
	record = decoded(&w, &bare);
	assert_int_equal(record.time_ns, 4999);
	assert_int_equal(record.cpu, UINT32_MAX);
	assert_refused(&w, &sideband);
}

static void test_lost(void **state)
{
	struct record_writer w;
	struct perf_record record;

	record_begin(&w, PERF_RECORD_LOST, 0);
	record_u64(&w, 55);
	record_u64(&w, 1000);
	put_trailer(&w);
	record = decoded(&w, &sideband);
	assert_int_equal(record.kind, RECORD_LOST);
	assert_int_equal(record.lost.count, 1000);
	assert_false(record.lost.samples);
	assert_trailer(&record);

	record_begin(&w, PERF_RECORD_LOST_SAMPLES, 0);
	record_u64(&w, 7);
	put_trailer(&w);
	record = decoded(&w, &sideband);
	assert_int_equal(record.kind, RECORD_LOST);
	assert_int_equal(record.lost.count, 7);
	assert_true(record.lost.samples);
}

static void test_throttle(void **state)
{
	struct record_writer w;

	for (uint32_t type = PERF_RECORD_THROTTLE; type <= PERF_RECORD_UNTHROTTLE; type++) {
		record_begin(&w, type, 0);
		record_u64(&w, 4999);
		record_u64(&w, 77);
		record_u64(&w, 88);
		put_trailer(&w);
		assert_int_equal(decoded(&w, &sideband).kind, type == PERF_RECORD_THROTTLE
								      ? RECORD_THROTTLE
								      : RECORD_UNTHROTTLE);
	}
}

/*
 * The kernel writes these records longer than their content if several tools listen. Then the
 * trailer is not at the end.
 */
static void test_kernel_code_of_several_listeners(void **state)
{
	for (int name = 0; name < 2; name++)
		for (size_t rest = 0; rest <= 64; rest += 16) {
			struct record_writer w;
			struct perf_record record;

			record_begin(&w, name ? PERF_RECORD_KSYMBOL : PERF_RECORD_BPF_EVENT, 0);
			record_u64(&w, 0x1000);
			record_u64(&w, 0x2000);
			if (name)
				record_text(&w, "bpf_prog_12345");
			put_trailer(&w);
			for (size_t i = 0; i < rest; i += 8)
				record_u64(&w, 0x7373737373737373);
			record_end(&w);
			record = decoded(&w, &sideband);
			assert_int_equal(record.time_ns, 5000);
			if (name)
				assert_string_equal(record.ksymbol.name, "bpf_prog_12345");
		}
}

static void test_ksymbol_and_cgroup(void **state)
{
	struct record_writer w;
	struct perf_record record;

	record_begin(&w, PERF_RECORD_KSYMBOL, 0);
	record_u64(&w, 0xffffffffc0001000);
	record_u32(&w, 333);
	record_u16(&w, PERF_RECORD_KSYMBOL_TYPE_BPF);
	record_u16(&w, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	record_text(&w, "bpf_prog_0123456789abcdef");
	put_trailer(&w);
	record = decoded(&w, &sideband);
	assert_int_equal(record.kind, RECORD_KSYMBOL);
	assert_true(record.ksymbol.addr == 0xffffffffc0001000);
	assert_int_equal(record.ksymbol.size_bytes, 333);
	assert_true(record.ksymbol.bpf);
	assert_true(record.ksymbol.gone);
	assert_string_equal(record.ksymbol.name, "bpf_prog_0123456789abcdef");
}

static void test_text_may_not_run_into_the_trailer(void **state)
{
	struct record_writer w;

	record_begin(&w, PERF_RECORD_COMM, 0);
	record_u32(&w, 100);
	record_u32(&w, 101);
	record_u64(&w, 0x6161616161616161); /* no terminating NUL */
	put_trailer(&w);
	assert_refused(&w, &sideband);
}

#define SAMPLE_FIELDS \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

static void put_sample_start(struct record_writer *w, uint16_t misc)
{
	record_begin(w, PERF_RECORD_SAMPLE, misc);
	record_u64(w, 77);
	record_u64(w, 0x401234);
	record_u32(w, 100);
	record_u32(w, 101);
	record_u64(w, 5000);
	record_u64(w, 0xadd4);
	record_u64(w, 77);
	record_u64(w, 88);
	record_u32(w, 3);
	record_u32(w, 0);
	record_u64(w, 1001001);
}

static void put_chain_and_raw(struct record_writer *w)
{
	record_u64(w, 3);
	record_u64(w, PERF_CONTEXT_USER);
	record_u64(w, 0x401234);
	record_u64(w, 0x401999);
	record_u32(w, 12);
	record_u32(w, 1);
	record_u32(w, 2);
	record_u32(w, 3);
	record_end(w);
}

static void assert_sample(const struct perf_record *record)
{
	assert_int_equal(record->kind, RECORD_SAMPLE);
	assert_int_equal(record->tgid, 100);
	assert_int_equal(record->tid, 101);
	assert_trailer(record);
	assert_int_equal(record->sample.addr, 0x401234);
	assert_int_equal(record->sample.period, 1001001);
	assert_int_equal(record->sample.chain_count, 3);
	assert_int_equal(record->sample.chain[2], 0x401999);
}

static void put_group(struct record_writer *w, uint64_t format, uint64_t count)
{
	record_u64(w, count);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		record_u64(w, 1);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		record_u64(w, 2);
	for (uint64_t i = 0; i < count; i++) {
		record_u64(w, 1000 + i);
		if (format & PERF_FORMAT_ID)
			record_u64(w, 3);
		if (format & PERF_FORMAT_LOST)
			record_u64(w, 4);
	}
}

/* All sixteen layouts of a group, and the values of a single event, which are not counters. */
static void test_sample_with_every_read_format(void **state)
{
	for (uint64_t bits = 0; bits < 16; bits++) {
		struct record_layout layout = { .sample_type = SAMPLE_FIELDS };
		struct record_writer w;
		struct perf_record record;

		layout.read_format = PERF_FORMAT_GROUP | (bits & 7) |
				     (bits & 8 ? PERF_FORMAT_LOST : 0);
		put_sample_start(&w, PERF_RECORD_MISC_USER);
		put_group(&w, layout.read_format, 4);
		put_chain_and_raw(&w);
		record = decoded(&w, &layout);
		assert_sample(&record);
		assert_false(record.kernel_mode);
		assert_int_equal(record.sample.counter_count, 3);
		for (uint64_t i = 0; i < 3; i++)
			assert_int_equal(record.sample.counters[i], 1001 + i);

		layout.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
		put_sample_start(&w, PERF_RECORD_MISC_KERNEL);
		for (int i = 0; i < 1 + __builtin_popcountll(bits); i++)
			record_u64(&w, 9);
		put_chain_and_raw(&w);
		record = decoded(&w, &layout);
		assert_sample(&record);
		assert_true(record.kernel_mode);
		assert_int_equal(record.sample.counter_count, 0);
	}
}

static void test_group_of_many(void **state)
{
	static const struct record_layout layout = { .sample_type = SAMPLE_FIELDS,
						     .read_format = PERF_FORMAT_GROUP };
	struct record_writer w;
	struct perf_record record;

	put_sample_start(&w, 0);
	put_group(&w, layout.read_format, RECORD_COUNTERS_MAX + 5);
	put_chain_and_raw(&w);
	record = decoded(&w, &layout);
	assert_sample(&record);
	assert_int_equal(record.sample.counter_count, RECORD_COUNTERS_MAX);
	assert_int_equal(record.sample.counters[RECORD_COUNTERS_MAX - 1],
			 1000 + RECORD_COUNTERS_MAX);
}

/* The fields behind the user stack, and the address in front of the id. */
static void test_memory_accesses(void **state)
{
	static const uint64_t weights[] = { PERF_SAMPLE_WEIGHT, PERF_SAMPLE_WEIGHT_STRUCT };

	for (size_t i = 0; i < 2; i++) {
		const struct record_layout layout = {
			.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_STACK_USER |
				       PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | weights[i]
		};
		struct perf_record record;
		struct record_writer w;

		record_begin(&w, PERF_RECORD_SAMPLE, 0);
		record_u64(&w, 0xadd4);
		record_u64(&w, 0);			/* no stack */
		record_u64(&w, 0x500000123);		/* latency 0x123, and another value */
		record_u64(&w, 0x50a);
		record_u64(&w, 0xffff);			/* a field that is not read */
		record_end(&w);
		record = decoded(&w, &layout);
		assert_int_equal(record.sample.fields[FIELD_DATA_ADDRESS], 0xadd4);
		assert_int_equal(record.sample.fields[FIELD_DATA_SOURCE], 0x50a);
		assert_int_equal(record.sample.fields[FIELD_LATENCY], i ? 0x123 : 0x500000123);
	}
}

/* A sample of an event without these fields does not keep those of an earlier sample. */
static void test_no_memory_access(void **state)
{
	static const struct record_layout layout = { .sample_type = PERF_SAMPLE_IP };
	struct record_writer w;
	struct perf_record record;

	record_begin(&w, PERF_RECORD_SAMPLE, 0);
	record_u64(&w, 0x401234);
	record_end(&w);
	record = decoded(&w, &layout);
	for (int i = 0; i < FIELD_COUNT; i++)
		assert_int_equal(record.sample.fields[i], 0);
}

static void test_counts_that_do_not_fit(void **state)
{
	static const uint64_t counts[] = { 2, 1u << 20, UINT64_MAX / 8 + 2, UINT64_MAX };
	static const struct record_layout chain = { .sample_type = PERF_SAMPLE_CALLCHAIN };
	static const struct record_layout group = { .sample_type = PERF_SAMPLE_READ,
						    .read_format = PERF_FORMAT_GROUP };

	for (size_t i = 0; i < 4; i++) {
		struct record_writer w;

		record_begin(&w, PERF_RECORD_SAMPLE, 0);
		record_u64(&w, counts[i]);
		record_u64(&w, 1);
		record_end(&w);
		assert_refused(&w, &chain);
		assert_refused(&w, &group);
	}
}

/*
 * A record that is truncated anywhere is refused, whether or not the size in its header agrees.
 * Nothing after its end is read.
 */
static void test_every_truncation_is_refused(void **state)
{
	static const struct record_layout layout = { .sample_type = SAMPLE_FIELDS,
						     .read_format = PERF_FORMAT_GROUP };
	struct record_writer whole;
	size_t needed;

	put_sample_start(&whole, 0);
	put_group(&whole, layout.read_format, 2);
	put_chain_and_raw(&whole);
	needed = whole.size_bytes - 16; /* raw data is not read */
	for (size_t size = 0; size < needed; size++) {
		struct record_writer w = whole;

		w.size_bytes = size;
		assert_refused(&w, &layout);
		if (size < sizeof(struct perf_event_header))
			continue;
		record_end(&w);
		assert_refused(&w, &layout);
	}
}

static void test_kinds_without_use(void **state)
{
	struct record_writer w;
	struct perf_record record;

	record_begin(&w, PERF_RECORD_SWITCH, 0);
	put_trailer(&w);
	record = decoded(&w, &sideband);
	assert_int_equal(record.kind, RECORD_OTHER);
	assert_trailer(&record);
	record_begin(&w, 4000, 0);
	put_trailer(&w);
	assert_int_equal(decoded(&w, &sideband).kind, RECORD_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mmap2),
		cmocka_unit_test(test_mmap2_with_build_id),
		cmocka_unit_test(test_only_executable_mappings),
		cmocka_unit_test(test_comm),
		cmocka_unit_test(test_fork_and_exit),
		cmocka_unit_test(test_fork_without_trailer_has_its_own_time),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_throttle),
		cmocka_unit_test(test_kernel_code_of_several_listeners),
		cmocka_unit_test(test_ksymbol_and_cgroup),
		cmocka_unit_test(test_text_may_not_run_into_the_trailer),
		cmocka_unit_test(test_sample_with_every_read_format),
		cmocka_unit_test(test_memory_accesses),
		cmocka_unit_test(test_no_memory_access),
		cmocka_unit_test(test_group_of_many),
		cmocka_unit_test(test_counts_that_do_not_fit),
		cmocka_unit_test(test_every_truncation_is_refused),
		cmocka_unit_test(test_kinds_without_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
