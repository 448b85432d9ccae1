/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes known only from records; nothing here reads /proc. */
#include "support/tracker_fixture.h"

#define SHELL 100u	/* a process that exists from the start */

static int set_up(void **state)
{
	static struct fixture f;

	fixture_init(&f, false);
	apply_comm(&f, SHELL, SHELL, "sh", true);
	apply_mmap(&f, SHELL, 0x400000, 0x10000, "/nowhere/bin/sh");
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	fixture_fini(*state);
	return 0;
}

static void test_fork_and_exec_count_instances(void **state)
{
	struct fixture *f = *state;
	const struct process *row;

	apply_fork(f, SHELL, 101, 101);
	apply_exec(f, 101, "/nowhere/bin/cc1");
	apply_fork(f, SHELL, 102, 102);
	apply_exec(f, 102, "/nowhere/bin/cc1");
	assert_int_equal(instances(f, "sh"), 3);
	assert_int_equal(instances(f, "cc1"), 2);
	row = sample(f, 102, 102);
	assert_int_equal(row->instance, 2);
	assert_int_equal(row->tgid, 102);
	assert_int_equal(row->parent_tgid, SHELL);
	assert_int_equal(row->parent, 0);	/* never sampled */
	assert_string_equal(model_string(&f->model, row->exe), "/nowhere/bin/cc1");
	assert_true(row->exec_ns > row->start_ns);
}

/* The kernel can take a sample between exec's record of the name and its first mapping. */
static void test_sample_in_the_middle_of_an_exec(void **state)
{
	struct fixture *f = *state;
	const struct process *row;

	apply_fork(f, SHELL, 101, 101);
	apply_comm(f, 101, 101, "cc1", true);
	row = sample(f, 101, 101);
	assert_string_equal(model_string(&f->model, row->exe), "");
	apply_mmap(f, 101, 0x400000, 0x10000, "/nowhere/bin/cc1");
	assert_string_equal(model_string(&f->model, row->exe), "/nowhere/bin/cc1");
	assert_ptr_equal(sample(f, 101, 101), row);
	assert_int_equal(instances(f, "cc1"), 1);
}

static void test_unsampled_processes_cost_no_rows(void **state)
{
	struct fixture *f = *state;

	for (uint32_t tgid = 1000; tgid < 11000; tgid++) {
		apply_fork(f, SHELL, tgid, tgid);
		apply_exec(f, tgid, "/nowhere/bin/true");
		apply_exit(f, tgid, tgid);
		f->now_ns += NS_PER_MSEC;
		assert_true(tracker_thread_count(f->tracker) < 110);
	}
	assert_int_equal(instances(f, "true"), 10000);
	assert_int_equal(f->model.processes.count, 1);
	assert_int_equal(f->model.threads.count, 1);
	assert_int_equal(f->model.mappings.count, 1);
	assert_int_equal(f->model.images.count, 1);
}

static void test_pid_reuse(void **state)
{
	struct fixture *f = *state;
	const struct process *first, *second;
	uint64_t first_start;

	apply_fork(f, SHELL, 101, 101);
	apply_exec(f, 101, "/nowhere/bin/first");
	first = sample(f, 101, 101);
	first_start = first->start_ns;
	apply_exit(f, 101, 101);
	apply_fork(f, SHELL, 101, 101);	/* within the grace period of the first */
	apply_exec(f, 101, "/nowhere/bin/second");
	second = sample(f, 101, 101);
	assert_string_equal(model_string(&f->model, second->exe), "/nowhere/bin/second");
	assert_true(second->start_ns > first_start);
	f->now_ns += 2 * TRACKER_GRACE_NS;
	assert_string_equal(model_string(&f->model, sample(f, 101, 101)->exe),
			    "/nowhere/bin/second");
	assert_int_equal(f->model.processes.count, 3);
}

/* The kernel writes the EXIT record before the task has left the kernel. */
static void test_samples_after_exit(void **state)
{
	struct fixture *f = *state;

	apply_fork(f, SHELL, 101, 101);
	apply_exec(f, 101, "/nowhere/bin/brief");
	apply_exit(f, 101, 101);
	assert_string_equal(model_string(&f->model, sample(f, 101, 101)->exe),
			    "/nowhere/bin/brief");
	assert_non_null(mapping_at(f, 101, 0x400010));
	f->now_ns += 2 * TRACKER_GRACE_NS;
	apply_exit(f, 5000, 5000);
	assert_int_equal(tracker_thread_count(f->tracker), 1);
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNKNOWN], 0);
}

static void test_fork_shares_the_space(void **state)
{
	struct fixture *f = *state;
	struct live_process *shell, *child;

	apply_fork(f, SHELL, 101, 101);
	shell = thread_at(f, SHELL, SHELL)->process;
	child = thread_at(f, 101, 101)->process;
	assert_ptr_equal(shell->space, child->space);
	assert_int_equal(tracker_space_stamp(shell), tracker_space_stamp(child));
	apply_mmap(f, 101, 0x7f0000, 0x1000, "/nowhere/lib/plugin.so");
	assert_string_equal(image_path(f, mapping_at(f, 101, 0x7f0010)), "/nowhere/lib/plugin.so");
	assert_string_equal(image_path(f, mapping_at(f, 101, 0x400010)), "/nowhere/bin/sh");
	assert_null(mapping_at(f, SHELL, 0x7f0010));
	assert_true(tracker_space_stamp(shell) != tracker_space_stamp(child));
}

static void test_dlopen_where_another_was(void **state)
{
	struct fixture *f = *state;
	const struct live_mapping *mapping;

	apply_mmap(f, SHELL, 0x700000, 0x8000, "/nowhere/lib/a.so");
	assert_string_equal(image_path(f, mapping_at(f, SHELL, 0x702000)), "/nowhere/lib/a.so");
	apply_mmap(f, SHELL, 0x701000, 0x2000, "/nowhere/lib/b.so");
	assert_string_equal(image_path(f, mapping_at(f, SHELL, 0x702000)), "/nowhere/lib/b.so");
	mapping = mapping_at(f, SHELL, 0x704000);
	assert_string_equal(image_path(f, mapping), "/nowhere/lib/a.so");
	assert_int_equal(0x704000 - mapping->bias, 0x4000);
	assert_int_equal(f->model.mappings.count, 4);
}

static void test_threads(void **state)
{
	struct fixture *f = *state;
	uint32_t leader, second, renamed;

	apply_fork(f, SHELL, 101, 101);
	apply_fork(f, 101, 101, 102);
	apply_comm(f, 101, 102, "worker", false);
	leader = tracker_model_thread(f->tracker, thread_at(f, 101, 101));
	second = tracker_model_thread(f->tracker, thread_at(f, 101, 102));
	assert_int_equal(f->model.threads.at[leader].process, f->model.threads.at[second].process);
	assert_string_equal(model_string(&f->model, f->model.threads.at[leader].comm), "sh");
	assert_string_equal(model_string(&f->model, f->model.threads.at[second].comm), "worker");
	apply_comm(f, 101, 102, "other", false);
	renamed = tracker_model_thread(f->tracker, thread_at(f, 101, 102));
	assert_int_not_equal(renamed, second);
	assert_int_equal(f->model.threads.at[renamed].tid, 102);
	assert_int_equal(instances(f, "sh"), 2);
	apply_exit(f, 101, 101);	/* the leader may exit first */
	f->now_ns += 2 * TRACKER_GRACE_NS;
	assert_int_equal(tracker_model_thread(f->tracker, thread_at(f, 101, 102)), renamed);
}

/* The thread that execs takes the leader's tid. No record says that its old tid is free. */
static void test_exec_by_a_thread(void **state)
{
	struct fixture *f = *state;
	uint32_t before, after;

	apply_fork(f, SHELL, 101, 101);
	apply_fork(f, 101, 101, 102);
	apply_fork(f, 101, 101, 103);
	before = thread_at(f, 101, 103)->process->model_process;
	(void)sample(f, 101, 103);
	apply_exit(f, 101, 102);
	apply_exit(f, 101, 101);
	apply_exec(f, 101, "/nowhere/bin/new");
	after = f->model.threads.at[tracker_model_thread(f->tracker, thread_at(f, 101, 101))]
			.process;
	assert_int_not_equal(before, after);
	assert_string_equal(model_string(&f->model, f->model.processes.at[after].exe),
			    "/nowhere/bin/new");
	f->now_ns += 2 * TRACKER_GRACE_NS;
	apply_exit(f, 5000, 5000);
	assert_int_equal(tracker_thread_count(f->tracker), 2);	/* the shell and 101 */
	assert_int_equal(thread_at(f, 101, 101)->process->thread_count, 1);
}

static void test_exec_forgets_the_old_program(void **state)
{
	struct fixture *f = *state;

	apply_fork(f, SHELL, 101, 101);
	apply_mmap(f, 101, 0x900000, 0x1000, "//anon");
	assert_non_null(mapping_at(f, 101, 0x900000));
	apply_exec(f, 101, "/nowhere/bin/new");
	assert_null(mapping_at(f, 101, 0x900000));
	assert_string_equal(image_path(f, mapping_at(f, 101, 0x400010)), "/nowhere/bin/new");
	assert_string_equal(image_path(f, mapping_at(f, SHELL, 0x400010)), "/nowhere/bin/sh");
}

/*
 * Generated code is named by the perf map of its own process. In a forked child, that is the
 * child's map.
 */
static void test_generated_code_belongs_to_one_process(void **state)
{
	struct fixture *f = *state;
	const struct live_mapping *mapping;
	uint32_t parents, childs;

	apply_mmap(f, SHELL, 0x900000, 0x1000, "//anon");
	apply_mmap(f, SHELL, 0xa00000, 0x1000, "/memfd:jit (deleted)");
	parents = mapping_at(f, SHELL, 0x900010)->image;
	assert_int_equal(mapping_at(f, SHELL, 0xa00010)->image, parents);
	apply_fork(f, SHELL, 101, 101);
	assert_true(tracker_space_stamp(thread_at(f, 101, 101)->process) !=
		    tracker_space_stamp(thread_at(f, SHELL, SHELL)->process));
	mapping = mapping_at(f, 101, 0x900010);
	childs = mapping->image;
	assert_int_not_equal(childs, parents);
	assert_int_equal(mapping->bias, 0);
	assert_int_equal(f->model.images.at[childs].kind, IMAGE_JIT);
	assert_int_equal(f->model.processes.at[f->model.images.at[childs].process].tgid, 101);
	assert_int_equal(f->model.processes.at[f->model.images.at[parents].process].tgid, SHELL);
}

/* A recorder that has written its rows releases them. Ids stay, and the next sample needs rows. */
static void test_released_rows_are_written_again(void **state)
{
	struct fixture *f = *state;
	struct live_thread *thread = thread_at(f, SHELL, SHELL);
	uint32_t row = tracker_model_thread(f->tracker, thread);
	uint32_t owner = f->model.threads.at[row].process;
	struct process before = f->model.processes.at[owner];

	model_release_rows(&f->model);
	f->model.threads.at[row] = (struct thread){ 0 };
	f->model.processes.at[owner] = (struct process){ 0 };
	assert_int_equal(tracker_model_thread(f->tracker, thread), row);
	assert_int_equal(f->model.threads.at[row].tid, SHELL);
	assert_int_equal(f->model.threads.at[row].process, owner);
	assert_int_equal(f->model.processes.at[owner].tgid, before.tgid);
	assert_int_equal(f->model.processes.at[owner].application, before.application);
	assert_int_equal(f->model.processes.at[owner].instance, before.instance);
	assert_int_equal(f->model.processes.at[owner].start_ns, before.start_ns);

	/* Those who watch generated code read the row of its process. */
	model_release_rows(&f->model);
	f->model.processes.at[owner] = (struct process){ 0 };
	apply_mmap(f, SHELL, 0x900000, 0x1000, "//anon");
	assert_int_not_equal(mapping_at(f, SHELL, 0x900010)->image, 0);
	assert_int_equal(f->model.processes.at[owner].tgid, SHELL);
}

static void test_unknown_processes_are_counted(void **state)
{
	struct fixture *f = *state;

	(void)sample(f, 777, 778);
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNKNOWN], 1);
	assert_null(mapping_at(f, 777, 0x400000));
	(void)sample(f, LIVE_ID_GONE, LIVE_ID_GONE);
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNKNOWN], 2);
	assert_int_equal(instances(f, "[exiting]"), 1);
	assert_string_equal(thread_at(f, LIVE_ID_GONE, LIVE_ID_GONE)->comm, "[exiting]");
	f->now_ns += 2 * TRACKER_GRACE_NS;
	(void)sample(f, SHELL, SHELL);
	assert_int_equal(tracker_thread_count(f->tracker), 4);
}

/* Without /proc, a record is enough to know a process. It lives until its EXIT record. */
static void test_a_record_makes_a_process_known(void **state)
{
	struct fixture *f = *state;
	const struct process *row;

	(void)sample(f, 777, 778);
	apply_comm(f, 777, 777, "late", false);
	apply_mmap(f, 777, 0x700000, 0x1000, "/nowhere/bin/late");
	f->now_ns += 2 * TRACKER_GRACE_NS;
	row = sample(f, 777, 778);
	assert_string_equal(model_string(&f->model, row->exe), "/nowhere/bin/late");
	assert_string_equal(thread_at(f, 777, 778)->comm, "late");
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNKNOWN], 1);
	assert_int_equal(instances(f, "late"), 1);
	apply_exit(f, 777, 777);
	apply_exit(f, 777, 778);
	f->now_ns += 2 * TRACKER_GRACE_NS;
	(void)sample(f, SHELL, SHELL);
	assert_int_equal(tracker_thread_count(f->tracker), 1);
}

static void test_idle_is_one_for_all_cpus(void **state)
{
	struct fixture *f = *state;
	const struct process *row = sample(f, 0, 0);

	assert_true(row->kernel_thread);
	assert_string_equal(thread_at(f, 0, 0)->comm, "swapper");
	assert_ptr_equal(thread_at(f, 0, 0), thread_at(f, 0, 0));
	assert_int_equal(instances(f, "[idle]"), 1);
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNKNOWN], 0);
}

static const struct live_thread *zero_in(struct fixture *f, bool kernel_mode)
{
	const struct perf_record sample = {
		.kind = RECORD_SAMPLE,
		.time_ns = f->now_ns,
		.kernel_mode = kernel_mode,
	};
	struct live_thread *thread = tracker_thread_of(f->tracker, &sample, 0);

	assert_non_null(thread);
	assert_int_not_equal(tracker_model_thread(f->tracker, thread), 0);
	return thread;
}

/*
 * The idle task has no user mode. A tid of 0 in user mode is a process outside this pid namespace.
 */
static void test_tid_0_in_user_mode_is_not_idle(void **state)
{
	struct fixture *f = *state;

	assert_true(tracker_is_idle(zero_in(f, true)));
	assert_false(tracker_is_idle(zero_in(f, false)));
	assert_string_equal(zero_in(f, false)->comm, "[outside]");
	assert_false(zero_in(f, true)->process->kernel_thread);	/* unknown from now on */
	assert_false(tracker_is_idle(thread_at(f, SHELL, SHELL)));
	assert_int_equal(instances(f, "[idle]"), 1);
	assert_int_equal(instances(f, "[outside]"), 1);
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNKNOWN], 0);
}

/*
 * The child of a process outside the namespace is identified by what it does, not by the idle
 * task's tid.
 */
static void test_fork_from_outside(void **state)
{
	struct fixture *f = *state;

	apply_fork(f, 0, 101, 101);
	assert_true(tracker_is_idle(thread_at(f, 0, 0)));
	assert_false(thread_at(f, 101, 101)->process->kernel_thread);
	apply_exec(f, 101, "/nowhere/bin/entered");
	assert_string_equal(model_string(&f->model, sample(f, 101, 101)->exe),
			    "/nowhere/bin/entered");
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNKNOWN], 0);
}

/* A process that forks without being known is removed when it exits, like any other. */
static void test_unknown_parents_die(void **state)
{
	struct fixture *f = *state;

	for (uint32_t tgid = 1000; tgid < 3000; tgid += 2) {
		apply_fork(f, tgid, tgid + 1, tgid + 1);
		apply_exit(f, tgid + 1, tgid + 1);
		apply_exit(f, tgid, tgid);
		f->now_ns += NS_PER_MSEC;
	}
	f->now_ns += 2 * TRACKER_GRACE_NS;
	apply_exit(f, 5000, 5000);
	assert_int_equal(tracker_thread_count(f->tracker), 1);
	for (uint32_t tgid = 1000; tgid < 3000; tgid++)
		assert_false(tracker_mark_target(f->tracker, tgid));
}

static void test_targets_are_inherited(void **state)
{
	struct fixture *f = *state;

	apply_fork(f, SHELL, 101, 101);
	assert_false(thread_at(f, 101, 101)->process->is_target);
	assert_true(tracker_mark_target(f->tracker, 101));
	assert_false(tracker_mark_target(f->tracker, 4711));
	apply_fork(f, 101, 102, 102);
	apply_fork(f, 102, 103, 103);
	apply_exec(f, 103, "/nowhere/bin/ls");
	assert_true(thread_at(f, 103, 103)->process->is_target);
	assert_false(thread_at(f, SHELL, SHELL)->process->is_target);
}

/* A hostile process execs programs with ever new names. They are counted but get no names. */
static void test_names_are_bounded(void **state)
{
	struct fixture *f = *state;
	const struct process *row;
	char path[64];
	uint32_t others;

	for (uint32_t i = 0; i < TRACKER_APPLICATIONS_MAX + 50; i++) {
		(void)snprintf(path, sizeof(path), "/nowhere/bin/p%u", i);
		apply_exec(f, SHELL, path);
	}
	assert_true(f->model.applications.count <= TRACKER_APPLICATIONS_MAX + 2);
	others = instances(f, "[others]");
	assert_true(others > 0);
	row = sample(f, SHELL, SHELL);	/* a process that is sampled still gets its name */
	assert_string_equal(model_string(&f->model,
					 f->model.applications.at[row->application].name),
			    strrchr(path, '/') + 1);
	assert_int_equal(row->instance, 1);
	assert_int_equal(instances(f, "[others]"), others - 1);
	assert_int_equal(instances(f, "p7"), 1);
}

static void test_comm_of_any_bytes(void **state)
{
	struct fixture *f = *state;
	const char *comm = "a)b (\n\x1b[31m\\";
	uint32_t row;

	apply_comm(f, SHELL, SHELL, comm, false);
	row = tracker_model_thread(f->tracker, thread_at(f, SHELL, SHELL));
	assert_string_equal(model_string(&f->model, f->model.threads.at[row].comm), comm);
	apply_comm(f, SHELL, SHELL, "longer than any comm of the kernel", false);
	assert_string_equal(thread_at(f, SHELL, SHELL)->comm, "longer than any");
}

/*
 * Files are mapped over each other and unlinked without end. Only files that are still mapped stay
 * known.
 */
static void test_files_are_bounded(void **state)
{
	struct fixture *f = *state;
	char path[2048];
	const uint32_t first = 100000, count = 40000;

	memset(path, 'x', sizeof(path));
	memcpy(path, "/nowhere/", 9);
	apply_mmap(f, SHELL, 0x700000, 0x1000, "/nowhere/lib/kept.so");
	for (uint32_t i = first; i < first + count; i++) {
		(void)snprintf(path + sizeof(path) - 8, 8, "%u", i);
		apply_mmap(f, SHELL, 0x900000, 0x1000, path);
		assert_true(pins_count(f->pins) < PINS_MAX);
	}
	assert_true(pins_count(f->pins) < 4096);	/* the paths are 2 KiB long */
	assert_string_equal(image_path(f, mapping_at(f, SHELL, 0x700010)), "/nowhere/lib/kept.so");
	assert_string_equal(image_path(f, mapping_at(f, SHELL, 0x400010)), "/nowhere/bin/sh");
	assert_string_equal(image_path(f, mapping_at(f, SHELL, 0x900010)), path);
	apply_mmap(f, SHELL, 0x800000, 0x1000, "/nowhere/lib/kept.so");
	assert_int_equal(mapping_at(f, SHELL, 0x800010)->image,
			 mapping_at(f, SHELL, 0x700010)->image);
	assert_int_equal(f->model.losses.count[LOSS_IMAGE_TABLE_FULL], 0);
}

/* More files than fit, and all of them mapped. The rest share one name and are counted. */
static void test_files_that_find_no_room(void **state)
{
	struct fixture *f = *state;
	const uint64_t first = UINT64_C(0x10000000);
	const struct live_mapping *mapping;
	char path[64];

	for (uint32_t i = 0; i < PINS_MAX + 10; i++) {
		(void)snprintf(path, sizeof(path), "/nowhere/lib/%u.so", i);
		apply_mmap(f, SHELL, first - 0x2000 * (uint64_t)i, 0x1000, path);
	}
	assert_true(pins_count(f->pins) <= PINS_MAX + 1);
	mapping = mapping_at(f, SHELL, first);
	assert_string_equal(image_path(f, mapping), "/nowhere/lib/0.so");
	assert_int_equal(f->model.losses.count[LOSS_IMAGE_TABLE_FULL], 0);
	mapping = mapping_at(f, SHELL, first - 0x2000 * (uint64_t)(PINS_MAX + 9));
	assert_string_equal(image_path(f, mapping), "[too many files]");
	assert_int_equal(mapping->bias, 0);
	assert_int_equal(f->model.losses.count[LOSS_IMAGE_TABLE_FULL], 1);
}

/*
 * Mappings replace each other without end, and each one is reported as a caller. Only some get a
 * row.
 */
static void test_mappings_of_callers_are_bounded(void **state)
{
	struct fixture *f = *state;
	const uint32_t at_once = 4096, tried = 5000;
	uint32_t refused = 0;
	bool over_budget;

	for (uint32_t i = 0; i < tried; i++) {
		apply_mmap(f, SHELL, 0x900000, 0x1000, i % 2 ? "/nowhere/a.so" : "/nowhere/b.so");
		(void)caller_mapping_at(f, SHELL, 0x900010, &over_budget);
		refused += over_budget;
	}
	assert_int_equal(refused, tried - at_once);
	assert_int_equal(f->model.mappings.count, 1 + at_once);
	/* a mapping that is executed gets a row */
	assert_non_null(mapping_at(f, SHELL, 0x900010));
	assert_non_null(caller_mapping_at(f, SHELL, 0x900010, &over_budget));
	assert_false(over_budget);
	apply_fork(f, SHELL, 101, 101);
	apply_mmap(f, 101, 0xa00000, 0x1000, "/nowhere/a.so");
	assert_null(caller_mapping_at(f, 101, 0xa00010, &over_budget));
	assert_true(over_budget);
	f->now_ns += NS_PER_SEC;
	assert_non_null(caller_mapping_at(f, 101, 0xa00010, &over_budget));
}

/* Records about processes that were never introduced, in any order. */
static void test_records_out_of_nowhere(void **state)
{
	struct fixture *f = *state;

	apply_exit(f, 201, 201);
	apply_fork(f, 300, 301, 301);
	apply_fork(f, 302, 302, 303);
	apply_mmap(f, 304, 0x400000, 0x1000, "/nowhere/bin/x");
	apply_mmap(f, 304, UINT64_MAX - 0xfff, 0x2000, "/nowhere/bin/x");
	apply_mmap(f, LIVE_ID_GONE, 0x400000, 0x1000, "/nowhere/bin/x");
	apply_comm(f, 305, 306, "thread", true);
	apply_exec(f, 303, "/nowhere/bin/y");	/* 303 was a thread of 302 */
	assert_int_equal(sample(f, 303, 303)->tgid, 303);
	assert_int_equal(sample(f, 304, 304)->tgid, 304);
	assert_int_equal(sample(f, 999, 304)->tgid, 999);
	apply_exit(f, 304, 304);
	f->now_ns += 2 * TRACKER_GRACE_NS;
	assert_int_equal(sample(f, 305, 306)->tgid, 305);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fork_and_exec_count_instances),
		TEST(test_sample_in_the_middle_of_an_exec),
		TEST(test_unsampled_processes_cost_no_rows),
		TEST(test_pid_reuse),
		TEST(test_samples_after_exit),
		TEST(test_fork_shares_the_space),
		TEST(test_dlopen_where_another_was),
		TEST(test_threads),
		TEST(test_exec_by_a_thread),
		TEST(test_exec_forgets_the_old_program),
		TEST(test_generated_code_belongs_to_one_process),
		TEST(test_released_rows_are_written_again),
		TEST(test_unknown_processes_are_counted),
		TEST(test_a_record_makes_a_process_known),
		TEST(test_idle_is_one_for_all_cpus),
		TEST(test_tid_0_in_user_mode_is_not_idle),
		TEST(test_fork_from_outside),
		TEST(test_unknown_parents_die),
		TEST(test_targets_are_inherited),
		TEST(test_names_are_bounded),
		TEST(test_comm_of_any_bytes),
		TEST(test_files_are_bounded),
		TEST(test_files_that_find_no_room),
		TEST(test_mappings_of_callers_are_bounded),
		TEST(test_records_out_of_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
