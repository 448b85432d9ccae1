/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/test.h"

#include "analyze/live.h"
#include "tests/support/model_maker.h"

#define SECOND_NS UINT64_C(1000000000)

struct fixture {
	struct model_maker maker;
	struct live live;
	struct live_frame frame;
};

static void begin(struct fixture *f, uint64_t window_ns)
{
	*f = (struct fixture){ 0 };
	model_maker_machine(&f->maker);
	live_init(&f->live, window_ns);
	assert_int_equal(live_begin(&f->live, &f->maker.model, 0, MAKER_START_NS), 0);
}

static uint64_t last_ns(const struct fixture *f)
{
	const struct sample_batch *batch = &f->maker.batch;

	return batch->samples.at[batch->samples.count - 1].time_ns;
}

static void look(struct fixture *f, const struct live_question *question)
{
	live_frame_fini(&f->frame);
	assert_int_equal(live_look(&f->live, &f->maker.model, question, &f->frame), 0);
}

static void finish(struct fixture *f)
{
	live_frame_fini(&f->frame);
	live_fini(&f->live);
	model_maker_fini(&f->maker);
}

static const char *name_of(const struct fixture *f, size_t row, char text[static 128])
{
	group_label(&f->frame.profile, f->frame.table.by[0], f->frame.table.rows.at[row].key[0],
		    text, 128);
	return text;
}

static void test_all_of_a_long_window(void **state)
{
	struct fixture f;

	begin(&f, 1000 * SECOND_NS);
	assert_int_equal(live_add(&f.live, &f.maker.model, &f.maker.batch, 7, last_ns(&f) + 1), 0);
	look(&f, &(struct live_question){ .by = BY_PROCESS });
	assert_int_equal(f.frame.profile.total_samples[0], 8955);
	assert_int_equal(f.frame.table.total.samples + f.frame.contexts[CONTEXT_IDLE], 8955);
	assert_int_equal(f.frame.since.own_cpu_ns, 7);
	assert_true(f.frame.table.rows.count > 1);
	for (size_t i = 1; i < f.frame.table.rows.count; i++)
		assert_true(f.frame.table.rows.at[i - 1].count.samples >=
			    f.frame.table.rows.at[i].count.samples);
	finish(&f);
}

static void test_the_window_moves(void **state)
{
	struct fixture f;
	const struct sample_batch nothing = { 0 };
	uint64_t end_ns, inside = 0;

	begin(&f, SECOND_NS);
	end_ns = last_ns(&f) + 1;
	for (size_t i = 0; i < f.maker.batch.samples.count; i++)
		inside += f.maker.batch.samples.at[i].time_ns >= end_ns - SECOND_NS;
	assert_true(inside > 0 && inside < 8955);
	assert_int_equal(live_add(&f.live, &f.maker.model, &f.maker.batch, 5, end_ns), 0);
	look(&f, &(struct live_question){ .by = BY_PROCESS });
	assert_int_equal(f.frame.profile.total_samples[0], inside);
	assert_int_equal(live_add(&f.live, &f.maker.model, &nothing, 9, end_ns + 2 * SECOND_NS), 0);
	look(&f, &(struct live_question){ .by = BY_PROCESS });
	assert_int_equal(f.frame.profile.total_samples[0], 0);
	assert_int_equal(f.frame.since.own_cpu_ns, 4);
	assert_int_equal(f.frame.span_ns, 2 * SECOND_NS);
	finish(&f);
}

static void test_it_begins_again(void **state)
{
	struct fixture f;
	const struct sample_batch nothing = { 0 };

	begin(&f, 1000 * SECOND_NS);
	assert_int_equal(live_add(&f.live, &f.maker.model, &f.maker.batch, 5, last_ns(&f)), 0);
	assert_int_equal(live_begin(&f.live, &f.maker.model, 6, 100 * SECOND_NS), 0);
	assert_int_equal(live_add(&f.live, &f.maker.model, &nothing, 8, 101 * SECOND_NS), 0);
	look(&f, &(struct live_question){ .by = BY_PROCESS });
	assert_int_equal(f.frame.profile.total_samples[0], 0);
	assert_int_equal(f.frame.since.own_cpu_ns, 2);
	assert_int_equal(f.frame.span_ns, SECOND_NS);
	finish(&f);
}

static void test_what_it_forgets(void **state)
{
	struct fixture f;
	const struct sample_batch nothing = { 0 };

	begin(&f, 1000 * SECOND_NS);
	assert_int_equal(live_add(&f.live, &f.maker.model, &f.maker.batch, 5, 100 * SECOND_NS), 0);
	live_forget(&f.live);
	look(&f, &(struct live_question){ .by = BY_PROCESS });
	assert_int_equal(f.frame.profile.total_samples[0], 0);
	assert_int_equal(f.frame.span_ns, 0);
	live_frame_fini(&f.frame);
	assert_int_equal(live_add(&f.live, &f.maker.model, &nothing, 8, 101 * SECOND_NS), 0);
	look(&f, &(struct live_question){ .by = BY_PROCESS });
	assert_int_equal(f.frame.since.own_cpu_ns, 3);
	assert_int_equal(f.frame.span_ns, SECOND_NS);
	finish(&f);
}

/* If the oldest samples are dropped, the window shrinks to the time of the remaining samples. */
static void test_too_many_samples(void **state)
{
	struct fixture f;
	const struct sample_batch nothing = { 0 };
	uint64_t now_ns = 0;

	begin(&f, 1000 * SECOND_NS);
	for (uint64_t i = 0; i < LIVE_SAMPLES_MAX + 1000; i++) {
		struct sample *sample = vec_push(&f.live.samples.samples);

		assert_non_null(sample);
		*sample = f.maker.batch.samples.at[0];
		now_ns = MAKER_START_NS + i * 1000;
		sample->time_ns = now_ns;
		if (i == 900)
			assert_int_equal(live_add(&f.live, &f.maker.model, &nothing, 0, now_ns), 0);
	}
	assert_int_equal(live_add(&f.live, &f.maker.model, &nothing, 0, now_ns), 0);
	assert_int_equal(f.live.samples.samples.count, LIVE_SAMPLES_MAX);
	look(&f, &(struct live_question){ .by = BY_PROCESS });
	assert_int_equal(f.frame.profile.total_samples[0], LIVE_SAMPLES_MAX);
	assert_int_equal(f.frame.span_ns, now_ns - (MAKER_START_NS + 900 * 1000));
	finish(&f);
}

static void test_losses_of_the_window(void **state)
{
	struct fixture f;
	const struct sample_batch nothing = { 0 };
	struct losses *losses = &f.maker.model.losses;
	enum loss most;

	begin(&f, SECOND_NS);
	losses->count[LOSS_MEMORY] = 100;
	assert_int_equal(live_add(&f.live, &f.maker.model, &nothing, 0, 100 * SECOND_NS), 0);
	losses->count[LOSS_MEMORY] = 90;		/* the count was corrected downwards */
	losses->count[LOSS_STACK_BROKEN] = 3;
	losses->count[LOSS_DISK_FULL] = 2;
	assert_int_equal(live_add(&f.live, &f.maker.model, &nothing, 0, 101 * SECOND_NS), 0);
	look(&f, &(struct live_question){ .by = BY_PROCESS });
	assert_int_equal(live_lost(&f.frame, &most), 5);
	assert_int_equal(most, LOSS_STACK_BROKEN);
	finish(&f);
}

static void test_orders(void **state)
{
	struct fixture f;
	char before[128], name[128];

	begin(&f, 1000 * SECOND_NS);
	assert_int_equal(live_add(&f.live, &f.maker.model, &f.maker.batch, 0, last_ns(&f) + 1), 0);
	look(&f, &(struct live_question){ .by = BY_FUNCTION, .order = LIVE_BY_NAME });
	for (size_t i = 1; i < f.frame.table.rows.count; i++)
		assert_true(strcmp(name_of(&f, i - 1, before), name_of(&f, i, name)) <= 0);
	look(&f, &(struct live_question){ .by = BY_FUNCTION, .reverse = true });
	for (size_t i = 1; i < f.frame.table.rows.count; i++)
		assert_true(f.frame.table.rows.at[i - 1].count.samples <=
			    f.frame.table.rows.at[i].count.samples);
	look(&f, &(struct live_question){ .by = BY_FUNCTION, .order = LIVE_BY_LATE });
	for (size_t i = 1; i < f.frame.table.rows.count; i++)
		assert_true(f.frame.table.rows.at[i - 1].late_samples >=
			    f.frame.table.rows.at[i].late_samples);
	finish(&f);
}

static void test_one_process_and_some_names(void **state)
{
	struct fixture f;
	uint64_t all, of_process;
	uint32_t process;
	regex_t regex;
	char name[128];

	begin(&f, 1000 * SECOND_NS);
	assert_int_equal(live_add(&f.live, &f.maker.model, &f.maker.batch, 0, last_ns(&f) + 1), 0);
	look(&f, &(struct live_question){ .by = BY_PROCESS });
	all = f.frame.table.total.samples;
	process = (uint32_t)f.frame.table.rows.at[0].key[0];
	of_process = f.frame.table.rows.at[0].count.samples;
	look(&f, &(struct live_question){ .by = BY_FUNCTION, .process = process });
	assert_int_equal(f.frame.table.total.samples, of_process);
	look(&f, &(struct live_question){ .by = BY_FUNCTION });
	(void)name_of(&f, 0, name);
	assert_int_equal(regcomp(&regex, name, REG_EXTENDED | REG_NOSUB), 0);
	look(&f, &(struct live_question){ .by = BY_FUNCTION, .names = &regex });
	assert_true(f.frame.table.rows.count >= 1);
	for (size_t i = 0; i < f.frame.table.rows.count; i++) {
		char other[128];

		assert_non_null(strstr(name_of(&f, i, other), name));
	}
	/* the total, and so the shares, are unchanged */
	assert_int_equal(f.frame.table.total.samples, all);
	regfree(&regex);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_of_a_long_window),
		cmocka_unit_test(test_the_window_moves),
		cmocka_unit_test(test_it_begins_again),
		cmocka_unit_test(test_what_it_forgets),
		cmocka_unit_test(test_too_many_samples),
		cmocka_unit_test(test_losses_of_the_window),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_one_process_and_some_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
