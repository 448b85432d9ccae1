/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's symbols in a file: read back unchanged, or refused. */
#include "support/test.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/kallsyms_file.h"
#include "support/temp.h"

#define KEY UINT64_C(0x0123456789abcdef)

static const char kernel[] = "ffffffff81000000 T _stext\n"
			     "ffffffff81000200 T do_work\n"
			     "ffffffff81000300 T last_function\n"
			     "ffffffff81000400 T _etext\n"
			     "ffffffffc0001000 t first\t[mod_a]\n";

static struct kallsyms parsed(void)
{
	struct temp_dir dir = temp_dir_make();
	struct kallsyms kallsyms;

	assert_int_equal(kallsyms_read(temp_file(&dir, "kallsyms", kernel, strlen(kernel)),
				       &kallsyms, NULL),
			 0);
	temp_dir_remove(&dir);
	return kallsyms;
}

static int written(const struct kallsyms *kallsyms)
{
	int fd = memfd_create("symbols", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(kallsyms_file_write(fd, KEY, kallsyms), 0);
	return fd;
}

static void assert_refused(int fd, uint64_t key)
{
	struct kallsyms kallsyms;

	assert_int_equal(kallsyms_file_read(fd, key, &kallsyms), -EBADMSG);
}

static void comes_back_as_written(void **state)
{
	struct kallsyms before = parsed(), after;
	int fd = written(&before);
	uint64_t end_addr;

	assert_int_equal(kallsyms_file_read(fd, KEY, &after), 0);
	assert_int_equal(after.symbols.count, before.symbols.count);
	assert_memory_equal(after.symbols.at, before.symbols.at,
			    before.symbols.count * sizeof(*before.symbols.at));
	assert_int_equal(after.names.count, before.names.count);
	assert_memory_equal(after.names.at, before.names.at, before.names.count);
	assert_int_equal(after.text_start_addr, 0xffffffff81000000);
	assert_int_equal(after.text_end_addr, 0xffffffff81000400);
	assert_string_equal(
		kallsyms_string(&after,
				kallsyms_lookup(&after, 0xffffffff81000210, &end_addr)->name),
		"do_work");
	kallsyms_fini(&before);
	kallsyms_fini(&after);
	(void)close(fd);
}

static void another_state_is_refused(void **state)
{
	struct kallsyms kallsyms = parsed();
	int fd = written(&kallsyms);

	assert_refused(fd, KEY + 1);
	kallsyms_fini(&kallsyms);
	(void)close(fd);
}

static void every_damaged_byte_is_noticed(void **state)
{
	struct kallsyms kallsyms = parsed();
	int fd = written(&kallsyms);
	off_t size = lseek(fd, 0, SEEK_END);

	for (off_t at = 0; at < size; at++) {
		uint8_t byte, flipped;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		flipped = byte ^ 1;
		assert_int_equal(pwrite(fd, &flipped, 1, at), 1);
		assert_refused(fd, KEY);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	for (off_t cut = size - 1; cut >= 0; cut--) {
		assert_int_equal(ftruncate(fd, cut), 0);
		assert_refused(fd, KEY);
	}
	kallsyms_fini(&kallsyms);
	(void)close(fd);
}

/* A table that must not be searched is refused even if its checksum is right. */
static void unsound_tables_are_refused(void **state)
{
	struct kallsyms kallsyms = parsed();
	struct kernel_symbol *symbols = kallsyms.symbols.at, good = symbols[1];
	int fd;

	symbols[1].name = (uint32_t)kallsyms.names.count;
	assert_refused(fd = written(&kallsyms), KEY);
	(void)close(fd);
	symbols[1] = good;
	symbols[1].module = UINT32_MAX;
	assert_refused(fd = written(&kallsyms), KEY);
	(void)close(fd);
	symbols[1] = good;
	symbols[1].addr = symbols[0].addr - 1;
	assert_refused(fd = written(&kallsyms), KEY);
	(void)close(fd);
	symbols[1] = good;
	kallsyms.names.at[kallsyms.names.count - 1] = 'x';
	assert_refused(fd = written(&kallsyms), KEY);
	(void)close(fd);
	kallsyms_fini(&kallsyms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back_as_written),
		cmocka_unit_test(another_state_is_refused),
		cmocka_unit_test(every_damaged_byte_is_noticed),
		cmocka_unit_test(unsound_tables_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
