/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How full a ring of either kind must be to be drained at once. */
#include "support/test.h"

#include <linux/perf_event.h>

#include "capture/stream.h"

#define START 4096u	/* position of the reader */
#define SIZE 4096u
#define EIGHTH (SIZE / 8)

static void test_perf_ring_presses_from_an_eighth_on(void **state)
{
	struct perf_event_mmap_page control = { .data_head = START };
	struct stream stream = {
		.ops = &perf_stream_ops,
		.ring = { .control = &control, .size_bytes = SIZE, .head = START, .tail = START },
	};

	assert_false(stream_is_pressing(&stream));
	control.data_head = START + EIGHTH - 1;
	assert_false(stream_is_pressing(&stream));
	control.data_head = START + EIGHTH;
	assert_true(stream_is_pressing(&stream));
	assert_int_equal(stream.ring.head, START);	/* the check has not taken any record */
}

static void test_ring_that_is_not_there_presses_never(void **state)
{
	const struct stream stream = { .ops = &perf_stream_ops, .sideband = true };

	assert_false(stream_is_pressing(&stream));
}

static void test_samplers_ring_presses_where_the_kernel_wakes(void **state)
{
	uint64_t consumer = START, producer = START + EIGHTH - 1;
	struct stream stream = {
		.ops = &sampler_stream_ops,
		.bpf_ring = { .consumer = &consumer,
			      .producer = &producer,
			      .size_bytes = SIZE,
			      .head = START,
			      .tail = START },
	};

	assert_false(stream_is_pressing(&stream));
	producer = START + EIGHTH;
	assert_true(stream_is_pressing(&stream));
	stream.bpf_ring.size_bytes = 16 * BPF_RING_WAKEUP_BYTES;
	assert_false(stream_is_pressing(&stream));
	producer = START + BPF_RING_WAKEUP_BYTES;
	assert_true(stream_is_pressing(&stream));
	assert_int_equal(stream.bpf_ring.head, START);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_ring_presses_from_an_eighth_on),
		cmocka_unit_test(test_ring_that_is_not_there_presses_never),
		cmocka_unit_test(test_samplers_ring_presses_where_the_kernel_wakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
