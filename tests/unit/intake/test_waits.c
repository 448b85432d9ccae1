/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converting waits to samples. */
#include "support/test.h"

#include <string.h>

#include "intake/waits.h"
#include "model/wait.h"

#define FIRST_EVENT 3

static const struct wait_places places = {
	.task = { .thread = 7, .stack = 70, .context = CONTEXT_SYSCALL },
	.waker = { .thread = 8, .stack = 80, .context = CONTEXT_HARDIRQ },
	.cpu = 2,
};

struct made {
	struct sample samples[WAITS_SAMPLES_MAX];
	size_t count;
};

static struct made samples_of(struct wire_wait wait)
{
	struct perf_record record = { .kind = RECORD_WAIT, .time_ns = 5000, .wait.wait = wait };
	struct made made;

	made.count = waits_samples(&record, &places, FIRST_EVENT, made.samples);
	return made;
}

static void assert_sample(const struct sample *sample, enum wait_kind kind, uint64_t weight)
{
	assert_int_equal(sample->time_ns, 5000);
	assert_int_equal(sample->event, FIRST_EVENT + kind);
	assert_int_equal(sample->weight, weight);
	assert_int_equal(sample->thread, kind == WAIT_WAKER ? 8 : 7);
	assert_int_equal(sample->stack, kind == WAIT_WAKER ? 80 : 70);
	assert_int_equal(sample->context, kind == WAIT_WAKER ? CONTEXT_HARDIRQ : CONTEXT_SYSCALL);
	assert_int_equal(sample->late_ns, LATE_UNKNOWN);
	assert_int_equal(sample->cpu, 2);
}

/* The duration needs more than 32 bits of nanoseconds. */
static void test_sleep_then_queue(void **state)
{
	struct made made = samples_of(
		(struct wire_wait){ .count = 1, .blocked_ns = 1ull << 40, .runnable_ns = 5 });

	assert_int_equal(made.count, 2);
	assert_sample(&made.samples[0], WAIT_BLOCKED, 1ull << 40);
	assert_sample(&made.samples[1], WAIT_RUNNABLE, 5);
}

static void test_reasons(void **state)
{
	static const struct {
		uint16_t flags;
		enum wait_kind kind;
	} cases[] = {
		{ WIRE_WAIT_UNINTERRUPTIBLE, WAIT_BLOCKED_UNINTERRUPTIBLE },
		{ WIRE_WAIT_UNINTERRUPTIBLE | WIRE_WAIT_IO, WAIT_BLOCKED_IO },
		{ WIRE_WAIT_STOPPED, WAIT_STOPPED },
		{ WIRE_WAIT_OPEN, WAIT_BLOCKED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made made = samples_of(
			(struct wire_wait){ .flags = cases[i].flags, .count = 1, .blocked_ns = 9 });

		assert_int_equal(made.count, 1);
		assert_sample(&made.samples[0], cases[i].kind, 9);
	}
}

static void test_preempted(void **state)
{
	struct made made = samples_of(
		(struct wire_wait){ .flags = WIRE_WAIT_PREEMPTED, .count = 1, .runnable_ns = 6 });

	assert_int_equal(made.count, 1);
	assert_sample(&made.samples[0], WAIT_PREEMPTED, 6);
}

static void test_waker(void **state)
{
	struct made made = samples_of((struct wire_wait){
		.flags = WIRE_WAIT_WAKER, .count = 1, .blocked_ns = 9, .runnable_ns = 1 });

	assert_int_equal(made.count, 3);
	assert_sample(&made.samples[0], WAIT_BLOCKED, 9);
	assert_sample(&made.samples[1], WAIT_RUNNABLE, 1);
	assert_sample(&made.samples[2], WAIT_WAKER, 9);
}

static void test_short_waits(void **state)
{
	struct made made = samples_of((struct wire_wait){
		.flags = WIRE_WAIT_SHORT, .count = 400, .blocked_ns = 30, .runnable_ns = 4 });

	assert_int_equal(made.count, 3);
	assert_sample(&made.samples[0], WAIT_SHORT_BLOCKED, 30);
	assert_sample(&made.samples[1], WAIT_SHORT_RUNNABLE, 4);
	assert_sample(&made.samples[2], WAIT_SHORT_COUNT, 400);
}

/* An empty sum still says how long the thread lived. */
static void test_last_word(void **state)
{
	struct made made = samples_of(
		(struct wire_wait){ .flags = WIRE_WAIT_SHORT | WIRE_WAIT_EXIT });

	assert_int_equal(made.count, 1);
	assert_sample(&made.samples[0], WAIT_SHORT_COUNT, 0);
}

static void test_events(void **state)
{
	uint32_t first = 0;
	struct model model;

	assert_int_equal(model_init(&model), 0);
	assert_non_null(vec_push(&model.events));
	assert_int_equal(wait_events_add(&model, 1000, &first), 0);
	assert_int_equal(first, 1);
	assert_int_equal(model.events.count, 1 + WAIT_KIND_COUNT);
	assert_int_equal(model_fact_u64(&model, FACT_OFF_CPU_MIN_NS), 1000);
	for (int kind = 0; kind < WAIT_KIND_COUNT; kind++) {
		const struct event *event = &model.events.at[first + (uint32_t)kind];

		assert_int_equal(wait_kind_of_name(model_string(&model, event->name)), kind);
		assert_int_equal(event->is_time, kind != WAIT_SHORT_COUNT);
	}
	assert_int_equal(wait_kind_of_name("off-cpu"), -1);
	model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleep_then_queue), cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_preempted),	 cmocka_unit_test(test_waker),
		cmocka_unit_test(test_short_waits),	 cmocka_unit_test(test_last_word),
		cmocka_unit_test(test_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
