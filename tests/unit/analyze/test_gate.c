/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gates on the synthetic machine, whose figures are known (model_maker.h). */
#include "tests/support/test.h"

#include <math.h>

#include "analyze/gate.h"
#include "analyze/tally.h"
#include "tests/support/model_maker.h"

struct fixture {
	struct model_maker maker;
	struct profile profile;
	struct health health;
};

static void set_up(struct fixture *f)
{
	const struct profile_options options = { 0 };
	struct tally tally;

	model_maker_machine(&f->maker);
	assert_int_equal(tally_init(&tally, &f->maker.model, &options, 25000, &f->profile), 0);
	assert_int_equal(tally_batch(&tally, &f->maker.batch), 0);
	tally_fini(&tally);
	assert_int_equal(health_make(&f->profile, 0, &f->health), 0);
}

static void tear_down(struct fixture *f)
{
	health_fini(&f->health);
	profile_fini(&f->profile);
	model_maker_fini(&f->maker);
}

static struct gate_result judge(const struct fixture *f, enum gate gate, const char *text)
{
	struct gate_limit limit;

	assert_int_equal(gate_parse(gate, text, &limit, NULL), 0);
	return gate_judge(&limit, &f->profile, &f->health);
}

/* The limit itself is allowed, the next number beyond it is not. */
static void test_limits(void **state)
{
	struct fixture f;

	set_up(&f);
	assert_true(judge(&f, GATE_MIN_SAMPLES, "8955").ok);
	assert_false(judge(&f, GATE_MIN_SAMPLES, "8956").ok);
	assert_true(judge(&f, GATE_MAX_LOST, "5").ok);
	assert_false(judge(&f, GATE_MAX_LOST, "4").ok);
	assert_true(judge(&f, GATE_MAX_LATE, "4.25%").ok);	/* 380 of 8955 is 4.243 % */
	assert_false(judge(&f, GATE_MAX_LATE, "4.24").ok);
	assert_true(judge(&f, GATE_MAX_LOST, "0.056%").ok);	/* 5 of 8960 is 0.0558 % */
	assert_false(judge(&f, GATE_MAX_LOST, "0.055%").ok);
	assert_true(judge(&f, GATE_MAX_SKIPPED, "0").ok);
	assert_true(judge(&f, GATE_MAX_OVERHEAD, "1").ok);	/* 0.12 - 0.02 s of 10 s */
	assert_false(judge(&f, GATE_MAX_OVERHEAD, "0.99").ok);
	tear_down(&f);
}

/* 50 samples are in [stripped.so], which has no names. Their stacks are complete. */
static void test_health(void **state)
{
	struct gate_result result;
	struct fixture f;

	set_up(&f);
	result = judge(&f, GATE_MIN_SYMBOLIZED, "0");
	assert_true(fabs(result.value - 100.0 * (8955 - 50) / 8955) < 1e-9);
	result = judge(&f, GATE_MIN_COMPLETE, "0");
	assert_true(fabs(result.value - 100.0 *
						(double)(f.health.stack_ends[STACK_WHOLE] +
							 f.health.stack_ends[STACK_NO_USER]) /
						8955) < 1e-9);
	tear_down(&f);
}

/* A gate on an unknown figure fails. */
static void test_missing(void **state)
{
	struct fixture f;

	set_up(&f);
	f.profile.tick_samples = 0;
	f.health.samples = 0;
	assert_false(judge(&f, GATE_MAX_LATE, "100").ok);
	assert_non_null(judge(&f, GATE_MAX_LATE, "100").missing);
	assert_false(judge(&f, GATE_MIN_COMPLETE, "0").ok);
	model_fact_set_u64(&f.maker.model, FACT_END_NS, 0);
	assert_false(judge(&f, GATE_MAX_OVERHEAD, "100").ok);
	tear_down(&f);
}

static void test_refused(void **state)
{
	struct gate_limit limit;
	struct err err;

	assert_int_equal(gate_parse(GATE_MIN_SAMPLES, "10%", &limit, &err), -EINVAL);
	assert_int_equal(gate_parse(GATE_MAX_LOST, "1.5", &limit, &err), -EINVAL);
	assert_int_equal(gate_parse(GATE_MAX_LATE, "", &limit, &err), -EINVAL);
	assert_int_equal(gate_parse(GATE_MAX_LATE, "inf", &limit, &err), -EINVAL);
	assert_int_equal(gate_parse(GATE_MAX_LATE, "1%%", &limit, &err), -EINVAL);
	assert_int_equal(gate_parse(GATE_MAX_LOST, "1.5%", &limit, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_health),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
