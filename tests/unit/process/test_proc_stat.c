/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/stat into the ledger. */
#include "support/test.h"

#include <unistd.h>

#include "base/clock.h"
#include "process/proc_stat.h"

static void parse(const char *text, uint64_t now_ns, struct ledger *ledger)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(file);
	assert_int_equal(proc_stat_parse(file, now_ns, ledger), 0);
	(void)fclose(file);
}

static void test_first_and_last(void **state)
{
	uint64_t tick_ns = NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	struct ledger ledger = { 0 };
	const struct cpu_ledger *cpu;

	parse("cpu  9 9 9 9 9 9 9 9 9 9\ncpu2 1 2 3 4 5 6 7 8 100 200\nintr 5 cpu7\n", 1000,
	      &ledger);
	parse("cpu2 11 12 13 14 15 16 17 18 100 200\n", 2000, &ledger);
	assert_int_equal(ledger.cpus.count, 1);
	cpu = &ledger.cpus.at[0];
	assert_int_equal(cpu->cpu, 2);
	assert_int_equal(cpu->start_ns, 1000);
	assert_int_equal(cpu->end_ns, 2000);
	for (int which = 0; which < CPU_TIME_COUNT; which++) {
		assert_int_equal(cpu->first_ns[which], (uint64_t)(which + 1) * tick_ns);
		assert_int_equal(cpu->last_ns[which], (uint64_t)(which + 11) * tick_ns);
	}
	ledger_fini(&ledger);
}

static void test_cut_lines_are_passed_over(void **state)
{
	struct ledger ledger = { 0 };

	parse("cpu0 1 2 3\ncpux 1 2 3 4 5 6 7 8\ncpu1 1 2 3 4 5 6 7 8", 1, &ledger);
	assert_int_equal(ledger.cpus.count, 1);
	assert_int_equal(ledger.cpus.at[0].cpu, 1);
	ledger_fini(&ledger);
}

static void test_this_machine(void **state)
{
	struct ledger ledger = { 0 };

	assert_int_equal(proc_stat_read(&ledger, NULL), 0);
	assert_int_equal(ledger.cpus.count, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(ledger.cpus.at[0].last_ns[CPU_TIME_USER] > 0);
	ledger_fini(&ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_and_last),
		cmocka_unit_test(test_cut_lines_are_passed_over),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
