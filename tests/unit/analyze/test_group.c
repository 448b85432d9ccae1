/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/test.h"

#include "analyze/group.h"
#include "analyze/tally.h"
#include "tests/support/model_maker.h"

static struct model_maker maker;
static struct profile profile;

static int setup(void **state)
{
	const struct profile_options options = { .by_address = true,
						 .by_cpu = true,
						 .slice_ns = 1000000000 };
	struct tally tally;

	model_maker_machine(&maker);
	assert_int_equal(tally_init(&tally, &maker.model, &options, 25000, &profile), 0);
	assert_int_equal(tally_batch(&tally, &maker.batch), 0);
	tally_fini(&tally);
	return 0;
}

static int teardown(void **state)
{
	profile_fini(&profile);
	model_maker_fini(&maker);
	return 0;
}

static void assert_top(const char *by_text, const char *label, uint64_t samples, size_t rows)
{
	enum dimension by[GROUP_KEYS_MAX];
	struct group_table table;
	char text[256];
	uint64_t sum = 0;
	size_t count;

	assert_int_equal(dimensions_parse(by_text, by, &count, NULL), 0);
	assert_int_equal(group_hits(&profile, by, count, NULL, NULL, &table), 0);
	group_sort_by_rank(&table);
	group_label(&profile, by[count - 1], table.rows.at[0].key[count - 1], text, sizeof(text));
	assert_string_equal(text, label);
	assert_int_equal(table.rows.at[0].count.samples, samples);
	assert_int_equal(table.rows.count, rows);
	for (size_t i = 0; i < table.rows.count; i++)
		sum += table.rows.at[i].count.samples;
	assert_int_equal(sum, 8955);
	assert_int_equal(table.total.samples, 8955);
	assert_int_equal(table.idle_samples, 500);
	assert_int_equal(table.late_samples, 380);
	group_table_fini(&table);
}

static void test_dimensions(void **state)
{
	assert_top("process", "burn 100", 6105, 5);
	assert_top("instance", "burn#1", 6105, 5);
	assert_top("application", "burn", 6105, 5);
	assert_top("thread", "burn 100", 6105, 5);
	assert_top("tgid", "100", 6105, 5);
	assert_top("comm", "burn", 6105, 5);
	assert_top("uid", "1000", 8305, 2);
	assert_top("image", "/usr/bin/burn", 5000, 6);
	assert_top("function", "burn_hot", 4000, 15);
	assert_top("cpu", "0", 6105, 2);
	assert_top("cgroup", "/user.slice", 8305, 2);
	assert_top("context", "user", 6115, 7);
	assert_top("event", "cpu-clock", 8955, 1);
	assert_top("time", "0.000s-1.000s", 1000, 9);
	assert_top("application,context", "user", 5005, 12);
	assert_top("context,application,function", "burn_hot", 4000, 17);
}

static void test_address(void **state)
{
	const enum dimension by[] = { BY_ADDRESS };
	struct group_table table;
	char text[256], expected[64];

	assert_int_equal(group_hits(&profile, by, 1, NULL, NULL, &table), 0);
	group_sort_by_rank(&table);
	group_label(&profile, BY_ADDRESS, table.rows.at[0].key[0], text, sizeof(text));
	(void)snprintf(expected, sizeof(expected), "0x%llx burn",
		       (unsigned long long)maker.model.locations.at[table.rows.at[0].key[0]].vaddr);
	assert_string_equal(text, expected);
	group_table_fini(&table);
}

static bool is_late(const void *context, const struct profile *p, const struct hit *hit)
{
	return hit->late;
}

static void test_want_and_shares(void **state)
{
	const enum dimension by[] = { BY_FUNCTION };
	struct interval whole = interval_share(380, 380), share;
	struct group_table table;

	assert_int_equal(group_hits(&profile, by, 1, is_late, NULL, &table), 0);
	group_sort_by_rank(&table);
	assert_int_equal(table.rows.count, 1);
	assert_int_equal(table.rows.at[0].count.samples, 380);
	assert_int_equal(table.rows.at[0].late_samples, 380);
	assert_int_equal(table.rows.at[0].count.weight, UINT64_C(380) * MAKER_PERIOD_NS);
	share = count_interval(&table.rows.at[0].count, group_row_total(&table, table.rows.at),
			       false);
	assert_true(share.low == whole.low);
	group_table_fini(&table);
}

/* Idle time is excluded by its context, and the rows of another event by the event. */
static void test_selection(void **state)
{
	const enum dimension by[] = { BY_CPU };
	struct group_selection busy = { 0, GROUP_CONTEXTS_BUSY }, other = { 1, GROUP_CONTEXTS_ALL };
	struct group_table table;

	assert_int_equal(group_hits(&profile, by, 1, group_is_selected, &busy, &table), 0);
	group_sort_by_rank(&table);
	assert_int_equal(table.total.samples, 8455);
	assert_int_equal(table.idle_samples, 0);
	group_table_fini(&table);
	assert_int_equal(group_hits(&profile, by, 1, group_is_selected, &other, &table), 0);
	group_sort_by_rank(&table);
	assert_int_equal(table.total.samples, 0);
	group_table_fini(&table);
}

/*
 * Cycles sampled at a frequency: 50 samples of 100 in one function, 10 of 900 in the other. The
 * second function used 9000 of 14000 cycles. Its interval is that of 22.8 equal samples: 14000^2 /
 * 8600000.
 */
static void test_weights(void **state)
{
	const enum dimension by[] = { BY_FUNCTION };
	const struct maker_frame frames[] = {
		{ "a", IMAGE_FILE, "often", QUALITY_SYMTAB, false },
		{ "a", IMAGE_FILE, "seldom", QUALITY_SYMTAB, false },
	};
	const uint64_t weights[] = { 100, 900 };
	struct interval share, want = interval_of(9000.0 / 14000 * 22.790697674, 22.790697674);
	struct model_maker cycles;
	struct profile counted;
	struct group_table table;
	struct tally tally;
	char name[16];

	model_maker_init(&cycles);
	cycles.model.events.at[0].is_time = false;
	cycles.model.events.at[0].period = 0;
	cycles.model.events.at[0].frequency_hz = 1000;
	for (size_t i = 0; i < 2; i++) {
		size_t first = cycles.batch.samples.count;

		maker_samples(&cycles,
			      &(struct maker_run){
				      .stack = maker_stack(&cycles, STACK_ROOT_END, &frames[i]),
				      .count = i ? 10 : 50 });
		while (first < cycles.batch.samples.count)
			cycles.batch.samples.at[first++].weight = weights[i];
	}
	assert_int_equal(
		tally_init(&tally, &cycles.model, &(struct profile_options){ 0 }, 0, &counted), 0);
	assert_int_equal(tally_batch(&tally, &cycles.batch), 0);
	tally_fini(&tally);
	assert_int_equal(group_hits(&counted, by, 1, NULL, NULL, &table), 0);
	group_sort_by_rank(&table);
	group_label(&counted, BY_FUNCTION, table.rows.at[0].key[0], name, sizeof(name));
	assert_string_equal(name, "seldom");
	assert_float_equal(count_share(&table.rows.at[0].count, &table.total, true), 9.0 / 14,
			   1e-9);
	share = count_interval(&table.rows.at[0].count, &table.total, true);
	assert_float_equal(share.low, want.low, 1e-6);
	assert_float_equal(share.high, want.high, 1e-6);
	group_table_fini(&table);
	profile_fini(&counted);
	model_maker_fini(&cycles);
}

static void test_slices(void **state)
{
	const enum dimension by[] = { BY_PROCESS, BY_FUNCTION };
	const struct group_row *rows;
	struct group_table table;
	size_t count, total = 0;

	assert_int_equal(group_hits(&profile, by, 2, NULL, NULL, &table), 0);
	group_sort_by_rank(&table);
	group_sort_by_first_key(&table);
	for (uint64_t process = 0; process <= maker.model.processes.count; process++) {
		rows = group_slice(&table, process, &count);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(rows[i].key[0], process);
		for (size_t i = 1; i < count; i++)
			assert_true(rows[i - 1].count.samples >= rows[i].count.samples);
		total += count;
	}
	assert_int_equal(total, table.rows.count);
	group_table_fini(&table);
}

static void assert_refused(const char *by_text, const char *expected)
{
	enum dimension by[GROUP_KEYS_MAX];
	struct err err = { 0 };
	size_t count;

	assert_int_equal(dimensions_parse(by_text, by, &count, &err), -EINVAL);
	if (!strstr(err.text, expected))
		fail_msg("'%s' says nothing of '%s'", err.text, expected);
}

static void test_parse(void **state)
{
	assert_refused("process,fun", "'fun' is not a dimension");
	assert_refused("fun", "application, thread, tgid");
	assert_refused("", "not a dimension");
	assert_refused("process,blocks", "did you mean 'block'");
	assert_refused("process,nowhere", "address, line, block, cpu");
	assert_refused("cpu,comm,uid,image,tgid,event,time", "at most 6");
	assert_refused("cpu,comm,cpu", "cpu is named twice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dimensions),	cmocka_unit_test(test_address),
		cmocka_unit_test(test_want_and_shares), cmocka_unit_test(test_selection),
		cmocka_unit_test(test_weights),		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_parse),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
