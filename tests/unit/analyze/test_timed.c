/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured interrupt time, compared with the samples of the same time. */
#include "overview_fixture.h"

#define MS UINT64_C(1000000)

static const char *name_of(const struct fixture *f, uint32_t name)
{
	return model_string(&f->maker.model, name);
}

static void test_vectors(void **state)
{
	const struct timed_class *hard, *soft;
	struct fixture f;

	model_maker_machine(&f.maker);
	make_overview(&f, NULL);
	hard = &f.overview.timed.levels[TIMED_HARD];
	soft = &f.overview.timed.levels[TIMED_SOFT];
	assert_null(f.overview.timed.missing);
	assert_int_equal(f.overview.timed.wall_ns, 10000 * MS);
	assert_int_equal(hard->vectors.count, 2);
	assert_string_equal(name_of(&f, hard->vectors.at[0].name), "local timer");
	assert_int_equal(hard->vectors.at[0].count, 20000);
	assert_int_equal(hard->vectors.at[0].ns, 240 * MS);
	assert_int_equal(hard->vectors.at[0].skipped, 200);
	assert_int_equal(hard->skipped, 200);
	assert_int_equal(soft->skipped, 60);
	assert_int_equal(hard->vectors.at[1].vector, 36);
	assert_int_equal(hard->vectors.at[1].skipped, 0);
	assert_int_equal(hard->ns, 242 * MS);
	assert_int_equal(hard->count, 20020);
	assert_int_equal(soft->vectors.count, 2);
	assert_int_equal(soft->vectors.at[0].vector, 3);
	assert_int_equal(soft->ns, 280 * MS + 400000);
	assert_int_equal(f.overview.timed.untimed.count, 1);
	assert_int_equal(f.overview.timed.untimed.at[0].count, 7);
	assert_int_equal(f.overview.timed.cost_ns, (20020 + 6050) * 100);
	finish(&f);
}

/*
 * Hard interrupts: 100 and 50 samples of 10,000 on the two CPUs, against 152 and 90 ms measured.
 * Softirqs: 300 and 0 samples, against 280 and 0.4 ms.
 */
static void test_beside_the_samples(void **state)
{
	const struct timed_class *hard, *soft;
	struct fixture f;

	model_maker_machine(&f.maker);
	make_overview(&f, NULL);
	hard = &f.overview.timed.levels[TIMED_HARD];
	soft = &f.overview.timed.levels[TIMED_SOFT];
	assert_true(f.overview.timed.is_compared);
	assert_int_equal(hard->cpus.count, 2);
	assert_int_equal(hard->cpus.at[0].ns, 152 * MS);
	assert_int_equal(hard->cpus.at[0].sampled_ns, 100 * MS);
	assert_true(hard->cpus.at[0].differs);
	assert_true(hard->cpus.at[0].sampled.low < 0.01 && hard->cpus.at[0].sampled.high > 0.01);
	assert_int_equal(hard->cpus.at[1].cpu, 1);
	assert_int_equal(hard->cpus.at[1].sampled_ns, 50 * MS);
	assert_true(hard->differs);
	assert_int_equal(soft->cpus.at[0].sampled_ns, 300 * MS);
	assert_int_equal(soft->cpus.at[1].sampled_ns, 0);
	assert_false(soft->cpus.at[0].differs);
	assert_false(soft->differs);
	finish(&f);
}

static void test_victims(void **state)
{
	const struct timed_victim *victim;
	struct fixture f;

	model_maker_machine(&f.maker);
	make_overview(&f, NULL);
	victim = f.overview.timed.levels[TIMED_HARD].victims.at;
	assert_int_equal(f.overview.timed.levels[TIMED_HARD].victims.count, 4);
	assert_int_equal(victim[0].tgid, 100);
	assert_string_equal(name_of(&f, victim[0].name), "burn");
	assert_int_equal(victim[0].own_ns, 6105 * MS);
	assert_int_equal(victim[1].tgid, 0);
	assert_int_equal(victim[1].own_ns, (3890 + 5 + 7635) * MS);
	assert_string_equal(name_of(&f, victim[2].name), "gone");
	assert_int_equal(victim[2].own_ns, 0);
	assert_int_equal(victim[3].tgid, INTERRUPT_OTHERS);
	assert_int_equal(f.overview.timed.levels[TIMED_SOFT].victims.count, 2);
	finish(&f);
}

/*
 * When one command is recorded, other processes have no name in the report, and samples cannot be
 * compared with the measured time.
 */
static void test_of_a_command(void **state)
{
	const struct timed_class *hard;
	struct fixture f;

	model_maker_machine(&f.maker);
	model_fact_set(&f.maker.model, FACT_TARGET, "command");
	make_overview(&f, NULL);
	hard = &f.overview.timed.levels[TIMED_HARD];
	assert_false(f.overview.timed.is_compared);
	assert_false(hard->differs);
	assert_int_equal(hard->ns, 242 * MS);
	assert_int_equal(hard->victims.count, 3);
	assert_int_equal(hard->victims.at[2].tgid, INTERRUPT_OTHERS);
	assert_int_equal(hard->victims.at[2].count, 20);
	assert_int_equal(hard->victims.at[2].ns, 2 * MS);
	finish(&f);
}

static void test_filters_leave_it_alone(void **state)
{
	const struct filter filter = { .contexts = 1u << CONTEXT_USER, .to_ns = UINT64_MAX };
	struct fixture f;

	model_maker_machine(&f.maker);
	make_overview(&f, &filter);
	assert_int_equal(f.overview.all.samples, 6115);
	assert_false(f.overview.timed.is_compared);
	assert_int_equal(f.overview.timed.levels[TIMED_HARD].ns, 242 * MS);
	assert_int_equal(f.overview.timed.levels[TIMED_HARD].victims.at[0].own_ns, 0);
	finish(&f);
}

static void check_missing(const char *fact, const char *wanted)
{
	struct fixture f;

	model_maker_machine(&f.maker);
	vec_clear(&f.maker.model.interrupts.times);
	if (fact)
		model_fact_set(&f.maker.model, FACT_IRQ_TIME, "%s", fact);
	else
		vec_clear(&f.maker.model.facts);
	make_overview(&f, NULL);
	assert_string_equal(f.overview.timed.missing, wanted);
	assert_int_equal(f.overview.timed.levels[TIMED_HARD].victims.count, 0);
	finish(&f);
}

static void test_missing(void **state)
{
	check_missing("left out", "left out");
	check_missing("on", "none occurred");
	check_missing(NULL, "");
}

/* Rows that a damaged file may contain: they may give odd figures, but nothing worse. */
static void test_odd_rows(void **state)
{
	struct interrupt_time *time;
	struct fixture f;

	model_maker_machine(&f.maker);
	for (uint32_t i = 0; i < 1000; i++) {
		time = vec_push(&f.maker.model.interrupts.times);
		assert_non_null(time);
		*time = (struct interrupt_time){ INTERRUPT_SOFTIRQ, i % 7,     65535 - i % 3, 0,
						 UINT64_MAX,	    UINT64_MAX };
	}
	model_fact_set_u64(&f.maker.model, FACT_END_NS, 1);
	make_overview(&f, NULL);
	assert_int_equal(f.overview.timed.wall_ns, 0);
	assert_false(f.overview.timed.is_compared);
	assert_int_equal(f.overview.timed.levels[TIMED_SOFT].cpus.count, 5);
	assert_int_equal(f.overview.timed.levels[TIMED_SOFT].vectors.count, 7);
	finish(&f);
}

/* As many CPUs as a file can contain, in descending order. */
static void test_many_cpus(void **state)
{
	const struct timed_class *soft;
	struct interrupt_time *time;
	struct fixture f;

	model_maker_machine(&f.maker);
	vec_clear(&f.maker.model.interrupts.times);
	for (uint32_t i = 0; i < 16u * 65536; i++) {
		time = vec_push(&f.maker.model.interrupts.times);
		assert_non_null(time);
		*time = (struct interrupt_time){
			INTERRUPT_SOFTIRQ, i / 65536, 65535 - i % 65536, 0, 1, 10
		};
	}
	make_overview(&f, NULL);
	soft = &f.overview.timed.levels[TIMED_SOFT];
	assert_int_equal(soft->cpus.count, 65536);
	assert_int_equal(soft->vectors.count, 16);
	assert_int_equal(soft->count, 16 * 65536);
	for (uint32_t i = 0; i < 65536; i++) {
		assert_int_equal(soft->cpus.at[i].cpu, i);
		assert_int_equal(soft->cpus.at[i].count, 16);
		assert_int_equal(soft->cpus.at[i].ns, 160);
	}
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_beside_the_samples),
		cmocka_unit_test(test_victims),
		cmocka_unit_test(test_of_a_command),
		cmocka_unit_test(test_filters_leave_it_alone),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_odd_rows),
		cmocka_unit_test(test_many_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
