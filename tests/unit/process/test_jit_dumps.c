/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jitdumps that this process maps itself, as a JIT compiler would. */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/jit_dumps.h"
#include "process/tracker.h"
#include "support/temp.h"

#define PAGE_BYTES 4096

struct fixture {
	struct temp_dir dir;
	struct jit_dumps dumps;
	char path[128];
	void *mapped;
	struct record_mmap mmap;	/* as in the kernel's record */
};

static struct jit_mapped_dump self(void)
{
	return (struct jit_mapped_dump){ .tgid = (uint32_t)getpid(), .exec_ns = 7 };
}

static struct fixture begin(void)
{
	struct fixture f = { .dir = temp_dir_make() };
	struct stat st;
	int fd;

	(void)snprintf(f.path, sizeof(f.path), "%s",
		       temp_file(&f.dir, "jit-4242.dump", "content", 7));
	fd = open(f.path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	f.mapped = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(f.mapped, MAP_FAILED);
	(void)close(fd);
	f.mmap = (struct record_mmap){
		.start_addr = (uint64_t)(uintptr_t)f.mapped,
		.size_bytes = PAGE_BYTES,
		.inode = st.st_ino,
	};
	return f;
}

static bool see(struct fixture *f)
{
	struct jit_mapped_dump who = self();

	f->mmap.path = f->path;
	return jit_dumps_see(&f->dumps, &who, &f->mmap);
}

static void end(struct fixture *f)
{
	jit_dumps_fini(&f->dumps);
	(void)munmap(f->mapped, PAGE_BYTES);
	(void)unlink(f->path);
	temp_dir_remove(&f->dir);
}

static void names(void **state)
{
	assert_int_equal(jit_dumps_pid("/tmp/.debug/jit/jit-77.dump"), 77);
	assert_int_equal(jit_dumps_pid("jit-1.dump"), 1);
	assert_int_equal(jit_dumps_pid("/x/jit-5.dump (deleted)"), 5);
	assert_int_equal(jit_dumps_pid("/x/jit-.dump"), 0);
	assert_int_equal(jit_dumps_pid("/x/jit-5.dumps"), 0);
	assert_int_equal(jit_dumps_pid("/x/jit-5x.dump"), 0);
	assert_int_equal(jit_dumps_pid("/x/git-5.dump"), 0);
	assert_int_equal(jit_dumps_pid("/jit-5.dump/file"), 0);
	assert_int_equal(jit_dumps_pid("/jit-99999999999999999999.dump"), 0);
	assert_int_equal(jit_dumps_pid(""), 0);
}

static void assert_taken(struct fixture *f)
{
	struct jit_mapped_dump dump;
	char bytes[8] = "";

	assert_true(jit_dumps_take(&f->dumps, &dump));
	assert_int_equal(dump.tgid, getpid());
	assert_int_equal(dump.named_pid, 4242);
	assert_int_equal(dump.exec_ns, 7);
	assert_int_equal(read(dump.fd, bytes, 7), 7);
	assert_string_equal(bytes, "content");
	(void)close(dump.fd);
	assert_false(jit_dumps_take(&f->dumps, &dump));
}

static void what_is_mapped_is_opened(void **state)
{
	struct fixture f = begin();

	assert_true(see(&f));
	assert_taken(&f);
	end(&f);
}

/* A deleted file is found through the mapping, which needs a privilege. */
static void also_when_it_was_deleted(void **state)
{
	struct fixture f = begin();

	if (getuid() != 0) {
		print_message("skipped: /proc/PID/map_files needs a privilege\n");
		skip();
	}
	assert_int_equal(unlink(f.path), 0);
	(void)snprintf(f.path, sizeof(f.path), "%s/jit-4242.dump (deleted)", f.dir.path);
	assert_true(see(&f));
	assert_taken(&f);
	end(&f);
}

/* Another file has the name now, and the mapping no longer exists. */
static void another_file_is_not_taken(void **state)
{
	struct fixture f = begin();

	(void)munmap(f.mapped, PAGE_BYTES);
	f.mmap.inode++;
	assert_false(see(&f));
	end(&f);
}

static void what_is_no_file_does_not_block(void **state)
{
	struct fixture f = begin();

	(void)munmap(f.mapped, PAGE_BYTES);
	(void)unlink(f.path);
	assert_int_equal(mkfifo(f.path, 0600), 0);
	f.mmap.inode = 0;
	assert_false(see(&f));
	end(&f);
}

static void only_so_many_wait(void **state)
{
	struct fixture f = begin();

	for (int i = 0; i < JIT_DUMPS_MAX; i++)
		assert_true(see(&f));
	assert_false(see(&f));
	end(&f);
}

/* The inode alone is weak evidence. The device is evidence only if it belongs to a disk. */
static void devices_tell_files_apart(void **state)
{
	const dev_t on_disk = makedev(8, 1), in_memory = makedev(0, 40);

	assert_true(jit_dumps_is_same(on_disk, 7, makedev(8, 1), 7));
	assert_false(jit_dumps_is_same(on_disk, 7, makedev(8, 2), 7));
	assert_false(jit_dumps_is_same(on_disk, 7, makedev(8, 1), 8));
	assert_true(jit_dumps_is_same(on_disk, 7, makedev(0, 40), 7));
	assert_true(jit_dumps_is_same(in_memory, 7, makedev(0, 41), 7));
	assert_true(jit_dumps_is_same(in_memory, 7, 0, 0));
}

static void map_dump(struct temp_dir *dir, pid_t pid, uintptr_t addr)
{
	char name[32];
	int fd;

	(void)snprintf(name, sizeof(name), "jit-%d.dump", pid);
	fd = open(temp_file(dir, name, "content", 7), O_RDONLY | O_CLOEXEC);
	if (fd < 0 || mmap((void *)addr, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			   fd, 0) == MAP_FAILED)
		abort();
	(void)close(fd);
}

/* The parent's jitdump comes first among the child's mappings. */
static void a_forked_child_has_its_own(void **state)
{
	const struct tracker_options options = { .all_are_targets = true, .read_proc = true };
	struct jit_mapped_dump dump = { .fd = -1 };
	struct temp_dir dir = temp_dir_make();
	struct tracker *tracker;
	struct model model;
	struct pins *pins;
	struct err err;
	int ready[2];
	char byte;
	pid_t child;

	map_dump(&dir, getpid(), 0x10000000);
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (!child) {
		map_dump(&dir, getpid(), 0x20000000);
		if (write(ready[1], "r", 1) == 1)
			(void)pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(model_init(&model), 0);
	assert_int_equal(pins_new(&model, NULL, &pins), 0);
	assert_int_equal(tracker_new(&model, pins, &options, &tracker), 0);
	assert_int_equal(tracker_scan(tracker, (uint32_t)child, &err), 0);
	assert_true(tracker_take_jit_dump(tracker, &dump));
	assert_int_equal(dump.tgid, child);
	assert_int_equal(dump.named_pid, child);
	(void)close(dump.fd);
	assert_false(tracker_take_jit_dump(tracker, &dump));
	tracker_free(tracker);
	pins_free(pins);
	model_fini(&model);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(munmap((void *)0x10000000, PAGE_BYTES), 0);
	(void)close(ready[0]);
	(void)close(ready[1]);
	temp_dir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_tell_files_apart),
		cmocka_unit_test(a_forked_child_has_its_own),
		cmocka_unit_test(names),
		cmocka_unit_test(what_is_mapped_is_opened),
		cmocka_unit_test(also_when_it_was_deleted),
		cmocka_unit_test(another_file_is_not_taken),
		cmocka_unit_test(what_is_no_file_does_not_block),
		cmocka_unit_test(only_so_many_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
