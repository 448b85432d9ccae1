/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files on file systems that answer, and on one that never does: a FUSE mount whose requests nobody
 * reads.
 */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "elf/file_opener.h"
#include "elf/mounts.h"

#define HERE "/tmp/assay-test-opener-XXXXXX"

static struct file_opener *opener_new(void)
{
	struct file_opener *opener;

	assert_int_equal(file_opener_new(&opener), 0);
	return opener;
}

/* ---- mounts ---- */

#define LINE(device, type) "36 35 " device " /mnt1 /mnt2 rw,noatime master:1 - " type " src rw\n"

static void types_that_answer(void **state)
{
	static const struct {
		const char *line;
		bool is_own, is_there, always;
	} cases[] = {
		{ LINE("8:1", "ext4"), true, true, true },
		{ LINE("8:1", "ext4"), false, true, true },
		{ LINE("8:1", "fuseblk"), true, true, false },
		{ LINE("8:1", "nfs4"), true, true, false },
		{ LINE("8:1", "ext"), true, true, false },
		{ LINE("8:1", "ext44"), true, true, false },
		{ LINE("8:1", "overlay"), true, true, true },
		{ LINE("8:1", "overlay"), false, true, false },
		{ LINE("8:11", "ext4"), true, false, false },
		{ LINE("18:1", "ext4"), true, false, false },
		{ "36 35 8:1 /mnt1 /mnt2 rw\n", true, false, false },
		{ "", true, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool always = false;

		if (mounts_line_answers(cases[i].line, makedev(8, 1), cases[i].is_own, &always) !=
			    cases[i].is_there ||
		    always != cases[i].always)
			fail_msg("%s", cases[i].line);
	}
}

static void devices_of_our_own_mounts(void **state)
{
	struct mounts mounts;
	struct stat proc;

	mounts_init(&mounts);
	assert_int_equal(stat("/proc", &proc), 0);
	assert_true(mounts_always_answer(&mounts, proc.st_dev, 0));
	assert_true(mounts_always_answer(&mounts, proc.st_dev, 0));
	assert_true(mounts_always_answer(&mounts, proc.st_dev, (uint32_t)getpid()));
	assert_int_equal(mounts.known.count, 1);
	assert_false(mounts_always_answer(&mounts, makedev(4000, 4000), (uint32_t)getpid()));
	mounts_fini(&mounts);
}

/* ---- opening ---- */

static void files_that_are_there(void **state)
{
	struct file_opener *opener = opener_new();
	char path[] = HERE, text[8] = "", name[64];
	int fd = mkstemp(path);

	assert_int_equal(write(fd, "hello", 5), 5);
	assert_int_equal(close(fd), 0);
	fd = file_opener_open(opener, path, 0);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	assert_string_equal(text, "hello");
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	(void)close(fd);
	assert_int_equal(file_opener_open(opener, "/tmp", 0), -EINVAL);
	assert_int_equal(file_opener_open(opener, name, 0), -ENOENT);
	assert_int_equal(file_opener_open(opener, "/proc/1/map_files/../../x", 0), -ENOENT);
	(void)snprintf(name, sizeof(name), "/proc/%d/root%s", getpid(), path);
	fd = file_opener_open(opener, name, (uint32_t)getpid());
	assert_true(fd >= 0);
	(void)close(fd);
	(void)unlink(path);
	assert_int_equal(file_opener_open(opener, path, 0), -ENOENT);
	fd = file_opener_open(NULL, "/proc/self/exe", 0);
	assert_true(fd >= 0);
	(void)close(fd);
	file_opener_free(opener);
}

/* Mounts a file system that never answers. Returns the descriptor that keeps it alive, or -1. */
static int mount_silent(const char *directory)
{
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[96];

	if (fuse < 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	(void)snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	return mount("silent", directory, "fuse", 0, options) < 0 ? -1 : fuse;
}

static void a_file_system_that_does_not_answer(void **state)
{
	struct file_opener *opener;
	char directory[] = HERE, path[64], other[] = HERE;
	int fuse, fd;

	assert_non_null(mkdtemp(directory));
	fuse = mount_silent(directory);
	if (fuse < 0) {
		(void)rmdir(directory);
		skip();		/* FUSE cannot be mounted here */
	}
	opener = opener_new();
	(void)snprintf(path, sizeof(path), "%s/file", directory);
	/* The directory itself is in the kernel's memory, so its file system is known. */
	assert_int_equal(file_opener_open(opener, directory, 0), -ETIMEDOUT);
	assert_int_equal(file_opener_open(opener, directory, 0), -ETIMEDOUT);
	/* After it other files are opened as before, by a new child if need be. */
	fd = mkstemp(other);
	assert_true(fd >= 0);
	(void)close(fd);
	for (int i = 0; i < FILE_OPENER_TIMEOUTS_MAX + 2; i++) {
		fd = file_opener_open(opener, other, 0);
		assert_true(fd >= 0);
		(void)close(fd);
		assert_int_equal(file_opener_open(opener, path, 0), -ETIMEDOUT);
	}
	file_opener_free(opener);
	(void)close(fuse);
	(void)umount2(directory, MNT_DETACH);
	(void)rmdir(directory);
	(void)unlink(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_that_answer),
		cmocka_unit_test(devices_of_our_own_mounts),
		cmocka_unit_test(files_that_are_there),
		cmocka_unit_test(a_file_system_that_does_not_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
