/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening, ring and decoder, tested on what the running kernel records about this process. */
#include "support/test.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "perf/perf_open.h"
#include "perf/record.h"
#include "perf/ring.h"

#define SKIPPED 77
#define MAP_COUNT 300 /* enough to wrap a ring of one page several times */
#define FORK_COUNT 20
#define COMM_COUNT 5
#define PERIOD_NS 100000
#define SPINS_MAX 20 /* a guest's clock advances while its virtual CPU waits for a host CPU */

static struct perf_event_attr sideband_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU,
		.read_format = PERF_FORMAT_LOST,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.exclude_kernel = 1,
	};
}

static int open_own(struct perf_event_attr *attr, int group_fd)
{
	struct perf_place place = { .pid = 0, .cpu = -1, .group_fd = group_fd };
	struct perf_features features = { 0 };

	return perf_open(attr, &place, &features);
}

struct tally {
	size_t by_kind[RECORD_KSYMBOL + 1];
	char own_path[PATH_MAX];	/* path of the program in the kernel's spelling */
	size_t with_own_path, chained;
	uint64_t last_time_ns, last_counter;
};

static void check_common(struct tally *tally, const struct perf_record *record)
{
	assert_in_range(record->time_ns, tally->last_time_ns, clock_monotonic_ns());
	tally->last_time_ns = record->time_ns;
	assert_true(record->id != 0);
	assert_true(record->cpu < 8192);
	tally->by_kind[record->kind]++;
}

static void check_record(struct tally *tally, const struct perf_record *record)
{
	check_common(tally, record);
	if (record->kind == RECORD_FORK)
		assert_int_equal(record->parent_tgid, getpid());
	else
		assert_int_equal(record->tgid, getpid());
	if (record->kind == RECORD_MMAP && strcmp(record->mmap.path, tally->own_path) == 0) {
		assert_true(record->mmap.build_id_size > 0 || record->mmap.inode != 0);
		assert_int_equal(record->mmap.size_bytes, 4096);
		tally->with_own_path++;
	}
	if (record->kind == RECORD_COMM)
		assert_string_equal(record->comm.name, "renamed");
	assert_false(record->exec);
}

static void check_sample(struct tally *tally, const struct perf_record *record)
{
	check_common(tally, record);
	if (record->kind != RECORD_SAMPLE)
		return;
	assert_int_equal(record->tid, gettid());
	assert_int_equal(record->sample.period, PERIOD_NS);
	assert_int_equal(record->sample.counter_count, 1);
	assert_true(record->sample.counters[0] > tally->last_counter);
	tally->last_counter = record->sample.counters[0];
	tally->chained += record->sample.chain_count >= 2;
}

static void drain(struct ring *ring, const struct record_layout *layout, struct tally *tally,
		  void (*check)(struct tally *tally, const struct perf_record *record))
{
	const void *bytes;
	size_t size_bytes;

	ring_refresh(ring);
	while ((bytes = ring_peek(ring, &size_bytes)) != NULL) {
		struct perf_record record;

		assert_int_equal(record_decode(bytes, size_bytes, layout, &record), 0);
		check(tally, &record);
		ring_consume(ring, size_bytes);
	}
	ring_release(ring);
}

static void map_own_code(void)
{
	FILE *file = fopen("/proc/self/exe", "re");
	void *code;

	assert_non_null(file);
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
	assert_true(code != MAP_FAILED);
	(void)munmap(code, 4096);
	(void)fclose(file);
}

static void fork_once(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_sideband(void **state)
{
	struct perf_event_attr attr = sideband_attr();
	_cleanup_close_ int fd = open_own(&attr, -1);
	struct record_layout layout = {
		.sample_type = attr.sample_type,
		.read_format = attr.read_format,
		.sample_id_all = true,
	};
	struct tally tally = { 0 };
	struct ring ring;

	assert_true(fd >= 0);
	assert_true(readlink("/proc/self/exe", tally.own_path, PATH_MAX - 1) > 0);
	assert_int_equal(ring_map(&ring, fd, 1, 1, NULL), 0);
	assert_int_equal(ring.size_bytes, sysconf(_SC_PAGESIZE));
	for (int i = 0; i < MAP_COUNT; i++) {
		map_own_code();
		drain(&ring, &layout, &tally, check_record);
	}
	for (int i = 0; i < FORK_COUNT; i++) {
		fork_once();
		drain(&ring, &layout, &tally, check_record);
	}
	for (int i = 0; i < COMM_COUNT; i++)
		(void)prctl(PR_SET_NAME, "renamed");
	drain(&ring, &layout, &tally, check_record);
	assert_int_equal(tally.with_own_path, MAP_COUNT);
	assert_int_equal(tally.by_kind[RECORD_FORK], FORK_COUNT);
	assert_int_equal(tally.by_kind[RECORD_COMM], COMM_COUNT);
	assert_int_equal(tally.by_kind[RECORD_LOST], 0);
	ring_unmap(&ring);
}

static void spin_ns(uint64_t duration_ns)
{
	uint64_t end_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + duration_ns;

	while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

static void test_samples(void **state)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
			       PERF_FORMAT_TOTAL_TIME_ENABLED,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.exclude_kernel = 1,
		.disabled = 1, /* until the group is complete */
	};
	struct perf_event_attr counter = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.use_clockid = 1, /* one clock for the whole group */
		.clockid = CLOCK_MONOTONIC,
		.exclude_kernel = 1,
	};
	_cleanup_close_ int fd = open_own(&attr, -1);
	_cleanup_close_ int counter_fd = open_own(&counter, fd);
	struct record_layout layout = {
		.sample_type = attr.sample_type,
		.read_format = attr.read_format,
		.sample_id_all = true,
	};
	struct tally tally = { 0 };
	struct ring ring;

	assert_true(fd >= 0 && counter_fd >= 0);
	assert_int_equal(ring_map(&ring, fd, 1 << 17, 4096, NULL), 0);
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	for (int i = 0; i < SPINS_MAX && tally.by_kind[RECORD_SAMPLE] <= 10; i++) {
		spin_ns(50 * NS_PER_MSEC);
		drain(&ring, &layout, &tally, check_sample);
	}
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	drain(&ring, &layout, &tally, check_sample);
	assert_true(tally.by_kind[RECORD_SAMPLE] > 10);
	assert_int_equal(tally.by_kind[RECORD_LOST], 0);
	assert_int_equal(tally.chained, tally.by_kind[RECORD_SAMPLE]);
	ring_unmap(&ring);
}

/*
 * No kernel accepts this attribute, whatever is left out. It must come back to the caller
 * unchanged.
 */
static void test_hopeless_attribute_is_unchanged(void **state)
{
	struct perf_event_attr attr = sideband_attr();
	struct perf_event_attr before;
	struct perf_place place = { .pid = 0, .cpu = -1, .group_fd = -1 };
	struct perf_features features = { 0 };

	attr.sample_type |= UINT64_C(1) << 62;
	before = attr;
	assert_int_equal(perf_open(&attr, &place, &features), -EINVAL);
	assert_memory_equal(&attr, &before, sizeof(attr));
	assert_int_equal(features.dropped, 0);
}

/* Features that an older kernel refused are left out without trying them on this one. */
static void test_dropped_features_are_not_tried(void **state)
{
	struct perf_event_attr attr = sideband_attr();
	struct perf_place place = { .pid = 0, .cpu = -1, .group_fd = -1 };
	struct perf_features features = { 1u << PERF_FEATURE_BUILD_ID |
					  1u << PERF_FEATURE_FORMAT_LOST };
	_cleanup_close_ int fd = perf_open(&attr, &place, &features);

	assert_true(fd >= 0);
	assert_false(attr.build_id);
	assert_int_equal(attr.read_format, 0);
	assert_true(attr.comm_exec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sideband),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_hopeless_attribute_is_unchanged),
		cmocka_unit_test(test_dropped_features_are_not_tried),
	};
	struct perf_event_attr attr = sideband_attr();
	_cleanup_close_ int fd = open_own(&attr, -1);

	if (fd < 0) {
		(void)printf("skipped: perf_event_open: %s\n", strerror(-fd));
		return SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
