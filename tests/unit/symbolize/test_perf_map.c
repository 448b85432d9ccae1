/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "fixture.h"
#include "support/temp.h"
#include "symbolize/jit.h"
#include "symbolize/perf_map.h"

#define TGID 4242
#define MAP "tmp/perf-4242.map"

struct fixture {
	struct temp_dir dir;
	struct model *model;
	uint32_t image;
};

static struct fixture begin(uint32_t uid)
{
	struct fixture f = { .dir = temp_dir_make(), .model = fixture_model() };
	struct process process = { .tgid = TGID, .uid = uid };
	struct image image = { .kind = IMAGE_JIT, .tgid = TGID };

	image.path = model_intern(f.model, "//anon");
	image.process = model_process_add(f.model, &process);
	f.image = model_image_id(f.model, &image);
	(void)temp_file(&f.dir, "tmp/other", "", 0);
	return f;
}

static void put_map(struct fixture *f, const char *text)
{
	(void)temp_file(&f->dir, MAP, text, strlen(text));
}

static void map_path(const struct fixture *f, char path[static 128])
{
	(void)snprintf(path, 128, "%s/" MAP, f->dir.path);
}

static void name_hits(struct fixture *f)
{
	const struct jit_options maps = { .sysroot = f->dir.path };
	const struct symbolize_options options = { .sysroot = f->dir.path };
	struct jit *jit;

	assert_int_equal(jit_new(f->model, &maps, &jit), 0);
	jit_name(jit);
	jit_free(jit);
	assert_int_equal(symbolize(f->model, &options, NULL), 0);
}

static const char *name_at(struct fixture *f, uint64_t vaddr)
{
	return fixture_name(f->model, f->image, vaddr);
}

static void assert_refused(struct fixture *f)
{
	fixture_hit(f->model, f->image, 0x1000);
	name_hits(f);
	assert_string_equal(name_at(f, 0x1000), "[anon]");
	assert_int_equal(f->model->losses.count[LOSS_PERF_MAP_REFUSED], 1);
}

static void end(struct fixture *f)
{
	char path[128];

	map_path(f, path);
	(void)unlink(path);
	temp_dir_remove(&f->dir);
}

static void reads_names_and_bounds(void **state)
{
	struct fixture f = begin(getuid());
	const struct function *function;

	put_map(&f, "1000 20 first\n"
		    "0x1020 0x10 with spaces; in it\r\n"
		    "7f0000001000 FF LFunction:~far\n");
	fixture_hit(f.model, f.image, 0x7f00000010fe);
	fixture_hit(f.model, f.image, 0x7f00000010ff);
	fixture_hit(f.model, f.image, 0xfff);
	fixture_hit(f.model, f.image, 0x1000);
	fixture_hit(f.model, f.image, 0x101f);
	fixture_hit(f.model, f.image, 0x1020);
	name_hits(&f);
	assert_string_equal(name_at(&f, 0xfff), "[anon]");
	assert_string_equal(name_at(&f, 0x1000), "first");
	assert_string_equal(name_at(&f, 0x1020), "with spaces; in it");
	assert_string_equal(name_at(&f, 0x7f00000010fe), "LFunction:~far");
	assert_string_equal(name_at(&f, 0x7f00000010ff), "[anon]");
	function = fixture_function(f.model, f.image, 0x101f);
	assert_int_equal(function->quality, QUALITY_JIT);
	assert_int_equal(function->vaddr, 0x1000);
	assert_int_equal(function->size_bytes, 0x20);
	assert_int_equal(f.model->losses.count[LOSS_PERF_MAP_REFUSED], 0);
	end(&f);
}

/* A perf map alone does not show which of two lines was valid when the address was hit. */
static void lines_that_contradict_each_other_name_nothing(void **state)
{
	struct fixture f = begin(getuid());

	put_map(&f, "1000 100 old\n1040 20 middle\n1000 10 new\n1050 4 newest");
	for (uint64_t vaddr = 0x1000; vaddr < 0x1100; vaddr += 4)
		fixture_hit(f.model, f.image, vaddr);
	name_hits(&f);
	assert_string_equal(name_at(&f, 0x100c), "[anon]");
	assert_string_equal(name_at(&f, 0x1010), "old");
	assert_string_equal(name_at(&f, 0x104c), "[anon]");
	assert_string_equal(name_at(&f, 0x1050), "[anon]");
	assert_string_equal(name_at(&f, 0x1060), "old");
	assert_string_equal(name_at(&f, 0x10fc), "old");
	end(&f);
}

static void passes_over_lines_without_sense(void **state)
{
	struct fixture f = begin(getuid());

	put_map(&f,
		"\n\n \nxyz\n1000\n1000 10\n1000 10 \n1000 0 nothing\n-1 10 minus\n"
		"11112222333344445 10 long\nffffffffffffffff 2 wraps\n1000 ffffffffffffffff all\n"
		"1010 10 good\n0x 10 empty\n1000,10,comma\n");
	fixture_hit(f.model, f.image, 0x1000);
	fixture_hit(f.model, f.image, 0x1010);
	name_hits(&f);
	assert_string_equal(name_at(&f, 0x1000), "[anon]");
	assert_string_equal(name_at(&f, 0x1010), "good");
	end(&f);
}

static void names_are_kept_as_they_are_and_cut(void **state)
{
	struct fixture f = begin(getuid());
	size_t size_bytes = 1 << 20;
	char *text = malloc(size_bytes + 64);
	int head = snprintf(text, 64, "2000 10 \x1b[31m\x07red\n1000 10 ");

	memset(text + head, 'n', size_bytes);
	(void)temp_file(&f.dir, MAP, text, (size_t)head + size_bytes);
	fixture_hit(f.model, f.image, 0x1000);
	fixture_hit(f.model, f.image, 0x2000);
	name_hits(&f);
	assert_int_equal(strlen(name_at(&f, 0x1000)), 1024);
	assert_string_equal(name_at(&f, 0x2000), "\x1b[31m\x07red");
	assert_int_equal(f.model->losses.count[LOSS_STRING_CUT], 1);
	free(text);
	end(&f);
}

/* A map that has many lines for the same code must not cost time for each hit in that code. */
static void a_million_overlapping_lines(void **state)
{
	struct fixture f = begin(getuid());
	static const char line[] = "1000 10000 evil\n";
	size_t length = sizeof(line) - 1, count = 1000000;
	char *text = malloc(length * count);

	for (size_t i = 0; i < count; i++)
		memcpy(text + i * length, line, length);
	(void)temp_file(&f.dir, MAP, text, length * count);
	for (uint64_t vaddr = 0x1000; vaddr < 0x11000; vaddr++)
		fixture_hit(f.model, f.image, vaddr);
	name_hits(&f);
	assert_string_equal(name_at(&f, 0x10fff), "evil");
	assert_int_equal(f.model->functions.count, 2);
	free(text);
	end(&f);
}

static void no_map_is_no_loss(void **state)
{
	struct fixture f = begin(getuid());

	fixture_hit(f.model, f.image, 0x1000);
	name_hits(&f);
	assert_string_equal(name_at(&f, 0x1000), "[anon]");
	assert_int_equal(fixture_function(f.model, f.image, 0x1000)->quality, QUALITY_NONE);
	assert_int_equal(f.model->losses.count[LOSS_PERF_MAP_REFUSED], 0);
	end(&f);
}

static bool is_there(const struct process *process)
{
	return process->uid != getuid();
}

/* Long after the run, a map with the same pid may belong to another process, so no map is read. */
static void maps_of_who_is_gone_are_not_read(void **state)
{
	struct fixture f = begin(getuid());
	const struct jit_options maps = { .sysroot = f.dir.path, .is_there = is_there };
	struct jit *jit;

	put_map(&f, "1000 20 first\n");
	fixture_hit(f.model, f.image, 0x1000);
	assert_int_equal(jit_new(f.model, &maps, &jit), 0);
	jit_name(jit);
	jit_free(jit);
	assert_int_equal(fixture_function(f.model, f.image, 0x1000)->name, 0);
	end(&f);
}

static void a_fifo_does_not_block(void **state)
{
	struct fixture f = begin(getuid());
	char path[128];

	map_path(&f, path);
	assert_int_equal(mkfifo(path, 0644), 0);
	assert_refused(&f);
	end(&f);
}

static void links_are_not_followed(void **state)
{
	struct fixture f = begin(getuid());
	char path[128], target[128];

	map_path(&f, path);
	(void)snprintf(target, sizeof(target), "%s/tmp/real", f.dir.path);
	(void)temp_file(&f.dir, "tmp/real", "1000 10 linked\n", 15);
	assert_int_equal(symlink(target, path), 0);
	assert_refused(&f);
	end(&f);

	f = begin(getuid());
	map_path(&f, path);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_refused(&f);
	end(&f);
}

static void a_directory_is_refused(void **state)
{
	struct fixture f = begin(getuid());
	char path[128];

	map_path(&f, path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_refused(&f);
	(void)rmdir(path);
	end(&f);
}

/*
 * Maps of root are accepted for all processes, so the refusal can be tested only with another
 * owner.
 */
static void somebody_elses_map_is_refused(void **state)
{
	struct fixture f = begin(getuid() + 1);
	char path[128];

	put_map(&f, "1000 10 foreign\n");
	map_path(&f, path);
	if (getuid() == 0 && chown(path, 12345, 12345) < 0)
		skip();
	assert_refused(&f);
	end(&f);
}

static void the_owners_map_is_taken(void **state)
{
	struct fixture f = begin(getuid() == 0 ? 12345 : getuid());
	char path[128];

	put_map(&f, "1000 10 own\n");
	map_path(&f, path);
	if (getuid() == 0 && chown(path, 12345, 12345) < 0)
		skip();
	fixture_hit(f.model, f.image, 0x1000);
	name_hits(&f);
	assert_string_equal(name_at(&f, 0x1000), "own");
	end(&f);
}

static void too_large_is_refused(void **state)
{
	struct fixture f = begin(getuid());
	char path[128];

	put_map(&f, "1000 10 large\n");
	map_path(&f, path);
	assert_int_equal(truncate(path, PERF_MAP_MAX + 1), 0);
	assert_refused(&f);
	end(&f);
}

static void set_age(const char *path, uint64_t age_ns)
{
	uint64_t then_ns = clock_read_ns(CLOCK_REALTIME) - age_ns;
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };

	times[1].tv_sec = (time_t)(then_ns / NS_PER_SEC);
	times[1].tv_nsec = (long)(then_ns % NS_PER_SEC);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The tgid may have belonged to another program before, whose map still exists. */
static void a_map_from_before_the_process_is_refused(void **state)
{
	struct fixture f = begin(getuid());
	uint64_t suspended_ns = clock_read_ns(CLOCK_BOOTTIME) - clock_monotonic_ns();
	char path[128];

	put_map(&f, "1000 10 stale\n");
	map_path(&f, path);
	f.model->processes.at[1].start_ns = clock_monotonic_ns() - 10 * NS_PER_SEC;
	set_age(path, suspended_ns + 60 * NS_PER_SEC);
	assert_refused(&f);
	end(&f);

	f = begin(getuid());
	put_map(&f, "1000 10 fresh\n");
	map_path(&f, path);
	f.model->processes.at[1].start_ns = clock_monotonic_ns() - 10 * NS_PER_SEC;
	set_age(path, 5 * NS_PER_SEC);
	fixture_hit(f.model, f.image, 0x1000);
	name_hits(&f);
	assert_string_equal(name_at(&f, 0x1000), "fresh");
	end(&f);
}

/* In this /tmp, its pid is that of another process. Its own /tmp is reached through /proc. */
static void other_pid_namespaces_have_their_own_maps(void **state)
{
	struct fixture f = begin(getuid());

	put_map(&f, "1000 10 wrong\n");
	(void)temp_file(&f.dir, "proc/77/root/tmp/perf-4242.map", "1000 10 right\n", 14);
	f.model->processes.at[1].tgid = 77;
	fixture_hit(f.model, f.image, 0x1000);
	name_hits(&f);
	assert_string_equal(name_at(&f, 0x1000), "right");
	end(&f);
}

/* The target controls what is below /proc/<tgid>/root, so its /tmp may lead anywhere. */
static void another_tmp_must_not_be_a_link(void **state)
{
	struct fixture f = begin(getuid());
	char link[128];

	(void)temp_file(&f.dir, "elsewhere/perf-4242.map", "1000 10 linked\n", 15);
	(void)temp_file(&f.dir, "proc/77/root/other", "", 0);
	(void)snprintf(link, sizeof(link), "%s/proc/77/root/tmp", f.dir.path);
	assert_int_equal(symlink("../../../elsewhere", link), 0);
	f.model->processes.at[1].tgid = 77;
	assert_refused(&f);
	(void)unlink(link);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_names_and_bounds),
		cmocka_unit_test(lines_that_contradict_each_other_name_nothing),
		cmocka_unit_test(passes_over_lines_without_sense),
		cmocka_unit_test(names_are_kept_as_they_are_and_cut),
		cmocka_unit_test(a_million_overlapping_lines),
		cmocka_unit_test(no_map_is_no_loss),
		cmocka_unit_test(maps_of_who_is_gone_are_not_read),
		cmocka_unit_test(a_fifo_does_not_block),
		cmocka_unit_test(links_are_not_followed),
		cmocka_unit_test(a_directory_is_refused),
		cmocka_unit_test(somebody_elses_map_is_refused),
		cmocka_unit_test(the_owners_map_is_taken),
		cmocka_unit_test(too_large_is_refused),
		cmocka_unit_test(a_map_from_before_the_process_is_refused),
		cmocka_unit_test(other_pid_namespaces_have_their_own_maps),
		cmocka_unit_test(another_tmp_must_not_be_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
