/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that this process maps, on a file system that has no device, as overlayfs. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/model.h"
#include "process/mapped_files.h"

#define CODE_BYTES 4096
#define SKIPPED 77
#define NOT_ITS_INODE 1

struct fixture {
	struct model model;
	struct pins *pins;
	struct mapped_files *files;
	char *at;			/* where code can be mapped */
	char paths[2][32];
	struct stat status[2];
};

static void make_file(struct fixture *f, int i)
{
	int fd;

	(void)snprintf(f->paths[i], sizeof(f->paths[i]), "%s/assay-test-XXXXXX",
		       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	fd = mkstemp(f->paths[i]);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, CODE_BYTES), 0);
	assert_int_equal(fstat(fd, &f->status[i]), 0);
	(void)close(fd);
}

static void map_code(struct fixture *f, int i)
{
	int fd = open(f->paths[i], O_RDONLY | O_CLOEXEC);

	assert_ptr_equal(mmap(f->at, CODE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
			      0),
			 f->at);
	(void)close(fd);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err = { 0 };

	assert_non_null(f);
	assert_int_equal(model_init(&f->model), 0);
	assert_int_equal(pins_new(&f->model, NULL, &f->pins), 0);
	f->at = mmap(NULL, CODE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(f->at, MAP_FAILED);
	for (int i = 0; i < 2; i++)
		make_file(f, i);
	assert_int_equal(mapped_files_new(f->pins, &f->files, &err), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	mapped_files_free(f->files);
	pins_free(f->pins);
	model_fini(&f->model);
	(void)munmap(f->at, CODE_BYTES);
	for (int i = 0; i < 2; i++)
		(void)unlink(f->paths[i]);
	free(f);
	return 0;
}

/* Returns the number of the file that is found, or -1. */
static int find(const struct fixture *f, uint64_t inode, uint32_t tgid, uint32_t parent_tgid)
{
	const struct mapped_place place = {
		.dev = f->status[0].st_dev,
		.inode = inode,
		.start_addr = (uintptr_t)f->at,
		.user = { tgid, parent_tgid },
	};
	struct pin_user user;
	uint32_t pin;

	if (!mapped_files_find(f->files, &place, &pin, &user))
		return -1;
	for (int i = 0; i < 2; i++)
		if (!strcmp(pins_path(f->pins, pin), f->paths[i]))
			return i;
	return -1;
}

static void mapped_files_are_found(void **state)
{
	struct fixture *f = *state;
	uint32_t self = (uint32_t)getpid();

	assert_int_equal(find(f, f->status[0].st_ino, 0, 0), -1);
	map_code(f, 0);
	assert_int_equal(mapped_files_read(f->files), 0);
	assert_int_equal(find(f, f->status[0].st_ino, 0, 0), 0);
	assert_int_equal(find(f, f->status[1].st_ino, 0, 0), -1);
	/* by where it is mapped, also in a process that has forked */
	assert_int_equal(find(f, NOT_ITS_INODE, self, 0), 0);
	assert_int_equal(find(f, NOT_ITS_INODE, UINT32_MAX, self), 0);
	assert_int_equal(find(f, NOT_ITS_INODE, UINT32_MAX, 0), -1);
	/* another file at the same address: it is not known which of them was meant */
	map_code(f, 1);
	assert_int_equal(mapped_files_read(f->files), 0);
	assert_int_equal(find(f, NOT_ITS_INODE, self, 0), -1);
	assert_int_equal(find(f, f->status[0].st_ino, self, 0), 0);
	assert_int_equal(find(f, f->status[1].st_ino, self, 0), 1);
}

static void files_of_processes_that_are_gone_are_found(void **state)
{
	struct fixture *f = *state;
	pid_t child;

	child = fork();
	if (child == 0) {
		map_code(f, 1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(mapped_files_scan(f->files), 0);
	assert_int_equal(find(f, f->status[1].st_ino, 0, 0), -1);
	assert_int_equal(mapped_files_read(f->files), 0);
	assert_int_equal(find(f, f->status[1].st_ino, 0, 0), 1);
}

/* Perf's records have only what is mapped from now on. */
static void files_that_were_mapped_before_are_found(void **state)
{
	struct fixture *f = *state;
	struct err err = { 0 };

	mapped_files_free(f->files);
	map_code(f, 1);
	assert_int_equal(mapped_files_new(f->pins, &f->files, &err), 0);
	assert_int_equal(find(f, f->status[1].st_ino, 0, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(mapped_files_are_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_of_processes_that_are_gone_are_found, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(files_that_were_mapped_before_are_found, set_up,
						tear_down),
	};

	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0) {
		(void)printf("skipped: perf_event_open: %s\n", strerror(errno));
		return SKIPPED;
	}
	(void)close(fd);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
