/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/test.h"

#include "model/model.h"

static struct model *new_model(void)
{
	static struct model model;

	assert_int_equal(model_init(&model), 0);
	return &model;
}

static void strings_are_kept_once(void **state)
{
	struct model *model = new_model();
	uint32_t a = model_intern(model, "alpha"), b = model_intern(model, "alph");

	assert_int_not_equal(a, b);
	assert_int_equal(model_intern(model, "alpha"), a);
	assert_string_equal(model_string(model, a), "alpha");
	assert_string_equal(model_string(model, b), "alph");
	assert_int_equal(model_intern(model, ""), 0);
	model_fini(model);
}

static void images_are_known_by_build_id_before_inode(void **state)
{
	struct model *model = new_model();
	struct image image = {
		.path = model_intern(model, "/usr/bin/prog"),
		.kind = IMAGE_FILE,
		.build_id_size = 4,
		.build_id = { 1, 2, 3, 4 },
		.inode = 7,
	};
	uint32_t id = model_image_id(model, &image);

	assert_int_not_equal(id, 0);
	image.inode = 8;
	assert_int_equal(model_image_id(model, &image), id);
	image.build_id[3] = 5;
	assert_int_not_equal(model_image_id(model, &image), id);
	model_fini(model);
}

static void images_without_build_id_are_known_by_their_file(void **state)
{
	struct model *model = new_model();
	struct image image = { .kind = IMAGE_FILE, .dev = 1, .inode = 7, .mtime_ns = 100 };
	uint32_t id = model_image_id(model, &image);

	assert_int_equal(model_image_id(model, &image), id);
	image.mtime_ns = 101;
	assert_int_not_equal(model_image_id(model, &image), id);
	image.mtime_ns = 100;
	image.build_id_size = 1;
	assert_int_not_equal(model_image_id(model, &image), id);
	assert_int_equal(model->images.count, 4);
	model_fini(model);
}

static void generated_code_belongs_to_its_process(void **state)
{
	struct model *model = new_model();
	struct image image = { .kind = IMAGE_JIT, .process = 1 };
	uint32_t id = model_image_id(model, &image);

	image.process = 2;
	assert_int_not_equal(model_image_id(model, &image), id);
	model_fini(model);
}

static void many_locations_keep_their_ids(void **state)
{
	struct model *model = new_model();

	for (uint32_t i = 0; i < 20000; i++)
		assert_int_equal(model_location_id(model, 1 + i % 7, 0x1000 + i / 7), i + 1);
	for (uint32_t i = 0; i < 20000; i++)
		assert_int_equal(model_location_id(model, 1 + i % 7, 0x1000 + i / 7), i + 1);
	assert_int_equal(model->locations.count, 20001);
	model_fini(model);
}

static void functions_differ_by_image_address_and_name(void **state)
{
	struct model *model = new_model();
	struct function function = { .image = 1, .vaddr = 0x1000, .name = 5 };
	uint32_t id = model_function_id(model, &function);

	function.size_bytes = 99;
	function.quality = QUALITY_NONE;
	assert_int_equal(model_function_id(model, &function), id);
	function.name = 6;
	assert_int_equal(model_function_id(model, &function), id + 1);
	function.vaddr++;
	assert_int_equal(model_function_id(model, &function), id + 2);
	function.image++;
	assert_int_equal(model_function_id(model, &function), id + 3);
	model_fini(model);
}

static void stacks_share_their_outer_part(void **state)
{
	struct model *model = new_model();
	uint32_t main_node = model_stack_id(model, STACK_ROOT_END, 1);
	uint32_t left = model_stack_id(model, main_node, 2);
	uint32_t right = model_stack_id(model, main_node, 3), outermost;

	assert_int_equal(model_stack_id(model, main_node, 2), left);
	assert_int_not_equal(left, right);
	assert_int_equal(model_stack_root(model, right, &outermost), STACK_ROOT_END);
	assert_int_equal(outermost, main_node);
	assert_int_equal(model->stacks.count, STACK_ROOT_COUNT + 3);
	model_fini(model);
}

static void the_same_frames_end_in_different_ways(void **state)
{
	struct model *model = new_model();
	uint32_t nodes[STACK_ROOT_COUNT], outermost = 99;

	for (uint32_t root = 0; root < STACK_ROOT_COUNT; root++) {
		assert_int_equal(model_stack_root(model, root, &outermost), root);
		assert_int_equal(outermost, 0);
		nodes[root] = model_stack_id(model, root, 1);
		assert_true(nodes[root] >= STACK_ROOT_COUNT);
		assert_int_equal(model_stack_root(model, nodes[root], NULL), root);
		for (uint32_t other = 0; other < root; other++)
			assert_int_not_equal(nodes[root], nodes[other]);
	}
	model_fini(model);
}

static void the_last_value_of_a_fact_wins(void **state)
{
	struct model *model = new_model();

	assert_null(model_fact(model, FACT_HOST));
	assert_int_equal(model_fact_u64(model, FACT_START_NS), 0);
	model_fact_set(model, FACT_HOST, "%s", "first");
	model_fact_set_u64(model, FACT_START_NS, 17u);
	model_fact_set(model, FACT_HOST, "%s", "second");
	assert_string_equal(model_fact(model, FACT_HOST), "second");
	assert_int_equal(model_fact_u64(model, FACT_START_NS), 17);
	assert_int_equal(model->facts.count, 2);
	model_fini(model);
}

static void ledger_keeps_cpus_sorted(void **state)
{
	struct ledger ledger = { 0 };

	ledger_cpu(&ledger, 3)->sample_count = 30;
	ledger_cpu(&ledger, 0)->sample_count = 1;
	ledger_cpu(&ledger, 2)->sample_count = 20;
	assert_int_equal(ledger_cpu(&ledger, 3)->sample_count, 30);
	assert_int_equal(ledger.cpus.count, 3);
	assert_int_equal(ledger.cpus.at[0].cpu, 0);
	assert_int_equal(ledger.cpus.at[1].cpu, 2);
	assert_int_equal(ledger.cpus.at[2].cpu, 3);
	ledger_fini(&ledger);
}

/* More locations than the cache in front holds, so that they replace each other there. */
static void locations_keep_apart(void **state)
{
	enum { IMAGES = 40, ADDRESSES = 400 };
	static uint32_t ids[IMAGES][ADDRESSES];
	struct model model;

	assert_int_equal(model_init(&model), 0);
	for (uint32_t image = 0; image < IMAGES; image++)
		for (uint64_t vaddr = 0; vaddr < ADDRESSES; vaddr++)
			assert_int_equal(model_location_find(&model, image, vaddr), 0);
	for (uint32_t image = 0; image < IMAGES; image++)
		for (uint64_t vaddr = 0; vaddr < ADDRESSES; vaddr++)
			ids[image][vaddr] = model_location_id(&model, image, vaddr);
	assert_int_equal(model.locations.count, 1 + IMAGES * ADDRESSES);
	for (uint64_t vaddr = 0; vaddr < ADDRESSES; vaddr++)
		for (uint32_t image = 0; image < IMAGES; image++) {
			assert_int_equal(model_location_id(&model, image, vaddr),
					 ids[image][vaddr]);
			assert_int_equal(model_location_find(&model, image, vaddr),
					 ids[image][vaddr]);
		}
	model_fini(&model);
}

/* As recording_load() does: adds rows without adding them to an index. */
static void loaded_rows_are_found_again(void **state)
{
	struct model model;
	const struct function function = { .image = 2, .name = 1, .vaddr = 7 };
	const struct source_line line = { .file = 1, .line = 9 };

	assert_int_equal(model_init(&model), 0);
	for (uint64_t i = 0; i < 4; i++) {
		struct location *location = vec_push(&model.locations);

		assert_non_null(location);
		*location = (struct location){ .image = 1, .vaddr = i / 2 };
	}
	*vec_push(&model.functions) = function;
	*vec_push(&model.lines) = line;
	assert_int_equal(model_location_find(&model, 1, 0), 0);
	assert_int_equal(model_index_loaded(&model), 0);
	assert_int_equal(model_location_id(&model, 1, 0), 1);
	assert_int_equal(model_location_id(&model, 1, 1), 3);
	assert_int_equal(model_location_id(&model, 1, 2), 5);
	assert_int_equal(model_function_id(&model, &function), 1);
	assert_int_equal(model_line_id(&model, &line), 1);
	assert_int_equal(model_index_loaded(&model), 0);
	assert_int_equal(model_location_id(&model, 1, 2), 5);
	model_fini(&model);
}

/* Other code at the same address is another location. A lookup by address returns the first one. */
static void locations_of_one_address(void **state)
{
	struct model model;
	uint32_t first, other;

	assert_int_equal(model_init(&model), 0);
	first = model_location_id(&model, 3, 0x1000);
	model.locations.at[first].function = 7;
	model.locations.at[first].line = 8;
	other = model_location_add(&model, first);
	assert_int_equal(other, first + 1);
	assert_int_equal(model.locations.at[other].image, 3);
	assert_int_equal(model.locations.at[other].vaddr, 0x1000);
	assert_int_equal(model.locations.at[other].function, 0);
	assert_int_equal(model.locations.at[other].line, 0);
	assert_int_equal(model_location_id(&model, 3, 0x1000), first);
	assert_int_equal(model_location_find(&model, 3, 0x1000), first);
	model_fini(&model);
}

static void forgotten_stacks_get_new_ids(void **state)
{
	struct model *model = new_model();
	uint32_t outer = model_stack_id(model, STACK_ROOT_END, 1);
	uint32_t inner = model_stack_id(model, outer, 2), again;

	assert_true(model_stack_bytes(model) > 0);
	model_forget_stacks(model);
	assert_int_equal(model_stack_find(model, STACK_ROOT_END, 1), 0);
	again = model_stack_id(model, STACK_ROOT_END, 1);
	assert_int_equal(again, inner + 1);
	assert_int_equal(model_stack_id(model, STACK_ROOT_END, 1), again);
	assert_int_equal(model->stacks.at[again].location, 1);
	assert_int_equal(model_stack_root(model, again, NULL), STACK_ROOT_END);
	model_fini(model);
}

static struct image image_number(struct model *model, uint64_t number)
{
	return (struct image){ .kind = IMAGE_FILE,
			       .path = model_intern(model, "/lib/x.so"),
			       .inode = number };
}

static void a_full_model_keeps_what_it_has(void **state)
{
	struct model *model = new_model();
	struct image image = image_number(model, 1), other = image_number(model, 2);
	struct image vmlinux = { .kind = IMAGE_KERNEL };
	uint32_t known = model_image_id(model, &image), kernel = model_image_id(model, &vmlinux);
	uint32_t all, not_kept, location;

	location = model_location_id(model, known, 0x1000);
	model_limit_places(model, 1);
	assert_int_equal(model_image_id(model, &image), known);
	assert_int_equal(model_location_id(model, known, 0x1000), location);
	assert_int_equal(model_keep_name(model, "/lib/x.so"), image.path);
	assert_int_equal(model->losses.count[LOSS_PLACE_BUDGET], 0);

	all = model_location_id(model, known, 0x2000);
	assert_int_equal(model->locations.at[all].vaddr, 0);
	assert_int_equal(model->locations.at[all].image, known);
	assert_int_equal(model_location_id(model, known, 0x3000), all);
	assert_int_equal(model_location_add(model, location), all);
	assert_int_equal(model->locations.at[model_location_id(model, kernel, 0x9000)].vaddr,
			 0x9000);
	not_kept = model_image_id(model, &other);
	assert_string_equal(model_string(model, model->images.at[not_kept].path), MODEL_NOT_KEPT);
	other.inode = 3;
	assert_int_equal(model_image_id(model, &other), not_kept);
	assert_int_equal(model_keep_name(model, "new"), 0);
	assert_int_equal(model_keep_name(model, ""), 0);
	assert_int_equal(model->losses.count[LOSS_PLACE_BUDGET], 6);

	model_limit_places(model, 0);
	assert_int_not_equal(model_image_id(model, &other), not_kept);
	assert_int_equal(model->locations.at[model_location_id(model, known, 0x2000)].vaddr,
			 0x2000);
	assert_int_not_equal(model_keep_name(model, "new"), 0);
	model_fini(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_kept_once),
		cmocka_unit_test(images_are_known_by_build_id_before_inode),
		cmocka_unit_test(images_without_build_id_are_known_by_their_file),
		cmocka_unit_test(generated_code_belongs_to_its_process),
		cmocka_unit_test(many_locations_keep_their_ids),
		cmocka_unit_test(locations_of_one_address),
		cmocka_unit_test(functions_differ_by_image_address_and_name),
		cmocka_unit_test(stacks_share_their_outer_part),
		cmocka_unit_test(the_same_frames_end_in_different_ways),
		cmocka_unit_test(the_last_value_of_a_fact_wins),
		cmocka_unit_test(ledger_keeps_cpus_sorted),
		cmocka_unit_test(locations_keep_apart),
		cmocka_unit_test(loaded_rows_are_found_again),
		cmocka_unit_test(forgotten_stacks_get_new_ids),
		cmocka_unit_test(a_full_model_keeps_what_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
