/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jitdumps larger than what is read at once. */
#include "support/test.h"

#include "jit_fixture.h"

/*
 * Appends empty records, each as long as what is read of a file at once. The file uses no disk
 * space.
 */
static void grow_empty(struct fixture *f, uint64_t size_bytes)
{
	const uint32_t head[4] = { 9, JITDUMP_WINDOW_BYTES, 0, 0 };
	int fd = open(f->dump, O_WRONLY);
	off_t at = lseek(fd, 0, SEEK_END), end = at + (off_t)size_bytes;

	assert_true(fd >= 0 && at > 0);
	for (; at < end; at += JITDUMP_WINDOW_BYTES)
		assert_int_equal(pwrite(fd, head, sizeof(head), at), sizeof(head));
	assert_int_equal(ftruncate(fd, end), 0);
	assert_int_equal(close(fd), 0);
}

static void show_long_dump(struct fixture *f, uint64_t size_bytes)
{
	jitdump_load(&w, 100, 0x1000, 16, "stale");
	show_dump(f, IMAGE_TGID);
	grow_empty(f, size_bytes);
	jitdump_load(&w, 200, 0x1000, 16, "last");
	grow_dump(f);
}

static void who_says_too_much_is_counted(void **state)
{
	struct fixture f = begin();
	FILE *map = fopen(f.map, "w");

	assert_non_null(map);
	for (unsigned int at = 0; at <= JIT_BYTES_MAX / sizeof(struct jit_claim) / 2; at++)
		(void)fprintf(map, "%x 1 a\n", at);
	assert_int_equal(fclose(map), 0);
	sample(&f, clock_monotonic_ns(), 0x1004, 0);
	settle(&f);
	jit_name(f.jit);
	assert_int_equal(loss(&f, LOSS_JIT_NO_ROOM), 1);
	end(&f);
}

static void write_long_map(const struct fixture *f, const char *name)
{
	FILE *map = fopen(f->map, "w");

	assert_non_null(map);
	for (unsigned int at = 0; at < 50000; at++)
		(void)fprintf(map, "%x 1 %s\n", at, name);
	assert_int_equal(fclose(map), 0);
}

/*
 * The map is left alone for a time, but is read at the end. Otherwise the name would be outdated.
 */
static void a_map_that_rests_is_read_at_the_end(void **state)
{
	struct fixture f = begin();

	write_long_map(&f, "first");
	sample(&f, clock_monotonic_ns(), 0x1004, 0);
	settle(&f);
	write_long_map(&f, "the_second");
	settle(&f);
	write_long_map(&f, "the_third");
	sample_batch_clear(&f.batch);
	sample(&f, clock_monotonic_ns() + NS_PER_SEC, 0x1004, 0);
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "the_third");
	end(&f);
}

/* In the part that was not read, another function may have got the address. */
static void what_is_unread_at_the_end_names_nothing(void **state)
{
	struct fixture f = begin();

	show_long_dump(&f, JIT_SETTLE_BYTES + JIT_NAME_BYTES + JIT_DUMP_STEP_BYTES);
	sample(&f, 250, 0x1004, 0);
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "");
	assert_int_equal(loss(&f, LOSS_JIT_UNSURE), 1);
	assert_int_equal(loss(&f, LOSS_JITDUMP_UNREAD), 1);
	assert_non_null(strstr(model_fact(f.model, FACT_JITDUMP_REFUSED), "grew faster"));
	end(&f);
}

/* A process that writes without end does not keep the jitdumps of others from being read. */
static void dumps_take_turns(void **state)
{
	struct fixture f = begin();
	struct process process = { .tgid = (uint32_t)getppid(), .uid = getuid(), .exec_ns = 7 };
	struct image image = { .kind = IMAGE_JIT, .tgid = process.tgid, .path = 1 };
	struct jit_seen_dump seen = { .tgid = process.tgid,
				      .named_pid = process.tgid,
				      .exec_ns = 7 };

	show_long_dump(&f, JIT_SETTLE_BYTES + JIT_NAME_BYTES + JIT_DUMP_STEP_BYTES);
	assert_int_equal(unlink(f.dump), 0);
	image.process = model_process_add(f.model, &process);
	f.image = model_image_id(f.model, &image);
	jitdump_begin(&w, false);
	jitdump_load(&w, 100, 0x1000, 16, "small");
	grow_dump(&f);
	seen.fd = open(f.dump, O_RDONLY | O_CLOEXEC);
	jit_take_dump(f.jit, &seen);
	sample(&f, 250, 0x1004, 0);
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "small");
	assert_int_equal(loss(&f, LOSS_JITDUMP_UNREAD), 1);
	end(&f);
}

static void a_long_dump_is_read_bit_by_bit(void **state)
{
	struct fixture f = begin();

	show_long_dump(&f, 2 * JIT_SETTLE_BYTES);
	sample(&f, 250, 0x1004, 0);
	settle(&f);
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "last");
	assert_int_equal(loss(&f, LOSS_JITDUMP_UNREAD), 0);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_says_too_much_is_counted),
		cmocka_unit_test(a_map_that_rests_is_read_at_the_end),
		cmocka_unit_test(what_is_unread_at_the_end_names_nothing),
		cmocka_unit_test(dumps_take_turns),
		cmocka_unit_test(a_long_dump_is_read_bit_by_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
