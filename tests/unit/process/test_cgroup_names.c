/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of control groups by id, compared with what /proc says of tasks in these groups. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/cgroup_names.h"
#include "process/proc_read.h"

#define KTHREADD 2	/* this task is in the root group, like all kernel threads */

static bool is_kthreadd(void)
{
	char comm[32] = "";
	FILE *file = fopen("/proc/2/comm", "re");
	bool is_there = file && fgets(comm, sizeof(comm), file) != NULL;

	if (file)
		(void)fclose(file);
	return is_there && strcmp(comm, "kthreadd\n") == 0;
}

static void test_root(void **state)
{
	struct cgroup_names names;
	struct model model;
	char path[PROC_PATH_MAX];
	uint32_t name;

	if (!is_kthreadd() || proc_read_cgroup(KTHREADD, path) < 0)
		skip();
	assert_int_equal(model_init(&model), 0);
	cgroup_names_init(&names, &model);
	name = cgroup_names_find(&names, 1);
	if (name || names.root_is_known)
		assert_string_equal(model_string(&model, name), path);
	assert_int_equal(cgroup_names_find(&names, UINT64_MAX - 1), 0);
	cgroup_names_fini(&names);
	model_fini(&model);
}

/* In cgroup v2, the id of a group is the inode number of its directory. */
static void test_own(void **state)
{
	struct cgroup_names names;
	struct model model;
	struct stat directory;
	char own[PROC_PATH_MAX], path[PROC_PATH_MAX + 32];
	uint32_t name;

	assert_int_equal(model_init(&model), 0);
	cgroup_names_init(&names, &model);
	if (names.root_fd >= 0 && proc_read_cgroup((uint32_t)getpid(), own) == 0) {
		(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s", own);
		assert_int_equal(stat(path, &directory), 0);
		name = cgroup_names_find(&names, directory.st_ino);
		if (name)	/* the name is found only with the right to open by file handle */
			assert_string_equal(model_string(&model, name), own);
	}
	cgroup_names_fini(&names);
	model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
