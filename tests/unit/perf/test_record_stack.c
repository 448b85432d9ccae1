/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decoder on hand-written samples with copied registers and stacks. */
#include "support/test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "perf/record.h"
#include "support/record_writer.h"

static const struct record_layout copied = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	.regs_user = 0x41c0,	/* selects four registers */
};

static void begin_copied(struct record_writer *w, uint64_t abi)
{
	record_begin(w, PERF_RECORD_SAMPLE, 0);
	record_u64(w, 0x401000);
	record_u64(w, abi);
	for (uint64_t i = 0; abi && i < 4; i++)
		record_u64(w, 100 + i);
}

static void put_stack(struct record_writer *w, uint64_t size_bytes, uint64_t used_bytes)
{
	record_u64(w, size_bytes);
	for (uint64_t i = 0; i < 16; i += 8)
		record_u64(w, 7 + i);
	record_u64(w, used_bytes);
	record_end(w);
}

static void test_copied_stack(void **state)
{
	struct record_writer w;
	struct perf_record record;
	uint64_t word;

	for (uint64_t used_bytes = 8; used_bytes <= 16; used_bytes += 8) {
		begin_copied(&w, PERF_SAMPLE_REGS_ABI_64);
		put_stack(&w, 16, used_bytes);
		assert_int_equal(record_decode(w.bytes, w.size_bytes, &copied, &record), 0);
		assert_int_equal(record.sample.reg_count, 4);
		assert_int_equal(record.sample.regs_bits, 64);
		memcpy(&word, (const char *)record.sample.regs + 24, sizeof(word));
		assert_int_equal(word, 103);
		assert_int_equal(record.sample.stack_bytes, used_bytes);
		assert_int_equal(record.sample.stack_is_cut, used_bytes == 16);
		memcpy(&word, record.sample.stack, sizeof(word));
		assert_int_equal(word, 7);
	}
	begin_copied(&w, PERF_SAMPLE_REGS_ABI_32);
	put_stack(&w, 16, 16);
	assert_int_equal(record_decode(w.bytes, w.size_bytes, &copied, &record), 0);
	assert_int_equal(record.sample.regs_bits, 32);
}

/* A kernel thread has no registers. A stack size of 0 has no data after it. */
static void test_no_stack_to_copy(void **state)
{
	struct record_writer w;
	struct perf_record record;

	begin_copied(&w, PERF_SAMPLE_REGS_ABI_NONE);
	record_u64(&w, 0);
	record_end(&w);
	assert_int_equal(record_decode(w.bytes, w.size_bytes, &copied, &record), 0);
	assert_null(record.sample.regs);
	assert_null(record.sample.stack);
	assert_int_equal(record.sample.stack_bytes, 0);
}

static void test_copied_stack_that_does_not_fit(void **state)
{
	static const uint64_t wrong[][2] = { { 16, 17 }, { 24, 8 }, { UINT64_MAX, 8 }, { 8, 16 } };
	struct record_writer w;
	struct perf_record record;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		begin_copied(&w, PERF_SAMPLE_REGS_ABI_64);
		put_stack(&w, wrong[i][0], wrong[i][1]);
		assert_int_equal(record_decode(w.bytes, w.size_bytes, &copied, &record), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copied_stack),
		cmocka_unit_test(test_no_stack_to_copy),
		cmocka_unit_test(test_copied_stack_that_does_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
