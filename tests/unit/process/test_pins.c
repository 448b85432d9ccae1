/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that processes map: the file of this test, deleted, replaced, modified and missing files.
 */
#include "support/tracker_fixture.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/proc_read.h"
#include "support/temp.h"

/* An address at which this kernel maps no page for any process. */
#define NO_ADDR 0x1000

struct fixture_of_pins {
	struct fixture f;
	struct temp_dir dir;
	void *program;		/* content of /bin/true, from which files are made */
	size_t program_bytes;
};

static int set_up(void **state)
{
	static struct fixture_of_pins p;
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
	struct stat st;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	p.program_bytes = (size_t)st.st_size;
	p.program = malloc(p.program_bytes);
	assert_int_equal(read(fd, p.program, p.program_bytes), st.st_size);
	(void)close(fd);
	fixture_init(&p.f, false);
	p.dir = temp_dir_make();
	*state = &p;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture_of_pins *p = *state;

	fixture_fini(&p->f);
	temp_dir_remove(&p->dir);
	free(p->program);
	return 0;
}

static const char *make_program(struct fixture_of_pins *p, const char *name)
{
	return temp_file(&p->dir, name, p->program, p->program_bytes);
}

static struct record_mmap mmap_of(const char *path)
{
	struct record_mmap mmap = { .start_addr = NO_ADDR, .size_bytes = 0x1000, .path = path };
	struct stat st;

	if (stat(path, &st) == 0) {
		mmap.dev = st.st_dev;
		mmap.inode = st.st_ino;
	}
	return mmap;
}

static struct pin_user self_of(void)
{
	return (struct pin_user){ .tgid = (uint32_t)getpid() };
}

static uint32_t see(struct fixture_of_pins *p, const struct record_mmap *mmap)
{
	return pins_see(p->f.pins, self_of(), mmap);
}

static uint32_t image_of(struct fixture_of_pins *p, uint32_t pin)
{
	return pins_image(p->f.pins, pin, self_of());
}

static void test_seen_twice_is_one(void **state)
{
	struct fixture_of_pins *p = *state;
	const char *path = make_program(p, "prog");
	struct record_mmap mmap = mmap_of(path);
	uint32_t pin = see(p, &mmap), image;
	const struct image_file *file;

	assert_int_not_equal(pin, PIN_GENERATED);
	assert_int_equal(see(p, &mmap), pin);
	/* the image has no row before its first hit */
	assert_int_equal(p->f.model.images.count, 1);
	image = image_of(p, pin);
	assert_int_equal(p->f.model.images.count, 2);
	file = pins_file(p->f.pins, image);
	assert_non_null(file);
	assert_int_equal(file->inode, mmap.inode);
	assert_int_equal(file->build_id_size, p->f.model.images.at[image].build_id_size);

	/*
	 * The same file as perf shows it with a build-id: it gets another pin but the same image.
	 */
	mmap.dev = mmap.inode = 0;
	mmap.build_id_size = file->build_id_size;
	memcpy(mmap.build_id, file->build_id, sizeof(mmap.build_id));
	assert_int_equal(image_of(p, see(p, &mmap)), image);
}

static void test_deleted_after_it_was_seen(void **state)
{
	struct fixture_of_pins *p = *state;
	const char *path = make_program(p, "prog");
	struct record_mmap mmap = mmap_of(path);
	uint32_t pin = see(p, &mmap);
	char byte;

	assert_int_equal(unlink(path), 0);
	assert_non_null(pins_file(p->f.pins, image_of(p, pin)));
	assert_int_equal(pread(pins_file(p->f.pins, image_of(p, pin))->fd, &byte, 1, 0), 1);
	assert_int_equal(byte, 0x7f);
}

static void test_another_file_at_that_path(void **state)
{
	struct fixture_of_pins *p = *state;
	struct record_mmap mmap = mmap_of(make_program(p, "prog"));
	uint32_t image;

	mmap.inode++;
	image = image_of(p, see(p, &mmap));
	assert_null(pins_file(p->f.pins, image));
	(void)image_of(p, see(p, &mmap));
	mmap.inode = 0;
	mmap.build_id_size = 20;
	assert_null(pins_file(p->f.pins, image_of(p, see(p, &mmap))));
}

/* cp over a program keeps its inode and path, but the content is another program. */
static void test_written_to_in_place(void **state)
{
	struct fixture_of_pins *p = *state;
	const char *path = make_program(p, "prog");
	struct record_mmap mmap = mmap_of(path);
	uint32_t before = see(p, &mmap), after;
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	after = see(p, &mmap);
	assert_int_not_equal(before, after);
	assert_int_equal(see(p, &mmap), after);
	assert_null(pins_file(p->f.pins, image_of(p, before)));
	assert_non_null(pins_file(p->f.pins, image_of(p, after)));
}

static void test_what_is_no_program(void **state)
{
	struct fixture_of_pins *p = *state;
	struct record_mmap text = mmap_of(temp_file(&p->dir, "text", "#!/bin/sh\n", 10));
	struct record_mmap gone = mmap_of("/nowhere/bin/prog");
	struct record_mmap directory = mmap_of(p->dir.path);
	char fifo[80];
	struct record_mmap pipe;

	(void)snprintf(fifo, sizeof(fifo), "%s/fifo", p->dir.path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	pipe = mmap_of(fifo);
	assert_null(pins_file(p->f.pins, image_of(p, see(p, &text))));
	assert_null(pins_file(p->f.pins, image_of(p, see(p, &gone))));
	assert_null(pins_file(p->f.pins, image_of(p, see(p, &directory))));
	assert_null(pins_file(p->f.pins, image_of(p, see(p, &pipe))));	/* must not block */
	assert_int_equal(pins_bias(p->f.pins, see(p, &gone), 0x7f001000, 0x1000), 0x7f000000);
	(void)unlink(fifo);
}

/* A file that did not exist yet when it was first looked for is tried again when it is hit. */
static void test_second_chance(void **state)
{
	struct fixture_of_pins *p = *state;
	char path[80];
	struct record_mmap mmap;
	uint32_t pin;

	(void)snprintf(path, sizeof(path), "%s/late", p->dir.path);
	mmap = mmap_of(path);
	pin = see(p, &mmap);
	(void)make_program(p, "late");
	assert_non_null(pins_file(p->f.pins, image_of(p, pin)));
}

/* Returns how many files can still be opened. */
static int spare_descriptors(void)
{
	int fds[64], count = 0;

	while (count < 64 && (fds[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		count++;
	for (int i = 0; i < count; i++)
		(void)close(fds[i]);
	return count;
}

/* If a process may open few files, pins leave some of them to others, and files are still read. */
static void test_few_descriptors(void **state)
{
	struct fixture_of_pins *p = *state;
	struct rlimit before, few;
	struct pins *pins;
	int read_count = 0;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 40;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(pins_new(&p->f.model, NULL, &pins), 0);
	for (int i = 0; i < 60; i++) {
		struct record_mmap mmap;
		char name[16];
		uint32_t image;

		(void)snprintf(name, sizeof(name), "prog%d", i);
		mmap = mmap_of(make_program(p, name));
		image = pins_image(pins, pins_see(pins, self_of(), &mmap), self_of());
		assert_true(spare_descriptors() >= 15);
		read_count += pins_file(pins, image) != NULL;
	}
	assert_int_equal(read_count, 60);
	pins_free(pins);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void test_memory_without_a_file(void **state)
{
	static const char *const paths[] = {
		"",
		"//anon",
		"[heap]",
		"[stack]",
		"[anon:jit]",
		"anon_inode:[x]",
		"/memfd:code (deleted)",
		"/dev/zero (deleted)",
		"/SYSV00000000 (deleted)",
	};
	struct fixture_of_pins *p = *state;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct record_mmap mmap = mmap_of(paths[i]);

		assert_int_equal(see(p, &mmap), PIN_GENERATED);
	}
	assert_int_equal(p->f.model.images.count, 1);
}

static void test_kernel_pages(void **state)
{
	struct fixture_of_pins *p = *state;
	struct record_mmap vdso = { .start_addr = 0x7ffff7fc0000, .path = "[vdso]" };
	struct record_mmap compat = { .start_addr = 0xf7fc0000, .path = "[vdso]" };
	uint32_t pin = see(p, &vdso);

	assert_int_equal(p->f.model.images.at[image_of(p, pin)].kind, IMAGE_VDSO);
	assert_false(pins_is_file(p->f.pins, pin));
	assert_int_equal(pins_bias(p->f.pins, pin, vdso.start_addr, 0), vdso.start_addr);
	assert_int_not_equal(see(p, &compat), pin);
	assert_null(pins_file(p->f.pins, image_of(p, pin)));
}

struct own_text {
	uint64_t addr;
	struct fixture_of_pins *p;
	uint32_t pin;
	uint64_t bias;
};

static int find_own_text(void *context, const struct record_mmap *mmap)
{
	struct own_text *own = context;

	if (own->addr < mmap->start_addr || own->addr - mmap->start_addr >= mmap->size_bytes)
		return 0;
	own->pin = see(own->p, mmap);
	(void)image_of(own->p, own->pin);
	own->bias = pins_bias(own->p->f.pins, own->pin, mmap->start_addr, mmap->offset);
	return 0;
}

static int first_bias(struct dl_phdr_info *info, size_t size_bytes, void *context)
{
	*(uint64_t *)context = info->dlpi_addr;	/* the first entry is the program itself */
	return 1;
}

/* The bias must agree with the address at which the dynamic linker loaded this program. */
static void test_bias_agrees_with_the_linker(void **state)
{
	struct own_text own = {
		.addr = (uint64_t)(uintptr_t)test_bias_agrees_with_the_linker,
		.p = *state,
	};
	uint64_t wanted = 0;

	(void)dl_iterate_phdr(first_bias, &wanted);
	assert_int_equal(proc_read_maps((uint32_t)getpid(), find_own_text, &own), 0);
	assert_int_not_equal(own.pin, PIN_GENERATED);
	assert_int_equal(own.bias, wanted);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_seen_twice_is_one),
		TEST(test_deleted_after_it_was_seen),
		TEST(test_another_file_at_that_path),
		TEST(test_written_to_in_place),
		TEST(test_what_is_no_program),
		TEST(test_second_chance),
		TEST(test_few_descriptors),
		TEST(test_memory_without_a_file),
		TEST(test_kernel_pages),
		TEST(test_bias_agrees_with_the_linker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
