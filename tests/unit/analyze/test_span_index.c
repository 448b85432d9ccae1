/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples fell into calls: --span, stored totals, and rows that cannot be. */
#include "tests/support/test.h"

#include <sqlite3.h>
#include <unistd.h>

#include "analyze/profile.h"
#include "analyze/span_index.h"
#include "model/wait.h"
#include "tests/support/model_maker.h"
#include "tests/support/temp.h"

#define MS UINT64_C(1000000)

struct fixture {
	struct temp_dir dir;
	char path[128];
	struct model_maker maker;
	uint32_t threads[2];
	uint32_t call, other, joined, first_wait;	/* events */
};

static void put(struct fixture *f, uint32_t event, uint32_t thread, uint64_t ms, uint64_t weight)
{
	struct sample *sample = vec_push(&f->maker.batch.samples);

	assert_non_null(sample);
	*sample = (struct sample){
		.time_ns = MAKER_START_NS + ms * MS,
		.weight = weight,
		.thread = thread,
		.late_ns = LATE_UNKNOWN,
		.event = (uint8_t)event,
		.context = CONTEXT_USER,
	};
}

static void add_total(struct fixture *f, uint32_t event, uint64_t count, uint64_t slow_ns)
{
	struct span_total *total = span_total_of(&f->maker.model.spans, event);
	const struct span_bucket bucket = { 8 * MS, 16 * MS, count };

	assert_non_null(total);
	total->count = count;
	total->ns = count * 10 * MS;
	total->square_ns2 = 1e14 * (double)count;
	total->least_ns = 10 * MS;
	total->most_ns = 10 * MS;
	total->slow_ns = slow_ns;
	total->no_entry = 3;
	assert_int_equal(span_total_add_bucket(total, &bucket), 0);
}

/*
 * A sample in each millisecond of both threads, from 0 to 99. Thread 0 has calls from 10 to 30 and,
 * slow, from 50 to 90, in which another function is called from 60 to 65. Thread 1 has a span from
 * point to point.
 */
static struct fixture recorded(void)
{
	struct fixture f = { .dir = temp_dir_make() };
	struct recording *recording;

	(void)snprintf(f.path, sizeof(f.path), "%s/spans.assay", f.dir.path);
	model_maker_init(&f.maker);
	f.threads[0] = maker_thread(&f.maker, "burn", 100, false);
	f.threads[1] = maker_thread(&f.maker, "server", 200, false);
	f.call = span_event_add(&f.maker.model, SPAN_FUNCTION, "burn:request");
	f.other = span_event_add(&f.maker.model, SPAN_SYSTEM_CALL, "syscall:read");
	assert_int_equal(wait_events_add(&f.maker.model, MS, &f.first_wait), 0);
	f.joined = span_event_add(&f.maker.model, SPAN_JOINED, "block-io");
	for (uint64_t ms = 0; ms < 100; ms++)
		for (int i = 0; i < 2; i++)
			put(&f, 0, f.threads[i], ms, MS);
	put(&f, f.call, f.threads[0], 30, 20 * MS);
	put(&f, f.other, f.threads[0], 65, 5 * MS);
	put(&f, f.call, f.threads[0], 90, 40 * MS);
	put(&f, f.joined, f.threads[1], 90, 80 * MS);
	for (enum wait_kind kind = 0; kind < WAIT_KIND_COUNT; kind++)
		put(&f, f.first_wait + kind, f.threads[0], 55, MS);
	add_total(&f, f.call, 2, 40 * MS);
	add_total(&f, f.other, 1, 0);
	add_total(&f, f.joined, 1, 0);
	assert_int_equal(recording_create(f.path, &recording, NULL), 0);
	assert_int_equal(recording_append(recording, &f.maker.model, &f.maker.batch, NULL), 0);
	assert_int_equal(recording_finish(recording, &f.maker.model, NULL), 0);
	recording_close(recording);
	return f;
}

static void end(struct fixture *f)
{
	model_maker_fini(&f->maker);
	(void)unlink(f->path);
	temp_dir_remove(&f->dir);
}

/* Returns how many samples of an event the condition selects. */
static uint64_t selected_of(const struct fixture *f, const char *condition, uint32_t event)
{
	struct filter filter = FILTER_INIT;
	struct recording *recording;
	struct profile profile;
	struct model model;
	struct err err;
	uint64_t count;

	assert_int_equal(model_init(&model), 0);
	assert_int_equal(recording_open(f->path, &recording, &err), 0);
	assert_int_equal(recording_load(recording, &model, &err), 0);
	assert_int_equal(filter_add(&filter, "span", condition, &err), 0);
	assert_int_equal(profile_read(recording, &model,
				      &(struct profile_options){ .filter = &filter }, &profile,
				      &err),
			 0);
	count = profile.total_samples[event];
	profile_fini(&profile);
	filter_fini(&filter);
	recording_close(recording);
	model_fini(&model);
	return count;
}

static uint64_t selected(const struct fixture *f, const char *condition)
{
	return selected_of(f, condition, 0);
}

static void samples_are_in_the_calls_of_their_thread(void **state)
{
	struct fixture f = recorded();

	assert_int_equal(selected(&f, "burn:request"), 21 + 41);
	assert_int_equal(selected(&f, "*:re*"), 21 + 41);
	assert_int_equal(selected(&f, "syscall:read"), 6);
	assert_int_equal(selected(&f, "syscall:read,burn:request"), 62);
	assert_int_equal(selected(&f, "block-io"), 0);
	assert_int_equal(selected(&f, "nothing"), 0);
	end(&f);
}

static void slow_calls_and_the_others(void **state)
{
	struct fixture f = recorded();

	assert_int_equal(selected(&f, "slow"), 41);
	assert_int_equal(selected(&f, "fast"), 21);
	assert_int_equal(selected(&f, "slow,fast"), 62);
	assert_int_equal(selected(&f, "slow,burn:request"), 41);
	/* there is no limit for it */
	assert_int_equal(selected(&f, "slow,syscall:read"), 0);
	assert_int_equal(selected(&f, "fast,syscall:read"), 6);
	end(&f);
}

/* The time of a sum of short waits, and of a waker's sample, is not when the thread was there. */
static void sums_and_wakers_are_in_no_call(void **state)
{
	struct fixture f = recorded();

	for (enum wait_kind kind = 0; kind < WAIT_KIND_COUNT; kind++)
		assert_int_equal(selected_of(&f, "slow", f.first_wait + kind),
				 kind < WAIT_SHORT_BLOCKED);
	end(&f);
}

static void calls_are_counted(void **state)
{
	struct fixture f = recorded();
	struct filter filter = FILTER_INIT;

	assert_true(span_index_calls(&f.maker.model, &filter) == 3);
	assert_int_equal(filter_add(&filter, "span", "burn:request", NULL), 0);
	assert_true(span_index_calls(&f.maker.model, &filter) == 2);
	end(&f);
	filter_fini(&filter);
}

static void load(const struct fixture *f, struct model *model)
{
	struct recording *recording;
	struct err err;

	assert_int_equal(model_init(model), 0);
	assert_int_equal(recording_open(f->path, &recording, &err), 0);
	assert_int_equal(recording_load(recording, model, &err), 0);
	recording_close(recording);
}

static void totals_come_back(void **state)
{
	struct fixture f = recorded();
	const struct span_total *total;
	struct model model;

	load(&f, &model);
	assert_int_equal(model.spans.rows.count, 3);
	total = span_total_find(&model.spans, f.call);
	assert_non_null(total);
	assert_int_equal(total->count, 2);
	assert_int_equal(total->ns, 20 * MS);
	assert_int_equal(total->slow_ns, 40 * MS);
	assert_int_equal(total->no_entry, 3);
	assert_int_equal(total->buckets.count, 1);
	assert_int_equal(total->buckets.at[0].to_ns, 16 * MS);
	assert_string_equal(span_event_name(&model, f.call), "burn:request");
	model_fini(&model);
	end(&f);
}

/* Totals that cannot be are left out, and counted. */
static void impossible_totals_are_left_out(void **state)
{
	static const char *const changes[] = {
		"UPDATE span_total SET count = 5 WHERE event = 1",
		"UPDATE span_total SET event = 99 WHERE event = 1",
		"UPDATE span_total SET event = 0 WHERE event = 1",
		"UPDATE span_total SET ns = 1 << 60 WHERE event = 1",
		"UPDATE span_total SET square_ns2 = -1 WHERE event = 1",
		"UPDATE span_bucket SET to_ns = 0 WHERE event = 1",
		"UPDATE span_bucket SET count = -1 WHERE event = 1",
		"DELETE FROM span_bucket WHERE event = 1",
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct fixture f = recorded();
		struct model model;
		sqlite3 *db;

		assert_int_equal(sqlite3_open(f.path, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, "DROP TABLE sealed", NULL, NULL, NULL),
				 SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, changes[i], NULL, NULL, NULL), SQLITE_OK);
		(void)sqlite3_close(db);
		load(&f, &model);
		assert_int_equal(model.spans.rows.count, 2);
		assert_int_not_equal(model.losses.count[LOSS_ROW_DAMAGED], 0);
		model_fini(&model);
		end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_in_the_calls_of_their_thread),
		cmocka_unit_test(slow_calls_and_the_others),
		cmocka_unit_test(sums_and_wakers_are_in_no_call),
		cmocka_unit_test(calls_are_counted),
		cmocka_unit_test(totals_come_back),
		cmocka_unit_test(impossible_totals_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
