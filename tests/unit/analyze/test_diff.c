/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparison of two recordings of known content. */
#include "tests/support/test.h"

#include <math.h>
#include <unistd.h>

#include "analyze/diff.h"
#include "tests/support/model_maker.h"
#include "tests/support/temp.h"

#define ROUNDS 100

struct fixture {
	struct temp_dir dir;
	char paths[DIFF_SIDES][128];
	struct recording *recordings[DIFF_SIDES];
	struct model models[DIFF_SIDES];
	struct diff_side sides[DIFF_SIDES];
	struct diff diff;
	bool requests;			/* each round also has requests: one before, two after */
};

static uint32_t stack(struct model_maker *maker, const char *image, const char *caller,
		      const char *function)
{
	const struct maker_frame outer = { "/bin/app", IMAGE_FILE, caller, QUALITY_SYMTAB, true };
	const struct maker_frame leaf = { image, IMAGE_FILE, function, QUALITY_SYMTAB, false };

	return maker_stack(maker, maker_stack(maker, STACK_ROOT_END, &outer), &leaf);
}

static void add_requests(struct model_maker *maker)
{
	struct event *event = vec_push(&maker->model.events);

	assert_non_null(event);
	*event = (struct event){ .name = model_intern(&maker->model, "requests"), .period = 1 };
}

/*
 * 100 rounds of 100 samples: @hot samples are in hot, 3 in lib's hot, one of all samples in rare,
 * the others in cold.
 */
static void make_side(struct fixture *f, enum diff_which which, unsigned int hot)
{
	const char *lib = which == DIFF_BEFORE ? "/old/lib.so" : "/new/lib.so";
	struct recording *recording;
	struct model_maker maker;
	uint32_t thread, stacks[4];

	model_maker_init(&maker);
	if (f->requests)
		add_requests(&maker);
	/* Makes the ids and addresses of the second recording differ from those of the first. */
	for (unsigned int i = 0; which == DIFF_AFTER && i < 7; i++)
		(void)stack(&maker, "/bin/other", "other", (const char[]){ (char)('a' + i), 0 });
	thread = maker_thread(&maker, "app", which == DIFF_BEFORE ? 100 : 4711, false);
	stacks[0] = stack(&maker, "/bin/app", "main", "hot");
	stacks[1] = stack(&maker, lib, "main", "hot");
	stacks[2] = stack(&maker, "/bin/app", "work", "cold");
	stacks[3] = stack(&maker, "/bin/app", "main", which == DIFF_BEFORE ? "rare" : "seldom");
	for (unsigned int i = 0; i < ROUNDS; i++) {
		const unsigned int counts[] = { hot, 3, 97 - hot - (i == 0), i == 0 };

		for (int j = 0; j < 4; j++)
			maker_samples(&maker, &(struct maker_run){ .thread = thread,
								   .stack = stacks[j],
								   .count = counts[j] });
		if (f->requests)
			maker_samples(&maker, &(struct maker_run){ .thread = thread,
								   .stack = stacks[0],
								   .event = 1,
								   .count = which + 1 });
	}
	assert_int_equal(recording_create(f->paths[which], &recording, NULL), 0);
	assert_int_equal(recording_append(recording, &maker.model, &maker.batch, NULL), 0);
	assert_int_equal(recording_finish(recording, &maker.model, NULL), 0);
	recording_close(recording);
	model_maker_fini(&maker);
}

static void fill(struct fixture *f, unsigned int hot_before, unsigned int hot_after)
{
	const unsigned int hot[] = { hot_before, hot_after };

	for (int i = 0; i < DIFF_SIDES; i++) {
		(void)snprintf(f->paths[i], sizeof(f->paths[i]), "%s/%d.assay", f->dir.path, i);
		make_side(f, (enum diff_which)i, hot[i]);
		assert_int_equal(model_init(&f->models[i]), 0);
		assert_int_equal(recording_open(f->paths[i], &f->recordings[i], NULL), 0);
		assert_int_equal(recording_load(f->recordings[i], &f->models[i], NULL), 0);
		f->sides[i] = (struct diff_side){ f->recordings[i], &f->models[i], NULL };
	}
}

static void set_up(struct fixture *f, unsigned int hot_before, unsigned int hot_after)
{
	*f = (struct fixture){ .dir = temp_dir_make() };
	fill(f, hot_before, hot_after);
}

/* Makes both recordings those of a command that ended. */
static void make_commands(struct fixture *f)
{
	for (int i = 0; i < DIFF_SIDES; i++) {
		model_fact_set(&f->models[i], FACT_TARGET, "command");
		model_fact_set_u64(&f->models[i], FACT_COMMAND_CPU_NS, 10000000000);
	}
}

static void tear_down(struct fixture *f)
{
	diff_fini(&f->diff);
	for (int i = 0; i < DIFF_SIDES; i++) {
		model_fini(&f->models[i]);
		recording_close(f->recordings[i]);
		(void)unlink(f->paths[i]);
	}
	temp_dir_remove(&f->dir);
}

static const struct diff_options by_function = { .by = { BY_FUNCTION }, .by_count = 1 };

static void assert_near(double have, double want)
{
	if (!(fabs(have - want) < 1e-9))
		fail_msg("%.12g is not %.12g", have, want);
}

static const struct diff_row *row_of(const struct diff *diff, const char *image, const char *name)
{
	for (size_t i = 0; i < diff->rows.count; i++) {
		const struct diff_row *row = &diff->rows.at[i];

		if (strcmp(diff_name_image(&diff->names, row->key[0]), image) == 0 &&
		    strcmp(diff_name_text(&diff->names, row->key[0]), name) == 0)
			return row;
	}
	fail_msg("no row for %s of %s", name, image);
	return NULL;
}

/*
 * Rows are matched by function name and the image's file name; ids, addresses and directories do
 * not matter.
 */
static void test_matched_by_name(void **state)
{
	const struct diff_row *row;
	struct fixture f;

	set_up(&f, 20, 26);
	assert_int_equal(diff_make(f.sides, &by_function, &f.diff, NULL), 0);
	assert_int_equal(f.diff.rows.count, 3);
	row = row_of(&f.diff, "app", "hot");
	assert_near(row->figures.value[DIFF_BEFORE], 0.20);
	assert_near(row->figures.value[DIFF_AFTER], 0.26);
	assert_int_equal(row->figures.verdict, DIFF_SIGNIFICANT);
	assert_true(row->figures.low > 0.03 && row->figures.high < 0.09);
	row = row_of(&f.diff, "lib.so", "hot");
	assert_int_equal(row->figures.samples[DIFF_BEFORE], 300);
	assert_int_equal(row->figures.samples[DIFF_AFTER], 300);
	assert_int_equal(row->figures.verdict, DIFF_WITHIN_NOISE);
	tear_down(&f);
}

/*
 * A function that is named differently on each side has one sample on each: too few to test, but
 * not lost.
 */
static void test_rest(void **state)
{
	struct fixture f;

	set_up(&f, 20, 20);
	assert_int_equal(diff_make(f.sides, &by_function, &f.diff, NULL), 0);
	assert_int_equal(f.diff.rest_count, 2);
	assert_int_equal(f.diff.rest.samples[DIFF_BEFORE], 1);
	assert_int_equal(f.diff.rest.samples[DIFF_AFTER], 1);
	assert_near(f.diff.rest.value[DIFF_AFTER], 1e-4);
	for (size_t i = 0; i < f.diff.rows.count; i++)
		assert_int_equal(f.diff.rows.at[i].figures.verdict, DIFF_WITHIN_NOISE);
	tear_down(&f);
}

static void test_by_stack(void **state)
{
	const struct diff_options options = { .by_stack = true };
	const struct diff_path *path = NULL;
	struct fixture f;

	set_up(&f, 20, 26);
	assert_int_equal(diff_make(f.sides, &options, &f.diff, NULL), 0);
	assert_int_equal(f.diff.rows.count, 3);
	for (size_t i = 0; i < f.diff.rows.count; i++) {
		path = &f.diff.names.paths.at[f.diff.rows.at[i].key[0]];
		if (strcmp(diff_name_text(&f.diff.names, path->name), "cold") == 0)
			break;
	}
	assert_string_equal(diff_name_text(&f.diff.names, path->name), "cold");
	path = &f.diff.names.paths.at[path->caller];
	assert_string_equal(diff_name_text(&f.diff.names, path->name), "work");
	assert_int_equal(path->caller, 0);
	tear_down(&f);
}

/* 10,000 samples of 1 ms in 10 s on two CPUs: values are CPU seconds per wall-clock second. */
static void test_per_wall(void **state)
{
	struct diff_options options = by_function;
	struct fixture f;

	options.per = DIFF_PER_SECOND;
	set_up(&f, 20, 26);
	assert_int_equal(diff_make(f.sides, &options, &f.diff, NULL), 0);
	assert_near(f.diff.wholes[DIFF_AFTER].seconds, 10);
	assert_near(row_of(&f.diff, "app", "hot")->figures.value[DIFF_AFTER], 0.26);
	assert_int_equal(row_of(&f.diff, "app", "hot")->figures.verdict, DIFF_SIGNIFICANT);
	tear_down(&f);
}

/* 10,000 samples of 1 ms: a function that takes longer does not accuse one that does not. */
static void test_per_run(void **state)
{
	const struct diff_row *row;
	struct fixture f;

	set_up(&f, 20, 60);
	make_commands(&f);
	assert_int_equal(diff_make(f.sides, &by_function, &f.diff, NULL), 0);
	assert_int_equal(f.diff.options.per, DIFF_PER_RUN);
	assert_int_equal(f.diff.unit, DIFF_SECONDS);
	row = row_of(&f.diff, "app", "hot");
	assert_near(row->figures.value[DIFF_BEFORE], 2);
	assert_near(row->figures.value[DIFF_AFTER], 6);
	assert_int_equal(row->figures.verdict, DIFF_SIGNIFICANT);
	assert_true(row->figures.low > 2 && row->figures.high < 6);
	row = row_of(&f.diff, "lib.so", "hot");
	assert_near(row->figures.value[DIFF_AFTER], 0.3);
	assert_int_equal(row->figures.verdict, DIFF_WITHIN_NOISE);
	assert_near(f.diff.total.value[DIFF_BEFORE], 10);
	assert_int_equal(f.diff.total.verdict, DIFF_WITHIN_NOISE);
	tear_down(&f);
}

/* The CPU time that the kernel measured is exact, so it is the total. */
static void test_measured_total(void **state)
{
	struct fixture f;

	set_up(&f, 20, 20);
	make_commands(&f);
	model_fact_set_u64(&f.models[DIFF_BEFORE], FACT_COMMAND_CPU_NS, 10000000000);
	model_fact_set_u64(&f.models[DIFF_AFTER], FACT_COMMAND_CPU_NS, 16000000000);
	assert_int_equal(diff_make(f.sides, &by_function, &f.diff, NULL), 0);
	assert_true(f.diff.total_is_measured);
	assert_near(f.diff.total.value[DIFF_AFTER], 16);
	assert_int_equal(f.diff.total.verdict, DIFF_SIGNIFICANT);
	assert_near(row_of(&f.diff, "app", "hot")->figures.value[DIFF_AFTER], 2);
	tear_down(&f);
}

/* The measured CPU time is divided among the cycles: 20 % of the cycles took 20 % of the time. */
static void test_cycles(void **state)
{
	struct diff_options options = by_function;
	struct fixture f;

	options.per = DIFF_PER_RUN;
	set_up(&f, 20, 20);
	for (int i = 0; i < DIFF_SIDES; i++) {
		f.models[i].events.at[0].name = model_intern(&f.models[i], "cycles");
		f.models[i].events.at[0].is_time = false;
	}
	assert_int_equal(diff_make(f.sides, &options, &f.diff, NULL), 0);
	assert_int_equal(f.diff.unit, DIFF_EVENTS);
	assert_false(f.diff.total_is_measured);
	assert_near(row_of(&f.diff, "app", "hot")->figures.value[DIFF_AFTER], 2e9);
	diff_fini(&f.diff);
	make_commands(&f);
	model_fact_set_u64(&f.models[DIFF_BEFORE], FACT_COMMAND_CPU_NS, 4000000000);
	model_fact_set_u64(&f.models[DIFF_AFTER], FACT_COMMAND_CPU_NS, 8000000000);
	assert_int_equal(diff_make(f.sides, &by_function, &f.diff, NULL), 0);
	assert_int_equal(f.diff.unit, DIFF_SECONDS);
	assert_true(f.diff.is_cpu_time);
	assert_near(row_of(&f.diff, "app", "hot")->figures.value[DIFF_BEFORE], 0.8);
	assert_near(row_of(&f.diff, "app", "hot")->figures.value[DIFF_AFTER], 1.6);
	tear_down(&f);
}

/* Twice as many requests in the same time: half of the time for each, in every function. */
static void test_per_event(void **state)
{
	struct diff_options options = by_function;
	struct fixture f = { .dir = temp_dir_make(), .requests = true };
	struct err err;

	options.per = DIFF_PER_EVENT;
	options.per_event = "requests";
	fill(&f, 20, 20);
	assert_int_equal(diff_make(f.sides, &options, &f.diff, NULL), 0);
	assert_int_equal(f.diff.unit, DIFF_SECONDS_PER_EVENT);
	assert_near(f.diff.wholes[DIFF_AFTER].divisor / f.diff.wholes[DIFF_BEFORE].divisor, 2);
	assert_near(row_of(&f.diff, "app", "hot")->figures.value[DIFF_AFTER] *
			    f.diff.wholes[DIFF_AFTER].divisor,
		    2);
	assert_int_equal(row_of(&f.diff, "app", "hot")->figures.verdict, DIFF_SIGNIFICANT);
	diff_fini(&f.diff);
	options.per_event = "replies";
	assert_int_equal(diff_make(f.sides, &options, &f.diff, &err), -EINVAL);
	assert_non_null(strstr(err.text, "replies"));
	tear_down(&f);
}

/*
 * A range of time is not a run, and neither is the recording of a machine, or of a command that
 * went on.
 */
static void test_not_a_run(void **state)
{
	struct diff_options options = by_function;
	struct filter range = FILTER_INIT;
	struct fixture f;

	set_up(&f, 20, 20);
	assert_int_equal(diff_default_per(f.sides, DIFF_SIDES), DIFF_PER_SHARE);
	make_commands(&f);
	assert_int_equal(diff_default_per(f.sides, DIFF_SIDES), DIFF_PER_RUN);
	model_fact_set_u64(&f.models[DIFF_AFTER], FACT_COMMAND_CPU_NS, 0);
	assert_int_equal(diff_default_per(f.sides, DIFF_SIDES), DIFF_PER_SHARE);
	make_commands(&f);
	assert_int_equal(filter_add(&range, "time", "0s-5s", NULL), 0);
	f.sides[DIFF_AFTER].filter = &range;
	assert_int_equal(diff_default_per(f.sides, DIFF_SIDES), DIFF_PER_SHARE);
	options.per = DIFF_PER_RUN;
	assert_int_equal(diff_make(f.sides, &options, &f.diff, NULL), -EINVAL);
	diff_fini(&f.diff);
	f.sides[DIFF_AFTER].filter = NULL;
	model_fact_set(&f.models[DIFF_AFTER], FACT_COMMAND, "%s", "");
	assert_int_equal(diff_make(f.sides, &options, &f.diff, NULL), -EINVAL);
	filter_fini(&range);
	tear_down(&f);
}

/* Limits per run: a percentage of the first run, seconds, or a factor. */
static void test_conditions_per_run(void **state)
{
	static const struct {
		const char *text;
		bool holds;
	} cases[] = {
		{ "self(^hot$) > +20%", true }, { "self(^hot$) > +35%", false },
		{ "self(^hot$) > +2s", true },	{ "self(^hot$) > +3.5s", false },
		{ "self(^hot$) > x2", true },	{ "self(^hot$) > x2.9", false },
		{ "self(^cold$) < -1s", true }, { "self(^cold$) < -5s", false },
		{ "total(main) > +1s", true },	{ "self(^hot$) < -0%", false },
	};
	const size_t count = sizeof(cases) / sizeof(cases[0]);
	struct diff_condition conditions[sizeof(cases) / sizeof(cases[0])];
	struct diff_options options = by_function;
	struct fixture f;

	for (size_t i = 0; i < count; i++)
		assert_int_equal(diff_condition_parse(cases[i].text, &conditions[i], NULL), 0);
	options.conditions = conditions;
	options.condition_count = count;
	set_up(&f, 20, 60);
	assert_int_equal(diff_make(f.sides, &options, &f.diff, NULL), -EINVAL);
	diff_fini(&f.diff);
	make_commands(&f);
	assert_int_equal(diff_make(f.sides, &options, &f.diff, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		if (f.diff.judgements[i].holds != cases[i].holds)
			fail_msg("%s: p = %g", cases[i].text, f.diff.judgements[i].p);
		diff_condition_fini(&conditions[i]);
	}
	tear_down(&f);
}

/* A different time range on each side; the other half of the recording is left out. */
static void test_ranges(void **state)
{
	struct filter first = FILTER_INIT, second = FILTER_INIT;
	struct fixture f;

	set_up(&f, 20, 26);
	assert_int_equal(filter_add(&first, "time", "0s-5s", NULL), 0);
	assert_int_equal(filter_add(&second, "time", "5s-10s", NULL), 0);
	f.sides[DIFF_BEFORE].filter = &first;
	f.sides[DIFF_AFTER].filter = &second;
	assert_int_equal(diff_make(f.sides, &by_function, &f.diff, NULL), 0);
	assert_in_range(f.diff.wholes[DIFF_BEFORE].samples, 4999, 5001);
	assert_in_range(f.diff.wholes[DIFF_AFTER].samples, 4999, 5001);
	assert_near(f.diff.wholes[DIFF_AFTER].seconds, 5);
	assert_int_equal(row_of(&f.diff, "app", "hot")->figures.verdict, DIFF_SIGNIFICANT);
	filter_fini(&first);
	filter_fini(&second);
	tear_down(&f);
}

/* ---- conditions ---- */

static void test_conditions(void **state)
{
	static const struct {
		const char *text;
		bool holds, matched;
	} cases[] = {
		{ "self(^hot$) > +3%", true, true },
		{ "self(^hot$) > +3% @99", true, true },
		/* it is 6, which does not exceed the limit */
		{ "self(^hot$) > +6%", false, true },
		{ "self(^hot$) > x1.1", true, true },
		{ "self(^hot$) > x1.5", false, true },
		{ "self(main) > -50%", false, false },
		{ "total(main)>+3%", true, true },
		{ "total(work|main) > +0%", false, true },
		{ "self(cold) < -3%", true, true },
		{ "self(cold) < -7%", false, true },
	};
	struct diff_condition conditions[sizeof(cases) / sizeof(cases[0])];
	const size_t count = sizeof(cases) / sizeof(cases[0]);
	struct diff_options options = by_function;
	struct fixture f;

	for (size_t i = 0; i < count; i++)
		assert_int_equal(diff_condition_parse(cases[i].text, &conditions[i], NULL), 0);
	options.conditions = conditions;
	options.condition_count = count;
	set_up(&f, 20, 26);
	assert_int_equal(diff_make(f.sides, &options, &f.diff, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		if (f.diff.judgements[i].holds != cases[i].holds ||
		    f.diff.judgements[i].matched != cases[i].matched)
			fail_msg("%s", cases[i].text);
		diff_condition_fini(&conditions[i]);
	}
	tear_down(&f);
}

static void test_no_conditions(void **state)
{
	static const char *const texts[] = {
		"",
		"hot > +1%",
		"self(hot",
		"self(hot)",
		"self(hot) > 2%",
		"self(hot) = +2%",
		"self(hot) > +2",
		"self(hot) > +nan%",
		"self(hot) > +2% @",
		"self(hot) > +2% @100",
		"self(hot) > +2% @95 and more",
		"self(hot) > x0",
		"self(hot) > x-1",
		"self([) > +2%",
	};
	struct diff_condition condition;
	struct err err;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(diff_condition_parse(texts[i], &condition, &err), -EINVAL);
}

static void test_dimensions(void **state)
{
	const enum dimension good[] = { BY_APPLICATION, BY_IMAGE, BY_FUNCTION, BY_CONTEXT };
	const enum dimension bad[] = { BY_PROCESS, BY_THREAD, BY_TGID, BY_ADDRESS, BY_TIME };
	struct err err;

	assert_int_equal(diff_check_dimensions(good, 4, &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(diff_check_dimensions(&bad[i], 1, &err), -EINVAL);
}

/* An event that only one side has cannot be compared. */
static void test_other_event(void **state)
{
	struct err err = { 0 };
	struct fixture f;

	set_up(&f, 20, 26);
	f.models[DIFF_AFTER].events.at[0].name = model_intern(&f.models[DIFF_AFTER], "cycles");
	assert_int_equal(diff_make(f.sides, &by_function, &f.diff, &err), -EINVAL);
	assert_non_null(strstr(err.text, "cpu-clock"));
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matched_by_name),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_by_stack),
		cmocka_unit_test(test_per_wall),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_no_conditions),
		cmocka_unit_test(test_dimensions),
		cmocka_unit_test(test_other_event),
		cmocka_unit_test(test_per_run),
		cmocka_unit_test(test_measured_total),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_per_event),
		cmocka_unit_test(test_not_a_run),
		cmocka_unit_test(test_conditions_per_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
