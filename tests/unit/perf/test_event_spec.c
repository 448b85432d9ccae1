/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event names and the attributes they become. PMUs are tested on a machine made of files. */
#include "support/test.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf/event_names.h"
#include "perf/event_spec.h"
#include "perf/event_sysfs.h"
#include "perf/tracefs.h"
#include "support/temp.h"

static struct event_spec parsed(const char *text)
{
	struct event_spec spec;
	struct err err = { 0 };
	int count = event_specs_parse(text, &spec, 1, &err);

	if (count != 1)
		fail_msg("'%s': %s", text, err.text);
	assert_string_equal(spec.name, text);
	return spec;
}

static void assert_code(const char *text, uint32_t type, uint64_t config)
{
	struct event_spec spec = parsed(text);

	assert_int_equal(spec.attr.type, type);
	assert_int_equal(spec.attr.config, config);
}

/* Checks that the text is refused, with a message that names the event and contains @hint. */
static void assert_refused(const char *text, const char *hint)
{
	struct event_spec specs[4];
	struct err err = { 0 };

	assert_true(event_specs_parse(text, specs, 4, &err) < 0);
	if (!strstr(err.text, hint))
		fail_msg("'%s': no '%s' in: %s", text, hint, err.text);
}

static void test_generic_names(void **state)
{
	assert_code("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	assert_code("cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	assert_code("branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	assert_code("branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
	assert_code("idle-cycles-backend", PERF_TYPE_HARDWARE,
		    PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	assert_code("cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	assert_code("faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	assert_code("dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	assert_code("r1a8", PERF_TYPE_RAW, 0x1a8);
	assert_code("rFFFFFFFFFFFFFFFF", PERF_TYPE_RAW, UINT64_MAX);
}

static uint64_t cache(uint64_t which, uint64_t operation, uint64_t result)
{
	return which | operation << 8 | result << 16;
}

static void test_cache_names(void **state)
{
	const uint64_t read = PERF_COUNT_HW_CACHE_OP_READ, write = PERF_COUNT_HW_CACHE_OP_WRITE;
	const uint64_t miss = PERF_COUNT_HW_CACHE_RESULT_MISS;

	assert_code("L1-dcache-loads", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_L1D, read, 0));
	assert_code("L1-dcache-load-misses", PERF_TYPE_HW_CACHE,
		    cache(PERF_COUNT_HW_CACHE_L1D, read, miss));
	assert_code("l1d-misses", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_L1D, read, miss));
	assert_code("LLC-store-misses", PERF_TYPE_HW_CACHE,
		    cache(PERF_COUNT_HW_CACHE_LL, write, miss));
	assert_code("dTLB-stores", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_DTLB, write, 0));
	assert_code("node-speculative-read-miss", PERF_TYPE_HW_CACHE,
		    cache(PERF_COUNT_HW_CACHE_NODE, PERF_COUNT_HW_CACHE_OP_PREFETCH, miss));
	assert_code("branch-loads", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_BPU, read, 0));
	assert_refused("L1-dcache-", "L1-dcache-");
	assert_refused("L1-dcache-loads-loads", "no such event");
	assert_refused("LLC-load-missesx", "no such event");
}

static void check_found(void *context, const char *name, struct event_code code)
{
	struct event_code found;
	size_t *count = context;

	assert_true(event_name_find(name, &found));
	assert_int_equal(found.type, code.type);
	assert_int_equal(found.config, code.config);
	++*count;
}

static void test_every_listed_name_is_found(void **state)
{
	size_t count = 0;

	event_names_each(check_found, &count);
	assert_true(count > 40);
}

static void test_time(void **state)
{
	assert_true(parsed("cpu-clock").is_time);
	assert_true(parsed("task-clock:u").is_time);
	assert_false(parsed("cs").is_time);
	assert_false(parsed("cycles").is_time);
}

static void test_modifiers(void **state)
{
	struct event_spec spec = parsed("cycles:u");

	assert_true(spec.attr.exclude_kernel && spec.attr.exclude_hv && !spec.attr.exclude_user);
	spec = parsed("cycles:uk");
	assert_true(!spec.attr.exclude_kernel && spec.attr.exclude_hv && !spec.attr.exclude_user);
	spec = parsed("cycles:kpp");
	assert_true(spec.attr.exclude_user && !spec.attr.exclude_kernel);
	assert_int_equal(spec.attr.precise_ip, 2);
	assert_int_equal(parsed("cycles:P").attr.precise_ip, 3);
	spec = parsed("cycles:G");
	assert_true(spec.attr.exclude_host && !spec.attr.exclude_guest);
	assert_true(parsed("cycles").attr.exclude_guest);
	assert_false(parsed("cpu-clock").attr.exclude_guest);
	assert_true(parsed("cycles:GH").attr.exclude_host == 0);
	assert_true(parsed("cycles:I").attr.exclude_idle);
	assert_true(parsed("cycles:D").attr.pinned);
	assert_refused("cycles:pppp", "more than 3 times");
	assert_refused("cycles:z", "':z'");
	assert_refused("cycles:u:k", "':u:k'");
}

static void test_breakpoints(void **state)
{
	struct event_spec spec = parsed("mem:0x1000");

	assert_int_equal(spec.attr.type, PERF_TYPE_BREAKPOINT);
	assert_int_equal(spec.attr.bp_addr, 0x1000);
	assert_int_equal(spec.attr.bp_type, HW_BREAKPOINT_RW);
	assert_int_equal(spec.attr.bp_len, HW_BREAKPOINT_LEN_4);
	spec = parsed("mem:0x1000/8:w:u");
	assert_int_equal(spec.attr.bp_type, HW_BREAKPOINT_W);
	assert_int_equal(spec.attr.bp_len, HW_BREAKPOINT_LEN_8);
	assert_true(spec.attr.exclude_kernel);
	spec = parsed("mem:4096:x");
	assert_int_equal(spec.attr.bp_addr, 4096);
	assert_int_equal(spec.attr.bp_type, HW_BREAKPOINT_X);
	assert_int_equal(spec.attr.bp_len, sizeof(long));
	assert_true(parsed("mem:0x1000:k").attr.exclude_user);
	assert_refused("mem:", "not a valid breakpoint address");
	assert_refused("mem:foo:rw", "not a valid breakpoint address");
	assert_refused("mem:0x1000/3", "1, 2, 4 or 8");
	assert_refused("mem:0x1000/16", "1, 2, 4 or 8");
	assert_refused("mem:0x1000:q", "':q'");
}

static void test_lists(void **state)
{
	struct event_spec specs[4];

	assert_int_equal(event_specs_parse("cycles:u,mem:0x1000/8:w,cs,r1", specs, 4, NULL), 4);
	assert_string_equal(specs[1].name, "mem:0x1000/8:w");
	assert_string_equal(specs[3].name, "r1");
	assert_refused("cs,cs,cs,cs,cs", "more than 4");
	assert_refused("", "empty");
	assert_refused("cs,", "empty");
	assert_refused("cs,,cs", "empty");
	assert_refused("cpu/event=1", "not closed");
	assert_refused("{cycles,cs}", "counters");
}

static void test_names_of_nothing(void **state)
{
	char longest[200];

	assert_refused("nonsense", "event 'nonsense'");
	assert_refused("r", "no such event");
	assert_refused("r12345678901234567", "no such event");
	assert_refused("nopmu/event=1/", "no PMU 'nopmu'");
	assert_refused("../../etc/passwd/", "no PMU");
	assert_refused("..:..", "tracepoint name");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_refused(longest, "longer than");
}

static void test_tracepoints(void **state)
{
	struct event_spec spec;
	struct err err = { 0 };
	int count = event_specs_parse("sched:sched_switch:k", &spec, 1, &err);

	if (!tracefs_is_readable()) {
		assert_true(count < 0);
		print_message("tracefs may not be read here: %s\n", err.text);
		skip();
	}
	assert_int_equal(count, 1);
	assert_int_equal(spec.attr.type, PERF_TYPE_TRACEPOINT);
	assert_true(spec.attr.config > 0);
	assert_true(spec.attr.exclude_user);
	assert_refused("sched:no_such_point", "sched/no_such_point/id");
}

/*
 * Makes a PMU with terms in several pieces, with named events, and with files of invalid content.
 */
static struct temp_dir make_devices(void)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		{ "cpu/type", "4\n" },
		{ "cpu/format/event", "config:0-7,32-35\n" },
		{ "cpu/format/umask", "config:8-15\n" },
		{ "cpu/format/any", "config:21\n" },
		{ "cpu/format/ldlat", "config1:0-15\n" },
		{ "cpu/format/far", "config2:60-63\n" },
		{ "cpu/format/all", "config1:0-63\n" },
		{ "cpu/format/odd", "config:9-3\n" },
		{ "cpu/format/wide", "config:0-64\n" },
		{ "cpu/format/new", "config9:0-7\n" },
		{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
		{ "cpu/events/asks", "event=0x1,umask=?\n" },
		{ "uncore_x/type", "17\n" },
		{ "uncore_x/format/event", "config:0-7\n" },
		{ "uncore_x/events/clockticks", "event=0xff\n" },
		{ "uncore_x/events/energy", "event=0x2\n" },
		{ "uncore_x/events/energy.scale", "2.3283064365386962890625e-10\n" },
		{ "uncore_x/events/energy.unit", "Joules\n" },
		{ "uncore_x/events/odd", "event=0x3\n" },
		{ "uncore_x/events/odd.scale", "-1\n" },
		{ "uncore_x/events/odd.unit", "two words\n" },
	};
	struct temp_dir dir = temp_dir_make();

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		(void)temp_file(&dir, files[i].name, files[i].text, strlen(files[i].text));
	return dir;
}

static void assert_pmu(const char *devices, const char *terms, uint64_t config, uint64_t config1,
		       uint64_t config2)
{
	struct perf_event_attr attr = { 0 };
	struct err err = { 0 };

	if (pmu_event_parse(devices, "cpu", terms, &attr, NULL, &err) < 0)
		fail_msg("%s: %s", terms, err.text);
	assert_int_equal(attr.type, 4);
	assert_int_equal(attr.config, config);
	assert_int_equal(attr.config1, config1);
	assert_int_equal(attr.config2, config2);
}

static void assert_no_pmu(const char *devices, const char *terms, const char *hint)
{
	struct perf_event_attr attr = { .type = 99 };
	struct err err = { 0 };

	assert_true(pmu_event_parse(devices, "cpu", terms, &attr, NULL, &err) < 0);
	if (!strstr(err.text, hint))
		fail_msg("'%s': no '%s' in: %s", terms, hint, err.text);
	assert_int_equal(attr.type, 99);
}

static void test_pmu_terms(void **state)
{
	struct temp_dir dir = make_devices();
	const char *devices = dir.path;

	assert_pmu(devices, "", 0, 0, 0);
	assert_pmu(devices, "event=0x3c", 0x3c, 0, 0);
	assert_pmu(devices, "event=0x3c,umask=0x12", 0x123c, 0, 0);
	assert_pmu(devices, "event=0xabc", 0xa000000bc, 0, 0);
	assert_pmu(devices, "event=60,any", 0x20003c, 0, 0);
	assert_pmu(devices, "config=0x10,config1=0x20,config2=3", 0x10, 0x20, 3);
	assert_pmu(devices, "ldlat=0xffff,far=0xf", 0, 0xffff, UINT64_C(0xf) << 60);
	assert_pmu(devices, "all=0xffffffffffffffff", 0, UINT64_MAX, 0);
	assert_pmu(devices, "mem-loads", 0x1cd, 3, 0);
	assert_pmu(devices, "mem-loads,ldlat=30,umask=0x2", 0x2cd, 30, 0);
	temp_dir_remove(&dir);
}

/*
 * Drivers define the unit of a count. If the definition is invalid, the value stays a plain count.
 */
static void test_pmu_units(void **state)
{
	struct temp_dir dir = make_devices();
	struct perf_event_attr attr = { 0 };
	struct counter_unit unit;
	char pmu[PMU_NAME_MAX];

	assert_int_equal(pmu_event_parse(dir.path, "uncore_x", "energy", &attr, &unit, NULL), 0);
	assert_string_equal(unit.name, "Joules");
	assert_true(unit.scale == 0x1p-32);
	assert_int_equal(pmu_event_parse(dir.path, "uncore_x", "clockticks", &attr, &unit, NULL),
			 0);
	assert_true(unit.name[0] == '\0' && unit.scale == 0);
	assert_int_equal(pmu_event_parse(dir.path, "uncore_x", "odd", &attr, &unit, NULL), 0);
	assert_true(unit.name[0] == '\0' && unit.scale == 0);
	/* These files are not events themselves. */
	assert_true(pmu_event_find(dir.path, "energy", pmu));
	assert_false(pmu_event_find(dir.path, "energy.scale", pmu));
	assert_int_equal(pmu_event_parse(dir.path, "uncore_x", "energy.unit", &attr, &unit, NULL),
			 -EINVAL);
	temp_dir_remove(&dir);
}

static void test_pmu_errors(void **state)
{
	struct temp_dir dir = make_devices();
	const char *devices = dir.path;

	assert_no_pmu(devices, "bogus=1", "'bogus'; terms: config");
	assert_no_pmu(devices, "bogus=1", "ldlat");
	assert_no_pmu(devices, "event=0x1000", "too large");
	assert_no_pmu(devices, "umask=256", "too large");
	assert_no_pmu(devices, "event=", "not a valid value");
	assert_no_pmu(devices, "event=-1", "not a valid value");
	assert_no_pmu(devices, "event=1x", "not a valid value");
	assert_no_pmu(devices, "event=0x10000000000000000", "not a valid value");
	assert_no_pmu(devices, "event=1,,umask=1", "no event or term");
	assert_no_pmu(devices, "../type", "no event or term");
	assert_no_pmu(devices, "odd=1", "invalid format");
	assert_no_pmu(devices, "wide=1", "invalid format");
	assert_no_pmu(devices, "new=1", "unknown format");
	assert_no_pmu(devices, "asks", "'?'");
	temp_dir_remove(&dir);
}

static void test_event_without_its_pmu(void **state)
{
	struct temp_dir dir = make_devices();
	char pmu[PMU_NAME_MAX];

	assert_true(pmu_event_find(dir.path, "clockticks", pmu));
	assert_string_equal(pmu, "uncore_x");
	assert_false(pmu_event_find(dir.path, "type", pmu));
	assert_false(pmu_event_find(dir.path, "../type", pmu));
	temp_dir_remove(&dir);
}

/* "software" is a PMU on every machine. */
static void test_pmu_of_this_machine(void **state)
{
	struct event_spec spec = parsed("software/config=1/u");

	assert_int_equal(spec.attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(spec.attr.config, 1);
	assert_true(spec.attr.exclude_kernel);
	assert_true(parsed("software/config=1/:k").attr.exclude_user);
	assert_false(parsed("software/config=1/").attr.exclude_user);
	assert_refused("software/config=1/z", "':z'");
}

struct seen {
	size_t count, tracepoints;
	bool cpu_clock;
};

static void see(void *context, const char *name, const char *kind, enum event_use use)
{
	struct seen *seen = context;

	seen->count++;
	seen->tracepoints += strcmp(kind, "tracepoint") == 0;
	if (strcmp(name, "cpu-clock") == 0)
		seen->cpu_clock = strcmp(kind, "software") == 0;
}

static void test_listing(void **state)
{
	struct seen seen = { 0 };
	struct err err = { 0 };
	int code = events_each(see, &seen, &err);

	assert_true(seen.cpu_clock);
	if (tracefs_is_readable()) {
		assert_int_equal(code, 0);
		assert_true(seen.tracepoints > 100);
	} else {
		assert_true(code < 0 || seen.tracepoints > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generic_names),
		cmocka_unit_test(test_cache_names),
		cmocka_unit_test(test_every_listed_name_is_found),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_breakpoints),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_names_of_nothing),
		cmocka_unit_test(test_tracepoints),
		cmocka_unit_test(test_pmu_terms),
		cmocka_unit_test(test_pmu_units),
		cmocka_unit_test(test_pmu_errors),
		cmocka_unit_test(test_event_without_its_pmu),
		cmocka_unit_test(test_pmu_of_this_machine),
		cmocka_unit_test(test_listing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
