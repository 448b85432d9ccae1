/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the BPF programs fit other kernels, without booting them: each program is adapted to the
 * types (BTF) of a kernel, and must not need a field that this kernel lacks.
 *
 * The kernels are the running one, the same with one field missing or of another size, and those
 * whose types are in the files that KERNEL_TYPES names (patterns, separated by spaces).
 */
#include "support/test.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "support/bpf_reach.h"
#include "bpf/wire.h"
#include "bpf/wire_feed.h"
#include "sampler/kernel_lacks.h"
#include "irq_time.skel.h"
#include "sampler.skel.h"

#define SKIPPED 77
#define RUNNING "/sys/kernel/btf/vmlinux"

/* ---- adapting the programs ---- */

/* What libbpf said of the accesses that it could not adapt. */
static char said[1 << 16];
static char access_text[512];

static __attribute__((format(printf, 2, 0))) int listen(enum libbpf_print_level level,
							const char *format, va_list words)
{
	char line[512];

	(void)vsnprintf(line, sizeof(line), format, words);
	if (strstr(line, "relo #") && strstr(line, ": <"))
		(void)snprintf(access_text, sizeof(access_text), "%s", line);
	else if (strstr(line, "invalid insn"))
		(void)snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s", access_text);
	return 0;
}

static bool is_adapted(const struct bpf_program *program)
{
	long at = bpf_reach_missing_field(bpf_program__insns(program),
					  bpf_program__insn_cnt(program));

	if (at >= 0)
		print_message("%s needs a missing field at %ld\n", bpf_program__name(program), at);
	return at < 0;
}

/*
 * Returns the number of programs that need a field which is not in the types of the file @types.
 * The running kernel may refuse the programs, because they are meant for another one. libbpf has
 * adapted all of them before it asks the kernel for the first time.
 */
static int count_misfits_of(const void *object, size_t size_bytes, const char *types)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = types);
	struct bpf_object *opened = bpf_object__open_mem(object, size_bytes, &options);
	struct bpf_program *program;
	int misfits = 0;

	assert_non_null(opened);
	bpf_object__for_each_program(program, opened)
		assert_int_equal(bpf_program__set_autoload(program, true), 0);
	said[0] = '\0';
	(void)bpf_object__load(opened);
	bpf_object__for_each_program(program, opened) misfits += !is_adapted(program);
	bpf_object__close(opened);
	return misfits;
}

static int count_misfits(const char *types)
{
	size_t size_bytes;
	const void *object = irq_time_skel__elf_bytes(&size_bytes);
	int misfits = count_misfits_of(object, size_bytes, types);

	object = sampler_skel__elf_bytes(&size_bytes);
	misfits += count_misfits_of(object, size_bytes, types);
	if (misfits)
		print_message("%s:\n%s", types, said);
	return misfits;
}

/* ---- kernels that differ in one field ---- */

struct field {
	const char *structure, *path;	/* such as "task_struct" and "sched_info.run_delay" */
};

static const struct field fields[] = {
#define FIELD(name, structure, member, use, cost) { #structure, #member },
#define FORMER(name, structure, member, new_name)
#include "bpf/kernel_fields.def"
#undef FORMER
#undef FIELD
};

#define FIELD_COUNT (sizeof(fields) / sizeof(*fields))

/* Returns the member, also if it is in an unnamed struct or union of @type. */
static struct btf_member *find_member(struct btf *types, const struct btf_type *type,
				      const char *name, size_t size_bytes)
{
	struct btf_member *members = btf_members(type), *found = NULL;

	for (int i = 0; i < btf_vlen(type) && !found; i++) {
		const struct btf_type *inner = btf__type_by_id(types, members[i].type);
		const char *its_name = btf__name_by_offset(types, members[i].name_off);

		if (strncmp(its_name, name, size_bytes) == 0 && !its_name[size_bytes])
			found = &members[i];
		else if (members[i].name_off == 0 && inner && btf_is_composite(inner))
			found = find_member(types, inner, name, size_bytes);
	}
	return found;
}

/* Returns the last member on the path of @field, from @type on. */
static struct btf_member *follow_path(struct btf *types, const struct btf_type *type,
				      const struct field *field)
{
	const char *path = field->path;
	struct btf_member *member = NULL;

	for (; type; path += *path == '.') {
		size_t size_bytes = strcspn(path, ".");

		member = find_member(types, type, path, size_bytes);
		path += size_bytes;
		if (!member || !*path)
			return member;
		type = btf__type_by_id(types, (uint32_t)btf__resolve_type(types, member->type));
	}
	return NULL;
}

/*
 * Changes the running kernel's types in all structures of that name: the field gets the type
 * @new_type, or else the name @new_name. Returns the path of a file with these types.
 */
static char *kernel_changed(const struct field *field, const char *new_type, const char *new_name)
{
	struct btf *types = btf__parse(RUNNING, NULL);
	char *path = strdup("/tmp/assay-types-XXXXXX");
	int fd = mkstemp(path), changed = 0, name_off;
	uint32_t size_bytes;
	const void *bytes;

	assert_non_null(types);
	name_off = btf__add_str(types, new_name);
	assert_true(name_off > 0);
	for (uint32_t id = 1; id < btf__type_cnt(types); id++) {
		const struct btf_type *type = btf__type_by_id(types, id);
		struct btf_member *member;

		if (!btf_is_struct(type) ||
		    strcmp(btf__name_by_offset(types, type->name_off), field->structure) != 0)
			continue;
		member = follow_path(types, type, field);
		if (!member)
			continue;
		if (new_type)
			member->type = (uint32_t)btf__find_by_name(types, new_type);
		else
			member->name_off = (uint32_t)name_off;
		changed++;
	}
	assert_true(changed > 0);
	bytes = btf__raw_data(types, &size_bytes);
	assert_int_equal(write(fd, bytes, size_bytes), size_bytes);
	(void)close(fd);
	btf__free(types);
	return path;
}

/* The field gets the type @new_type, or else a name that no program looks for. */
static char *kernel_with(const struct field *field, const char *new_type)
{
	return kernel_changed(field, new_type, "gone");
}

static char *kernel_with_name(const struct field *field, const char *new_name)
{
	return kernel_changed(field, NULL, new_name);
}

static int misfits_with(const struct field *field, const char *new_type)
{
	_cleanup_free_ char *path = kernel_with(field, new_type);
	int misfits = count_misfits(path);

	(void)unlink(path);
	return misfits;
}

static void programs_fit_the_running_kernel(void **state)
{
	assert_int_equal(count_misfits(RUNNING), 0);
}

static void a_missing_field_stops_no_program(void **state)
{
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (misfits_with(&fields[i], NULL) > 0)
			fail_msg("%s.%s is needed", fields[i].structure, fields[i].path);
}

static void a_missing_field_is_named(void **state)
{
	struct kernel_lack lacks[KERNEL_LACKS_MAX];
	size_t count = 1;

	assert_int_equal(kernel_lacks_find(NULL, lacks, &count, NULL), 0);
	assert_int_equal(count, 0);
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		_cleanup_free_ char *path = kernel_with(&fields[i], NULL);

		assert_int_equal(kernel_lacks_find(path, lacks, &count, NULL), 0);
		(void)unlink(path);
		assert_int_equal(count, 1);
		assert_string_equal(lacks[0].structure, fields[i].structure);
		assert_string_equal(lacks[0].member, fields[i].path);
		assert_true(lacks[0].cost[0]);
	}
}

/* A field that only has the name of an older kernel is not missing. */
static void a_field_with_its_former_name_is_there(void **state)
{
	static const struct field STATE = { "task_struct", "__state" };
	_cleanup_free_ char *path = kernel_with_name(&STATE, "state");
	struct kernel_lack lacks[KERNEL_LACKS_MAX];
	size_t count = 1;

	assert_int_equal(kernel_lacks_find(path, lacks, &count, NULL), 0);
	(void)unlink(path);
	assert_int_equal(count, 0);
}

static void types_that_cannot_be_read_are_an_error(void **state)
{
	struct kernel_lack lacks[KERNEL_LACKS_MAX];
	struct err err = { 0 };
	size_t count = 0;

	assert_int_equal(kernel_lacks_find("/nonexistent", lacks, &count, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent"));
}

static void a_smaller_field_stops_no_program(void **state)
{
	static const struct field ON_CPU = { "task_struct", "on_cpu" };

	assert_int_equal(misfits_with(&ON_CPU, "u8"), 0);
}

/* There is nothing to record without a tgid, so it has no check. */
static void a_field_without_a_check_is_found(void **state)
{
	static const struct field TGID = { "task_struct", "tgid" };

	assert_true(misfits_with(&TGID, NULL) > 0);
	assert_true(misfits_with(&TGID, "u8") > 0);
}

/* ---- kernels whose types are at hand ---- */

static void programs_fit_other_kernels(void **state)
{
	const char *given = getenv("KERNEL_TYPES");
	char *patterns = strdup(given ? given : ""), *rest = patterns, *pattern;
	glob_t files = { 0 };
	int flags = 0;

	assert_non_null(patterns);
	for (; (pattern = strsep(&rest, " ")) != NULL; flags = GLOB_APPEND)
		(void)glob(pattern, flags, NULL, &files);
	free(patterns);
	if (files.gl_pathc == 0) {
		print_message("no types of other kernels here; tools/test-vm unpacks them\n");
		globfree(&files);
		skip();
	}
	for (size_t i = 0; i < files.gl_pathc; i++) {
		print_message("%s\n", files.gl_pathv[i]);
		assert_int_equal(count_misfits(files.gl_pathv[i]), 0);
	}
	globfree(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_fit_the_running_kernel),
		cmocka_unit_test(a_missing_field_stops_no_program),
		cmocka_unit_test(a_missing_field_is_named),
		cmocka_unit_test(a_field_with_its_former_name_is_there),
		cmocka_unit_test(types_that_cannot_be_read_are_an_error),
		cmocka_unit_test(a_smaller_field_stops_no_program),
		cmocka_unit_test(a_field_without_a_check_is_found),
		cmocka_unit_test(programs_fit_other_kernels),
	};

	if (access(RUNNING, R_OK) < 0 || geteuid() != 0) {
		puts("needs root and " RUNNING);
		return SKIPPED;
	}
	(void)libbpf_set_print(listen);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
