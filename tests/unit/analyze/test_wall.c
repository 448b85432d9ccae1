/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All wall-clock time of threads, from hand-made samples. */
#include "tests/support/test.h"

#include <errno.h>

#include "analyze/wall.h"
#include "base/clock.h"
#include "tests/support/model_maker.h"

#define MS NS_PER_MSEC
#define START_NS MAKER_START_NS
#define RUN_NS (10 * NS_PER_SEC)	/* as in model_maker's facts */

struct fixture {
	struct model_maker maker;
	uint32_t first_event;	/* id of the first wait event; 0 if there are none */
};

static struct fixture machine(bool with_waits)
{
	struct fixture f = { 0 };

	model_maker_init(&f.maker);
	if (with_waits)
		assert_int_equal(wait_events_add(&f.maker.model, MS, &f.first_event), 0);
	return f;
}

static void ran(struct fixture *f, uint32_t thread, enum context context, unsigned int count)
{
	maker_samples(&f->maker, &(struct maker_run){ .thread = thread,
						      .stack = STACK_ROOT_NONE,
						      .context = context,
						      .count = count });
}

static void waited(struct fixture *f, uint32_t thread, enum wait_kind kind, uint64_t weight,
		   uint64_t at_ns)
{
	struct sample *sample = vec_push(&f->maker.batch.samples);

	assert_non_null(sample);
	*sample = (struct sample){
		.time_ns = START_NS + at_ns,
		.weight = weight,
		.thread = thread,
		.stack = STACK_ROOT_NONE,
		.late_ns = LATE_UNKNOWN,
		.event = (uint8_t)(f->first_event + kind),
		.context = CONTEXT_SYSCALL,
	};
}

static struct wall wall_of(struct fixture *f, const struct filter *filter, enum dimension by)
{
	struct wall_making making;
	struct wall wall;

	assert_int_equal(wall_begin(&making, &f->maker.model, filter), 0);
	wall_batch(&making, &f->maker.batch);
	assert_int_equal(wall_end(&making, by, &wall), 0);
	wall_making_fini(&making);
	return wall;
}

/* The parts must add up to exactly the wall-clock time. */
static void assert_closed(const struct wall_row *row)
{
	int64_t sum = 0;

	for (int part = 0; part < WALL_PART_COUNT; part++)
		sum += row->ns[part];
	assert_int_equal(sum, row->wall_ns);
}

static void finish(struct fixture *f, struct wall *wall)
{
	assert_closed(&wall->total);
	for (size_t i = 0; i < wall->rows.count; i++)
		assert_closed(&wall->rows.at[i]);
	wall_fini(wall);
	model_maker_fini(&f->maker);
}

static void test_every_part(void **state)
{
	static const struct {
		enum wait_kind kind;
		enum wall_part part;
	} kinds[] = {
		{ WAIT_BLOCKED, WALL_ASLEEP },
		{ WAIT_BLOCKED_IO, WALL_IO },
		{ WAIT_BLOCKED_UNINTERRUPTIBLE, WALL_UNINTERRUPTIBLE },
		{ WAIT_STOPPED, WALL_STOPPED },
		{ WAIT_RUNNABLE, WALL_WOKEN },
		{ WAIT_PREEMPTED, WALL_PREEMPTED },
	};
	struct fixture f = machine(true);
	uint32_t thread = maker_thread(&f.maker, "app", 100, false);
	const struct wall_row *row;
	struct wall wall;

	ran(&f, thread, CONTEXT_USER, 300);
	ran(&f, thread, CONTEXT_SYSCALL, 200);
	ran(&f, thread, CONTEXT_HARDIRQ, 10);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (size_t k = 0; k <= i; k++)
			waited(&f, thread, kinds[i].kind, (i + 1) * MS, 1000 * MS);
	waited(&f, thread, WAIT_SHORT_BLOCKED, 50 * MS, 2000 * MS);
	waited(&f, thread, WAIT_SHORT_RUNNABLE, 7 * MS, 2000 * MS);
	waited(&f, thread, WAIT_SHORT_COUNT, 400, 2000 * MS);
	wall = wall_of(&f, NULL, BY_PROCESS);
	assert_int_equal(wall.rows.count, 1);
	assert_null(wall.missing);
	assert_int_equal(wall.min_ns, MS);
	row = &wall.rows.at[0];
	assert_int_equal(row->wall_ns, 2000 * MS);
	assert_int_equal(row->ns[WALL_USER], 300 * MS);
	assert_int_equal(row->ns[WALL_SYSTEM], 200 * MS);
	assert_int_equal(row->ns[WALL_INTERRUPT], 10 * MS);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		assert_int_equal(row->ns[kinds[i].part], (i + 1) * (i + 1) * MS);
		assert_int_equal(row->count[kinds[i].part], i + 1);
	}
	assert_int_equal(row->ns[WALL_SHORT_BLOCKED], 50 * MS);
	assert_int_equal(row->ns[WALL_SHORT_RUNNABLE], 7 * MS);
	assert_int_equal(row->count[WALL_SHORT_BLOCKED], 400);
	assert_int_equal(wall_group_ns(row, WALL_WAITING), (25 + 36 + 7) * MS);
	finish(&f, &wall);
}

/* A thread's life ends at its last sample, even one without any waiting time. */
static void test_life_with_waits(void **state)
{
	struct fixture f = machine(true);
	uint32_t early = maker_thread(&f.maker, "early", 100, false);
	uint32_t late = maker_thread(&f.maker, "late", 200, false);
	struct wall wall;

	f.maker.model.threads.at[late].start_ns = START_NS + 4000 * MS;
	waited(&f, early, WAIT_SHORT_COUNT, 0, 3000 * MS);
	waited(&f, late, WAIT_BLOCKED, 5000 * MS, 9000 * MS);
	waited(&f, late, WAIT_SHORT_COUNT, 0, 9500 * MS);
	wall = wall_of(&f, NULL, BY_THREAD);
	assert_int_equal(wall.rows.count, 2);
	assert_int_equal(wall.rows.at[0].id, late);
	assert_int_equal(wall.rows.at[0].wall_ns, 5500 * MS);
	assert_int_equal(wall.rows.at[0].ns[WALL_UNOBSERVED], 500 * MS);
	assert_int_equal(wall.rows.at[1].wall_ns, 3000 * MS);
	assert_int_equal(wall.total.wall_ns, 8500 * MS);
	finish(&f, &wall);
}

/* Without wait events, exit times are unknown, and the report says what to do about it. */
static void test_life_without_waits(void **state)
{
	struct fixture f = machine(false);
	uint32_t thread = maker_thread(&f.maker, "app", 100, false);
	struct wall wall;

	ran(&f, thread, CONTEXT_USER, 1000);
	wall = wall_of(&f, NULL, BY_PROCESS);
	assert_int_equal(wall.min_ns, 0);
	assert_non_null(wall.missing);
	assert_non_null(strstr(wall.missing, "Record off-CPU waits"));
	assert_int_equal(wall.rows.at[0].wall_ns, RUN_NS);
	assert_int_equal(wall.rows.at[0].ns[WALL_UNOBSERVED], RUN_NS - 1000 * MS);
	finish(&f, &wall);
}

/* A thread that changes its name remains one task; its time is not counted twice. */
static void test_renamed_thread(void **state)
{
	struct fixture f = machine(false);
	uint32_t before = maker_thread(&f.maker, "before", 100, false);
	struct thread renamed = f.maker.model.threads.at[before];
	struct wall wall;
	uint32_t after;

	renamed.comm = model_intern(&f.maker.model, "after");
	after = model_thread_add(&f.maker.model, &renamed);
	ran(&f, before, CONTEXT_USER, 100);
	ran(&f, after, CONTEXT_USER, 100);
	wall = wall_of(&f, NULL, BY_PROCESS);
	assert_int_equal(wall.rows.count, 1);
	assert_int_equal(wall.rows.at[0].wall_ns, RUN_NS);
	assert_int_equal(wall.rows.at[0].ns[WALL_USER], 200 * MS);
	finish(&f, &wall);
}

/*
 * By chance there can be more ticks than time. Then the unobserved rest is negative, and is shown
 * as such.
 */
static void test_rest_is_signed(void **state)
{
	struct fixture f = machine(true);
	uint32_t thread = maker_thread(&f.maker, "app", 100, false);
	struct wall wall;

	ran(&f, thread, CONTEXT_USER, 6);
	waited(&f, thread, WAIT_SHORT_COUNT, 0, 5 * MS + 500000);
	wall = wall_of(&f, NULL, BY_PROCESS);
	assert_true(wall.rows.at[0].ns[WALL_UNOBSERVED] < 0);
	assert_true(wall_interval(&wall, &wall.rows.at[0], 6).high <= 1);
	finish(&f, &wall);
}

/* The thread's time has room for 10,000 ticks, of which 1000 hit it. */
static void test_interval(void **state)
{
	struct fixture f = machine(false);
	uint32_t thread = maker_thread(&f.maker, "app", 100, false);
	struct interval have, want = interval_share(1000, 10000);
	struct wall wall;

	ran(&f, thread, CONTEXT_USER, 1000);
	wall = wall_of(&f, NULL, BY_PROCESS);
	have = wall_interval(&wall, &wall.rows.at[0], 1000);
	assert_true(have.low > want.low - 1e-9 && have.low < want.low + 1e-9);
	assert_true(have.high > want.high - 1e-9 && have.high < want.high + 1e-9);
	finish(&f, &wall);
}

/*
 * Idle time belongs to no thread. The waiting time reported at a waker belongs to another thread.
 */
static void test_no_time_of_others(void **state)
{
	struct fixture f = machine(true);
	uint32_t idle = maker_thread(&f.maker, "swapper", 0, true);
	uint32_t thread = maker_thread(&f.maker, "app", 100, false);
	uint32_t dead = maker_thread(&f.maker, "waker", 200, false);
	struct wall wall;

	ran(&f, idle, CONTEXT_IDLE, 50);
	ran(&f, thread, CONTEXT_USER, 10);
	waited(&f, thread, WAIT_WAKER, 500 * MS, 800 * MS);
	waited(&f, dead, WAIT_WAKER, 500 * MS, 800 * MS);
	waited(&f, thread, WAIT_SHORT_COUNT, 0, 900 * MS);
	wall = wall_of(&f, NULL, BY_PROCESS);
	assert_int_equal(wall.rows.count, 1);
	assert_int_equal(wall.rows.at[0].wall_ns, 900 * MS);
	assert_int_equal(wall.rows.at[0].ns[WALL_UNOBSERVED], 890 * MS);
	finish(&f, &wall);
}

static void test_filter(void **state)
{
	struct filter filter = FILTER_INIT;
	struct fixture f = machine(false);
	uint32_t one = maker_thread(&f.maker, "one", 100, false);
	uint32_t two = maker_thread(&f.maker, "two", 200, false);
	struct wall wall;
	struct err err;

	ran(&f, one, CONTEXT_USER, 10);
	ran(&f, two, CONTEXT_USER, 20);
	assert_int_equal(wall_check_filter(NULL, &err), 0);
	assert_int_equal(filter_add(&filter, "pid", "200", &err), 0);
	assert_int_equal(wall_check_filter(&filter, &err), 0);
	wall = wall_of(&f, &filter, BY_THREAD);
	assert_int_equal(wall.rows.count, 1);
	assert_int_equal(wall.rows.at[0].id, two);
	assert_int_equal(filter_add(&filter, "context", "user", &err), 0);
	assert_int_equal(wall_check_filter(&filter, &err), -EINVAL);
	filter_fini(&filter);
	finish(&f, &wall);
}

/*
 * The latest sample comes first. A waker's own samples all come before its part in another thread's
 * wait.
 */
static void test_time_goes_back(void **state)
{
	struct fixture f = machine(true);
	uint32_t thread = maker_thread(&f.maker, "app", 100, false);
	uint32_t waker = maker_thread(&f.maker, "waker", 200, false);
	struct wall wall;

	f.maker.model.threads.at[thread].start_ns = START_NS + 9000 * MS;
	waited(&f, waker, WAIT_WAKER, MS, 8000 * MS);
	waited(&f, thread, WAIT_BLOCKED, 10 * MS, 3000 * MS);
	waited(&f, thread, WAIT_BLOCKED, 10 * MS, 1000 * MS);
	waited(&f, waker, WAIT_BLOCKED, 10 * MS, 500 * MS);
	f.maker.model.threads.at[waker].start_ns = START_NS + 9000 * MS;
	wall = wall_of(&f, NULL, BY_THREAD);
	assert_int_equal(wall.rows.count, 2);
	assert_int_equal(wall.rows.at[0].wall_ns, 2000 * MS);
	assert_int_equal(wall.rows.at[1].wall_ns, 0);
	finish(&f, &wall);
}

/* Sums that would overflow are set to the maximum; they do not wrap around or change sign. */
static void test_impossible_weights(void **state)
{
	static const enum wait_kind kinds[] = { WAIT_BLOCKED, WAIT_RUNNABLE, WAIT_PREEMPTED };
	struct fixture f = machine(true);
	struct wall wall;

	for (uint32_t tid = 100; tid < 104; tid++) {
		uint32_t thread = maker_thread(&f.maker, "app", tid, false);

		for (size_t i = 0; i < 3 * sizeof(kinds) / sizeof(*kinds); i++)
			waited(&f, thread, kinds[i % 3], UINT64_MAX / 2, (1 + i) * MS);
	}
	wall = wall_of(&f, NULL, BY_THREAD);
	assert_int_equal(wall.rows.count, 4);
	assert_int_equal(wall.total.ns[WALL_ASLEEP], INT64_MAX);
	assert_int_equal(wall_group_ns(&wall.total, WALL_WAITING), INT64_MAX);
	assert_true(wall.total.ns[WALL_UNOBSERVED] < 0);
	wall_fini(&wall);
	model_maker_fini(&f.maker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_part),
		cmocka_unit_test(test_life_with_waits),
		cmocka_unit_test(test_life_without_waits),
		cmocka_unit_test(test_renamed_thread),
		cmocka_unit_test(test_rest_is_signed),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_no_time_of_others),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_time_goes_back),
		cmocka_unit_test(test_impossible_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
