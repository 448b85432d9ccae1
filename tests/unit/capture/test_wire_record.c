/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sampler's records, from bytes made by hand. */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/wire_record.h"
#include "unwind/rule.h"

/* A record being made: aligned as in a ring, and no longer than it says. */
struct made {
	_Alignas(8) uint8_t bytes[32768];
	size_t size_bytes;
};

static void add(struct made *made, const void *bytes, size_t size_bytes)
{
	memcpy(made->bytes + made->size_bytes, bytes, size_bytes);
	made->size_bytes += size_bytes;
}

static void add_addrs(struct made *made, size_t count, uint64_t first)
{
	for (uint64_t i = 0; i < count; i++)
		add(made, &(uint64_t){ first + i }, sizeof(uint64_t));
}

/* Decodes a copy of just that many bytes, so that a sanitizer sees any read behind them. */
static int decode(const struct made *made, size_t size_bytes, struct wire_record *ret_record)
{
	uint8_t *bytes = malloc(size_bytes ? size_bytes : 1);
	int code;

	assert_non_null(bytes);
	memcpy(bytes, made->bytes, size_bytes);
	code = wire_record_decode(bytes, size_bytes, ret_record);
	free(bytes);
	return code;
}

/* Of all lengths only the whole one is a record. */
static void assert_only_whole(const struct made *made)
{
	struct wire_record record = { .time_ns = 77 };

	for (size_t size = 0; size <= made->size_bytes + 8; size++) {
		if (size == made->size_bytes)
			continue;
		assert_int_equal(decode(made, size, &record), -EINVAL);
		assert_int_equal(record.time_ns, 77);
	}
	assert_int_equal(decode(made, made->size_bytes, &record), 0);
}

static struct wire_sample any_sample(void)
{
	return (struct wire_sample){
		.time_ns = 1000,
		.kind = WIRE_SAMPLE,
		.event = 3,
		.flags = WIRE_IN_KERNEL | WIRE_HAS_USER,
		.period = 250000,
		.stack = 0x1234567890abcdef,
		.ip = 0xffffffff81000000,
		.tgid = 10,
		.tid = 11,
	};
}

static struct made made_stack(uint16_t kernel_count, uint16_t user_count)
{
	struct wire_stack stack = {
		.time_ns = 2000,
		.kind = WIRE_STACK,
		.stop = UNWIND_STOP_END,
		.kernel_count = kernel_count,
		.user_count = user_count,
		.stack = 99,
		.tgid = 10,
	};
	struct made made = { .size_bytes = 0 };

	add(&made, &stack, sizeof(stack));
	add_addrs(&made, kernel_count, 0xffffffff81000000);
	add_addrs(&made, user_count, 0x400000);
	return made;
}

static struct made made_raw(uint16_t kernel_count, uint32_t size_bytes)
{
	struct wire_raw raw = {
		.sample = any_sample(),
		.user_ip = 0x400100,
		.user_sp = 0x7ffe0000,
		.user_fp = 0x7ffe0010,
		.user_extra = 0x7ffe0020,
		.user_kept = 0x7ffe0030,
		.size_bytes = size_bytes,
		.kernel_count = kernel_count,
		.exact = 1,
	};
	struct made made = { .size_bytes = 0 };

	raw.sample.kind = WIRE_RAW;
	add(&made, &raw, sizeof(raw));
	add_addrs(&made, kernel_count, 0xffffffff81000000);
	memset(made.bytes + made.size_bytes, 0xab, size_bytes);
	made.size_bytes += size_bytes;
	return made;
}

static void test_sample(void **state)
{
	struct wire_sample sample = any_sample();
	struct made made = { .size_bytes = 0 };
	struct wire_record record;

	add(&made, &sample, sizeof(sample));
	assert_only_whole(&made);
	assert_int_equal(wire_record_decode(made.bytes, made.size_bytes, &record), 0);
	assert_int_equal(record.kind, WIRE_SAMPLE);
	assert_int_equal(record.time_ns, 1000);
	assert_memory_equal(&record.sample, &sample, sizeof(sample));
}

static void test_stack(void **state)
{
	struct made made = made_stack(2, 3);
	struct wire_record record;

	assert_only_whole(&made);
	assert_int_equal(wire_record_decode(made.bytes, made.size_bytes, &record), 0);
	assert_int_equal(record.kind, WIRE_STACK);
	assert_int_equal(record.stack.stack, 99);
	assert_int_equal(record.kernel[1], 0xffffffff81000001);
	assert_int_equal(record.user[0], 0x400000);
	assert_int_equal(record.user[2], 0x400002);
}

static void test_largest_and_smallest_stack(void **state)
{
	struct made largest = made_stack(WIRE_KERNEL_FRAMES_MAX, WIRE_USER_FRAMES_MAX);
	struct made deeper = made_stack(0, WIRE_USER_FRAMES_MAX + 1);
	struct made higher = made_stack(WIRE_KERNEL_FRAMES_MAX + 1, 0);
	struct made none = made_stack(0, 0);
	struct wire_record record;

	assert_int_equal(decode(&largest, largest.size_bytes, &record), 0);
	assert_int_equal(decode(&none, none.size_bytes, &record), 0);
	assert_int_equal(decode(&deeper, deeper.size_bytes, &record), -EINVAL);
	assert_int_equal(decode(&higher, higher.size_bytes, &record), -EINVAL);
}

static void test_raw(void **state)
{
	struct made made = made_raw(1, 40);
	struct wire_record record;

	assert_only_whole(&made);
	assert_int_equal(wire_record_decode(made.bytes, made.size_bytes, &record), 0);
	assert_int_equal(record.kind, WIRE_RAW);
	assert_int_equal(record.time_ns, 1000);
	assert_int_equal(record.raw.user_ip, 0x400100);
	assert_int_equal(record.kernel[0], 0xffffffff81000000);
	assert_int_equal(record.bytes[39], 0xab);
	made = made_raw(WIRE_KERNEL_FRAMES_MAX, WIRE_RAW_BYTES);
	assert_int_equal(decode(&made, made.size_bytes, &record), 0);
	made = made_raw(0, WIRE_RAW_BYTES + 8);
	assert_int_equal(decode(&made, made.size_bytes, &record), -EINVAL);
}

static void test_raw_in_the_collectors_terms(void **state)
{
	struct made made = made_raw(1, 40);
	struct wire_record wire;
	struct perf_record record;
	const struct unwind_regs *regs = &record.sample.user_regs;

	assert_int_equal(wire_record_decode(made.bytes, made.size_bytes, &wire), 0);
	wire_record_translate(&wire, 3, &record);
	assert_int_equal(record.cpu, 3);
	assert_int_equal(regs->ip, 0x400100);
	assert_int_equal(regs->sp, 0x7ffe0000);
	assert_int_equal(regs->fp, 0x7ffe0010);
	assert_int_equal(regs->extra, 0x7ffe0020);
	assert_int_equal(regs->kept, 0x7ffe0030);
	assert_true(regs->has_extra && regs->exact);
	assert_int_equal(record.sample.stack_bytes, 40);
}

static void test_nonsense(void **state)
{
	struct made unknown = made_stack(0, 1), stop = made_stack(0, 1),
		    nameless = made_stack(0, 1);
	struct wire_record record;

	unknown.bytes[offsetof(struct wire_stack, kind)] = WIRE_RAW + 1;
	assert_int_equal(decode(&unknown, unknown.size_bytes, &record), -EINVAL);
	unknown.bytes[offsetof(struct wire_stack, kind)] = 0;
	assert_int_equal(decode(&unknown, unknown.size_bytes, &record), -EINVAL);
	stop.bytes[offsetof(struct wire_stack, stop)] = UNWIND_STOP_COUNT;
	assert_int_equal(decode(&stop, stop.size_bytes, &record), -EINVAL);
	memset(nameless.bytes + offsetof(struct wire_stack, stack), 0, sizeof(uint64_t));
	assert_int_equal(decode(&nameless, nameless.size_bytes, &record), -EINVAL);
}

static void test_every_reason_has_a_name(void **state)
{
	for (enum wire_reason i = 0; i < WIRE_REASON_COUNT; i++)
		assert_non_null(wire_reason_name(i));
	assert_string_equal(wire_reason_name(WIRE_END_SENT), "sent");
	assert_string_equal(wire_reason_name(WIRE_LACK_RAW_ROOM), "no-room-for-raw-stack");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_largest_and_smallest_stack),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_raw_in_the_collectors_terms),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_every_reason_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
