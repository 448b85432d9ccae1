/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that contain the memory of their stack, live. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sampler_fixture.h"
#include "base/clock.h"
#include "process/identity.h"
#include "process/time_shift.h"

/* Reads memory of the target from the raw sample. */
static int unwind_read(void *memory, uint64_t addr, uint64_t *ret_value)
{
	const struct seen_raw *seen = memory;
	uint64_t at = addr - seen->raw.stack_addr;	/* may be above the stack pointer */

	if (seen->raw.size_bytes < sizeof(*ret_value) ||
	    at > seen->raw.size_bytes - sizeof(*ret_value))
		return -1;
	memcpy(ret_value, seen->bytes + at, sizeof(*ret_value));
	return 0;
}

#include "unwind/step.h"

#define DEPTH 30
#define DEEP 1500	/* deeper than what is copied of a stack of unknown size */
#define RUN_MS 80
#define SOME 20	/* samples required of the CPU's 320 ticks; most may hit other processes */
#define ROOM_BYTES (32u << 20)	/* size of a ring that only has to hold raw samples */
#define RUNS_MAX 20

/* Unwinds from the bytes of a raw sample with the same rules. */
static void assert_raw(const struct seen_raw *seen, const struct known_stack *known, size_t depth)
{
	struct unwind_regs regs = {
		.ip = seen->raw.user_ip,
		.sp = seen->raw.user_sp,
		.fp = seen->raw.user_fp,
		.extra = seen->raw.user_extra,
		.link = seen->raw.user_link,
		.has_extra = 1,
		.exact = seen->raw.exact,
	};
	struct unwind_row rows[KNOWN_STACK_ROWS];
	enum unwind_stop stop = UNWIND_STOP_NOT;
	uint64_t user[DEEP + 2];
	size_t count = 0;

	known_stack_rows(rows);
	while (stop == UNWIND_STOP_NOT && count < depth + 2) {
		uint64_t offset = unwind_lookup_addr(&regs) - known->start_addr;
		size_t row = 0;

		while (row + 1 < KNOWN_STACK_ROWS && rows[row + 1].offset <= offset)
			row++;
		user[count++] = regs.ip;
		stop = unwind_step(&known_stack_rules[rows[row].rule], &regs,
				   (void *)(uintptr_t)seen);
	}
	assert_in_range(user[0], known->leaf_addr, known->leaf_end_addr);
	assert_int_equal(stop, UNWIND_STOP_END);
	assert_int_equal(count, depth + 1);
	assert_int_equal(user[depth - 1], known->return_addr);
	assert_int_equal(user[depth], known->root_return_addr);
}

/* Takes raw samples of a child that is @depth frames deep. */
static struct sampling *raws_of_child(const struct known_stack *known, uint32_t depth,
				      size_t ring_bytes)
{
	pid_t child = child_start(known, depth);
	struct sampling *sampling = sampling_start_with_room(child, ring_bytes);

	for (int run = 0; run < RUNS_MAX && sampling->raws.count < SOME; run++)
		sampling_run(sampling, RUN_MS);	/* other processes may occupy the CPU */
	child_end(child);
	assert_true(sampling->raws.count >= SOME);
	for (size_t i = 0; i < sampling->raws.count; i++)
		assert_int_equal(sampling->raws.at[i].raw.sample.tgid, child);
	return sampling;
}

static void test_unknown_process_is_raw(void **state)
{
	struct known_stack known = known_stack_plain();
	struct sampling *sampling = raws_of_child(&known, DEPTH, ROOM_BYTES);

	assert_int_equal(sampling->samples.count, 0);
	for (size_t i = 0; i < sampling->raws.count; i++) {
		assert_true(sampling->raws.at[i].raw.size_bytes > DEPTH * 32);
		assert_raw(&sampling->raws.at[i], &known, DEPTH);
	}
	sampling_assert_counted(sampling);
	sampling_free(sampling);
}

/*
 * Returns the stack address at which this program was entered, which its children share:
 * /proc/PID/stat, field 28.
 */
static uint64_t first_stack_addr(void)
{
	FILE *file = fopen("/proc/self/stat", "re");
	char text[1024] = "", *word;

	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	(void)fclose(file);
	word = strrchr(text, ')');
	for (int field = 2; word && field < 28; field++)
		word = strchr(word + 1, ' ');
	assert_non_null(word);
	return strtoull(word, NULL, 10);
}

/* The copy ends exactly where the program was entered, and not a byte later. */
static void test_first_stack_comes_whole(void **state)
{
	struct known_stack known = known_stack_plain();
	struct sampling *sampling = raws_of_child(&known, DEEP, ROOM_BYTES);

	for (size_t i = 0; i < SOME; i++) {	/* only while the ring has plenty of room */
		const struct seen_raw *seen = &sampling->raws.at[i];

		assert_true(seen->raw.size_bytes > WIRE_RAW_BYTES_USUAL);
		assert_int_equal(seen->raw.stack_addr + seen->raw.size_bytes, first_stack_addr());
		assert_int_equal(seen->raw.is_cut, 0);
		assert_raw(seen, &known, DEEP);
	}
	sampling_free(sampling);
}

/* A stack that does not fit is cut, and is marked as cut. */
static void test_larger_stack_is_cut(void **state)
{
	struct known_stack known = known_stack_plain();
	struct sampling *sampling = raws_of_child(&known, 4 * DEEP, ROOM_BYTES);

	for (size_t i = 0; i < SOME; i++) {	/* only while the ring has plenty of room */
		const struct wire_raw *raw = &sampling->raws.at[i].raw;

		assert_int_equal(raw->is_cut, 1);
		assert_true(raw->size_bytes > WIRE_RAW_BYTES - 2 * WIRE_PAGE_BYTES);
	}
	sampling_free(sampling);
}

/* The same stack in the same ring is copied completely at first and cut later. */
static void test_copies_get_smaller_as_the_ring_fills(void **state)
{
	struct known_stack known = known_stack_plain();
	struct sampling *sampling = raws_of_child(&known, DEEP, 1u << 20);
	size_t cut = 0, count = sampling->raws.count;

	assert_int_equal(sampling->raws.at[0].raw.is_cut, 0);
	for (size_t i = 0; i < count; i++) {
		const struct wire_raw *raw = &sampling->raws.at[i].raw;

		cut += raw->is_cut;
		if (raw->is_cut)
			assert_true(raw->size_bytes <= WIRE_RAW_BYTES_USUAL);
	}
	assert_true(cut > 0);
	sampling_free(sampling);
}

/* The owner in a raw sample has the same values as /proc, so that the two can be compared. */
static void test_owner_is_that_of_proc(void **state)
{
	const struct known_stack known = known_stack_frame_pointer();
	pid_t child = child_start(&known, 1);
	struct wire_raw raw = process_raw(child);
	struct record_owner owner = {
		.start_boot_ns = raw.owner.start_boot_ns,
		.start_code = raw.owner.start_code,
		.start_stack = raw.owner.start_stack,
	};
	struct identity told = identity_of_owner(&owner, time_shift_read().boot_ns), shown;
	struct proc_task leader = { 0 };
	int rc = proc_read_task((uint32_t)child, (uint32_t)child, &leader);

	child_end(child);
	assert_int_equal(rc, 0);
	shown = identity_of_task(&leader);
	assert_int_not_equal(told.start_stack, 0);
	assert_int_not_equal(told.start_ticks, 0);
	assert_int_equal(identity_compare(&told, &shown), IDENTITY_SAME);
	assert_in_range(raw.owner.start_ns, shown.start_ns, shown.start_ns + 20 * NS_PER_MSEC);
	assert_string_equal(raw.owner.comm, leader.comm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_process_is_raw),
		cmocka_unit_test(test_first_stack_comes_whole),
		cmocka_unit_test(test_larger_stack_is_cut),
		cmocka_unit_test(test_copies_get_smaller_as_the_ring_fills),
		cmocka_unit_test(test_owner_is_that_of_proc),
	};

	if (!sampling_is_possible(&(struct bpf_sampler_options){ .cgroup_fd = -1 }))
		return SAMPLING_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
