/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of kernels before 3.16 and of perf before 3.12: no record says that a process existed
 * before the recording, no COMM says that it comes from an exec, and before Linux 2.6.38 only
 * samples, forks and exits have times.
 */
#include "support/test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

#include "support/imported.h"
#include "support/perf_file.h"

#define MS UINT64_C(1000000)
#define ATTR_BYTES 64		/* PERF_ATTR_SIZE_VER0 */
#define HEAD_BYTES 104
#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define VDSO_ADDR UINT64_C(0x7fff0000)

enum { ROUND = 68 };

struct old_file {
	struct perf_file file;
	bool without_trailers;	/* as before Linux 2.6.38 */
};

static struct old_file begin_file(bool without_trailers)
{
	struct perf_event_attr attr = { .freq = 1, .sample_id_all = !without_trailers };
	struct old_file old = { .without_trailers = without_trailers };
	struct perf_file *file = &old.file;

	perf_file_put(file, "PERFILE2", 8);
	perf_file_u64(file, HEAD_BYTES);
	perf_file_u64(file, ATTR_BYTES + 16);
	perf_file_u64(file, HEAD_BYTES);
	perf_file_u64(file, ATTR_BYTES + 16);
	perf_file_u64(file, HEAD_BYTES + ATTR_BYTES + 16);
	for (int i = 0; i < 7; i++)	/* the size of the records, event types, features */
		perf_file_u64(file, 0);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = ATTR_BYTES;
	attr.sample_freq = 1000;
	attr.sample_type = SAMPLE_TYPE;
	perf_file_put(file, &attr, ATTR_BYTES);
	perf_file_u64(file, 0);
	perf_file_u64(file, 0);
	return old;
}

static void end_record(struct old_file *old, size_t begin, uint32_t tgid, uint64_t time_ns)
{
	while ((old->file.size_bytes - begin) % 8)
		perf_file_put(&old->file, "", 1);
	if (!old->without_trailers) {
		perf_file_u32(&old->file, tgid);
		perf_file_u32(&old->file, tgid);
		perf_file_u64(&old->file, time_ns);
	}
	perf_file_end(&old->file, begin);
}

static void put_comm(struct old_file *old, uint32_t tgid, uint32_t tid, uint64_t time_ns,
		     const char *name)
{
	size_t begin = perf_file_begin(&old->file, PERF_RECORD_COMM, 0);

	perf_file_u32(&old->file, tgid);
	perf_file_u32(&old->file, tid);
	perf_file_put(&old->file, name, strlen(name) + 1);
	end_record(old, begin, tgid, time_ns);
}

static void put_map(struct old_file *old, uint32_t tgid, uint64_t time_ns, uint64_t addr,
		    const char *path)
{
	size_t begin = perf_file_begin(&old->file, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);

	perf_file_u32(&old->file, tgid);
	perf_file_u32(&old->file, tgid);
	perf_file_u64(&old->file, addr);
	perf_file_u64(&old->file, 0x1000);
	perf_file_u64(&old->file, 0);
	perf_file_put(&old->file, path, strlen(path) + 1);
	end_record(old, begin, tgid, time_ns);
}

static void put_task(struct old_file *old, uint32_t type, uint32_t tgid, uint64_t time_ns)
{
	size_t begin = perf_file_begin(&old->file, type, 0);

	perf_file_u32(&old->file, tgid);
	perf_file_u32(&old->file, 100);
	perf_file_u32(&old->file, tgid);
	perf_file_u32(&old->file, 100);
	perf_file_u64(&old->file, time_ns);
	end_record(old, begin, tgid, time_ns);
}

static void put_sample_at(struct old_file *old, uint32_t tgid, uint32_t tid, uint64_t time_ns,
			  uint64_t addr)
{
	size_t begin = perf_file_begin(&old->file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	perf_file_u64(&old->file, addr);
	perf_file_u32(&old->file, tgid);
	perf_file_u32(&old->file, tid);
	perf_file_u64(&old->file, time_ns);
	perf_file_end(&old->file, begin);
}

static void put_sample(struct old_file *old, uint32_t tgid, uint32_t tid, uint64_t time_ns)
{
	put_sample_at(old, tgid, tid, time_ns, 0x400010);
}

static void put_round(struct old_file *old)
{
	perf_file_end(&old->file, perf_file_begin(&old->file, ROUND, 0));
}

/* A process with two threads, as perf describes it at the start of a recording. */
static void put_server(struct old_file *old)
{
	put_comm(old, 100, 100, 0, "server");
	put_comm(old, 100, 101, 0, "worker");
	put_map(old, 100, 0, 0x400000, "/nowhere/server");
	put_map(old, 100, 0, VDSO_ADDR, "[vdso]");
}

/* ---- what was imported ---- */

static struct imported import_file(struct old_file *old)
{
	struct imported imported;

	imported_from_bytes(&imported, old->file.bytes, old->file.size_bytes);
	assert_string_equal(imported.err.text, "");
	assert_int_equal(imported.rc, 0);
	perf_file_fini(&old->file);
	return imported;
}

static const struct thread *thread_of(const struct imported *imported, size_t sample)
{
	assert_true(sample < imported->samples.samples.count);
	return &imported->model.threads.at[imported->samples.samples.at[sample].thread];
}

static const char *comm_of(const struct imported *imported, size_t sample)
{
	return model_string(&imported->model, thread_of(imported, sample)->comm);
}

static const char *application_of(const struct imported *imported, size_t sample)
{
	const struct model *model = &imported->model;
	const struct process *process = &model->processes.at[thread_of(imported, sample)->process];

	return model_string(model, model->applications.at[process->application].name);
}

static const char *image_of(const struct imported *imported, size_t sample)
{
	const struct model *model = &imported->model;
	uint32_t stack = imported->samples.samples.at[sample].stack;
	const struct location *location = &model->locations.at[model->stacks.at[stack].location];

	return model_string(model, model->images.at[location->image].path);
}

static uint64_t lost(const struct imported *imported, enum loss reason)
{
	return imported->model.losses.count[reason];
}

/* ---- processes that existed before ---- */

/* However long they run, and however long they pause. */
static void test_processes_live_until_they_exit(void **state)
{
	for (int form = 0; form < 2; form++) {
		struct old_file old = begin_file(form);
		struct imported imported;

		put_server(&old);
		for (uint64_t i = 1; i <= 5; i++) {
			put_sample(&old, 100, 100, i * 1000 * MS);
			put_sample(&old, 100, 101, i * 1000 * MS + 1);
		}
		put_task(&old, PERF_RECORD_EXIT, 100, 5500 * MS);
		put_sample(&old, 100, 101, 6000 * MS);
		imported = import_file(&old);
		for (size_t i = 0; i < 11; i++) {
			assert_string_equal(comm_of(&imported, i),
					    i % 2 || i == 10 ? "worker" : "server");
			assert_string_equal(application_of(&imported, i), "server");
			assert_string_equal(image_of(&imported, i), "/nowhere/server");
		}
		assert_int_equal(imported.model.processes.count, 2);
		assert_int_equal(lost(&imported, LOSS_PROCESS_UNKNOWN), 0);
		assert_int_equal(lost(&imported, LOSS_MAPPING_UNKNOWN), 0);
		imported_fini(&imported);
	}
}

/* Only the samples before the first record of the process are of an unknown process. */
static void test_process_becomes_known(void **state)
{
	struct old_file old = begin_file(false);
	struct imported imported;

	put_sample(&old, 100, 100, 1000 * MS);
	put_sample(&old, 100, 101, 1001 * MS);
	put_comm(&old, 100, 100, 2000 * MS, "server");
	put_map(&old, 100, 2000 * MS, 0x400000, "/nowhere/server");
	put_sample(&old, 100, 100, 3000 * MS);
	put_sample(&old, 100, 101, 4000 * MS);
	put_sample(&old, 200, 200, 4001 * MS);
	put_sample(&old, 200, 200, 5000 * MS);
	imported = import_file(&old);
	assert_string_equal(application_of(&imported, 0), "[unknown]");
	assert_string_equal(application_of(&imported, 1), "[unknown]");
	assert_string_equal(application_of(&imported, 2), "server");
	assert_string_equal(application_of(&imported, 3), "server");
	assert_string_equal(comm_of(&imported, 3), "server");
	assert_string_equal(image_of(&imported, 3), "/nowhere/server");
	assert_string_equal(application_of(&imported, 5), "[unknown]");
	assert_int_equal(lost(&imported, LOSS_PROCESS_UNKNOWN), 4);
	imported_fini(&imported);
}

/* ---- exec ---- */

/* The program's file is called like the COMM. Some machines have no vdso. */
static void test_exec_of_a_named_file(void **state)
{
	struct old_file old = begin_file(false);
	struct imported imported;

	put_server(&old);
	put_task(&old, PERF_RECORD_FORK, 200, 1000 * MS);
	put_sample(&old, 200, 200, 1001 * MS);
	put_comm(&old, 200, 200, 1002 * MS, "a-program-with-");
	put_map(&old, 200, 1002 * MS, 0x500000, "/nowhere/a-program-with-a-long-name");
	put_sample_at(&old, 200, 200, 2000 * MS, 0x500010);
	put_sample_at(&old, 200, 200, 2001 * MS, 0x400010);
	imported = import_file(&old);
	assert_string_equal(application_of(&imported, 0), "server");
	assert_string_equal(comm_of(&imported, 0), "server");
	assert_string_equal(application_of(&imported, 1), "a-program-with-a-long-name");
	assert_string_equal(comm_of(&imported, 1), "a-program-with-");
	assert_string_equal(image_of(&imported, 1), "/nowhere/a-program-with-a-long-name");
	assert_int_equal(lost(&imported, LOSS_MAPPING_UNKNOWN), 1);	/* the server's code */
	imported_fini(&imported);
}

/* The COMM is the name of a link or of a script, but the kernel maps a vdso only at exec. */
static void test_exec_by_a_link(void **state)
{
	for (int form = 0; form < 2; form++) {
		struct old_file old = begin_file(form);
		struct imported imported;

		put_server(&old);
		put_sample(&old, 100, 100, 1000 * MS);
		put_task(&old, PERF_RECORD_FORK, 200, 1100 * MS);
		put_comm(&old, 200, 200, 1102 * MS, "sh");
		put_map(&old, 200, 1102 * MS, 0x400000, "/nowhere/dash");
		put_map(&old, 200, 1102 * MS, 0x600000, "/nowhere/ld.so");
		put_map(&old, 200, 1102 * MS, VDSO_ADDR, "[vdso]");
		put_sample(&old, 200, 200, 2000 * MS);
		put_sample_at(&old, 200, 200, 2001 * MS, 0x600010);
		imported = import_file(&old);
		assert_string_equal(application_of(&imported, 1), "dash");
		assert_string_equal(comm_of(&imported, 1), "sh");
		assert_string_equal(image_of(&imported, 1), "/nowhere/dash");
		assert_string_equal(image_of(&imported, 2), "/nowhere/ld.so");
		imported_fini(&imported);
	}
}

/* A thread that gets a name and then loads libraries is still of the same program. */
static void test_rename_keeps_the_mappings(void **state)
{
	struct old_file old = begin_file(false);
	struct imported imported;

	put_server(&old);
	put_sample(&old, 100, 100, 1000 * MS);
	put_comm(&old, 100, 100, 1001 * MS, "renamed");
	put_map(&old, 100, 1002 * MS, 0x600000, "/nowhere/plugin.so");
	put_sample(&old, 100, 100, 2000 * MS);
	put_comm(&old, 100, 101, 2001 * MS, "vdso-reader");
	put_map(&old, 100, 2002 * MS, 0x700000, "/nowhere/vdso-reader");
	put_sample(&old, 100, 101, 3000 * MS);
	imported = import_file(&old);
	assert_string_equal(comm_of(&imported, 1), "renamed");
	assert_string_equal(comm_of(&imported, 2), "vdso-reader");
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(application_of(&imported, i), "server");
		assert_string_equal(image_of(&imported, i), "/nowhere/server");
	}
	assert_int_equal(imported.model.processes.count, 2);
	imported_fini(&imported);
}

/* ---- records without times ---- */

/*
 * Two rings, the second one with the fork. The file has the child's records before the fork, but
 * they belong to the time of the records around them.
 */
static void test_records_without_times_are_sorted(void **state)
{
	struct old_file old = begin_file(true);
	struct imported imported;

	put_server(&old);
	put_sample(&old, 100, 101, 1000 * MS);
	put_comm(&old, 200, 200, 0, "child");
	put_map(&old, 200, 0, 0x400000, "/nowhere/child");
	put_sample(&old, 200, 200, 1200 * MS);
	put_sample(&old, 100, 100, 1050 * MS);
	put_task(&old, PERF_RECORD_FORK, 200, 1100 * MS);
	put_sample(&old, 100, 100, 1300 * MS);
	put_round(&old);
	put_sample(&old, 200, 200, 2000 * MS);
	imported = import_file(&old);
	assert_int_equal(imported.samples.samples.count, 5);
	for (size_t i = 0; i < 5; i++) {
		bool is_child = i == 2 || i == 4;

		assert_string_equal(application_of(&imported, i), is_child ? "child" : "server");
		assert_string_equal(image_of(&imported, i),
				    is_child ? "/nowhere/child" : "/nowhere/server");
	}
	assert_int_equal(lost(&imported, LOSS_RECORD_LATE), 0);
	assert_int_equal(lost(&imported, LOSS_PROCESS_UNKNOWN), 0);
	imported_fini(&imported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_live_until_they_exit),
		cmocka_unit_test(test_process_becomes_known),
		cmocka_unit_test(test_exec_of_a_named_file),
		cmocka_unit_test(test_exec_by_a_link),
		cmocka_unit_test(test_rename_keeps_the_mappings),
		cmocka_unit_test(test_records_without_times_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
