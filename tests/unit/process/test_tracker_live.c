/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracker compared with /proc: this process and its children. */
#include "support/tracker_fixture.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/proc_read.h"

#define CODE_BYTES 4096

static int set_up(void **state)
{
	static struct fixture f;

	fixture_init(&f, true);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	fixture_fini(*state);
	return 0;
}

static uint32_t self_tgid(void)
{
	return (uint32_t)getpid();
}

static void *map_code(void *addr, int flags)
{
	void *page = mmap(addr, CODE_BYTES, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	return page;
}

/* Starts a child that waits to be killed. No assertion may fail while a child lives. */
static pid_t start_child(const char *comm)
{
	int gate[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(gate), 0);
	child = fork();
	if (child == 0) {
		(void)prctl(PR_SET_NAME, comm);
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)!write(gate[1], "x", 1);
		for (;;)
			(void)pause();
	}
	(void)!read(gate[0], &byte, 1);
	(void)close(gate[0]);
	(void)close(gate[1]);
	return child;
}

static void end_child(pid_t child)
{
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
}

static void test_scan_of_everything(void **state)
{
	struct fixture *f = *state;
	const struct process *row;
	char exe[PROC_PATH_MAX];

	assert_int_equal(tracker_scan(f->tracker, 0, NULL), 0);
	row = sample(f, self_tgid(), self_tgid());
	assert_int_equal(row->parent_tgid, getppid());
	assert_int_equal(row->uid, getuid());
	assert_int_equal(row->exec_ns, 0);
	assert_int_equal(proc_read_exe(self_tgid(), exe), 0);
	assert_string_equal(model_string(&f->model, row->exe), exe);
	assert_true(tracker_mark_target(f->tracker, self_tgid()));
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNKNOWN], 0);
}

struct oracle {
	struct fixture *f;
	size_t checked;
};

static int check_mapping(void *context, const struct record_mmap *mmap)
{
	struct oracle *oracle = context;
	const struct live_mapping *mapping = mapping_at(oracle->f, self_tgid(), mmap->start_addr);

	assert_non_null(mapping);
	assert_true(mapping->start_addr <= mmap->start_addr);
	assert_true(mapping->end_addr >= mmap->start_addr + mmap->size_bytes);
	if (mmap->inode && !strstr(mmap->path, "memfd"))
		assert_string_equal(image_path(oracle->f, mapping), mmap->path);
	oracle->checked++;
	return 0;
}

static void test_own_mappings(void **state)
{
	struct oracle oracle = { .f = *state };
	int on_the_stack = 0;

	assert_int_equal(tracker_scan(oracle.f->tracker, self_tgid(), NULL), 0);
	assert_int_equal(proc_read_maps(self_tgid(), check_mapping, &oracle), 0);
	assert_true(oracle.checked > 3);
	assert_null(mapping_at(oracle.f, self_tgid(), (uint64_t)(uintptr_t)&on_the_stack));
}

/* No record reports mremap. The unknown address makes the tracker look. */
static void test_missing_mapping_is_looked_up(void **state)
{
	struct fixture *f = *state;
	uint64_t first, second, stamp;
	struct live_process *process;
	bool over_budget;

	assert_int_equal(tracker_scan(f->tracker, self_tgid(), NULL), 0);
	process = thread_at(f, self_tgid(), self_tgid())->process;
	stamp = tracker_space_stamp(process);
	first = (uint64_t)(uintptr_t)map_code(NULL, 0);
	assert_null(caller_mapping_at(f, self_tgid(), first, &over_budget));
	assert_false(over_budget);
	assert_non_null(mapping_at(f, self_tgid(), first));
	assert_true(tracker_space_stamp(process) != stamp);
	second = (uint64_t)(uintptr_t)map_code((void *)(uintptr_t)0x10000000, 0);
	assert_null(mapping_at(f, self_tgid(), second));	/* too soon to look again */
	f->now_ns += TRACKER_REREAD_NS + 1;
	assert_non_null(mapping_at(f, self_tgid(), second));
	(void)munmap((void *)(uintptr_t)first, CODE_BYTES);
	(void)munmap((void *)(uintptr_t)second, CODE_BYTES);
}

/*
 * A process that no record reported. If a sample lies between two readings of /proc that agree, it
 * belongs to the process that they show.
 */
static void test_unknown_child_is_read(void **state)
{
	struct fixture *f = *state;
	pid_t child = start_child("x) Y 1 (\n");
	struct live_thread *first = thread_in_kernel(f->tracker, (uint32_t)child, (uint32_t)child,
						     f->now_ns);
	bool was_unknown = first && first->process->unknown && first->comm[0] == '\0' &&
			   tracker_model_thread(f->tracker, first) != 0;
	uint64_t later_ns = clock_monotonic_ns();
	struct live_thread *thread = thread_in_kernel(f->tracker, (uint32_t)child, (uint32_t)child,
						      later_ns);
	uint32_t row = thread ? tracker_model_thread(f->tracker, thread) : 0;
	bool mapped = thread && tracker_mapping(f->tracker, thread->process,
						(uint64_t)(uintptr_t)start_child, later_ns);

	end_child(child);
	assert_true(was_unknown);
	assert_int_not_equal(row, 0);
	assert_true(mapped);
	assert_string_equal(thread->comm, "x) Y 1 (\n");
	assert_int_equal(thread->process->parent_tgid, getpid());
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNKNOWN], 1);
}

/* What /proc showed is newer than what these records say. */
static void test_records_older_than_the_reading(void **state)
{
	struct fixture *f = *state;
	uint32_t self = self_tgid();
	uint64_t code = (uint64_t)(uintptr_t)test_records_older_than_the_reading;
	const char *comm;

	f->now_ns = clock_monotonic_ns();
	assert_int_equal(tracker_scan(f->tracker, self, NULL), 0);
	comm = thread_at(f, self, self)->comm;
	apply_fork(f, 1, self, self);
	apply_comm(f, self, self, "before", true);
	apply_mmap(f, self, code & ~UINT64_C(0xfff), 0x1000, "/nowhere/lib/before.so");
	assert_string_equal(thread_at(f, self, self)->comm, comm);
	assert_string_not_equal(image_path(f, mapping_at(f, self, code)), "/nowhere/lib/before.so");
	f->now_ns = clock_monotonic_ns() + NS_PER_SEC;
	apply_comm(f, self, self, "after", true);
	assert_string_equal(thread_at(f, self, self)->comm, "after");
	apply_mmap(f, self, code & ~UINT64_C(0xfff), 0x1000, "/nowhere/lib/after.so");
	assert_string_equal(image_path(f, mapping_at(f, self, code)), "/nowhere/lib/after.so");
}

/* /proc still shows a task for a while after its EXIT record was written. */
static void test_exit_of_who_was_still_to_be_read(void **state)
{
	struct fixture *f = *state;
	uint32_t self = self_tgid();

	assert_int_equal(tracker_scan(f->tracker, self, NULL), 0);
	f->now_ns = thread_at(f, self, self)->start_ns - 10;
	apply_exit(f, self, self);	/* of the previous owner of the tid */
	assert_int_equal(thread_at(f, self, self)->exit_ns, 0);
	f->now_ns = thread_at(f, self, self)->scanned_ns - 10;
	apply_exit(f, self, self);
	assert_int_not_equal(thread_at(f, self, self)->exit_ns, 0);
}

static void test_distrust_reads_names_again(void **state)
{
	struct fixture *f = *state;
	uint32_t self = self_tgid();
	uint64_t code;
	bool over_budget;
	char old[LIVE_COMM_MAX] = "";

	(void)prctl(PR_GET_NAME, old);
	assert_int_equal(tracker_scan(f->tracker, self, NULL), 0);
	assert_true(tracker_mark_target(f->tracker, self));
	(void)sample(f, self, self);
	apply_fork(f, self, self, 4000001);	/* its EXIT record is among the lost records */
	f->now_ns = clock_monotonic_ns();
	apply_comm(f, self, self, "wrong", false);
	code = (uint64_t)(uintptr_t)map_code(NULL, 0);
	(void)prctl(PR_SET_NAME, "renamed");
	assert_string_equal(thread_at(f, self, self)->comm, "wrong");
	lose_records(f);
	assert_string_equal(thread_at(f, self, self)->comm, "renamed");
	assert_true(thread_at(f, self, self)->process->is_target);
	assert_non_null(caller_mapping_at(f, self, code, &over_budget));
	assert_int_not_equal(thread_at(f, self, 4000001)->exit_ns, 0);
	assert_int_equal(instances(f, "wrong"), 0);
	(void)prctl(PR_SET_NAME, old);
	(void)munmap((void *)(uintptr_t)code, CODE_BYTES);
}

/*
 * The process runs another program now; its exec is among the lost records. The time of the exec is
 * unknown, so the samples up to the reading are given to neither program.
 */
static void test_distrust_finds_another_program(void **state)
{
	struct fixture *f = *state;
	uint32_t self = self_tgid(), before, after;
	char exe[PROC_PATH_MAX];

	apply_exec(f, self, "/nowhere/bin/shell");
	thread_at(f, self, self)->process->start_ns = 0;
	before = thread_at(f, self, self)->process->model_process;
	assert_string_equal(model_string(&f->model, sample(f, self, self)->exe),
			    "/nowhere/bin/shell");
	lose_records(f);
	assert_string_equal(model_string(&f->model, sample(f, self, self)->exe), "");
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNVERIFIED], 1);
	f->now_ns = clock_monotonic_ns();
	(void)sample(f, self, self);
	after = thread_at(f, self, self)->process->model_process;
	assert_int_not_equal(before, after);
	assert_int_equal(proc_read_exe(self, exe), 0);
	assert_string_equal(model_string(&f->model, f->model.processes.at[after].exe), exe);
	assert_int_equal(f->model.processes.at[after].uid, getuid());
}

/* After a loss, processes that no longer exist are removed from the tracker. */
static void test_distrust_forgets_the_vanished(void **state)
{
	struct fixture *f = *state;
	pid_t child = start_child("brief");

	end_child(child);
	assert_int_equal(tracker_scan(f->tracker, self_tgid(), NULL), 0);
	f->now_ns = clock_monotonic_ns();
	apply_fork(f, self_tgid(), (uint32_t)child, (uint32_t)child);
	f->now_ns += 2 * TRACKER_GRACE_NS;
	apply_exit(f, 4000001, 4000001);
	assert_true(tracker_mark_target(f->tracker, (uint32_t)child));
	lose_records(f);
	apply_exit(f, 4000001, 4000001);
	f->now_ns = clock_monotonic_ns() + 2 * TRACKER_GRACE_NS;
	apply_exit(f, 4000001, 4000001);
	assert_false(tracker_mark_target(f->tracker, (uint32_t)child));
	assert_true(tracker_mark_target(f->tracker, self_tgid()));
}

/* Runs in a pid namespace of its own, where the kernel's 0 is not the idle task. */
static int zero_in_namespace(void)
{
	struct fixture f;
	pid_t child;
	int status;

	if (unshare(CLONE_NEWPID) < 0)
		return -1;
	child = fork();
	if (child == 0) {
		fixture_init(&f, true);
		status = tracker_is_idle(thread_at(&f, 0, 0));
		if (strcmp(thread_at(&f, 0, 0)->comm, "[outside]") != 0)
			status = 2;
		fixture_fini(&f);
		_exit(status);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

static void test_pid_namespace(void **state)
{
	struct fixture *f = *state;
	pid_t child;
	int status = 0;

	if (!proc_is_in_pid_namespace())
		assert_true(tracker_is_idle(thread_at(f, 0, 0)));
	child = fork();
	if (child == 0)
		_exit(zero_in_namespace() & 0xff);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 0xff) {
		print_message("skipped: may not make a pid namespace\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

/*
 * A child that exited before it could be read is assumed to have its parent's owner, with two
 * exceptions: a child of root may have given up its uid, and another program may belong to any
 * user.
 */
static void test_vanished_child_of_a_living_parent(void **state)
{
	struct fixture *f = *state;
	pid_t child = start_child("brief");
	const struct process *row, *parent;

	end_child(child);
	assert_int_equal(tracker_scan(f->tracker, self_tgid(), NULL), 0);
	f->now_ns = clock_monotonic_ns();
	apply_fork(f, self_tgid(), (uint32_t)child, (uint32_t)child);
	row = sample(f, (uint32_t)child, (uint32_t)child);
	assert_int_equal(row->uid, getuid() ? getuid() : UINT32_MAX);
	parent = sample(f, self_tgid(), self_tgid());
	row = sample(f, (uint32_t)child, (uint32_t)child);
	assert_int_equal(row->cgroup, parent->cgroup);
	assert_string_equal(model_string(&f->model, row->exe),
			    model_string(&f->model, parent->exe));
	apply_exec(f, (uint32_t)child, "/nowhere/bin/su");
	row = sample(f, (uint32_t)child, (uint32_t)child);
	assert_int_equal(row->uid, UINT32_MAX);
	assert_int_equal(row->cgroup, 0);
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNKNOWN], 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_scan_of_everything),
		TEST(test_own_mappings),
		TEST(test_missing_mapping_is_looked_up),
		TEST(test_unknown_child_is_read),
		TEST(test_records_older_than_the_reading),
		TEST(test_exit_of_who_was_still_to_be_read),
		TEST(test_distrust_reads_names_again),
		TEST(test_distrust_finds_another_program),
		TEST(test_distrust_forgets_the_vanished),
		TEST(test_pid_namespace),
		TEST(test_vanished_child_of_a_living_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
