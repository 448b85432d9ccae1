/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The overview and its two parts, account and health. */
#include "overview_fixture.h"

#define MS INT64_C(1000000)

static void test_totals(void **state)
{
	struct fixture f;

	model_maker_machine(&f.maker);
	make_overview(&f, NULL);
	assert_true(f.overview.is_time);
	assert_int_equal(f.overview.all.samples, 8955);
	assert_int_equal(f.overview.busy.samples, 8455);
	assert_int_equal(f.overview.user.samples, 6115);
	assert_int_equal(f.overview.sys.samples, 500 + 200 + 600 + 400 + 150 + 40);
	assert_int_equal(f.overview.interrupt.samples, 450);
	assert_int_equal(f.overview.contexts[CONTEXT_IDLE].samples, 500);
	assert_int_equal(f.overview.processes_sampled, 5);
	assert_int_equal(f.overview.processes_seen, 11);
	assert_int_equal(f.overview.applications_seen, 5);
	finish(&f);
}

static void test_processes(void **state)
{
	const struct owner *burn, *server;
	struct fixture f;
	size_t count;

	model_maker_machine(&f.maker);
	make_overview(&f, NULL);
	assert_int_equal(f.overview.processes.list.count, 4);	/* all but the idle task */
	burn = &f.overview.processes.list.at[0];
	server = &f.overview.processes.list.at[1];
	assert_int_equal(burn->user.samples, 5005);
	assert_int_equal(burn->sys.samples, 700);
	assert_int_equal(burn->interrupt.samples, 400);
	assert_int_equal(server->all.samples, 2100);
	assert_int_equal(group_slice(&f.overview.process_user, burn->id, &count)->count.samples,
			 4000);
	assert_int_equal(count, 3);
	(void)group_slice(&f.overview.process_kernel, burn->id, &count);
	assert_int_equal(count, 2);
	assert_int_equal(f.overview.kernel.total.samples, 1890 + 450);
	assert_int_equal(f.overview.hardirq.total.samples, 150);
	assert_int_equal(f.overview.hardirq_victims.rows.count, 2);
	assert_int_equal(f.overview.softirq.total.samples, 300);
	finish(&f);
}

static void test_absorbers(void **state)
{
	struct fixture f;
	size_t marked = 0;

	model_maker_machine(&f.maker);
	make_overview(&f, NULL);
	for (size_t i = 0; i < f.overview.functions.rows.count; i++)
		if (group_row_absorbs(&f.overview.functions.rows.at[i])) {
			assert_int_equal(f.overview.functions.rows.at[i].late_samples, 380);
			marked++;
		}
	assert_int_equal(marked, 1);
	finish(&f);
}

/* Every nanosecond of two CPUs in ten seconds is accounted for. */
static void test_ledger_closes(void **state)
{
	const struct account *account;
	const struct account_column *total;
	struct fixture f;

	model_maker_machine(&f.maker);
	make_overview(&f, NULL);
	account = &f.overview.account;
	total = &account->total;
	assert_null(account->missing);
	assert_int_equal(account->cpus.count, 2);
	assert_int_equal(total->wall_ns, 20000 * MS);
	assert_int_equal(total->ns[ACCOUNT_USER], 6055 * MS);
	assert_int_equal(total->ns[ACCOUNT_SYSTEM], 1700 * MS);
	assert_int_equal(total->ns[ACCOUNT_KTHREAD], 150 * MS);
	assert_int_equal(total->ns[ACCOUNT_SOFTIRQ], 300 * MS);
	assert_int_equal(total->ns[ACCOUNT_HARDIRQ], 150 * MS);
	assert_int_equal(total->ns[ACCOUNT_SELF], 100 * MS);
	assert_int_equal(total->ns[ACCOUNT_IDLE], 11530 * MS);
	assert_int_equal(total->ns[ACCOUNT_STEAL], 10 * MS);
	assert_int_equal(total->ns[ACCOUNT_LOST], 5 * MS);
	assert_int_equal(total->ns[ACCOUNT_UNACCOUNTED], 0);
	assert_int_equal(total->busy_ns, 8455 * MS);
	assert_int_equal(total->kernel_busy_ns, 8460 * MS);
	assert_int_equal(account->cpus.at[0].ns[ACCOUNT_UNACCOUNTED], 0);
	assert_int_equal(account->cpus.at[1].ns[ACCOUNT_UNACCOUNTED], 5 * MS);
	assert_false(account->unaccounted_warns || account->disagreement_warns);
	finish(&f);
}

static void test_ledger_warns(void **state)
{
	struct fixture f;
	uint64_t *user_ns, *idle_ns;

	model_maker_machine(&f.maker);
	user_ns = &f.maker.model.ledger.cpus.at[0].last_ns[CPU_TIME_USER];
	idle_ns = &f.maker.model.ledger.cpus.at[1].last_ns[CPU_TIME_IDLE];
	*user_ns += 394 * (uint64_t)MS;	/* with the 5 lost samples, just below 2 % of 20 s */
	make_overview(&f, NULL);
	assert_false(f.overview.account.disagreement_warns);
	overview_fini(&f.overview);

	*user_ns += 2 * (uint64_t)MS;
	assert_int_equal(overview_make(&f.profile, 0, 0, &f.overview), 0);
	assert_true(f.overview.account.disagreement_warns);
	assert_false(f.overview.account.unaccounted_warns);
	assert_int_equal(f.overview.account.disagreement, ACCOUNT_CLASS_USER);
	assert_float_equal(f.overview.account.disagreement_share, -0.02005, 1e-9);
	overview_fini(&f.overview);

	/* more than interrupts of the idle task can explain */
	*idle_ns -= 1000 * (uint64_t)MS;
	assert_int_equal(overview_make(&f.profile, 0, 0, &f.overview), 0);
	assert_true(f.overview.account.unaccounted_warns);
	finish(&f);
}

/* Errors of opposite sign in two classes do not cancel out. */
static void test_ledger_by_class(void **state)
{
	const struct account *account;
	struct fixture f;

	model_maker_machine(&f.maker);
	f.maker.model.ledger.cpus.at[0].last_ns[CPU_TIME_USER] -= 505 * (uint64_t)MS;
	f.maker.model.ledger.cpus.at[0].last_ns[CPU_TIME_SOFTIRQ] += 600 * (uint64_t)MS;
	make_overview(&f, NULL);
	account = &f.overview.account;
	assert_int_equal(account->total.class_ns[ACCOUNT_CLASS_USER], 6115 * MS);
	assert_int_equal(account->total.class_ns[ACCOUNT_CLASS_SYSTEM], 1890 * MS);
	assert_int_equal(account->total.class_ns[ACCOUNT_CLASS_INTERRUPT], 450 * MS);
	assert_true(account->disagreement_warns);
	assert_int_equal(account->disagreement, ACCOUNT_CLASS_INTERRUPT);
	assert_float_equal(account->disagreement_share, -0.03, 1e-9);
	finish(&f);
}

/*
 * The time that /proc/stat leaves unexplained on idle CPUs counts as wake-ups, but at most 25 us
 * per period.
 */
static void test_ledger_wakes(void **state)
{
	struct account_column *total;
	struct fixture f;
	uint64_t *idle_ns;

	model_maker_machine(&f.maker);
	idle_ns = &f.maker.model.ledger.cpus.at[1].last_ns[CPU_TIME_IDLE];
	*idle_ns -= 100 * (uint64_t)MS;
	make_overview(&f, NULL);
	total = &f.overview.account.total;
	assert_int_equal(total->ns[ACCOUNT_WAKE], 100 * MS);
	assert_int_equal(total->ns[ACCOUNT_UNACCOUNTED], 0);
	overview_fini(&f.overview);

	*idle_ns -= 1000 * (uint64_t)MS;
	assert_int_equal(overview_make(&f.profile, 0, 0, &f.overview), 0);
	assert_int_equal(total->ns[ACCOUNT_WAKE], 6535 * MS / 40);	/* 25 us of each ms */
	assert_int_equal(total->ns[ACCOUNT_UNACCOUNTED], 1100 * MS - 6535 * MS / 40);
	finish(&f);
}

/*
 * Other interrupts than the timer's, too, hit idle CPUs. Their time is known as far as ticks found
 * the CPU idle for longer than the idle clock ran.
 */
static void test_ledger_wakes_by_ticks(void **state)
{
	struct account_column *total;
	struct cpu_ledger *cpu;
	struct fixture f;
	uint64_t idle_ticks, stored;

	model_maker_machine(&f.maker);
	cpu = &f.maker.model.ledger.cpus.at[1];
	idle_ticks = (cpu->last_ns[CPU_TIME_IDLE] - cpu->first_ns[CPU_TIME_IDLE]) / MAKER_PERIOD_NS;
	cpu->last_ns[CPU_TIME_IDLE] -= 1000 * (uint64_t)MS;
	make_overview(&f, NULL);
	total = &f.overview.account.total;
	stored = f.profile.cpus.at[1].samples[CONTEXT_IDLE];
	overview_fini(&f.overview);

	cpu->idle_count = idle_ticks - 300 - stored;	/* 700 more than the idle clock's */
	assert_int_equal(overview_make(&f.profile, 0, 0, &f.overview), 0);
	assert_int_equal(total->ns[ACCOUNT_WAKE], 700 * MS);
	assert_int_equal(total->ns[ACCOUNT_UNACCOUNTED], 300 * MS);
	overview_fini(&f.overview);

	cpu->idle_count += 1000;	/* never more than is left */
	assert_int_equal(overview_make(&f.profile, 0, 0, &f.overview), 0);
	assert_int_equal(total->ns[ACCOUNT_WAKE], 1000 * MS);
	assert_int_equal(total->ns[ACCOUNT_UNACCOUNTED], 0);
	finish(&f);
}

/*
 * The idle task of CPU 0 was never sampled, so the unexplained time there is unsampled interrupt
 * time.
 */
static void test_ledger_mute_cpu(void **state)
{
	struct account *account;
	struct fixture f;

	model_maker_machine(&f.maker);
	f.maker.model.ledger.cpus.at[0].last_ns[CPU_TIME_IDLE] -= 1000 * (uint64_t)MS;
	make_overview(&f, NULL);
	account = &f.overview.account;
	assert_true(account->cpus.at[0].mute);
	assert_false(account->cpus.at[1].mute);
	assert_int_equal(account->total.ns[ACCOUNT_WAKE], 2895 * MS / 40);
	assert_int_equal(account->cpus.at[0].ns[ACCOUNT_UNSAMPLED], 1000 * MS - 2895 * MS / 40);
	assert_int_equal(account->total.ns[ACCOUNT_UNACCOUNTED], 0);
	overview_fini(&f.overview);

	/* losses are known for all CPUs together; they are used before estimates */
	f.maker.model.losses.count[LOSS_SAMPLE_RING_FULL] += 500;
	assert_int_equal(overview_make(&f.profile, 0, 0, &f.overview), 0);
	assert_int_equal(account->total.ns[ACCOUNT_UNSAMPLED], 500 * MS - 2895 * MS / 40);
	assert_int_equal(account->total.ns[ACCOUNT_UNACCOUNTED], 0);
	finish(&f);
}

/* Idle ticks that were only counted are as good as samples of the idle task. */
static void test_ledger_counted_idle_ticks(void **state)
{
	struct cpu_ledger *cpu;
	struct fixture f;
	uint64_t ticks;

	model_maker_machine(&f.maker);
	cpu = &f.maker.model.ledger.cpus.at[0];
	ticks = (cpu->last_ns[CPU_TIME_IDLE] - cpu->first_ns[CPU_TIME_IDLE]) / MAKER_PERIOD_NS;
	cpu->idle_count = ticks / 100;
	make_overview(&f, NULL);
	assert_true(f.overview.account.cpus.at[0].mute);
	overview_fini(&f.overview);
	cpu->idle_count = ticks;
	assert_int_equal(overview_make(&f.profile, 0, 0, &f.overview), 0);
	assert_false(f.overview.account.cpus.at[0].mute);
	assert_int_equal(f.overview.account.cpus.at[0].ns[ACCOUNT_UNSAMPLED], 0);
	finish(&f);
}

/*
 * Stolen time is inside samples and idle time. It can explain unaccounted time and adds nothing
 * else.
 */
static void test_ledger_steal(void **state)
{
	struct account *account;
	struct fixture f;

	model_maker_machine(&f.maker);
	f.maker.model.ledger.cpus.at[1].last_ns[CPU_TIME_STEAL] += 3000 * (uint64_t)MS;
	make_overview(&f, NULL);
	account = &f.overview.account;
	assert_int_equal(account->total.ns[ACCOUNT_STEAL], 10 * MS);
	assert_int_equal(account->total.ns[ACCOUNT_UNACCOUNTED], 0);
	overview_fini(&f.overview);

	f.maker.model.ledger.cpus.at[1].last_ns[CPU_TIME_IDLE] -= 1000 * (uint64_t)MS;
	assert_int_equal(overview_make(&f.profile, 0, 0, &f.overview), 0);
	assert_int_equal(account->total.ns[ACCOUNT_STEAL], 1010 * MS);
	assert_int_equal(account->total.ns[ACCOUNT_UNACCOUNTED], 0);
	finish(&f);
}

/* The events share the rings, so it is unknown which event lost samples. */
static void test_ledger_two_events(void **state)
{
	struct fixture f;
	struct event *event;

	model_maker_machine(&f.maker);
	event = vec_push(&f.maker.model.events);
	*event = (struct event){ .period = 1000 };
	make_overview(&f, NULL);
	assert_false(f.overview.account.lost_known);
	assert_int_equal(f.overview.account.total.ns[ACCOUNT_LOST], 0);
	finish(&f);
}

static void test_applications(void **state)
{
	const struct owner *burn;
	struct fixture f;
	size_t count;

	model_maker_machine(&f.maker);
	make_overview(&f, NULL);
	burn = &f.overview.applications.list.at[0];
	assert_int_equal(f.overview.applications.list.count, 4);
	assert_int_equal(burn->processes, 1);
	assert_int_equal(burn->all.samples, 6105);
	assert_int_equal(burn->interrupt.samples, 400);
	assert_int_equal(group_slice(&f.overview.application_user, burn->id, &count)->count.samples,
			 4000);
	assert_int_equal(count, 3);
	finish(&f);
}

static void assert_no_ledger(enum fact_id fact, const char *value, const char *why)
{
	struct fixture f;

	model_maker_machine(&f.maker);
	model_fact_set(&f.maker.model, fact, "%s", value);
	make_overview(&f, NULL);
	assert_string_equal(f.overview.account.missing, why);
	finish(&f);
}

static void test_ledger_missing(void **state)
{
	struct filter filter = FILTER_INIT;
	struct fixture f;

	assert_no_ledger(FACT_TARGET, "command", "not the whole machine was sampled");
	assert_no_ledger(FACT_SCOPE, "task", "tasks were sampled, not CPUs");
	assert_int_equal(filter_add(&filter, "cpu", "0", NULL), 0);
	model_maker_machine(&f.maker);
	make_overview(&f, &filter);
	assert_string_equal(f.overview.account.missing, "a filter is in force");
	finish(&f);
	filter_fini(&filter);
}

static void test_health(void **state)
{
	const struct health *health;
	struct fixture f;

	model_maker_machine(&f.maker);
	make_overview(&f, NULL);
	health = &f.overview.health;
	assert_int_equal(health->samples, 8955);
	/* user stacks from _start, and those of kernel tasks */
	assert_int_equal(health->stack_ends[STACK_WHOLE], 6115 + 150 + 500);
	assert_int_equal(health->stack_ends[STACK_TRUNCATED], 540);
	assert_int_equal(health->stack_ends[STACK_BROKEN], 200);
	/* kernel stacks of processes without a user part */
	assert_int_equal(health->stack_ends[STACK_NO_USER], 300 + 100 + 600 + 400 + 50);
	assert_int_equal(health->stack_ends[STACK_ELSEWHERE], 0);
	assert_int_equal(health->qualities[QUALITY_DYNSYM], 5);
	assert_int_equal(health->qualities[QUALITY_BRACKET], 200);
	assert_int_equal(health->qualities[QUALITY_NONE], 50);
	assert_int_equal(health->unresolved.rows.count, 1);
	assert_int_equal(health->unresolved.total.samples, 50);
	finish(&f);
}

/*
 * A clock event with a changed rate: shares are of time, and a lost sample counts as an average
 * sample.
 */
static void test_changed_rate(void **state)
{
	struct fixture f;

	model_maker_machine(&f.maker);
	f.maker.model.events.at[0].frequency_hz = 1000;
	for (size_t i = 0; i < f.maker.batch.samples.count; i++)
		f.maker.batch.samples.at[i].weight = (i % 2 ? 3 : 1) * MAKER_PERIOD_NS;
	make_overview(&f, NULL);
	assert_true(f.overview.is_time && f.overview.by_weight);
	assert_int_equal(f.overview.all.weight / 1000, 17909 * MS / 1000);
	assert_int_equal(f.overview.account.total.ns[ACCOUNT_LOST], 17909 * MS / 8955 * 5);
	finish(&f);
}

static void test_walks(void **state)
{
	const struct walks *walks;
	struct fixture f;

	model_maker_machine(&f.maker);
	make_overview(&f, NULL);
	walks = &f.overview.health.walks;
	assert_int_equal(walks->walked, 6000);
	assert_int_equal(walks->ended, 5900);
	assert_int_equal(walks->rows.count, 2);		/* libc did not stop any walk */
	assert_int_equal(walks->rows.at[0].cut, 80);
	assert_int_equal(walks->rows.at[0].most, WALK_STOP_NO_TABLE);
	assert_int_equal(walks->rows.at[1].health.frame_pointer_frames, 400);
	assert_string_not_equal(
		walks_advice(&f.maker.model, walks->rows.at[0].image, WALK_STOP_NO_TABLE),
		walks_advice(&f.maker.model, walks->rows.at[1].image, WALK_STOP_NO_TABLE));
	finish(&f);
}

/* An empty recording: no facts, no events, no samples. */
static void test_empty(void **state)
{
	struct fixture f = { 0 };

	assert_int_equal(model_init(&f.maker.model), 0);
	make_overview(&f, NULL);
	assert_int_equal(f.overview.all.samples, 0);
	assert_int_equal(f.overview.processes.list.count, 0);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_absorbers),
		cmocka_unit_test(test_ledger_closes),
		cmocka_unit_test(test_ledger_warns),
		cmocka_unit_test(test_ledger_missing),
		cmocka_unit_test(test_ledger_by_class),
		cmocka_unit_test(test_ledger_wakes),
		cmocka_unit_test(test_ledger_wakes_by_ticks),
		cmocka_unit_test(test_ledger_two_events),
		cmocka_unit_test(test_ledger_mute_cpu),
		cmocka_unit_test(test_ledger_counted_idle_ticks),
		cmocka_unit_test(test_ledger_steal),
		cmocka_unit_test(test_applications),
		cmocka_unit_test(test_health),
		cmocka_unit_test(test_changed_rate),
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
