/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/test.h"

#include "analyze/annotate_find.h"

static const struct group_selection first_event = { .contexts = GROUP_CONTEXTS_BUSY };
static struct model model;
static struct profile profile;

static uint32_t add_image(const char *path)
{
	const struct image image = { .path = model_intern(&model, path), .kind = IMAGE_FILE };

	return model_image_id(&model, &image);
}

static void add_function(uint32_t image, const char *name, const char *linkage_name, uint64_t vaddr,
			 uint64_t samples)
{
	struct function function = { .name = model_intern(&model, name),
				     .linkage_name = model_intern(&model, linkage_name),
				     .image = image,
				     .vaddr = vaddr,
				     .size_bytes = 0x10 };
	uint32_t id = model_function_id(&model, &function);
	struct hit *hit = samples ? vec_push(&profile.hits) : NULL;

	if (hit)
		*hit = (struct hit){ .function = id, .image = image, .count.samples = samples };
}

static int setup(void **state)
{
	uint32_t tool, library, kernel;

	if (model_init(&model) < 0 || !vec_push(&model.events))
		return -1;
	model.events.at[0].period = 1;
	profile.model = &model;
	tool = add_image("/usr/bin/tool");
	library = add_image("/usr/lib/libx.so.6");
	add_function(tool, "main", "", 0x1000, 10);
	add_function(tool, "a::main", "_ZN1a4mainEv", 0x2000, 20);
	add_function(library, "copy", "", 0x1000, 30);
	add_function(tool, "copy", "", 0x3000, 5);
	add_function(library, "twice", "", 0x4000, 4);
	add_function(library, "twice", "", 0x5000, 3);
	add_function(library, "never", "", 0x6000, 0);
	add_function(library, "odd[", "", 0x7000, 2);
	kernel = add_image("[kernel]");
	add_function(kernel, "do_work", "", 0x8000, 3);
	add_function(kernel, "[kernel]", "", 0x9000, 1);
	model.functions.at[model.functions.count - 1].size_bytes = 0;
	return 0;
}

static int teardown(void **state)
{
	vec_free(&profile.hits);
	model_fini(&model);
	return 0;
}

/* Checks the functions found, hottest first, each written the way that the user would name it. */
static void assert_found(const char *text, enum annotate_by by, const char *want)
{
	struct annotate_found found;
	char all[512] = "", choice[128];

	assert_int_equal(annotate_find(&profile, &first_event, text, &found, NULL), 0);
	assert_int_equal(found.by, by);
	assert_int_equal(found.total.samples, 78);
	for (size_t i = 0; i < found.functions.count; i++) {
		size_t used = strlen(all);

		annotate_choice(&profile, &found, i, choice, sizeof(choice));
		(void)snprintf(all + used, sizeof(all) - used, "%s%s", i ? " " : "", choice);
	}
	assert_string_equal(all, want);
	annotate_found_fini(&found);
}

static void names_come_before_patterns(void **state)
{
	assert_found("main", ANNOTATE_SYMBOL, "tool:main");
	assert_found("a::main", ANNOTATE_SYMBOL, "tool:a::main");
	assert_found("_ZN1a4mainEv", ANNOTATE_SYMBOL, "tool:a::main");
	assert_found("*ai*", ANNOTATE_SYMBOL, "tool:a::main tool:main");
	assert_found("/ai/", ANNOTATE_SYMBOL, "tool:a::main tool:main");
	assert_found("tool:re:^ma.n$", ANNOTATE_SYMBOL, "tool:main");
	assert_found("ai", ANNOTATE_NOTHING, "");
	assert_found("odd[", ANNOTATE_SYMBOL, "libx.so.6:odd[");
	assert_found("never", ANNOTATE_NOTHING, "");
}

static void images_can_be_named(void **state)
{
	assert_found("copy", ANNOTATE_SYMBOL, "libx.so.6:copy tool:copy");
	assert_found("tool:copy", ANNOTATE_SYMBOL, "tool:copy");
	assert_found("/usr/lib/libx.so.6:copy", ANNOTATE_SYMBOL, "libx.so.6:copy");
	assert_found("tool", ANNOTATE_IMAGE, "tool:a::main tool:main tool:copy");
	assert_found("/usr/bin/tool", ANNOTATE_IMAGE, "tool:a::main tool:main tool:copy");
	assert_found("tool:tool", ANNOTATE_NOTHING, "");
	assert_found("[kernel]", ANNOTATE_IMAGE, "[kernel]:do_work [kernel]:[kernel]");
}

static void addresses_find_what_covers_them(void **state)
{
	assert_found("0x100f", ANNOTATE_SYMBOL, "libx.so.6:copy tool:main");
	assert_found("tool:0x1000", ANNOTATE_SYMBOL, "tool:main");
	assert_found("tool:0x1010", ANNOTATE_NOTHING, "");
	assert_found("libx.so.6:twice", ANNOTATE_SYMBOL, "libx.so.6:0x4000 libx.so.6:0x5000");
}

static void what_is_no_expression_is_said(void **state)
{
	struct annotate_found found;
	struct err err = { 0 };

	assert_int_equal(annotate_find(&profile, &first_event, "/a[/", &found, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'/a[/'"));
	annotate_found_fini(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_before_patterns),
		cmocka_unit_test(images_can_be_named),
		cmocka_unit_test(addresses_find_what_covers_them),
		cmocka_unit_test(what_is_no_expression_is_said),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
