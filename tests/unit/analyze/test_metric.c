/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several events as one, and wall time, from a recording with known waits. */
#include "tests/support/test.h"

#include <errno.h>
#include <unistd.h>

#include "analyze/group.h"
#include "analyze/metric.h"
#include "analyze/wall.h"
#include "base/clock.h"
#include "tests/support/model_maker.h"
#include "tests/support/temp.h"

#define MS NS_PER_MSEC

struct fixture {
	struct temp_dir dir;
	char path[128];
	struct recording *recording;
	struct model model;
	struct filter filter;
	struct metric metric;
	struct profile profile;
	struct err err;
};

static void waited(struct model_maker *maker, uint32_t first_event, enum wait_kind kind,
		   const struct sample *like, uint64_t weight)
{
	struct sample *sample = vec_push(&maker->batch.samples);

	assert_non_null(sample);
	*sample = *like;
	sample->event = (uint8_t)(first_event + kind);
	sample->weight = weight;
	sample->late_ns = LATE_UNKNOWN;
	sample->context = CONTEXT_SYSCALL;
}

/*
 * The thread `busy` runs 300 ms of its first second by its samples, waits 200 ms in few_long() and
 * 100 ms in many_short(), and 30 ms in waits too short to be recorded. The thread `quiet` has no
 * samples of the clock.
 */
static void record(const char *path)
{
	static const struct maker_frame root = { "/bin/app", IMAGE_FILE, "main", QUALITY_SYMTAB,
						 true };
	static const struct maker_frame few = { "/bin/app", IMAGE_FILE, "few_long", QUALITY_SYMTAB,
						false };
	static const struct maker_frame many = { "/bin/app", IMAGE_FILE, "many_short",
						 QUALITY_SYMTAB, false };
	struct recording *recording;
	struct model_maker maker;
	struct sample in_few, in_many, none, of_quiet;
	uint32_t first, busy, quiet, base;

	model_maker_init(&maker);
	assert_int_equal(wait_events_add(&maker.model, MS, &first), 0);
	busy = maker_thread(&maker, "busy", 100, false);
	quiet = maker_thread(&maker, "quiet", 200, false);
	base = maker_stack(&maker, STACK_ROOT_END, &root);
	in_few = (struct sample){ .time_ns = MAKER_START_NS + 900 * MS,
				  .thread = busy,
				  .stack = maker_stack(&maker, base, &few) };
	in_many = in_few;
	in_many.stack = maker_stack(&maker, base, &many);
	none = in_few;
	none.stack = STACK_ROOT_NONE;
	none.time_ns = MAKER_START_NS + 1000 * MS;
	of_quiet = none;
	of_quiet.thread = quiet;
	maker_samples(&maker, &(struct maker_run){ .thread = busy,
						   .stack = in_many.stack,
						   .context = CONTEXT_USER,
						   .count = 300 });
	for (int i = 0; i < 2; i++)
		waited(&maker, first, WAIT_BLOCKED, &in_few, 100 * MS);
	for (int i = 0; i < 40; i++)
		waited(&maker, first, WAIT_BLOCKED, &in_many, 2 * MS);
	for (int i = 0; i < 10; i++)
		waited(&maker, first, WAIT_BLOCKED_IO, &in_many, 2 * MS);
	waited(&maker, first, WAIT_SHORT_BLOCKED, &none, 25 * MS);
	waited(&maker, first, WAIT_SHORT_RUNNABLE, &none, 5 * MS);
	waited(&maker, first, WAIT_SHORT_COUNT, &none, 90);
	waited(&maker, first, WAIT_SHORT_BLOCKED, &of_quiet, 400 * MS);
	waited(&maker, first, WAIT_SHORT_COUNT, &of_quiet, 1000);
	assert_int_equal(recording_create(path, &recording, NULL), 0);
	assert_int_equal(recording_append(recording, &maker.model, &maker.batch, NULL), 0);
	assert_int_equal(recording_finish(recording, &maker.model, NULL), 0);
	recording_close(recording);
	model_maker_fini(&maker);
}

static void begin(struct fixture *f)
{
	*f = (struct fixture){ .dir = temp_dir_make(), .filter = FILTER_INIT };
	(void)snprintf(f->path, sizeof(f->path), "%s/profile.assay", f->dir.path);
	record(f->path);
	assert_int_equal(model_init(&f->model), 0);
	assert_int_equal(recording_open(f->path, &f->recording, &f->err), 0);
	assert_int_equal(recording_load(f->recording, &f->model, &f->err), 0);
}

static int make(struct fixture *f, bool states)
{
	const struct metric_options options = { .filter = &f->filter, .states = states };

	return metric_make(f->recording, &f->model, &options, &f->metric, &f->err);
}

static void read_profile(struct fixture *f)
{
	const struct profile_options options = { .filter = &f->filter,
						 .metric = &f->metric,
						 .by_stack = true };

	assert_int_equal(profile_read(f->recording, &f->model, &options, &f->profile, &f->err), 0);
}

static void end(struct fixture *f)
{
	profile_fini(&f->profile);
	metric_fini(&f->metric);
	filter_fini(&f->filter);
	model_fini(&f->model);
	recording_close(f->recording);
	(void)unlink(f->path);
	temp_dir_remove(&f->dir);
}

static struct count count_by(const struct profile *profile, enum dimension by, const char *wanted)
{
	struct group_table table;
	struct count count = { 0 };
	char label[128];

	assert_int_equal(group_hits(profile, &by, 1, NULL, NULL, &table), 0);
	for (size_t i = 0; i < table.rows.count; i++) {
		group_label(profile, by, table.rows.at[i].key[0], label, sizeof(label));
		if (strcmp(label, wanted) == 0)
			count = table.rows.at[i].count;
	}
	group_table_fini(&table);
	return count;
}

static void waits_count_by_their_time(void **state)
{
	struct fixture f;
	uint8_t event;

	begin(&f);
	assert_int_equal(filter_add(&f.filter, "event", "off-cpu:blocked", &f.err), 0);
	assert_int_equal(make(&f, false), 0);
	read_profile(&f);
	event = profile_first_event(&f.profile);
	assert_true(group_goes_by_weight(&f.profile, event));
	assert_int_equal(count_by(&f.profile, BY_FUNCTION, "few_long").weight, 200 * MS);
	assert_int_equal(count_by(&f.profile, BY_FUNCTION, "many_short").weight, 80 * MS);
	assert_int_equal(count_by(&f.profile, BY_FUNCTION, "[short waits]").weight, 425 * MS);
	assert_int_equal(f.profile.total_weight[event], 705 * MS);
	assert_true(count_is_exact(&f.profile.stacks.total, true));
	end(&f);
}

static void several_events_of_waits_are_one(void **state)
{
	struct fixture f;
	uint8_t event;

	begin(&f);
	assert_int_equal(filter_add(&f.filter, "event", "off-cpu:blocked*", &f.err), 0);
	assert_int_equal(make(&f, false), 0);
	read_profile(&f);
	event = profile_first_event(&f.profile);
	assert_string_equal(model_string(&f.model, f.model.events.at[event].name),
			    "off-cpu:blocked+off-cpu:blocked-io+off-cpu:blocked-uninterruptible");
	assert_int_equal(f.profile.total_weight[event], 725 * MS);
	assert_int_equal(f.profile.stacks.total.weight, 725 * MS);
	assert_int_equal(count_by(&f.profile, BY_FUNCTION, "many_short").weight, 100 * MS);
	assert_int_equal(count_by(&f.profile, BY_STATE, "blocked on I/O").weight, 20 * MS);
	end(&f);
}

static void events_of_different_units_are_refused(void **state)
{
	static const char *const lists[] = { "cpu-clock,off-cpu:blocked", "off-cpu:*",
					     "off-cpu:blocked,off-cpu:waker" };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct fixture f;

		begin(&f);
		assert_int_equal(filter_add(&f.filter, "event", lists[i], &f.err), 0);
		assert_int_equal(make(&f, false), -EINVAL);
		assert_non_null(strstr(f.err.text, "off-cpu:blocked"));
		assert_non_null(strstr(f.err.text, "cannot be added"));
		end(&f);
	}
}

static void wall_time_adds_up(void **state)
{
	struct fixture f;
	struct count running;
	struct wall wall;
	uint8_t event;

	begin(&f);
	f.filter.wall = true;
	assert_int_equal(wall_read(f.recording, &f.model, &f.filter, BY_THREAD, &wall, &f.err), 0);
	assert_int_equal(wall.total.wall_ns, 2000 * MS);
	assert_int_equal(make(&f, false), 0);
	read_profile(&f);
	event = profile_first_event(&f.profile);
	assert_int_equal(f.profile.total_weight[event], wall.total.wall_ns);
	running = count_by(&f.profile, BY_STATE, "running");
	assert_int_equal(running.weight, (1000 - 330 + 600) * MS);
	assert_int_equal(running.measured, 600 * MS);
	assert_int_equal(count_by(&f.profile, BY_STATE, "blocked").weight, (280 + 425) * MS);
	assert_int_equal(count_by(&f.profile, BY_STATE, "runnable").weight, 5 * MS);
	assert_int_equal(count_by(&f.profile, BY_FUNCTION, "[not sampled]").weight, 600 * MS);
	assert_int_equal(count_by(&f.profile, BY_FUNCTION, "[short waits]").weight, 430 * MS);
	wall_fini(&wall);
	end(&f);
}

/* Each pass over the recording begins anew. */
static void two_passes_give_the_same(void **state)
{
	uint64_t weight;
	struct fixture f;
	uint8_t event;

	begin(&f);
	f.filter.wall = true;
	assert_int_equal(make(&f, true), 0);
	read_profile(&f);
	event = profile_first_event(&f.profile);
	weight = f.profile.total_weight[event];
	profile_fini(&f.profile);
	read_profile(&f);
	assert_int_equal(f.profile.total_weight[event], weight);
	end(&f);
}

static void states_are_frames(void **state)
{
	struct fixture f;
	struct count blocked;

	begin(&f);
	f.filter.wall = true;
	assert_int_equal(make(&f, true), 0);
	read_profile(&f);
	blocked = count_by(&f.profile, BY_FUNCTION, "[blocked]");
	assert_int_equal(blocked.weight, (280 + 425) * MS);
	assert_int_equal(blocked.measured, blocked.weight);
	assert_int_equal(count_by(&f.profile, BY_FUNCTION, "few_long").samples, 0);
	assert_int_equal(count_by(&f.profile, BY_FUNCTION, "many_short").weight, 670 * MS);
	assert_int_not_equal(metric_state_image(&f.model), METRIC_NO_IMAGE);
	end(&f);
}

static void wall_time_needs_waits_and_all_time(void **state)
{
	struct fixture f;

	begin(&f);
	f.filter.wall = true;
	assert_int_equal(filter_add(&f.filter, "time", "0s-1s", &f.err), 0);
	assert_int_equal(make(&f, true), -EINVAL);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_count_by_their_time),
		cmocka_unit_test(several_events_of_waits_are_one),
		cmocka_unit_test(events_of_different_units_are_refused),
		cmocka_unit_test(wall_time_adds_up),
		cmocka_unit_test(two_passes_give_the_same),
		cmocka_unit_test(states_are_frames),
		cmocka_unit_test(wall_time_needs_waits_and_all_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
