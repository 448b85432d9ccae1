/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where walks of user stacks ended, counted by image. */
#include "support/test.h"

#include "model/model.h"

static const struct walk_outcome to_the_end = { .stop = WALK_STOP_END };

static uint32_t image(struct model *model, const char *path)
{
	struct image image = { .kind = IMAGE_FILE, .path = model_intern(model, path) };

	return model_image_id(model, &image);
}

static uint32_t push(struct model *model, uint32_t stack, uint32_t image, uint64_t vaddr)
{
	return model_stack_id(model, stack, model_location_id(model, image, vaddr));
}

static void a_walk_counts_once_for_each_image(void **state)
{
	struct model model;
	uint32_t program, library, stack;
	struct image_health health;

	assert_int_equal(model_init(&model), 0);
	program = image(&model, "/program");
	library = image(&model, "/library");
	stack = push(&model, STACK_ROOT_END, library, 1);
	stack = push(&model, stack, program, 2);
	stack = push(&model, stack, program, 3);
	stack = push(&model, stack, library, 4);
	model_health_add(&model, stack, &to_the_end);
	model_health_add(&model, stack, &to_the_end);
	model_health_settle(&model);
	model_health_settle(&model);	/* settling again counts nothing twice */
	health = model_health_of(&model, program);
	assert_int_equal(health.samples, 2);
	assert_int_equal(health.whole, 2);
	assert_int_equal(health.stopped[WALK_STOP_END], 0);	/* the library is not part of it */
	health = model_health_of(&model, library);
	assert_int_equal(health.samples, 2);
	assert_int_equal(health.stopped[WALK_STOP_END], 2);
	assert_int_equal(image_health_cut(&health), 0);
	model_fini(&model);
}

static void the_outermost_image_stopped_the_walk(void **state)
{
	const uint8_t by_frame_pointer[] = { 0, 1, 1 };
	const struct walk_outcome outcome = {
		.stop = WALK_STOP_NO_TABLE,
		.from_bytes = true,
		.by_frame_pointer = by_frame_pointer,
		.frame_count = 3,
	};
	struct image_health inner, outer;
	struct model model;
	uint32_t program, jit, stack;

	assert_int_equal(model_init(&model), 0);
	program = image(&model, "/program");
	jit = image(&model, "//anon");
	stack = push(&model, STACK_ROOT_BROKEN, jit, 1);
	stack = push(&model, stack, jit, 2);
	stack = push(&model, stack, program, 3);
	model_health_add(&model, stack, &outcome);
	inner = model_health_of(&model, program);
	outer = model_health_of(&model, jit);
	assert_int_equal(image_health_cut(&inner), 0);
	assert_int_equal(inner.whole, 0);
	assert_int_equal(inner.from_bytes, 1);
	assert_int_equal(inner.frame_pointer_frames, 0);
	assert_int_equal(image_health_cut(&outer), 1);
	assert_int_equal(outer.stopped[WALK_STOP_NO_TABLE], 1);
	assert_int_equal(outer.frame_pointer_frames, 2);
	model_fini(&model);
}

/* The walker reached an end, but the model cut the stack short. */
static void what_the_model_broke_off_is_not_whole(void **state)
{
	struct image_health health;
	struct model model;
	uint32_t program;

	assert_int_equal(model_init(&model), 0);
	program = image(&model, "/program");
	model_health_add(&model, push(&model, STACK_ROOT_BROKEN, program, 1), &to_the_end);
	model_health_add(&model, push(&model, STACK_ROOT_TRUNCATED, program, 1), &to_the_end);
	model_health_add(&model, STACK_ROOT_END, &to_the_end);	/* no frames */
	model_health_settle(&model);
	health = model_health_of(&model, program);
	assert_int_equal(health.samples, 2);
	assert_int_equal(health.whole, 0);
	assert_int_equal(health.stopped[WALK_STOP_NO_IMAGE], 1);
	assert_int_equal(health.stopped[WALK_STOP_DEEP], 1);
	health = model_health_of(&model, 1000);
	assert_int_equal(health.samples, 0);
	model_fini(&model);
}

static void counts_have_names(void **state)
{
	struct image_health all = { 0 };

	for (size_t which = 0; which < IMAGE_HEALTH_COUNTS; which++) {
		const char *name = image_health_count_name(which);

		assert_int_equal(image_health_count_of_name(name), which);
		*image_health_count(&all, which) = which + 1;
	}
	assert_int_equal(all.samples, 1);
	assert_int_equal(all.stopped[WALK_STOP_COUNT - 1], IMAGE_HEALTH_COUNTS);
	assert_int_equal(image_health_count_of_name("stopped-"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_counts_once_for_each_image),
		cmocka_unit_test(the_outermost_image_stopped_the_walk),
		cmocka_unit_test(what_the_model_broke_off_is_not_whole),
		cmocka_unit_test(counts_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
