/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/test.h"

#include "present/flame_layout.h"
#include "tests/unit/analyze/call_fixture.h"

#define WIDE 3000	/* number of children of one function */

static size_t seven_bytes(const struct call_tree *tree, uint32_t node)
{
	return 7;
}

static void lay_out(struct call_fixture *f, const struct flame_limits *limits,
		    struct call_tree *tree, struct flame_layout *layout)
{
	call_tally(f, NULL);
	assert_int_equal(call_tree_make(&f->profile, &(struct call_tree_options){ 0 }, tree), 0);
	assert_int_equal(flame_layout_make(tree, limits, layout), 0);
}

/* @expected is "row:name start+width" of each box, joined by blanks. */
static void assert_boxes(struct call_fixture *f, const struct flame_limits *limits,
			 const char *expected)
{
	struct call_tree tree;
	struct flame_layout layout;
	char text[1024] = "";
	size_t used = 0;

	lay_out(f, limits, &tree, &layout);
	for (size_t i = 0; i < layout.boxes.count; i++) {
		const struct flame_box *box = &layout.boxes.at[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u:%s %u+%u",
					 used ? " " : "", box->row,
					 call_name(f, tree.nodes.at[box->node].frame), box->start,
					 box->width);
	}
	assert_string_equal(text, expected);
	assert_int_equal(layout.left_out, tree.nodes.count - layout.boxes.count);
	flame_layout_fini(&layout);
	call_tree_fini(&tree);
}

static void begin(struct call_fixture *f)
{
	call_begin(f);
	call_sample(f, "main", 1);
	call_sample(f, "main read vfs", 3);
	call_sample(f, "main write", 5);
	call_sample(f, "start vfs", 2);
}

static void test_boxes(void **state)
{
	struct call_fixture f;

	begin(&f);
	assert_boxes(&f, &(struct flame_limits){ 0 },
		     "0:all 0+11 1:main 0+9 1:start 9+2 2:write 0+5 2:read 5+3 2:vfs 9+2 "
		     "3:vfs 5+3");
	call_end(&f);
}

/* Boxes that are too small are left out, but the width of their caller is unchanged. */
static void test_small(void **state)
{
	struct call_fixture f;

	begin(&f);
	assert_boxes(&f, &(struct flame_limits){ .min_share = 3.5 / 11 },
		     "0:all 0+11 1:main 0+9 2:write 0+5");
	call_end(&f);
}

/* The largest boxes are kept, and callers come before the functions they call. */
static void test_bytes(void **state)
{
	struct call_fixture f;

	begin(&f);
	assert_boxes(
		&f,
		&(struct flame_limits){ .bytes_max = 39, .bytes_each = 3, .bytes_of = seven_bytes },
		"0:all 0+11 1:main 0+9 2:write 0+5 2:read 5+3");
	call_end(&f);
}

/* Each row takes some bytes, however narrow it is. */
static void test_bytes_of_rows(void **state)
{
	struct call_fixture f;

	begin(&f);
	assert_boxes(
		&f,
		&(struct flame_limits){
			.bytes_max = 39, .bytes_each = 3, .bytes_row = 5, .bytes_of = seven_bytes },
		"0:all 0+11 1:main 0+9 2:write 0+5");
	call_end(&f);
}

/*
 * Totals that do not add up, below a root with less than its children. No box leaves its caller's.
 */
static void test_forged(void **state)
{
	static const uint64_t roots[] = { 0, 1, 11, UINT64_C(1) << 40, UINT64_MAX };
	struct call_fixture f;
	struct call_tree tree;
	struct flame_layout layout;

	begin(&f);
	call_tally(&f, NULL);
	assert_int_equal(call_tree_make(&f.profile, &(struct call_tree_options){ 0 }, &tree), 0);
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		for (size_t node = 0; node < tree.nodes.count; node++)
			tree.nodes.at[node].total.samples = UINT64_MAX - node;
		tree.nodes.at[CALL_TREE_ROOT].total.samples = roots[i];
		assert_int_equal(flame_layout_make(&tree, &(struct flame_limits){ 0 }, &layout), 0);
		assert_int_equal(layout.boxes.count, tree.nodes.count);
		for (size_t box = 0; box < layout.boxes.count; box++) {
			assert_true(layout.boxes.at[box].start <= layout.units);
			assert_true(layout.boxes.at[box].width <=
				    layout.units - layout.boxes.at[box].start);
		}
		flame_layout_fini(&layout);
	}
	call_tree_fini(&tree);
	call_end(&f);
}

static void test_nothing(void **state)
{
	struct call_fixture f;

	call_begin(&f);
	assert_boxes(&f, &(struct flame_limits){ .min_share = 0.5 }, "0:all 0+0");
	call_end(&f);
}

/*
 * More samples than units of width. Boxes still do not overlap, and stay inside their caller's box.
 */
static void test_units(void **state)
{
	struct call_fixture f;
	struct call_tree tree;
	struct flame_layout layout;
	char name[32];
	uint32_t end = 0;

	call_begin(&f);
	for (unsigned int i = 0; i < WIDE; i++) {
		(void)snprintf(name, sizeof(name), "main f%u", i);
		call_sample(&f, name, 1);
	}
	for (size_t i = 0; i < f.maker.batch.samples.count; i++)
		f.maker.batch.samples.at[i].weight = UINT64_C(1) << 50 | i << 30;
	f.maker.model.events.at[0].frequency_hz = 99;
	f.maker.model.events.at[0].is_time = false;
	lay_out(&f, &(struct flame_limits){ 0 }, &tree, &layout);
	assert_true(tree.by_weight);
	assert_int_equal(layout.boxes.count, WIDE + 2);
	assert_int_equal(layout.boxes.at[1].width, FLAME_UNITS);
	for (size_t i = 2; i < layout.boxes.count; i++) {
		assert_int_equal(layout.boxes.at[i].start, end);
		end += layout.boxes.at[i].width;
	}
	assert_int_equal(end, FLAME_UNITS);
	flame_layout_fini(&layout);
	call_tree_fini(&tree);
	call_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxes),  cmocka_unit_test(test_small),
		cmocka_unit_test(test_bytes),  cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_units),  cmocka_unit_test(test_bytes_of_rows),
		cmocka_unit_test(test_forged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
