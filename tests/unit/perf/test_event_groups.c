/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups in braces, their modifiers, and portable names that stand for native ones. */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "perf/event_groups.h"
#include "perf/portable_events.h"

static void assert_parsed(const char *text, struct event_groups *groups)
{
	struct err err = { 0 };

	*groups = (struct event_groups){ 0 };
	if (event_groups_parse(text, groups, &err) < 0)
		fail_msg("'%s': %s", text, err.text);
}

static void assert_refused(const char *text, const char *hint)
{
	struct event_groups groups = { 0 };
	struct err err = { 0 };

	assert_true(event_groups_parse(text, &groups, &err) < 0);
	if (!strstr(err.text, hint))
		fail_msg("'%s': no '%s' in: %s", text, hint, err.text);
}

static void assert_group(const struct event_groups *groups, size_t index, size_t first,
			 size_t count)
{
	assert_int_equal(groups->groups[index].first, first);
	assert_int_equal(groups->groups[index].count, count);
}

static void test_groups(void **state)
{
	struct event_groups groups;

	assert_parsed("cs,{cycles,software/config=1,config1=2/},{faults},mem:0x10/4:w,r1", &groups);
	assert_int_equal(groups.spec_count, 6);
	assert_int_equal(groups.group_count, 5);
	assert_group(&groups, 0, 0, 1);
	assert_group(&groups, 1, 1, 2);
	assert_group(&groups, 2, 3, 1);
	assert_group(&groups, 3, 4, 1);
	assert_group(&groups, 4, 5, 1);
	assert_string_equal(groups.specs[2].name, "software/config=1,config1=2/");
	assert_int_equal(event_groups_parse("{cs,cs}:S", &groups, NULL), 0);
	assert_int_equal(groups.spec_count, 8);
	assert_group(&groups, 5, 6, 2);
}

static void test_modifiers(void **state)
{
	struct event_groups groups;

	assert_parsed("{cycles,cycles:k,cycles:uI,cycles:pp}:Su", &groups);
	assert_true(groups.specs[0].attr.exclude_kernel && groups.specs[0].attr.exclude_hv);
	assert_false(groups.specs[0].attr.exclude_user);
	assert_false(groups.specs[1].attr.exclude_kernel || groups.specs[1].attr.exclude_user);
	assert_true(groups.specs[1].attr.exclude_hv);
	assert_true(groups.specs[2].attr.exclude_kernel && groups.specs[2].attr.exclude_idle);
	assert_int_equal(groups.specs[3].attr.precise_ip, 2);
	assert_string_equal(groups.specs[0].name, "cycles:u");
	assert_string_equal(groups.specs[2].name, "cycles:uI:u");
	assert_false(groups.groups[0].weak);
	assert_parsed("{cycles,cs:I}:W,cs", &groups);
	assert_true(groups.groups[0].weak);
	assert_false(groups.groups[1].weak);
	assert_false(groups.specs[0].attr.exclude_kernel);
	assert_true(groups.specs[1].attr.exclude_idle);
	assert_parsed("{cs,cs}:GI", &groups);
	assert_true(groups.specs[1].attr.exclude_host && groups.specs[1].not_idle);
}

static void test_mistakes(void **state)
{
	char many[COUNTED_EVENTS_MAX * 3 + 3] = "cs";

	assert_refused("{cs", "not closed");
	assert_refused("cs{cs}", "',' is missing");
	assert_refused("{cs}cs", "after a group");
	assert_refused("{cs},", "empty");
	assert_refused("{}", "empty");
	assert_refused("{{cs}}", "braces");
	assert_refused("{cs}:", "modifiers after '}:' are missing or too many");
	assert_refused("{cs}:uz", "':uz'");
	assert_refused("{cs}:uuuuuuuuuuuuuuuuuuuuuuuu",
		       "modifiers after '}:' are missing or too many");
	assert_refused("", "empty");
	for (size_t i = 0; i < COUNTED_EVENTS_MAX; i++)
		memcpy(many + 2 + 3 * i, ",cs", 4);
	assert_refused(many, "more than 64 events");
	many[strlen(many) - strlen(",cs")] = '\0';
	assert_int_equal(event_groups_parse(many, &(struct event_groups){ 0 }, NULL), 0);
}

/* ---- native names of CPU vendors ---- */

static bool is_known(const char *native)
{
	static const char *const pmus[] = { "skl", "icl", "amd64_fam17h_zen2",
					    "amd64_fam19h_zen3" };

	for (size_t i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
		struct perf_event_attr attr = { 0 };
		char text[256];

		(void)snprintf(text, sizeof(text), "%s::%s", pmus[i], native);
		if (native_event_find(text, &attr, NULL) == 0)
			return true;
	}
	return false;
}

static void check_natives(void *context, const char *name, const char *here, const char *meaning)
{
	const char *native;

	for (size_t i = 0; (native = portable_event_native(name, i)) != NULL; i++)
		/* names in lower case come from sysfs */
		if (native[0] < 'a' && !is_known(native))
			fail_msg("%s: libpfm4 knows no %s", name, native);
	assert_true(*meaning);
	++*(size_t *)context;
}

/* If libpfm4 was built without support for these CPUs, it knows none of the names. */
static void test_natives_are_known(void **state)
{
	struct perf_event_attr attr = { 0 };
	size_t count = 0;

	if (native_event_find("skl::L2_RQSTS:MISS", &attr, NULL) < 0) {
		print_message("libpfm4 knows no CPUs of x86 here\n");
		skip();
	}
	assert_int_equal(attr.type, PERF_TYPE_RAW);
	assert_int_equal(attr.config & 0xffff, 0x3f24);
	portable_events_each(check_natives, &count);
	assert_true(count > 20);
}

static void test_native_names(void **state)
{
	struct event_spec spec;
	struct err err = { 0 };

	assert_int_equal(event_specs_parse("perf::CONTEXT-SWITCHES", &spec, 1, &err), 1);
	assert_int_equal(spec.attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(spec.attr.config, PERF_COUNT_SW_CONTEXT_SWITCHES);
	assert_int_equal(event_specs_parse("perf::CYCLES:u", &spec, 1, &err), 1);
	assert_true(spec.attr.exclude_kernel && !spec.attr.exclude_user);
	assert_int_equal(event_specs_parse("perf::CYCLES:k", &spec, 1, &err), 1);
	assert_true(spec.attr.exclude_user && !spec.attr.exclude_kernel);
	assert_refused("perf::NO_SUCH_EVENT", "no event 'perf::NO_SUCH_EVENT'");
	assert_refused("perf::CYCLES:no_such_mask", "'perf::CYCLES:no_such_mask': ");
	assert_refused("::", "'::'");
}

/* ---- portable names ---- */

static void test_portable_names(void **state)
{
	struct perf_event_attr attr = { 0 };
	struct err err = { 0 };
	int code = portable_event_find("total-cycles", &attr, &err);

	assert_int_equal(portable_event_find("nonsense", &attr, &err), -ENOENT);
	if (code == 0) {
		assert_int_equal(attr.type, PERF_TYPE_HARDWARE);
		assert_int_equal(attr.config, PERF_COUNT_HW_CPU_CYCLES);
		return;
	}
	assert_refused("total-cycles", "event 'total-cycles': this machine has no hardware");
	assert_refused("cs,branches-taken:u", "no hardware counters");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),	     cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_mistakes),     cmocka_unit_test(test_natives_are_known),
		cmocka_unit_test(test_native_names), cmocka_unit_test(test_portable_names),
	};

	/* Makes libpfm4 encode events of other CPUs, too. */
	(void)setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
