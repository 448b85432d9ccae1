/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which source line a text refers to, and which samples hit the lines of a file. */
#include "tests/support/test.h"

#include <stdio.h>

#include "analyze/lookup.h"
#include "analyze/source_find.h"
#include "analyze/source_view.h"

static const struct group_selection first_event = { .contexts = GROUP_CONTEXTS_BUSY };
static struct model model;
static struct profile profile;
static uint32_t image, hot, cold, inlined, main_c, other_c, header;

static uint32_t add_function(const char *name, uint64_t vaddr)
{
	const struct function function = { .name = model_intern(&model, name),
					   .image = image,
					   .vaddr = vaddr,
					   .size_bytes = 0x100 };

	return model_function_id(&model, &function);
}

static uint32_t add_line(uint32_t function, uint32_t file, uint32_t number, uint32_t caller)
{
	const struct source_line line = { caller, file, number, function };

	return model_line_id(&model, &line);
}

static void add_hit(uint32_t function, uint32_t line, uint64_t samples)
{
	static uint64_t vaddr;
	struct hit *hit = vec_push(&profile.hits);

	assert_non_null(hit);
	*hit = (struct hit){ .function = function,
			     .image = image,
			     .count = { .samples = samples, .weight = samples },
			     .late = samples == 7,
			     .location = model_location_id(&model, image, ++vaddr) };
	model.locations.at[hit->location].line = line;
}

/*
 * hot() has lines 10, 12 and 15 of a/main.c, and line 3 of x.h, inlined at 12. cold() has lines 14,
 * 30 and 4000000000, which a file may claim. b/main.c is another file.
 */
static int setup(void **state)
{
	const struct image file = { .kind = IMAGE_FILE, .mtime_ns = 5 };

	if (model_init(&model) < 0 || !vec_push(&model.events))
		return -1;
	profile.model = &model;
	image = model_image_id(&model, &file);
	hot = add_function("hot", 0x100);
	cold = add_function("cold", 0x200);
	inlined = add_function("inlined", 0);
	main_c = model_intern(&model, "/src/a/main.c");
	other_c = model_intern(&model, "/src/b/main.c");
	header = model_intern(&model, "/src/x.h");
	add_hit(hot, add_line(hot, main_c, 10, 0), 50);
	add_hit(hot, add_line(hot, main_c, 15, 0), 7);
	add_hit(hot, add_line(hot, main_c, 12, 0), 3);
	add_hit(hot, add_line(inlined, header, 3, add_line(hot, main_c, 12, 0)), 20);
	add_hit(cold, add_line(cold, main_c, 14, 0), 5);
	add_hit(cold, add_line(cold, main_c, 30, 0), 4);
	add_hit(cold, add_line(cold, main_c, 4000000000, 0), 2);
	add_hit(cold, add_line(cold, other_c, 1, 0), 1);
	add_hit(cold, 0, 8);
	return 0;
}

static int teardown(void **state)
{
	vec_free(&profile.hits);
	model_fini(&model);
	return 0;
}

static void assert_place(const char *text, const char *path, uint32_t line)
{
	struct source_place place;

	assert_int_equal(source_place_parse(text, &place), 0);
	assert_string_equal(place.path, path);
	assert_int_equal(place.line, line);
	free(place.path);
}

static void places_are_taken_apart(void **state)
{
	assert_place("main.c:10", "main.c", 10);
	assert_place("a:b.c:1", "a:b.c", 1);
	assert_place("main.c", "main.c", 0);
	assert_place("main.c:", "main.c:", 0);
	assert_place("main.c:0", "main.c:0", 0);
	assert_place("main.c:1x", "main.c:1x", 0);
	assert_place("main.c:-1", "main.c:-1", 0);
	assert_place("main.c:4294967296", "main.c:4294967296", 0);
	assert_place(":7", ":7", 0);
}

/* Numbers of the files found. */
static void assert_files(const char *path, size_t count, uint32_t first)
{
	struct source_files files;

	assert_int_equal(source_find_files(&profile, &first_event, path, &files), 0);
	assert_int_equal(files.list.count, count);
	if (count)
		assert_int_equal(files.list.at[0], first);
	vec_free(&files.list);
}

static void files_are_found_by_trailing_parts(void **state)
{
	assert_files("main.c", 2, main_c);
	assert_files("a/main.c", 1, main_c);
	assert_files("/src/b/main.c", 1, other_c);
	assert_files("x.h", 1, header);
	assert_files("ain.c", 0, 0);
	assert_files("hot", 0, 0);
	add_hit(hot, add_line(hot, model_intern(&model, "main.c"), 1, 0), 1);
	assert_files("main.c", 1, model_intern(&model, "main.c"));
}

static void assert_functions(uint32_t file, uint32_t line, uint32_t first, uint32_t second)
{
	struct annotate_found found;

	assert_int_equal(source_find_functions(&profile, &first_event, file, line, &found), 0);
	assert_int_equal(found.by, ANNOTATE_PLACE);
	assert_int_equal(found.functions.count, second ? 2 : 1);
	assert_int_equal(found.functions.at[0].key[0], first);
	if (second)
		assert_int_equal(found.functions.at[1].key[0], second);
	annotate_found_fini(&found);
}

static void functions_on_the_line_come_first(void **state)
{
	assert_functions(main_c, 12, hot, cold);
	assert_functions(main_c, 14, cold, hot);
	assert_functions(main_c, 11, hot, cold);
	assert_functions(header, 3, hot, 0);
	assert_functions(other_c, 1, cold, 0);
}

/* @want is "line samples" of each row. */
static void assert_rows(const struct source_view *view, const char *want)
{
	char all[512] = "";

	for (size_t i = 0; i < view->rows.count; i++) {
		size_t used = strlen(all);

		(void)snprintf(all + used, sizeof(all) - used, "%s%u:%u", i ? " " : "",
			       view->rows.at[i].line, (unsigned int)view->rows.at[i].count.samples);
	}
	assert_string_equal(all, want);
}

static void lines_have_their_samples(void **state)
{
	bool functions[8] = { false };
	struct source_views views;

	functions[hot] = true;
	assert_int_equal(source_views_make(&profile, &first_event,
					   &(struct source_wanted){ .functions = functions },
					   &views),
			 0);
	assert_int_equal(views.all.samples, 100);
	assert_int_equal(views.total.samples, 80);
	assert_int_equal(views.no_line.samples, 0);
	assert_int_equal(views.list.count, 2);
	assert_int_equal(views.list.at[0].file, main_c);
	assert_int_equal(views.list.at[0].count.samples, 60);
	assert_int_equal(views.list.at[0].mtime_ns, 5);
	assert_rows(&views.list.at[0], "10:50 11:0 12:3 13:0 14:0 15:7");
	assert_int_equal(views.list.at[0].rows.at[5].late_samples, 7);
	assert_rows(&views.list.at[1], "3:20");
	source_views_fini(&views);
}

static void gaps_are_filled_inside_functions(void **state)
{
	struct source_views views;

	assert_int_equal(source_views_make(&profile, &first_event,
					   &(struct source_wanted){ .file = main_c }, &views),
			 0);
	assert_int_equal(views.total.samples, 71);
	assert_int_equal(views.list.count, 1);
	assert_rows(&views.list.at[0],
		    "10:50 11:0 12:3 13:0 14:5 15:7 16:0 17:0 18:0 19:0 20:0 21:0 22:0 23:0 24:0 "
		    "25:0 26:0 27:0 28:0 29:0 30:4 4000000000:2");
	source_views_fini(&views);
	add_hit(hot, add_line(hot, main_c, 2, 0), 1);
	add_hit(inlined, add_line(inlined, main_c, 6, 0), 1);
	add_hit(0, add_line(0, other_c, 3, 0), 1);
	add_hit(0, add_line(0, other_c, 5, 0), 1);
	assert_int_equal(
		source_views_make(&profile, &first_event, &(struct source_wanted){ 0 }, &views), 0);
	assert_int_equal(views.no_line.samples, 8);
	assert_int_equal(views.list.count, 3);
	assert_rows(&views.list.at[2], "1:1 3:1 5:1");
	source_views_fini(&views);
}

/* The number of gap rows is limited, whatever line numbers a file has. */
static void gaps_have_a_budget(void **state)
{
	const uint32_t step = SOURCE_GAP_MAX, hits = 3 * SOURCE_FILLED_MAX / SOURCE_GAP_MAX;
	uint32_t file = model_intern(&model, "/src/long.c");
	const struct source_view *view;
	struct source_views views;

	for (uint32_t i = 1; i <= hits; i++)
		add_hit(hot, add_line(hot, file, i * step, 0), 1);
	assert_int_equal(source_views_make(&profile, &first_event,
					   &(struct source_wanted){ .file = file }, &views),
			 0);
	view = &views.list.at[0];
	assert_int_equal(view->count.samples, hits);
	assert_true(view->rows.count > SOURCE_FILLED_MAX / 2);
	assert_true(view->rows.count <= SOURCE_FILLED_MAX + hits);
	assert_int_equal(view->rows.at[view->rows.count - 1].line, hits * step);
	source_views_fini(&views);
}

/* The search stops far out in an inline chain that is longer than a compiler makes. */
static void chains_have_a_limit(void **state)
{
	uint32_t outer = model_intern(&model, "/src/outer.c");
	uint32_t inner = model_intern(&model, "/src/inner.c");
	uint32_t line = add_line(hot, outer, 1, 0);

	for (uint32_t i = 2; i <= LINE_CHAIN_MAX; i++)
		line = add_line(inlined, inner, i, line);
	assert_true(source_chain_has(&model, line, outer, 1));
	line = add_line(inlined, inner, 1, line);
	assert_true(source_chain_has(&model, line, inner, 1));
	assert_false(source_chain_has(&model, line, outer, 1));
	add_hit(hot, line, 1);
	assert_files("inner.c", 1, inner);
	assert_files("outer.c", 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_taken_apart),
		cmocka_unit_test_setup_teardown(files_are_found_by_trailing_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(functions_on_the_line_come_first, setup, teardown),
		cmocka_unit_test_setup_teardown(lines_have_their_samples, setup, teardown),
		cmocka_unit_test_setup_teardown(gaps_are_filled_inside_functions, setup, teardown),
		cmocka_unit_test_setup_teardown(gaps_have_a_budget, setup, teardown),
		cmocka_unit_test_setup_teardown(chains_have_a_limit, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
