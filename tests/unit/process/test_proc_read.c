/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc of this process and its children, and file content that /proc could have. */
#include "support/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/proc_read.h"

static void assert_comm_survives(const char *comm)
{
	struct proc_task task;

	assert_int_equal(prctl(PR_SET_NAME, comm), 0);
	assert_int_equal(proc_read_task((uint32_t)getpid(), (uint32_t)getpid(), &task), 0);
	assert_string_equal(task.comm, comm);
	assert_int_equal(task.parent_tgid, getppid());
}

static void test_comm_of_any_bytes(void **state)
{
	assert_comm_survives(") R 1 (");
	assert_comm_survives("a\nb\\c\\n");
	assert_comm_survives("\x1b[31m\xff\x01");
	assert_comm_survives("((((((");
	assert_comm_survives("test");
}

static void test_start_time(void **state)
{
	uint64_t before_ns = clock_monotonic_ns(), after_ns;
	struct proc_task task = { 0 };
	pid_t child = fork();
	int rc;

	assert_true(child >= 0);
	if (child == 0)
		(void)pause();
	after_ns = clock_monotonic_ns();
	rc = proc_read_task((uint32_t)child, (uint32_t)child, &task);
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	assert_int_equal(rc, 0);
	assert_in_range(task.start_ns, before_ns - 20 * NS_PER_MSEC, after_ns + 20 * NS_PER_MSEC);
	assert_false(task.kernel_thread);
	assert_int_equal(proc_read_task((uint32_t)child, (uint32_t)child, &task), -ENOENT);
}

static void test_kernel_thread(void **state)
{
	struct proc_task task;
	char path[PROC_PATH_MAX];

	if (proc_read_task(2, 2, &task) < 0 || strcmp(task.comm, "kthreadd") != 0) {
		print_message("skipped: no kernel threads in this pid namespace\n");
		skip();
	}
	assert_true(task.kernel_thread);
	assert_true(proc_read_exe(2, path) < 0);
}

static void test_worker_loses_its_work(void **state)
{
	static const char line[] = "77 (kworker/u8:3-events_unbound) I 2 0 0 0 -1 69238880 0 0 0 0 "
				   "0 0 0 0 20 0 1 0 500 0";
	struct proc_task task;

	assert_int_equal(proc_parse_task(line, sizeof(line) - 1, &task), 0);
	assert_string_equal(task.comm, "kworker/u8:3");
	assert_true(task.kernel_thread);
	assert_int_equal(task.parent_tgid, 2);
}

static void test_cut_stat_lines(void **state)
{
	static const char line[] = "7 (x) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 500 0";
	struct proc_task task;
	char cut[sizeof(line)];

	assert_int_equal(proc_parse_task(line, sizeof(line) - 1, &task), 0);
	for (size_t length = 0; length < sizeof(line) - 6; length++) {
		memcpy(cut, line, length);
		cut[length] = '\0';
		assert_int_equal(proc_parse_task(cut, length, &task), -EINVAL);
	}
	assert_int_equal(proc_parse_task("7 )x( S 1", 9, &task), -EINVAL);
}

static void test_maps_lines(void **state)
{
	char line[] = "7f10-7f30 r-xp 00002000 fe:01 42     /a\\012b c (deleted)\n";
	char data[] = "7f10-7f30 rw-p 00002000 fe:01 42 /data\n";
	char anonymous[] = "7f10-7f30 rwxp 00000000 00:00 0 \n";
	char backwards[] = "7f30-7f10 r-xp 00000000 00:00 0 \n";
	char cut[] = "7f10-7f30 r-xp 000";
	struct record_mmap mapping;

	assert_true(proc_parse_mapping(line, &mapping));
	assert_int_equal(mapping.start_addr, 0x7f10);
	assert_int_equal(mapping.size_bytes, 0x20);
	assert_int_equal(mapping.offset, 0x2000);
	assert_int_equal(mapping.dev, makedev(0xfe, 1));
	assert_int_equal(mapping.inode, 42);
	assert_string_equal(mapping.path, "/a\nb c (deleted)");
	assert_false(proc_parse_mapping(data, &mapping));
	assert_true(proc_parse_mapping(anonymous, &mapping));
	assert_string_equal(mapping.path, "");
	assert_false(proc_parse_mapping(backwards, &mapping));
	assert_false(proc_parse_mapping(cut, &mapping));
}

static int find_page(void *context, const struct record_mmap *mapping)
{
	uint64_t addr = *(uint64_t *)context;

	return addr >= mapping->start_addr && addr - mapping->start_addr < mapping->size_bytes
		       ? -EEXIST
		       : 0;
}

static void test_own_maps(void **state)
{
	uint64_t code = (uint64_t)(uintptr_t)test_own_maps, data;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	data = (uint64_t)(uintptr_t)page;
	assert_int_equal(proc_read_maps((uint32_t)getpid(), find_page, &code), -EEXIST);
	assert_int_equal(proc_read_maps((uint32_t)getpid(), find_page, &data), 0);
	(void)munmap(page, 4096);
}

static void test_owner(void **state)
{
	char path[PROC_PATH_MAX], own[PROC_PATH_MAX] = { 0 };
	uint32_t uid, inner;

	assert_int_equal(proc_read_status((uint32_t)getpid(), &uid, &inner), 0);
	assert_int_equal(uid, getuid());
	assert_int_equal(inner, getpid());
	assert_int_equal(proc_read_exe((uint32_t)getpid(), path), 0);
	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	assert_string_equal(path, own);
	if (proc_read_cgroup((uint32_t)getpid(), path) == 0)
		assert_int_equal(path[0], '/');
}

static void test_deleted_mark(void **state)
{
	char marked[] = "/usr/bin/x (deleted)", plain[] = "/usr/bin/x", only[] = " (deleted)";

	proc_strip_deleted(marked);
	assert_string_equal(marked, "/usr/bin/x");
	proc_strip_deleted(plain);
	assert_string_equal(plain, "/usr/bin/x");
	proc_strip_deleted(only);
	assert_string_equal(only, " (deleted)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comm_of_any_bytes),
		cmocka_unit_test(test_start_time),
		cmocka_unit_test(test_kernel_thread),
		cmocka_unit_test(test_worker_loses_its_work),
		cmocka_unit_test(test_cut_stat_lines),
		cmocka_unit_test(test_maps_lines),
		cmocka_unit_test(test_own_maps),
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_deleted_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
