/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's counters, live, compared with actions of known counts; and the CPUs on which PMUs
 * count.
 */
#include "support/test.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/counters.h"
#include "support/temp.h"

#define PAGES 200
#define NOBODY 65534

static struct event_groups parsed(const char *text)
{
	struct event_groups groups = { 0 };
	struct err err = { 0 };

	if (event_groups_parse(text, &groups, &err) < 0)
		fail_msg("'%s': %s", text, err.text);
	return groups;
}

/* Causes a page fault for each page, even where larger pages are available. */
static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		abort();
	(void)madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	(void)munmap(memory, PAGES * page);
}

static void touch_in_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		touch_pages();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void open_own(struct counters *counters, struct event_groups *groups, bool inherit)
{
	uint32_t tid = (uint32_t)gettid();
	const struct counters_options options = {
		.groups = groups,
		.tids = &tid,
		.tid_count = 1,
		.inherit = inherit,
	};
	struct err err = { 0 };

	if (counters_open(counters, &options, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_own_thread(void **state)
{
	struct event_groups groups = parsed("page-faults:u,{task-clock:u,page-faults:u},dummy:u");
	struct counter_reading readings[4];
	struct counters counters;

	open_own(&counters, &groups, false);
	assert_true(counters.grouped_read);
	touch_pages();
	counters_read(&counters, readings);
	assert_int_equal(readings[0].value, 0);
	counters_enable(&counters);
	touch_pages();
	touch_in_child();
	counters_disable(&counters);
	touch_pages();
	counters_read(&counters, readings);
	assert_in_range(readings[0].value, PAGES, 2 * PAGES - 1);
	assert_in_range(readings[2].value, PAGES, 2 * PAGES - 1);
	assert_int_equal(readings[3].value, 0);
	for (size_t i = 0; i < 4; i++) {
		assert_false(readings[i].failed);
		assert_true(readings[i].enabled_ns > 0);
		assert_int_equal(readings[i].enabled_ns, readings[i].running_ns);
	}
	counters_fini(&counters);
}

static void test_children(void **state)
{
	struct event_groups groups = parsed("{page-faults:u,task-clock:u},{minor-faults:u}");
	struct counter_reading readings[3];
	struct counters counters;

	open_own(&counters, &groups, true);
	counters_enable(&counters);
	touch_in_child();
	touch_in_child();
	counters_disable(&counters);
	counters_read(&counters, readings);
	assert_in_range(readings[0].value, 2 * PAGES, 3 * PAGES);
	assert_in_range(readings[2].value, 2 * PAGES, 3 * PAGES);
	assert_true(readings[1].value > 0);
	counters_fini(&counters);
}

/* Exited threads are left out if others still exist. If all have exited, opening fails. */
static void test_ended_threads(void **state)
{
	struct event_groups groups = parsed("task-clock:u");
	uint32_t tids[] = { 0, (uint32_t)gettid() };
	struct counters_options options = { .groups = &groups, .tids = tids, .tid_count = 2 };
	struct counter_reading readings[2];
	struct counters counters;
	struct err err = { 0 };
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	tids[0] = (uint32_t)pid;
	assert_int_equal(counters_open(&counters, &options, &err), 0);
	assert_int_equal(counters.absent, 1);
	counters_read(&counters, readings);
	assert_true(readings[0].absent && !readings[0].failed);
	assert_false(readings[1].absent || readings[1].failed);
	counters_fini(&counters);
	options.tid_count = 1;
	assert_int_equal(counters_open(&counters, &options, &err), -ESRCH);
}

/*
 * A CPU may have no counter for the first event of a group. Then the next event becomes the leader
 * there.
 */
static void test_group_without_its_first(void **state)
{
	struct event_groups two = parsed("{task-clock:u,page-faults:u}");
	struct event_groups four = parsed("{dummy:u,task-clock:u,dummy:u,page-faults:u}");
	struct counter_reading readings[4];
	struct counters opened, counters;

	open_own(&opened, &two, false);
	counters = opened;
	counters.groups = &four;
	counters.fds.at = (int[]){ -1, opened.fds.at[0], -1, opened.fds.at[1] };
	counters_enable(&opened);
	touch_pages();
	counters_disable(&opened);
	counters_read(&counters, readings);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(readings[i].absent, i % 2 == 0);
		assert_false(readings[i].failed);
	}
	assert_true(readings[1].value > 0);
	assert_in_range(readings[3].value, PAGES, 2 * PAGES - 1);
	/* the leader's read returns more values than there are counters */
	counters.fds.at[3] = -1;
	counters_read(&counters, readings);
	assert_true(readings[1].failed && readings[3].absent);
	counters_fini(&opened);
}

/* Runs in a child that has given up its privileges. Returns 0, or the line of the failed check. */
static int open_twice_unprivileged(void)
{
	struct event_groups groups = parsed("task-clock,page-faults");
	uint32_t tid = (uint32_t)gettid();
	struct counters_options options = { .groups = &groups, .tids = &tid, .tid_count = 1 };

	if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0)
		return __LINE__;
	for (int i = 0; i < 2; i++) {
		struct counters counters;

		if (counters_open(&counters, &options, NULL) < 0 || !groups.user_only)
			return __LINE__;
		counters_fini(&counters);
	}
	return 0;
}

/* When counters are opened again, for new threads, they still report what is left out. */
static void test_user_only_again(void **state)
{
	int paranoid = -1, line = -1, pipe_fds[2];
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	pid_t pid;

	if (!file || fscanf(file, "%d", &paranoid) != 1 || paranoid != 2 || getuid() != 0) {
		print_message("needs root and kernel.perf_event_paranoid=2\n");
		skip();
	}
	(void)fclose(file);
	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (pid == 0) {
		line = open_twice_unprivileged();
		_exit(write(pipe_fds[1], &line, sizeof(line)) != sizeof(line));
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(read(pipe_fds[0], &line, sizeof(line)), sizeof(line));
	assert_int_equal(line, 0);
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
}

/* Each kernel knows fewer than 1000 software events. */
static void test_errors_name_the_event(void **state)
{
	struct event_groups groups = parsed("task-clock:u,software/config=1000/u");
	uint32_t tid = (uint32_t)gettid();
	struct counters_options options = { .groups = &groups, .tids = &tid, .tid_count = 1 };
	struct counters counters;
	struct err err = { 0 };

	assert_true(counters_open(&counters, &options, &err) < 0);
	assert_non_null(strstr(err.text, "software/config=1000/u"));
	assert_int_equal(counters.fds.count, 0);
}

static void assert_cpus(const char *devices, uint32_t type, const char *want)
{
	struct cpus cpus = VEC_INIT, wanted = VEC_INIT;
	struct err err = { 0 };

	assert_int_equal(cpus_parse("0-7", &cpus, NULL), 0);
	assert_int_equal(cpus_parse(want, &wanted, NULL), 0);
	if (counters_cpus(devices, type, &cpus, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(cpus.count, wanted.count);
	assert_memory_equal(cpus.at, wanted.at, cpus.count * sizeof(*cpus.at));
	cpus_fini(&cpus);
	cpus_fini(&wanted);
}

static void test_cpus_of_pmus(void **state)
{
	static const char *const files[][2] = {
		{ "cpu/type", "4\n" },	       { "uncore/type", "17\n" },
		{ "uncore/cpumask", "0,4\n" }, { "little/type", "18\n" },
		{ "little/cpus", "2-3\n" },    { "odd/type", "19\n" },
		{ "odd/cpumask", "many\n" },   { "empty/type", "20\n" },
		{ "empty/cpumask", "\n" },
	};
	struct temp_dir dir = temp_dir_make();
	struct cpus cpus = VEC_INIT;
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		(void)temp_file(&dir, files[i][0], files[i][1], strlen(files[i][1]));
	assert_cpus(dir.path, 4, "0-7");
	assert_cpus(dir.path, 17, "0,4");
	assert_cpus(dir.path, 18, "2-3");
	assert_cpus(dir.path, 20, "0-7");
	assert_cpus(dir.path, 99, "0-7");
	assert_true(counters_cpus(dir.path, 19, &cpus, &err) < 0);
	assert_non_null(strstr(err.text, "many"));
	temp_dir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_thread),
		cmocka_unit_test(test_children),
		cmocka_unit_test(test_ended_threads),
		cmocka_unit_test(test_errors_name_the_event),
		cmocka_unit_test(test_group_without_its_first),
		cmocka_unit_test(test_cpus_of_pmus),
		cmocka_unit_test(test_user_only_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
