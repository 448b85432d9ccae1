/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which process a sample belongs to if the tgid had another owner before and records are missing.
 */
#include "support/tracker_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELL 100u
#define CODE 0x400010u

static int set_up(void **state)
{
	static struct fixture f;

	fixture_init(&f, true);
	*state = &f;
	return 0;
}

static int set_up_without_proc(void **state)
{
	static struct fixture f;

	fixture_init(&f, false);
	apply_exec(&f, SHELL, "/nowhere/bin/sh");
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

static uint64_t own_code(void)
{
	return (uint64_t)(uintptr_t)own_code;
}

static uint64_t unverified(const struct fixture *f)
{
	return f->model.losses.count[LOSS_PROCESS_UNVERIFIED];
}

static const char *exe_of(const struct fixture *f, const struct process *process)
{
	return model_string(&f->model, process->exe);
}

/* Records a process that had this test's tgid before this test started. */
static void had_our_tgid(struct fixture *f, const char *program)
{
	f->now_ns = 1000;
	apply_fork(f, 1, self_tgid(), self_tgid());
	if (program)
		apply_exec(f, self_tgid(), program);
}

/* ---- no records lost, but /proc is late ---- */

static void test_maps_of_a_successor_are_not_read(void **state)
{
	struct fixture *f = *state;

	had_our_tgid(f, "/nowhere/bin/first");
	assert_null(mapping_at(f, self_tgid(), own_code()));
	assert_string_equal(image_path(f, mapping_at(f, self_tgid(), CODE)), "/nowhere/bin/first");
	assert_int_equal(sample(f, self_tgid(), self_tgid())->uid, UINT32_MAX);
	assert_int_equal(unverified(f), 0);
}

/* exec() first reports its name and then its mappings. In between, too little is known. */
static void test_maps_of_an_exec_under_way_are_not_read(void **state)
{
	struct fixture *f = *state;
	uint32_t self = self_tgid();

	f->now_ns = clock_monotonic_ns();
	apply_fork(f, 1, self, self);
	apply_comm(f, self, self, "second", true);
	assert_null(mapping_at(f, self, own_code()));
	apply_mmap(f, self, 0x400000, 0x10000, "/nowhere/bin/second");
	assert_string_equal(exe_of(f, sample(f, self, self)), "/nowhere/bin/second");
	f->now_ns += 2 * TRACKER_REREAD_NS;
	/* the program differs from the one in /proc */
	assert_null(mapping_at(f, self, own_code()));
}

/* ---- lost records ---- */

static void test_lost_successor_is_nobody_until_read_twice(void **state)
{
	struct fixture *f = *state;
	uint32_t self = self_tgid();

	had_our_tgid(f, "/nowhere/bin/first");
	assert_string_equal(exe_of(f, sample(f, self, self)), "/nowhere/bin/first");
	f->now_ns = clock_monotonic_ns();
	lose_records(f);
	assert_string_equal(exe_of(f, sample(f, self, self)), "");
	assert_null(mapping_at(f, self, CODE));
	assert_null(mapping_at(f, self, own_code()));
	assert_int_equal(unverified(f), 1);
	f->now_ns = clock_monotonic_ns();
	assert_non_null(mapping_at(f, self, own_code()));
	assert_int_equal(sample(f, self, self)->uid, getuid());
	assert_int_equal(unverified(f), 1);
}

static void test_the_vanished_is_nobody(void **state)
{
	struct fixture *f = *state;
	pid_t child = fork();
	uint32_t tgid = (uint32_t)child;

	if (child == 0)
		_exit(0);
	(void)waitpid(child, NULL, 0);
	apply_fork(f, 1, tgid, tgid);
	apply_exec(f, tgid, "/nowhere/bin/brief");
	lose_records(f);
	assert_string_equal(exe_of(f, sample(f, tgid, tgid)), "");
	assert_int_equal(unverified(f), 1);
	apply_exec(f, tgid, "/nowhere/bin/next");	/* the fork was lost, this record was not */
	assert_string_equal(exe_of(f, sample(f, tgid, tgid)), "/nowhere/bin/next");
	assert_int_equal(unverified(f), 1);
}

/* Records are complete before and after the loss. */
static void test_doubt_begins_and_ends(void **state)
{
	struct fixture *f = *state;
	uint32_t self = self_tgid();
	uint64_t from_ns;

	had_our_tgid(f, "/nowhere/bin/first");
	from_ns = f->now_ns + 10;
	tracker_distrust(f->tracker, from_ns, UINT64_MAX);
	assert_string_equal(exe_of(f, sample(f, self, self)), "/nowhere/bin/first");
	f->now_ns = from_ns + 1;
	/* while the loss goes on, the next record may be lost, too */
	apply_fork(f, 1, self, self);
	apply_exec(f, self, "/nowhere/bin/second");
	f->now_ns++;
	assert_string_equal(exe_of(f, sample(f, self, self)), "");
	tracker_end_distrust(f->tracker, f->now_ns);
	f->now_ns++;
	apply_fork(f, 1, self, self);
	apply_exec(f, self, "/nowhere/bin/third");
	f->now_ns++;
	assert_string_equal(exe_of(f, sample(f, self, self)), "/nowhere/bin/third");
	assert_int_equal(unverified(f), 1);
}

static void *map_code(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *addr = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	assert_ptr_not_equal(addr, MAP_FAILED);
	(void)close(fd);
	return addr;
}

/*
 * Losses without end: each time, the tracker checks whether the process is still the same, but
 * reads its maps and threads only now and then. In the meantime, new mappings and children are
 * unknown.
 */
static void test_doubts_do_not_read_all_each_time(void **state)
{
	struct fixture *f = *state;
	struct live_process *process;
	uint32_t self = self_tgid();
	uint64_t read_ns, added;
	bool over_budget;

	assert_int_equal(tracker_scan(f->tracker, self, NULL), 0);
	f->now_ns = clock_monotonic_ns();
	lose_records(f);
	process = thread_at(f, self, self)->process;	/* the first doubt causes a reading */
	read_ns = process->scanned_ns;
	assert_non_null(mapping_at(f, self, own_code()));
	added = (uint64_t)(uintptr_t)map_code();
	f->now_ns = clock_monotonic_ns();
	lose_records(f);
	assert_ptr_equal(thread_at(f, self, self)->process, process);
	assert_int_equal(process->scanned_ns, read_ns);
	assert_null(mapping_at(f, self, own_code()));
	assert_null(mapping_at(f, self, added));
	assert_int_equal(tracker_space_stamp(process), 0);
	assert_int_equal(unverified(f), 0);
	apply_fork(f, self, 4000001, 4000001);
	assert_null(mapping_at(f, 4000001, own_code()));
	f->now_ns += TRACKER_REREAD_NS + NS_PER_SEC;
	/* no such process */
	assert_null(caller_mapping_at(f, 4000001, own_code(), &over_budget));
	assert_ptr_equal(thread_at(f, self, self)->process, process);
	assert_true(process->scanned_ns > read_ns);
	assert_non_null(mapping_at(f, self, own_code()));
	assert_non_null(caller_mapping_at(f, self, added, &over_budget));
	(void)munmap((void *)(uintptr_t)added, 4096);
}

/* The same, if only the mappings could tell the processes apart. */
static void test_unclear_is_nobody_until_it_may_be_read(void **state)
{
	struct fixture *f = *state;
	struct live_process *process;
	uint32_t self = self_tgid();

	assert_int_equal(tracker_scan(f->tracker, self, NULL), 0);
	process = thread_at(f, self, self)->process;
	process->start_code = 0;
	process->start_stack = 0;
	f->now_ns = clock_monotonic_ns();
	process->reread_ns = f->now_ns;
	lose_records(f);
	assert_true(thread_at(f, self, self)->process->unknown);
	assert_null(mapping_at(f, self, own_code()));
	f->now_ns = clock_monotonic_ns();
	assert_true(thread_at(f, self, self)->process->unknown);	/* too soon to read again */
	f->now_ns += TRACKER_REREAD_NS;
	assert_false(thread_at(f, self, self)->process->unknown);
	assert_non_null(mapping_at(f, self, own_code()));
}

/* A child of a process in doubt becomes whatever its parent is found to be. */
static void test_fork_of_a_doubtful_parent(void **state)
{
	struct fixture *f = *state;
	uint32_t self = self_tgid();

	had_our_tgid(f, "/nowhere/bin/first");
	f->now_ns = clock_monotonic_ns();
	lose_records(f);
	apply_fork(f, self, 4000001, 4000001);
	assert_string_equal(exe_of(f, sample(f, 4000001, 4000001)), "");
	assert_int_equal(unverified(f), 1);
}

/* ---- an exit that takes a long time ---- */

/* Freeing gigabytes takes a long time. */
static void test_samples_long_after_exit(void **state)
{
	struct fixture *f = *state;

	apply_fork(f, SHELL, 101, 101);
	apply_exec(f, 101, "/nowhere/bin/large");
	apply_exit(f, 101, 101);
	for (int i = 0; i < 20; i++) {
		f->now_ns += TRACKER_GRACE_NS / 2;
		assert_string_equal(model_string(&f->model, sample(f, 101, 101)->exe),
				    "/nowhere/bin/large");
	}
	for (int i = 0; i < 2; i++) {
		f->now_ns += 2 * TRACKER_GRACE_NS;
		apply_exit(f, 5000, 5000);
	}
	assert_int_equal(tracker_thread_count(f->tracker), 1);
	assert_int_equal(f->model.losses.count[LOSS_PROCESS_UNKNOWN], 0);
}

/* ---- samples that name their owner ---- */

static struct record_owner owner_of_self(void)
{
	struct proc_task task;

	assert_int_equal(proc_read_task(self_tgid(), self_tgid(), &task), 0);
	return (struct record_owner){
		.start_ns = task.start_ns,
		.start_boot_ns = task.start_ticks * (NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK)),
		.start_code = task.start_code,
		.start_stack = task.start_stack,
		.comm = "told",
	};
}

static void meet(struct fixture *f, uint32_t tgid, uint64_t life, const struct record_owner *owner)
{
	const struct sighting sighting = { tgid, tgid, f->now_ns, life, owner };

	assert_int_equal(tracker_meet(f->tracker, &sighting), 0);
}

static struct live_thread *thread_of_life(struct fixture *f, uint32_t tgid, uint64_t life)
{
	const struct perf_record record = {
		.kind = RECORD_SAMPLE,
		.tgid = tgid,
		.tid = tgid,
		.time_ns = f->now_ns,
	};
	struct live_thread *thread = tracker_thread_of(f->tracker, &record, life);

	assert_non_null(thread);
	return thread;
}

static void test_life_that_proc_shows(void **state)
{
	struct fixture *f = *state;
	struct record_owner owner = owner_of_self();
	struct live_process *process;

	had_our_tgid(f, "/nowhere/bin/first");
	f->now_ns = clock_monotonic_ns();
	meet(f, self_tgid(), 5, &owner);	/* no record reported it */
	process = thread_of_life(f, self_tgid(), 5)->process;
	assert_false(process->unknown);
	assert_non_null(tracker_mapping(f->tracker, process, own_code(), f->now_ns));
	assert_int_equal(process->life, 5);
	lose_records(f);
	assert_ptr_equal(thread_of_life(f, self_tgid(), 5)->process, process);
	assert_ptr_equal(thread_at(f, self_tgid(), self_tgid())->process, process);
}

/* Another program has its pid now. Its name comes from the sample itself; nothing else is known. */
static void test_life_that_proc_does_not_show(void **state)
{
	struct fixture *f = *state;
	struct record_owner owner = owner_of_self();
	struct live_thread *thread;

	owner.start_stack += 16;
	f->now_ns = clock_monotonic_ns();
	meet(f, self_tgid(), 6, &owner);
	thread = thread_of_life(f, self_tgid(), 6);
	assert_true(thread->process->unknown);
	assert_string_equal(thread->comm, "told");
	assert_null(tracker_mapping(f->tracker, thread->process, own_code(), f->now_ns));
	(void)tracker_model_thread(f->tracker, thread);
	assert_int_equal(unverified(f), 1);
	assert_int_equal(instances(f, "told"), 1);
	assert_int_equal(thread_of_life(f, self_tgid(), 6)->process->life, 6);
}

/* From records alone: each exec begins a life, which is identified by the life's first stack. */
static void test_lives_that_records_explain(void **state)
{
	struct fixture *f = *state;
	struct record_owner owner = { .start_ns = 900, .start_code = 1, .start_stack = 1 };
	const struct live_process *process;

	meet(f, SHELL, 1, &owner);
	process = thread_of_life(f, SHELL, 1)->process;
	apply_exec(f, SHELL, "/nowhere/bin/other");
	owner.start_code = 0;		/* exec() has not finished */
	meet(f, SHELL, 1, &owner);
	assert_int_equal(process->life, 0);
	assert_ptr_equal(thread_of_life(f, SHELL, 1)->process, process);
	owner.start_code = 2;
	meet(f, SHELL, 2, &owner);
	assert_ptr_equal(thread_of_life(f, SHELL, 2)->process, process);
	assert_int_equal(process->life, 2);
	assert_false(process->unknown);
}

static void test_life_that_records_do_not_explain(void **state)
{
	struct fixture *f = *state;
	struct record_owner owner = { .start_ns = 900, .start_code = 1, .start_stack = 1 };

	meet(f, SHELL, 1, &owner);
	assert_non_null(mapping_at(f, SHELL, CODE));
	memcpy(owner.comm, "lost", sizeof("lost"));
	meet(f, SHELL, 2, &owner);
	assert_string_equal(thread_of_life(f, SHELL, 2)->comm, "lost");
	assert_null(mapping_at(f, SHELL, CODE));
	/* this life was not seen, either */
	assert_true(thread_of_life(f, SHELL, 3)->process->unknown);
	assert_int_equal(thread_of_life(f, SHELL, 3)->process->life, 3);
}

/* It started after the known process had been forked. */
static void test_life_of_a_successor(void **state)
{
	struct fixture *f = *state;
	struct record_owner owner = { .start_code = 1, .start_stack = 1 };

	apply_fork(f, SHELL, 101, 101);
	apply_exec(f, 101, "/nowhere/bin/first");
	owner.start_ns = f->now_ns;
	meet(f, 101, 1, &owner);
	assert_true(thread_of_life(f, 101, 1)->process->unknown);
	assert_null(mapping_at(f, 101, CODE));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TEST_OF_RECORDS(name) cmocka_unit_test_setup_teardown(name, set_up_without_proc, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_maps_of_a_successor_are_not_read),
		TEST(test_maps_of_an_exec_under_way_are_not_read),
		TEST(test_lost_successor_is_nobody_until_read_twice),
		TEST(test_the_vanished_is_nobody),
		TEST(test_doubt_begins_and_ends),
		TEST(test_doubts_do_not_read_all_each_time),
		TEST(test_unclear_is_nobody_until_it_may_be_read),
		TEST(test_fork_of_a_doubtful_parent),
		TEST(test_life_that_proc_shows),
		TEST(test_life_that_proc_does_not_show),
		TEST_OF_RECORDS(test_samples_long_after_exit),
		TEST_OF_RECORDS(test_lives_that_records_explain),
		TEST_OF_RECORDS(test_life_that_records_do_not_explain),
		TEST_OF_RECORDS(test_life_of_a_successor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
