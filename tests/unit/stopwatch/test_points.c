/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Points as users type them, and where probes are set. */
#include "support/test.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "stopwatch/image_search.h"
#include "stopwatch/point.h"
#include "stopwatch/probe_entry.h"

static void points_are_parsed(void **state)
{
	struct point point;
	struct err err = { 0 };

	assert_int_equal(point_parse("libc:malloc", &point, &err), 0);
	assert_int_equal(point.kind, POINT_FUNCTION);
	assert_string_equal(point.image, "libc");
	assert_string_equal(point.name, "malloc");
	point_fini(&point);
	assert_int_equal(point_parse("./app:ns::f(int)", &point, &err), 0);
	assert_string_equal(point.image, "./app");
	assert_string_equal(point.name, "ns::f(int)");
	point_fini(&point);
	assert_int_equal(point_parse("syscall:open*", &point, &err), 0);
	assert_int_equal(point.kind, POINT_CALL);
	assert_null(point.image);
	assert_string_equal(point.name, "open*");
	assert_false(point.at_return);
	point_fini(&point);
	assert_int_equal(point_parse("kernel:vfs_read%return", &point, &err), 0);
	assert_int_equal(point.kind, POINT_KERNEL);
	assert_string_equal(point.name, "vfs_read");
	assert_string_equal(point.text, "kernel:vfs_read%return");
	assert_true(point.at_return);
	point_fini(&point);
	assert_int_equal(point_parse("app:operator%", &point, &err), 0);
	assert_string_equal(point.name, "operator%");
	assert_false(point.at_return);
	point_fini(&point);
	assert_int_equal(point_parse("tracepoint:sched:sched_switch", &point, &err), 0);
	assert_int_equal(point.kind, POINT_TRACEPOINT);
	assert_string_equal(point.image, "sched");
	assert_string_equal(point.name, "sched_switch");
	point_fini(&point);
	assert_int_equal(point_parse("usdt:./app:provider:name%return", &point, &err), 0);
	assert_int_equal(point.kind, POINT_USDT);
	assert_string_equal(point.image, "./app");
	assert_string_equal(point.name, "provider:name%return");
	assert_false(point.at_return);
	point_fini(&point);
}

static void other_texts_are_refused(void **state)
{
	static const char *const texts[] = { "", "malloc", ":malloc", "libc:", ":" };
	struct point point;
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(point_parse(texts[i], &point, &err), -EINVAL);
		assert_non_null(strstr(err.text, "IMAGE:FUNCTION"));
	}
	assert_int_equal(point_parse("mark:app:part", &point, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "mark:app:part"));
	assert_int_equal(point_parse("usdt:app", &point, &err), -EINVAL);
	assert_non_null(strstr(err.text, "usdt:IMAGE:NAME"));
	assert_int_equal(point_parse("tracepoint:sched", &point, &err), -EINVAL);
	assert_int_equal(point_parse("tracepoint::sched", &point, &err), -EINVAL);
	assert_int_equal(point_parse("tracepoint:sched:", &point, &err), -EINVAL);
	assert_non_null(strstr(err.text, "tracepoint:GROUP:NAME"));
}

static void libraries_have_short_names(void **state)
{
	assert_true(image_search_matches("libc", "libc.so.6"));
	assert_true(image_search_matches("c", "libc.so.6"));
	assert_true(image_search_matches("libc.so.6", "libc.so.6"));
	assert_true(image_search_matches("libstdc++", "libstdc++.so.6.0.30"));
	assert_true(image_search_matches("app", "app"));
	assert_false(image_search_matches("libc", "libcrypt.so.1"));
	assert_false(image_search_matches("c", "libcrypt.so.1"));
	assert_false(image_search_matches("libc", "libc.so6"));
	assert_false(image_search_matches("so", "libc.so.6"));
}

static void images_are_found(void **state)
{
	const uint32_t own = (uint32_t)getpid();
	struct image_search search = { .name = "libc", .tgids = &own, .tgid_count = 1 };
	char path[PATH_MAX];
	struct err err = { 0 };
	int fd = image_search_open(&search, path, &err);

	assert_true(fd >= 0);
	assert_non_null(strstr(path, "/libc.so"));
	(void)close(fd);
	search = (struct image_search){ .name = "sh", .program_dirs = "/nothing:/bin:/usr/bin" };
	fd = image_search_open(&search, path, &err);
	assert_true(fd >= 0);
	assert_string_equal(path, "/bin/sh");
	(void)close(fd);
	search.name = "no-such-image";
	assert_int_equal(image_search_open(&search, path, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no-such-image"));
	search.name = "./no-such-image";
	assert_int_equal(image_search_open(&search, path, &err), -ENOENT);
}

/* Whatever comes first in the directory. */
static void texts_of_linkers_are_no_libraries(void **state)
{
	struct image_search search = { .name = "libc" };
	char path[PATH_MAX], magic[SELFMAG];
	struct err err = { 0 };
	int fd = image_search_open(&search, path, &err);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, magic, sizeof(magic), 0), sizeof(magic));
	assert_memory_equal(magic, ELFMAG, SELFMAG);
	(void)close(fd);
}

static void check_entry(const void *code, size_t size_bytes, uint32_t skip_bytes,
			enum probe_cost cost)
{
	struct probe_entry entry = probe_entry_of(EM_X86_64, code, size_bytes);

	assert_int_equal(entry.skip_bytes, skip_bytes);
	assert_int_equal(entry.cost, cost);
}

#define ENTRY(bytes, skip, cost) check_entry(bytes, sizeof(bytes) - 1, skip, cost)

static void cheap_entries_are_found(void **state)
{
	ENTRY("\x0f\x1f\x44\x00\x00\x55", 0, PROBE_NOP5);
	ENTRY("\x55\x48\x89\xe5", 0, PROBE_EMULATED);
	ENTRY("\x41\x57\x41\x56", 0, PROBE_EMULATED);
	ENTRY("\xe9\x00\x00\x00\x00", 0, PROBE_EMULATED);
	ENTRY("\x48\x83\xec\x08", 0, PROBE_STEPPED);
	ENTRY("\xf3\x0f\x1e\xfa\x55\x48", 4, PROBE_EMULATED);
	ENTRY("\xf3\x0f\x1e\xfa\x0f\x1f\x44\x00\x00", 4, PROBE_NOP5);
	ENTRY("\xf3\x0f\x1e\xfa\x48\x83\xec\x08", 0, PROBE_STEPPED);
	ENTRY("\xf3\x0f\x1e\xfa", 0, PROBE_STEPPED);
	ENTRY("", 0, PROBE_STEPPED);
	assert_true(probe_entry_of(EM_X86_64, (const uint8_t *)"\xf0\xff\x04", 3).is_refused);
	assert_true(probe_entry_of(EM_X86_64, (const uint8_t *)"\x62\xf1\x7c", 3).is_refused);
	assert_true(probe_entry_of(EM_X86_64, (const uint8_t *)"\x66\x2e\x0f", 3).is_refused);
	assert_false(probe_entry_of(EM_X86_64, (const uint8_t *)"\x48\x83\xec", 3).is_refused);
	assert_false(probe_entry_of(EM_X86_64, (const uint8_t *)"\xf3\x0f\x1e\xfa", 4).is_refused);
	assert_int_equal(probe_entry_of(EM_AARCH64, (const uint8_t *)"", 0).cost, PROBE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_parsed),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(libraries_have_short_names),
		cmocka_unit_test(images_are_found),
		cmocka_unit_test(texts_of_linkers_are_no_libraries),
		cmocka_unit_test(cheap_entries_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
