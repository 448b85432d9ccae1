/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys that join two points, functions of the kernel, and presets. */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "stopwatch/join_key.h"
#include "stopwatch/kernel_functions.h"
#include "stopwatch/stopwatch.h"
#include "stopwatch/presets.h"

static struct err err;

static int find(const char *text, const char *point_text, bool is_end, struct span_key *ret_key)
{
	struct point point;
	int rc;

	assert_int_equal(point_parse(point_text, &point, &err), 0);
	rc = join_key_find(NULL, text, &point, is_end, ret_key, &err);
	point_fini(&point);
	return rc;
}

static void check(const struct span_value *value, enum span_value_kind kind, uint32_t at)
{
	assert_int_equal(value->kind, kind);
	assert_int_equal(value->at, at);
}

static void values_are_found(void **state)
{
	struct span_key key;

	assert_int_equal(find("tid", "app:f", false, &key), 0);
	check(&key.values[0], SPAN_VALUE_TID, 0);
	check(&key.values[1], SPAN_VALUE_NONE, 0);
	assert_int_equal(find("arg5,tgid,cpu,arg0", "kernel:f", false, &key), 0);
	check(&key.values[0], SPAN_VALUE_ARGUMENT, 5);
	check(&key.values[1], SPAN_VALUE_TGID, 0);
	check(&key.values[2], SPAN_VALUE_CPU, 0);
	check(&key.values[3], SPAN_VALUE_ARGUMENT, 0);
}

/* The name behind '=' is the one at the second point. */
static void names_can_differ(void **state)
{
	struct span_key key;

	assert_int_equal(find("retval=arg1", "app:f%return", false, &key), 0);
	check(&key.values[0], SPAN_VALUE_ARGUMENT, 0);
	assert_int_equal(find("retval=arg1", "app:g", true, &key), 0);
	check(&key.values[0], SPAN_VALUE_ARGUMENT, 1);
}

static void wrong_keys_are_refused(void **state)
{
	struct span_key key;

	assert_int_equal(find("", "app:f", false, &key), -EINVAL);
	assert_int_equal(find("tid,", "app:f", false, &key), -EINVAL);
	assert_int_equal(find("tid=", "app:f", true, &key), -EINVAL);
	assert_int_equal(find("tid,tid,tid,tid,tid", "app:f", false, &key), -EINVAL);
	assert_int_equal(find("arg6", "app:f", false, &key), -ENOENT);
	assert_int_equal(find("arg10", "app:f", false, &key), -ENOENT);
	assert_int_equal(find("retval", "app:f", false, &key), -ENOENT);
	assert_int_equal(find("arg0", "app:f%return", false, &key), -ENOENT);
	assert_non_null(strstr(err.text, "app:f%return"));
	assert_non_null(strstr(err.text, "retval"));
}

static void cookies_keep_everything(void **state)
{
	uint64_t cookie = span_cookie(STOPWATCH_SPANS_MAX - 1, SPAN_COSTS - 1, SPAN_KEYS_MAX, 1);

	cookie = span_cookie_by(span_cookie_place(cookie, SPAN_PLACES_MAX - 1), SPAN_KEYS_MAX);
	assert_int_equal(span_of_cookie(cookie), STOPWATCH_SPANS_MAX - 1);
	assert_int_equal(span_place_of_cookie(cookie), SPAN_PLACES_MAX - 1);
	assert_int_equal(span_by_of_cookie(cookie), SPAN_KEYS_MAX);
	assert_int_equal(span_cost_of_cookie(cookie), SPAN_COSTS - 1);
	assert_int_equal(span_begin_of_cookie(cookie), SPAN_KEYS_MAX);
	assert_int_equal(span_end_of_cookie(cookie), 1);
}

/* ---- functions of the kernel ---- */

/* @names has pairs of a name and a module. */
static struct kallsyms table(const char *const (*names)[2], size_t count)
{
	struct kallsyms kallsyms = { 0 };

	*vec_push(&kallsyms.names) = '\0';
	for (size_t i = 0; i < count; i++) {
		uint32_t at[2] = { 0 };

		for (size_t k = 0; k < 2; k++) {
			if (!names[i][k][0])
				continue;
			at[k] = (uint32_t)kallsyms.names.count;
			for (const char *c = names[i][k];; c++) {
				*vec_push(&kallsyms.names) = *c;
				if (!*c)
					break;
			}
		}
		*vec_push(&kallsyms.symbols) = (struct kernel_symbol){ 0x1000 * (i + 1), at[0],
								       at[1] };
	}
	return kallsyms;
}

static void only_functions_are_found(void **state)
{
	static const char *const names[][2] = {
		{ "register_kprobe", "" },
		{ "__pfx_assay_test_f", "" },
		{ "assay_test_f", "" },
		{ "assay_test_f.cold", "" },
		{ "bpf_prog_assay_test_f", "bpf" },
	};
	struct kallsyms kallsyms = table(names, 5);
	struct kernel_functions functions;

	assert_int_equal(kernel_functions_find(&kallsyms, "*assay_test_f*", &functions, &err), 0);
	assert_int_equal(functions.list.count, 1);
	assert_int_equal(functions.list.at[0], 2);
	kernel_functions_fini(&functions);
	assert_int_equal(kernel_functions_find(&kallsyms, "assay_test_g", &functions, &err),
			 -ENOENT);
	kernel_functions_fini(&functions);
	kallsyms_fini(&kallsyms);
}

static void kernels_without_kprobes_are_named(void **state)
{
	static const char *const names[][2] = { { "assay_test_f", "" } };
	struct kallsyms kallsyms = table(names, 1);
	struct kernel_functions functions;

	assert_int_equal(kernel_functions_find(&kallsyms, "assay_test_f", &functions, &err),
			 -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "CONFIG_KPROBES"));
	kernel_functions_fini(&functions);
	kallsyms_fini(&kallsyms);
}

/* ---- presets ---- */

static void check_point(const char *text)
{
	struct point point;

	assert_int_equal(point_parse(text, &point, &err), 0);
	assert_string_equal(point.text, text);
	point_fini(&point);
}

/* Each measures one thing, and what it measures can be parsed. */
static void presets_are_complete(void **state)
{
	for (size_t i = 0; i < stopwatch_preset_count; i++) {
		const struct stopwatch_preset *preset = &stopwatch_presets[i];

		assert_ptr_equal(stopwatch_preset_find(preset->name), preset);
		assert_true(strlen(preset->question) > 10);
		assert_int_equal((preset->points[0] != NULL) + (preset->from != NULL) +
					 preset->run_queue,
				 1);
		assert_true(!preset->from == !preset->to && !preset->from == !preset->key);
		for (size_t k = 0; preset->points[k]; k++)
			check_point(preset->points[k]);
		if (preset->from) {
			check_point(preset->from);
			check_point(preset->to);
		}
	}
	assert_null(stopwatch_preset_find("nothing"));
}

static void int_results_are_signed(void **state)
{
	assert_int_equal(span_signed(0), 0);
	assert_int_equal(span_signed(5), 5);
	assert_int_equal(span_signed(UINT32_MAX), -1);
	assert_int_equal(span_signed(UINT32_MAX - 4094), -4095);
	assert_int_equal(span_signed(UINT32_MAX - 4095), UINT32_MAX - 4095);
	assert_int_equal(span_signed(UINT64_MAX), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_found),
		cmocka_unit_test(names_can_differ),
		cmocka_unit_test(wrong_keys_are_refused),
		cmocka_unit_test(cookies_keep_everything),
		cmocka_unit_test(only_functions_are_found),
		cmocka_unit_test(kernels_without_kprobes_are_named),
		cmocka_unit_test(presets_are_complete),
		cmocka_unit_test(int_results_are_signed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
