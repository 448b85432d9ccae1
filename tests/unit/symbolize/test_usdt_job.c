/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Static probes that a reader finds by name are those that this process finds. */
#include "support/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/byte_writer.h"
#include "support/elf_fixtures.h"
#include "support/temp.h"
#include "symbolize/usdt_job.h"

static const char *write_image(struct temp_dir *dir)
{
	static const struct fixture_probe probes[] = {
		{ 0x1040, 0, 0, "app", "start", "8@%rdi" },
		{ 0x1020, 0, 0, "app", "start", "8@%rsi" },
		{ 0x1020, 0, 0, "app", "start", "8@%rsi" },
		{ 0x1030, 0, 0, "app", "done", "" },
		{ 0x1010, 0, 0, "lib", "start", "" },
	};
	struct elf_writer w;
	size_t size_bytes;
	uint8_t *bytes;
	const char *path;

	elf_writer_init(&w, &(struct elf_writer_options){ .machine = EM_X86_64 });
	(void)elf_writer_text(&w, ".text", 0x1000, 0x200);
	elf_fixture_probes(&w, probes, sizeof(probes) / sizeof(probes[0]));
	bytes = elf_writer_finish(&w, &size_bytes);
	path = temp_file(dir, "app", bytes, size_bytes);
	free(bytes);
	return path;
}

static void check_count(struct readers *readers, int fd, const char *pattern, size_t count)
{
	struct found_usdt found;

	assert_int_equal(usdt_find(readers, fd, pattern, &found), 0);
	assert_int_equal(found.all_count, 5);
	assert_int_equal(found.machine, EM_X86_64);
	assert_int_equal(found.list.count, count);
	found_usdt_fini(&found);
}

static void check(struct readers *readers)
{
	struct temp_dir dir = temp_dir_make();
	int fd = open(write_image(&dir), O_RDONLY | O_CLOEXEC);
	struct found_usdt found;

	assert_true(fd >= 0);
	/* by provider, name and place, each place once */
	assert_int_equal(usdt_find(readers, fd, "*", &found), 0);
	assert_int_equal(found.list.count, 4);
	assert_string_equal(found.list.at[0].name, "done");
	assert_string_equal(found.list.at[1].arguments, "8@%rsi");
	assert_string_equal(found.list.at[2].arguments, "8@%rdi");
	assert_string_equal(found.list.at[3].provider, "lib");
	assert_true(found.list.at[1].offset + 0x20 == found.list.at[2].offset);
	found_usdt_fini(&found);
	check_count(readers, fd, "start", 3);
	check_count(readers, fd, "app:start", 2);
	check_count(readers, fd, "*:done", 1);
	check_count(readers, fd, "app", 0);
	(void)close(fd);
	fd = open(temp_file(&dir, "text", "no image", 8), O_RDONLY | O_CLOEXEC);
	assert_int_equal(usdt_find(readers, fd, "*", &found), -ENOEXEC);
	(void)close(fd);
	temp_dir_remove(&dir);
}

static void found_here(void **state)
{
	check(NULL);
}

static void found_in_a_reader(void **state)
{
	static const struct reader_job *const jobs[] = { &usdt_job };
	struct readers *readers;

	assert_int_equal(readers_new(jobs, 1, &readers), 0);
	check(readers);
	readers_free(readers);
}

/* A reader that was taken over may reply anything. */
static void damaged_replies_are_refused(void **state)
{
	struct byte_writer w = { 0 };

	byte_writer_u32(&w, EM_X86_64);
	byte_writer_u32(&w, 2);
	byte_writer_u32(&w, 1);
	byte_writer_u64(&w, 0x10);
	byte_writer_u64(&w, 0);
	byte_writer_string(&w, "app");
	byte_writer_string(&w, "start");
	byte_writer_string(&w, "8@%rdi");
	assert_false(w.failed);
	for (size_t size_bytes = 0; size_bytes <= w.bytes.count; size_bytes++) {
		struct found_usdt found = { 0 };
		uint8_t *reply = malloc(size_bytes + 1);

		assert_non_null(reply);
		memcpy(reply, w.bytes.at, size_bytes);
		assert_int_equal(usdt_take(reply, size_bytes, &found),
				 size_bytes < w.bytes.count ? -EBADMSG : 0);
		found_usdt_fini(&found);
	}
	w.bytes.at[8] = 3;	/* more than there are */
	{
		struct found_usdt found = { 0 };

		assert_int_equal(usdt_take(w.bytes.at, w.bytes.count, &found), -EBADMSG);
		found_usdt_fini(&found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_here),
		cmocka_unit_test(found_in_a_reader),
		cmocka_unit_test(damaged_replies_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
