/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the lines of a growing perf map can have taken effect. */
#include "support/test.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "symbolize/jit_map.h"
#include "symbolize/perf_map.h"

#define LONG_BYTES 4096	/* size of a write from a buffer */

static struct jit_budget budget;
static struct jit_history history;
static struct jit_map map;
static struct process process;
static int fd;

static int begin(void **state)
{
	budget = (struct jit_budget){ .bytes_max = JIT_BYTES_MAX };
	process.uid = getuid();
	jit_history_init(&history, &budget);
	jit_map_init(&map);
	fd = memfd_create("map", MFD_CLOEXEC);
	map.fd = dup(fd);
	return map.fd < 0 ? -1 : 0;
}

static int end(void **state)
{
	jit_map_fini(&map);
	jit_history_fini(&history);
	return close(fd);
}

static void grow(const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

/* Appends lines of code that no sample refers to. */
static void grow_long(void)
{
	char line[32];

	for (int bytes = 0; bytes < LONG_BYTES;) {
		bytes += snprintf(line, sizeof(line), "%x 1 filling\n", 0x90000 + bytes);
		grow(line);
	}
}

static void look(void)
{
	assert_int_equal(jit_map_read(&map, &history, &process, false), 0);
}

static const struct jit_claim *last_claim(void)
{
	return &history.claims.at[history.claims.count - 1];
}

static void what_is_there_at_first_may_have_been_always(void **state)
{
	grow("1000 10 first\n2000 10 second\n");
	look();
	assert_int_equal(history.claims.count, 2);
	assert_int_equal(last_claim()->from_ns, 0);
	assert_true(last_claim()->by_ns > 0 && last_claim()->by_ns <= clock_monotonic_ns());
	look();
	assert_int_equal(history.claims.count, 2);
}

static void who_writes_lines_at_once_wrote_since_the_last_look(void **state)
{
	uint64_t looked_ns;

	grow("1000 10 first\n");
	look();
	(void)usleep(50000);	/* longer than the permitted error of file times */
	looked_ns = clock_monotonic_ns();
	look();
	grow("1000 10 second\n");
	look();
	assert_true(last_claim()->from_ns >= looked_ns);
	assert_true(last_claim()->by_ns > last_claim()->from_ns);
}

/* Lines that were written from a buffer may be as old as the previous write. */
static void who_has_a_buffer_wrote_earlier(void **state)
{
	uint64_t looked_ns;

	grow_long();
	look();
	(void)usleep(50000);
	looked_ns = clock_monotonic_ns();
	look();
	grow_long();
	look();
	assert_true(last_claim()->from_ns > 0 && last_claim()->from_ns < looked_ns);
}

static void who_ends_within_a_line_has_a_buffer(void **state)
{
	uint64_t looked_ns;

	grow("1000 10 first\n2000 1");
	look();
	assert_int_equal(history.claims.count, 1);
	(void)usleep(50000);
	looked_ns = clock_monotonic_ns();
	look();
	grow("0 second\n3000 10 third\n");
	look();
	assert_int_equal(history.claims.count, 3);
	/* the line was begun before the first look */
	assert_int_equal(history.claims.at[1].from_ns, 0);
	assert_true(last_claim()->from_ns > 0 && last_claim()->from_ns < looked_ns);
}

static void the_last_line_needs_no_end(void **state)
{
	grow("1000 10 first\n2000 10 last");
	look();
	assert_int_equal(history.claims.count, 1);
	assert_int_equal(jit_map_read(&map, &history, &process, true), 0);
	assert_int_equal(history.claims.count, 2);
	assert_string_equal(strpool_get(&history.names, last_claim()->name), "last");
}

static void write_anew(const char *text)
{
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	grow(text);
}

/* A process that keeps changing a byte of a long file does not cause it to be read each time. */
static void what_is_written_anew_is_left_alone_for_a_time(void **state)
{
	uint64_t looked_ns;

	grow("1000 10 first\n");
	look();
	write_anew("2000 10 other\n");
	look();
	assert_int_equal(history.claims.count, 2);
	assert_true(map.next_ns > map.looked_ns);
	looked_ns = map.looked_ns;
	map.next_ns = UINT64_MAX;	/* keeps the map at rest on any machine */
	write_anew("1000 10 third\n");
	look();
	assert_int_equal(history.claims.count, 2);
	/* the next claims may be as old as that time */
	assert_int_equal(map.looked_ns, looked_ns);
	assert_int_equal(jit_map_read(&map, &history, &process, true), 0);
	assert_int_equal(history.claims.count, 3);
	assert_true(map.next_ns < UINT64_MAX);
}

static void another_file_rests_as_well(void **state)
{
	grow("1000 10 first\n");
	look();
	assert_int_equal(map.next_ns, 0);
	jit_map_open(&map, dup(fd));
	look();
	assert_true(map.next_ns > map.looked_ns);
}

static void what_becomes_too_large_is_given_up(void **state)
{
	grow("1000 10 first\n");
	look();
	assert_int_equal(ftruncate(fd, PERF_MAP_MAX + 1), 0);
	assert_int_equal(jit_map_read(&map, &history, &process, false), -EPERM);
	assert_int_equal(history.lost_ns, map.looked_ns);
	assert_int_equal(map.fd, -1);
	assert_int_equal(jit_map_read(&map, &history, &process, false), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_there_at_first_may_have_been_always),
		TEST(who_writes_lines_at_once_wrote_since_the_last_look),
		TEST(who_has_a_buffer_wrote_earlier),
		TEST(who_ends_within_a_line_has_a_buffer),
		TEST(the_last_line_needs_no_end),
		TEST(what_is_written_anew_is_left_alone_for_a_time),
		TEST(another_file_rests_as_well),
		TEST(what_becomes_too_large_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
