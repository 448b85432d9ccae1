/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoding the sampler's records, from hand-made bytes. */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/wire_record.h"
#include "unwind/rule.h"

/* A record under construction: aligned as in a ring, and no longer than its length. */
struct made {
	_Alignas(8) uint8_t bytes[WIRE_RAW_BYTES + 4096];
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

/* Decodes a copy of exactly @size_bytes, so that a sanitizer sees any read past the end. */
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

/* Checks that only the full length is accepted as a record. */
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
	raw.sample.stack = 0;
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

/* The stack of a wait has a number by which the wait refers to it. Other raw records have none. */
static void only_the_stack_of_a_wait_has_a_number(void **state)
{
	struct made made = made_raw(1, 40), numbered = made_raw(1, 40);
	struct wire_raw *raw = (struct wire_raw *)(void *)numbered.bytes;
	struct wire_record wire;
	struct perf_record record;

	raw->sample.stack = 4711;
	assert_int_equal(decode(&numbered, numbered.size_bytes, &wire), -EINVAL);
	raw->sample.event = WIRE_EVENT_WAITS;
	assert_int_equal(wire_record_decode(numbered.bytes, numbered.size_bytes, &wire), 0);
	wire_record_translate(&wire, 3, &record);
	assert_int_equal(record.sample.copy_hash, 4711);
	assert_int_equal(record.sample.walk_hash, 0);
	assert_int_equal(wire_record_decode(made.bytes, made.size_bytes, &wire), 0);
	wire_record_translate(&wire, 3, &record);
	assert_int_equal(record.sample.copy_hash, 0);
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

static struct wire_wait any_wait(void)
{
	return (struct wire_wait){
		.time_ns = 4000,
		.kind = WIRE_WAIT,
		.count = 1,
		.stack = 99,
		.blocked_ns = 1ull << 40,
		.runnable_ns = 7,
		.tgid = 11,
		.tid = 12,
	};
}

static void test_wait(void **state)
{
	struct wire_wait wait = any_wait();
	struct wire_record record;
	struct made made = { 0 };

	add(&made, &wait, sizeof(wait));
	assert_only_whole(&made);
	assert_int_equal(decode(&made, made.size_bytes, &record), 0);
	assert_int_equal(record.kind, WIRE_WAIT);
	assert_int_equal(record.time_ns, 4000);
	assert_memory_equal(&record.wait, &wait, sizeof(wait));
	assert_int_equal(record.waker.stack, 0);
}

static void test_wait_with_waker(void **state)
{
	const struct wire_waker waker = { .stack = 5, .tgid = 6, .tid = 7 };
	struct wire_wait wait = any_wait();
	struct wire_record record;
	struct made made = { 0 };

	wait.flags = WIRE_WAIT_WAKER;
	add(&made, &wait, sizeof(wait));
	add(&made, &waker, sizeof(waker));
	assert_only_whole(&made);
	assert_int_equal(decode(&made, made.size_bytes, &record), 0);
	assert_memory_equal(&record.waker, &waker, sizeof(waker));
}

/*
 * A sum may be of no waits, if it is the last one of a task. A single wait has a count of at least
 * one.
 */
static void test_wait_of_none(void **state)
{
	struct wire_wait wait = any_wait();
	struct wire_record record;
	struct made made = { 0 };

	wait.count = 0;
	add(&made, &wait, sizeof(wait));
	assert_int_equal(decode(&made, made.size_bytes, &record), -EINVAL);
	made.size_bytes = 0;
	wait.flags = WIRE_WAIT_SHORT;
	add(&made, &wait, sizeof(wait));
	assert_int_equal(decode(&made, made.size_bytes, &record), 0);
}

/* ---- converted for the collector ---- */

static struct perf_record translated(const struct made *made)
{
	struct wire_record wire;
	struct perf_record record;

	memset(&record, 0xff, sizeof(record));	/* the old content must be overwritten */
	assert_int_equal(wire_record_decode(made->bytes, made->size_bytes, &wire), 0);
	wire_record_translate(&wire, 5, &record);
	assert_int_equal(record.cpu, 5);
	return record;
}

static void assert_any_sample(const struct perf_record *record)
{
	const struct wire_sample wanted = any_sample();

	assert_int_equal(record->kind, RECORD_SAMPLE);
	assert_int_equal(record->time_ns, wanted.time_ns);
	assert_int_equal(record->tgid, wanted.tgid);
	assert_int_equal(record->tid, wanted.tid);
	assert_int_equal(record->id, wanted.event);
	assert_true(record->kernel_mode);
	assert_int_equal(record->sample.addr, wanted.ip);
	assert_int_equal(record->sample.period, wanted.period);
	assert_true(record->sample.by_sampler);
	assert_true(record->sample.has_user);
	assert_null(record->sample.chain);
	assert_int_equal(record->sample.chain_count, 0);
	assert_int_equal(record->sample.counter_count, 0);
}

static void test_translated_sample(void **state)
{
	struct wire_sample sample = any_sample();
	struct made made = { .size_bytes = 0 };
	struct perf_record record;

	add(&made, &sample, sizeof(sample));
	record = translated(&made);
	assert_any_sample(&record);
	assert_int_equal(record.sample.walk_hash, sample.stack);
	assert_null(record.sample.stack);
	assert_int_equal(record.sample.regs_bits, 64);
	sample.flags = WIRE_IN_IDLE | WIRE_32BIT;
	memcpy(made.bytes, &sample, sizeof(sample));
	record = translated(&made);
	assert_false(record.kernel_mode);
	assert_int_equal(record.sample.regs_bits, 32);
	assert_false(record.sample.has_user);
}

static void test_translated_stack(void **state)
{
	struct made made = made_stack(2, 3);
	struct perf_record record = translated(&made);

	assert_int_equal(record.kind, RECORD_STACK);
	assert_int_equal(record.time_ns, 2000);
	assert_int_equal(record.tgid, 10);
	assert_int_equal(record.stack.hash, 99);
	assert_int_equal(record.stack.stop, UNWIND_STOP_END);
	assert_int_equal(record.stack.kernel_count, 2);
	assert_int_equal(record.stack.kernel[1], 0xffffffff81000001);
	assert_int_equal(record.stack.user_count, 3);
	assert_int_equal(record.stack.user[2], 0x400002);
}

static void test_translated_raw(void **state)
{
	struct made made = made_raw(1, 40);
	struct wire_raw *raw = (struct wire_raw *)made.bytes;
	struct perf_record record;

	raw->sample.stack = 0;
	raw->user_fp = 0x7ffe0010;
	raw->user_extra = 7;
	raw->user_link = 8;
	raw->stack_addr = 0x7ffe1000;
	raw->life = 12345;
	raw->is_cut = 1;
	raw->owner = (struct wire_owner){
		.uid = 7,
		.start_ns = 1,
		.start_boot_ns = 2,
		.start_code = 3,
		.start_stack = 4,
	};
	memset(raw->owner.comm, 'x', sizeof(raw->owner.comm));	/* no terminating NUL */
	record = translated(&made);
	assert_int_equal(record.sample.owner.uid, 7);
	assert_int_equal(record.sample.owner.start_ns, 1);
	assert_int_equal(record.sample.owner.start_boot_ns, 2);
	assert_int_equal(record.sample.owner.start_code, 3);
	assert_int_equal(record.sample.owner.start_stack, 4);
	assert_string_equal(record.sample.owner.comm, "xxxxxxxxxxxxxxx");
	assert_any_sample(&record);
	assert_int_equal(record.sample.walk_hash, 0);
	assert_int_equal(record.sample.life, 12345);
	assert_int_equal(record.sample.user_regs.ip, 0x400100);
	assert_int_equal(record.sample.user_regs.sp, 0x7ffe0000);
	assert_int_equal(record.sample.user_regs.fp, 0x7ffe0010);
	assert_int_equal(record.sample.user_regs.extra, 7);
	assert_int_equal(record.sample.user_regs.link, 8);
	assert_true(record.sample.user_regs.has_extra);
	assert_true(record.sample.user_regs.exact);
	assert_int_equal(record.sample.kernel_count, 1);
	assert_int_equal(record.sample.kernel[0], 0xffffffff81000000);
	assert_int_equal(record.sample.stack_addr, 0x7ffe1000);
	assert_int_equal(record.sample.stack_bytes, 40);
	assert_int_equal(record.sample.stack[39], 0xab);
	assert_true(record.sample.stack_is_cut);
	assert_false(record.sample.user_regs.is_32bit);
	raw->is_cut = 0;
	assert_false(translated(&made).sample.stack_is_cut);
	raw->sample.flags |= WIRE_32BIT;
	assert_true(translated(&made).sample.user_regs.is_32bit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_wait_with_waker),
		cmocka_unit_test(test_wait_of_none),
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_largest_and_smallest_stack),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_raw_in_the_collectors_terms),
		cmocka_unit_test(only_the_stack_of_a_wait_has_a_number),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_every_reason_has_a_name),
		cmocka_unit_test(test_translated_sample),
		cmocka_unit_test(test_translated_stack),
		cmocka_unit_test(test_translated_raw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
