/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "jit_fixture.h"

static void a_dump_names_each_moment(void **state)
{
	struct fixture f = begin();

	jitdump_load(&w, 100, 0x1000, 16, "first");
	jitdump_load(&w, 100, 0x2000, 16, "caller");
	jitdump_load(&w, 200, 0x1000, 16, "second");
	jitdump_move(&w, 300, 0x1000, 0x3000, 16);
	show_dump(&f, IMAGE_TGID);
	sample(&f, 50, 0x1004, 0);
	sample(&f, 150, 0x1004, 0x2004);
	sample(&f, 250, 0x1004, 0x2004);
	sample(&f, 350, 0x1004, 0x2004);
	sample(&f, 350, 0x3004, 0x2004);
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "");
	assert_string_equal(name_of(&f, 1, 0), "first");
	assert_string_equal(name_of(&f, 2, 0), "second");
	assert_string_equal(name_of(&f, 3, 0), "");
	assert_string_equal(name_of(&f, 4, 0), "second");
	for (size_t i = 1; i < 5; i++)
		assert_string_equal(name_of(&f, i, 1), "caller");
	assert_int_equal(location_at(&f, 1, 0)->vaddr, 0x1004);
	assert_int_equal(location_at(&f, 2, 0)->vaddr, 0x1004);
	assert_ptr_equal(location_at(&f, 1, 1), location_at(&f, 2, 1));
	assert_int_equal(loss(&f, LOSS_JIT_UNSURE), 0);
	end(&f);
}

static void callers_are_put_apart_as_well(void **state)
{
	struct fixture f = begin();

	jitdump_load(&w, 100, 0x1000, 16, "leaf");
	jitdump_load(&w, 100, 0x2000, 16, "old");
	jitdump_load(&w, 200, 0x2000, 16, "new");
	show_dump(&f, IMAGE_TGID);
	sample(&f, 150, 0x1004, 0x2004);
	sample(&f, 250, 0x1004, 0x2004);
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 1), "old");
	assert_string_equal(name_of(&f, 1, 1), "new");
	assert_string_equal(name_of(&f, 0, 0), "leaf");
	assert_string_equal(name_of(&f, 1, 0), "leaf");
	end(&f);
}

/*
 * Samples that are already written cannot be divided between names any more, so the location stays
 * unnamed.
 */
static void what_is_learned_late_costs_the_name(void **state)
{
	struct fixture f = begin();

	jitdump_load(&w, 100, 0x1000, 16, "first");
	jitdump_load(&w, 100, 0x2000, 16, "other");
	show_dump(&f, IMAGE_TGID);
	sample(&f, 150, 0x1004, 0x2004);
	sample(&f, 250, 0x1004, 0x2004);
	settle(&f);
	jitdump_load(&w, 200, 0x1000, 16, "late");
	grow_dump(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "");
	assert_string_equal(name_of(&f, 1, 0), "");
	assert_string_equal(name_of(&f, 0, 1), "other");
	assert_int_equal(loss(&f, LOSS_JIT_UNSURE), 2);
	end(&f);
}

static void lines_and_code_of_a_dump(void **state)
{
	struct fixture f = begin();
	const struct function *function;
	const struct source_line *line;
	const struct code *code;

	jitdump_lines(&w, 0x1010, 10, 4, "/src/a.js");
	jitdump_load(&w, 100, 0x1010, 16, "hot");
	jitdump_move(&w, 200, 0x1010, 0x3000, 16);
	show_dump(&f, IMAGE_TGID);
	sample(&f, 150, 0x1014, 0);
	sample(&f, 250, 0x3008, 0);
	settle(&f);
	jit_name(f.jit);
	line = &f.model->lines.at[location_at(&f, 0, 0)->line];
	assert_int_equal(line->line, 11);
	assert_string_equal(model_string(f.model, line->file), "/src/a.js");
	line = &f.model->lines.at[location_at(&f, 1, 0)->line];
	assert_int_equal(line->line, 12);
	function = &f.model->functions.at[location_at(&f, 0, 0)->function];
	assert_int_equal(function->quality, QUALITY_JIT);
	code = jit_code(f.jit, function);
	assert_non_null(code);
	assert_int_equal(code->size_bytes, 16);
	assert_int_equal(code->machine, 62);
	assert_int_equal(code->bytes[15], 0x10);
	/* Code that was moved may have been changed for its new place. */
	function = &f.model->functions.at[location_at(&f, 1, 0)->function];
	assert_int_equal(function->vaddr, 0x3000);
	assert_null(jit_code(f.jit, function));
	end(&f);
}

static void two_codes_of_one_address_are_not_kept(void **state)
{
	struct fixture f = begin();

	jitdump_load(&w, 100, 0x1000, 16, "a");
	jitdump_load(&w, 150, 0x1000, 16, "a");
	jitdump_load(&w, 100, 0x2000, 16, "b");
	jitdump_load(&w, 200, 0x2000, 16, "c");
	show_dump(&f, IMAGE_TGID);
	for (uint64_t time_ns = 110; time_ns < 300; time_ns += 50) {
		sample(&f, time_ns, 0x1004, 0);
		sample(&f, time_ns, 0x2004, 0);
	}
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 6, 0), "a");
	assert_string_equal(name_of(&f, 7, 0), "c");
	assert_non_null(jit_code(f.jit, &f.model->functions.at[location_at(&f, 6, 0)->function]));
	assert_null(jit_code(f.jit, &f.model->functions.at[location_at(&f, 7, 0)->function]));
	end(&f);
}

/* Some compilers set the size of the file before they write its records. */
static void what_is_not_written_yet_is_no_damage(void **state)
{
	struct fixture f = begin();
	size_t written;

	jitdump_load(&w, 100, 0x1000, 16, "first");
	written = w.size_bytes;
	show_dump(&f, IMAGE_TGID);
	assert_int_equal(truncate(f.dump, 200000), 0);
	sample(&f, 150, 0x1004, 0);
	sample(&f, 250, 0x1004, 0);
	settle(&f);
	jitdump_load(&w, 200, 0x1000, 16, "second");
	overwrite_dump(&f, written);
	settle(&f);
	sample_batch_clear(&f.batch);
	sample(&f, 300, 0x1004, 0);
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "second");
	assert_int_equal(loss(&f, LOSS_JITDUMP_DAMAGED), 0);
	assert_int_equal(loss(&f, LOSS_JITDUMP_UNREAD), 0);
	end(&f);
}

/*
 * Provisional names for a live view: they show what is known now and are withdrawn if they were
 * wrong.
 */
static void names_for_the_moment(void **state)
{
	static char longer[2000];
	struct fixture f = begin();

	memset(longer, 'x', sizeof(longer) - 1);
	jitdump_load(&w, 100, 0x1000, 16, "first");
	jitdump_load(&w, 100, 0x2000, 16, longer);
	show_dump(&f, IMAGE_TGID);
	sample(&f, 150, 0x1004, 0);
	sample(&f, 250, 0x1004, 0);
	sample(&f, 150, 0x2004, 0);
	sample(&f, 150, 0x3004, 0);
	for (int i = 0; i < 3; i++) {
		settle(&f);
		jit_name_now(f.jit);
		assert_string_equal(name_of(&f, 0, 0), "first");
		assert_int_equal(strlen(name_of(&f, 2, 0)), 1024);
		assert_string_equal(name_of(&f, 3, 0), "");
		assert_int_equal(loss(&f, LOSS_STRING_CUT), 0);
		sample_batch_clear(&f.batch);
		sample(&f, 150, 0x1004, 0);
		sample(&f, 250, 0x1004, 0);
		sample(&f, 150, 0x2004, 0);
		sample(&f, 150, 0x3004, 0);
	}
	settle(&f);
	jit_name_now(f.jit);
	jitdump_load(&w, 200, 0x1000, 16, "late");
	jitdump_load(&w, 100, 0x3000, 16, "known");
	grow_dump(&f);
	sample_batch_clear(&f.batch);
	sample(&f, 300, 0x1004, 0);
	sample(&f, 150, 0x3004, 0);
	settle(&f);
	jit_name_now(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "late");
	assert_string_equal(name_of(&f, 1, 0), "known");
	assert_string_equal(function_name(&f, 0x1004), "");
	assert_int_equal(loss(&f, LOSS_JIT_UNSURE), 0);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "late");
	assert_string_equal(function_name(&f, 0x1004), "");
	assert_int_equal(loss(&f, LOSS_STRING_CUT), 1);
	assert_true(loss(&f, LOSS_JIT_UNSURE) > 0);
	end(&f);
}

static void a_map_grows(void **state)
{
	struct fixture f = begin();
	static const char first[] = "1000 10 first\n2000 10 other\n", second[] = "1000 10 second\n";

	append(f.map, first, strlen(first));
	sample(&f, f.begin_ns, 0x1004, 0x2004);
	settle(&f);
	append(f.map, second, strlen(second));
	sample(&f, clock_monotonic_ns(), 0x1004, 0x2004);
	settle(&f);
	sample_batch_clear(&f.batch);
	sample(&f, clock_monotonic_ns() + NS_PER_SEC, 0x1004, 0x2004);
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "second");
	assert_string_equal(name_of(&f, 0, 1), "other");
	assert_true(loss(&f, LOSS_JIT_UNSURE) > 0);
	end(&f);
}

/* A line is read only when it is complete. Until then it may be half of another name. */
static void half_a_line_waits(void **state)
{
	struct fixture f = begin();
	static const char half[] = "1000 10 fir", rest[] = "st\n";

	append(f.map, half, strlen(half));
	sample(&f, f.begin_ns, 0x1004, 0);
	settle(&f);
	append(f.map, rest, strlen(rest));
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "first");
	end(&f);
}

static void a_map_that_is_written_anew(void **state)
{
	struct fixture f = begin();
	static const char first[] = "1000 10 first\n2000 10 long_ago\n", second[] = "3000 10 new\n";

	append(f.map, first, strlen(first));
	sample(&f, f.begin_ns, 0x1004, 0);
	settle(&f);
	assert_int_equal(truncate(f.map, 0), 0);
	append(f.map, second, strlen(second));
	sample(&f, clock_monotonic_ns() + NS_PER_SEC, 0x3004, 0);
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "first");
	assert_string_equal(name_of(&f, 1, 0), "new");
	end(&f);
}

static void a_map_that_is_removed_and_made_anew(void **state)
{
	struct fixture f = begin();
	static const char first[] = "1000 10 first\n", rest[] = "2000 10 rest\n";
	static const char second[] = "3000 10 new\n";

	append(f.map, first, strlen(first));
	sample(&f, f.begin_ns, 0x1004, 0);
	settle(&f);
	append(f.map, rest, strlen(rest));
	assert_int_equal(unlink(f.map), 0);
	append(f.map, second, strlen(second));
	sample(&f, clock_monotonic_ns() + NS_PER_SEC, 0x2004, 0);
	sample(&f, clock_monotonic_ns() + NS_PER_SEC, 0x3004, 0);
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "first");
	assert_string_equal(name_of(&f, 1, 0), "rest");
	assert_string_equal(name_of(&f, 2, 0), "new");
	end(&f);
}

static void a_dump_is_better_than_a_map(void **state)
{
	struct fixture f = begin();
	static const char map[] = "1000 10 of_the_map\n";

	append(f.map, map, strlen(map));
	sample(&f, 150, 0x1004, 0);
	settle(&f);
	jitdump_load(&w, 100, 0x1000, 16, "of_the_dump");
	show_dump(&f, IMAGE_TGID);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "of_the_dump");
	end(&f);
}

static void assert_refused(struct fixture *f, enum loss reason, const char *why)
{
	sample(f, 150, 0x1004, 0);
	settle(f);
	jit_name(f->jit);
	assert_string_equal(name_of(f, 0, 0), "");
	assert_int_equal(loss(f, reason), 1);
	assert_non_null(strstr(model_fact(f->model, FACT_JITDUMP_REFUSED), why));
	end(f);
}

static void dumps_that_are_refused(void **state)
{
	struct fixture f = begin();

	jitdump_set_flags(&w, 1);
	jitdump_load(&w, 100, 0x1000, 16, "ticks");
	show_dump(&f, IMAGE_TGID);
	assert_refused(&f, LOSS_JITDUMP_REFUSED, "CPU's cycle counter");

	f = begin();
	jitdump_load(&w, 100, 0x1000, 16, "early");
	jitdump_load(&w, clock_monotonic_ns() + 3600 * NS_PER_SEC, 0x1000, 16, "future");
	show_dump(&f, IMAGE_TGID);
	assert_refused(&f, LOSS_JITDUMP_REFUSED, "CLOCK_MONOTONIC");

	f = begin();
	jitdump_load(&w, 100, 0x1000, 16, "foreign");
	f.model->processes.at[1].uid = getuid() + 1;
	show_dump(&f, IMAGE_TGID);
	if (getuid() == 0 && chown(f.dump, 12345, 12345) < 0)
		skip();
	assert_refused(&f, LOSS_JITDUMP_REFUSED, "process's user");

	f = begin();
	memset(w.bytes, 'x', JITDUMP_HEADER_BYTES);
	show_dump(&f, IMAGE_TGID);
	assert_refused(&f, LOSS_JITDUMP_REFUSED, "does not begin");
}

static void a_damaged_dump_names_what_was_before(void **state)
{
	struct fixture f = begin();

	jitdump_load(&w, 100, 0x1000, 16, "before");
	jitdump_load(&w, 200, 0x2000, 16, "last");
	jitdump_raw(&w, 0, 3, 16);
	show_dump(&f, IMAGE_TGID);
	sample(&f, 150, 0x1004, 0);
	sample(&f, 250, 0x1004, 0);
	settle(&f);
	sample(&f, 150, 0x1004, 0);
	jit_name(f.jit);
	assert_int_equal(loss(&f, LOSS_JITDUMP_DAMAGED), 1);
	assert_int_equal(loss(&f, LOSS_JIT_UNSURE), 2);
	assert_string_equal(name_of(&f, 0, 0), "");
	end(&f);
}

/* A forked child has its parent's mapping but its own code. */
static void a_dump_of_somebody_else_is_not_taken(void **state)
{
	struct fixture f = begin();

	jitdump_load(&w, 100, 0x1000, 16, "parents");
	show_dump(&f, IMAGE_TGID + 1);
	sample(&f, 150, 0x1004, 0);
	settle(&f);
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "");
	end(&f);
}

/* The next process with the same pid also gets the perf map of that name. */
static void the_map_of_a_later_program_is_not_taken(void **state)
{
	struct fixture f = begin();
	static const char map[] = "1000 10 of_the_later\n";
	struct process later = { .tgid = IMAGE_TGID, .uid = getuid(), .exec_ns = 1000 };

	sample(&f, 150, 0x1004, 0);
	settle(&f);
	(void)model_process_add(f.model, &later);
	append(f.map, map, strlen(map));
	jit_name(f.jit);
	assert_string_equal(name_of(&f, 0, 0), "");
	end(&f);
}

/* The watch of an exited process ends, and its files and memory are released. */
static void watches_are_given_back(void **state)
{
	struct fixture f = begin();
	struct process later = { .tgid = IMAGE_TGID, .uid = getuid(), .exec_ns = 1000 };
	int before = dup(0), after;

	(void)close(before);
	jitdump_load(&w, 100, 0x1000, 16, "name");
	show_dump(&f, IMAGE_TGID);
	sample(&f, 150, 0x1004, 0);
	settle(&f);
	(void)model_process_add(f.model, &later);
	for (int i = 0; i <= JIT_QUIET_SETTLES + 1; i++) {
		struct sample_batch none = { 0 };

		jit_settle(f.jit, &none);
	}
	assert_string_equal(name_of(&f, 0, 0), "name");
	after = dup(0);
	(void)close(after);
	assert_int_equal(after, before);
	end(&f);
}

static void too_many_processes_are_a_loss(void **state)
{
	struct fixture f = begin();
	struct process process = { .uid = getuid() };
	struct image image = { .kind = IMAGE_JIT, .path = 1 };

	for (uint32_t i = 0; i < JIT_WATCHED_MAX; i++) {
		process.tgid = image.tgid = IMAGE_TGID + 1 + i;
		image.process = model_process_add(f.model, &process);
		(void)model_image_id(f.model, &image);
	}
	jit_watch(f.jit);
	assert_true(loss(&f, LOSS_JIT_UNWATCHED) > 0);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dump_names_each_moment),
		cmocka_unit_test(callers_are_put_apart_as_well),
		cmocka_unit_test(what_is_learned_late_costs_the_name),
		cmocka_unit_test(lines_and_code_of_a_dump),
		cmocka_unit_test(two_codes_of_one_address_are_not_kept),
		cmocka_unit_test(what_is_not_written_yet_is_no_damage),
		cmocka_unit_test(names_for_the_moment),
		cmocka_unit_test(a_map_grows),
		cmocka_unit_test(half_a_line_waits),
		cmocka_unit_test(a_map_that_is_written_anew),
		cmocka_unit_test(a_map_that_is_removed_and_made_anew),
		cmocka_unit_test(a_dump_is_better_than_a_map),
		cmocka_unit_test(dumps_that_are_refused),
		cmocka_unit_test(a_damaged_dump_names_what_was_before),
		cmocka_unit_test(a_dump_of_somebody_else_is_not_taken),
		cmocka_unit_test(the_map_of_a_later_program_is_not_taken),
		cmocka_unit_test(watches_are_given_back),
		cmocka_unit_test(too_many_processes_are_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
