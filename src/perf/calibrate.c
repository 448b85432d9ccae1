/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf/calibrate.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "perf/perf_open.h"
#include "base/small_file.h"

/* ring size in pages; large enough that the kernel wakes no reader during a slice */
#define RING_PAGES 8u
#define SAMPLE_BYTES 16u	/* size of a sample: header and address */
#define PROBE_TURNS 100000u
#define PROBES 20

/* ---- the estimate ---- */

static double cost_of(const struct calibration_pair *pair)
{
	return ((double)pair->sampled_ns - (double)pair->quiet_ns) / (double)pair->tick_count;
}

/* Sorts by cost; pairs without ticks come last. */
static int compare_pairs(const void *a, const void *b)
{
	const struct calibration_pair *left = a, *right = b;

	if (!left->tick_count || !right->tick_count)
		return !left->tick_count - !right->tick_count;
	return (cost_of(left) > cost_of(right)) - (cost_of(left) < cost_of(right));
}

static uint64_t rounded(double ns)
{
	return ns > 0 ? (uint64_t)(ns + 0.5) : 0;
}

/*
 * Returns the number of values that can be dropped at each end of @count sorted values such that
 * the interval spanned by the remaining values contains the true median with a probability of 95 %.
 * This is the lower 2.5 % point of the distribution Binomial(count, 1/2).
 */
static size_t outside_interval(size_t count)
{
	double term = ldexp(1, -(int)count), sum = term;
	size_t outside = 0;

	while (sum <= 0.025 && outside < count / 2) {
		outside++;
		term *= (double)(count - outside + 1) / (double)outside;
		sum += term;
	}
	return outside ? outside - 1 : 0;
}

int interrupt_cost_of(struct calibration_pair *pairs, size_t count, struct interrupt_cost *ret_cost)
{
	size_t usable = 0, outside;

	qsort(pairs, count, sizeof(*pairs), compare_pairs);
	while (usable < count && pairs[usable].tick_count)
		usable++;
	if (usable < CALIBRATE_PAIRS_MIN)
		return -ENODATA;
	outside = outside_interval(usable);
	ret_cost->cost_ns = rounded(
		(cost_of(&pairs[(usable - 1) / 2]) + cost_of(&pairs[usable / 2])) / 2);
	ret_cost->low_ns = rounded(cost_of(&pairs[outside]));
	ret_cost->high_ns = rounded(cost_of(&pairs[usable - 1 - outside]));
	ret_cost->pair_count = (uint32_t)usable;
	return 0;
}

/* ---- the measurement ---- */

struct bench {
	int fd;
	const struct perf_event_mmap_page *ring;
	size_t map_bytes;
	uint64_t turns;		/* loop iterations per slice */
	cpu_set_t cpus;		/* the thread's CPU affinity before the measurement */
};

static uint64_t work_ns(uint64_t turns)
{
	uint64_t start_ns = clock_monotonic_ns(), word = turns | 1;

	for (uint64_t i = 0; i < turns; i++) {
		word ^= word << 13;
		word ^= word >> 7;
		word ^= word << 17;
		__asm__ volatile("" : : "r"(word));
	}
	return clock_monotonic_ns() - start_ns;
}

static long switch_count(void)
{
	struct rusage usage = { 0 };

	(void)getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw + usage.ru_nvcsw;
}

/*
 * Computes the number of loop iterations that fill a slice. The fastest of several short probe
 * loops is assumed to have run without interruption.
 */
static void size_slice(struct bench *bench)
{
	uint64_t least_ns = UINT64_MAX;

	for (int i = 0; i < PROBES; i++) {
		uint64_t ns = work_ns(PROBE_TURNS);

		least_ns = ns < least_ns ? ns : least_ns;
	}
	bench->turns = (uint64_t)PROBE_TURNS * CALIBRATE_SLICE_NS / (least_ns ? least_ns : 1);
}

static uint64_t sampled_slice_ns(const struct bench *bench, uint64_t *ret_ticks)
{
	uint64_t before = __atomic_load_n(&bench->ring->data_head, __ATOMIC_ACQUIRE), ns;

	(void)ioctl(bench->fd, PERF_EVENT_IOC_ENABLE, 0);
	ns = work_ns(bench->turns);
	(void)ioctl(bench->fd, PERF_EVENT_IOC_DISABLE, 0);
	*ret_ticks = (__atomic_load_n(&bench->ring->data_head, __ATOMIC_ACQUIRE) - before) /
		     SAMPLE_BYTES;
	return ns;
}

/*
 * Measures one pair. The caller alternates the order of the two slices, so that a gradual change in
 * the machine's speed does not favor one kind of slice.
 */
static struct calibration_pair measure_pair(const struct bench *bench, bool quiet_first)
{
	struct calibration_pair pair = { 0 };
	long switches;

	(void)sched_yield();
	switches = switch_count();
	if (quiet_first)
		pair.quiet_ns = work_ns(bench->turns);
	pair.sampled_ns = sampled_slice_ns(bench, &pair.tick_count);
	if (!quiet_first)
		pair.quiet_ns = work_ns(bench->turns);
	if (switch_count() != switches)
		pair.tick_count = 0;
	return pair;
}

/*
 * Returns the sampling rate for the measurement. It is at most half of the kernel's maximum rate.
 * At the maximum rate itself, the kernel would throttle the event.
 */
static uint32_t allowed_rate_hz(void)
{
	int64_t most = 2 * CALIBRATE_RATE_HZ;

	(void)small_file_number("/proc/sys/kernel/perf_event_max_sample_rate", &most);
	if (most < 2)
		return 1;
	return most / 2 < CALIBRATE_RATE_HZ ? (uint32_t)most / 2 : CALIBRATE_RATE_HZ;
}

static int open_event(struct bench *bench, uint32_t rate_hz, struct err *err)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = NS_PER_SEC / rate_hz,
		.sample_type = PERF_SAMPLE_IP,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = 1,
	};
	struct perf_place place = { .cpu = -1, .group_fd = -1 };
	struct perf_features features = { 0 };
	void *map;

	bench->fd = perf_open(&attr, &place, &features);
	if (bench->fd < 0)
		return err_sys(err, bench->fd,
			       "cannot open an event to measure the cost of interrupts");
	bench->map_bytes = (RING_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE);
	/* Without PROT_WRITE, the kernel overwrites old records when the ring is full. */
	map = mmap(NULL, bench->map_bytes, PROT_READ, MAP_SHARED, bench->fd, 0);
	if (map == MAP_FAILED)
		return err_sys(err, -errno, "cannot map a ring to measure the cost of interrupts");
	bench->ring = map;
	return 0;
}

static void stay_on_cpu(struct bench *bench)
{
	int cpu = sched_getcpu();
	cpu_set_t one;

	if (cpu < 0 || cpu >= CPU_SETSIZE ||
	    sched_getaffinity(0, sizeof(bench->cpus), &bench->cpus) < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	(void)sched_setaffinity(0, sizeof(one), &one);
}

static void bench_fini(struct bench *bench)
{
	if (CPU_COUNT(&bench->cpus))
		(void)sched_setaffinity(0, sizeof(bench->cpus), &bench->cpus);
	if (bench->ring)
		(void)munmap((void *)(uintptr_t)bench->ring, bench->map_bytes);
	if (bench->fd >= 0)
		(void)close(bench->fd);
}

static size_t measure_pairs(const struct bench *bench, struct calibration_pair *pairs)
{
	uint64_t end_ns = clock_monotonic_ns() + CALIBRATE_TIME_MAX_NS;
	size_t count = 0;

	for (int i = 0; count < CALIBRATE_PAIRS && clock_monotonic_ns() < end_ns; i++) {
		pairs[count] = measure_pair(bench, i & 1);
		count += pairs[count].tick_count > 0;
	}
	return count;
}

int interrupt_cost_measure(struct interrupt_cost *ret_cost, struct err *err)
{
	struct calibration_pair pairs[CALIBRATE_PAIRS];
	struct interrupt_cost cost = { .rate_hz = allowed_rate_hz() };
	_cleanup_(bench_fini) struct bench bench = { .fd = -1 };
	int rc = open_event(&bench, cost.rate_hz, err);

	if (rc < 0)
		return rc;
	stay_on_cpu(&bench);
	size_slice(&bench);
	rc = interrupt_cost_of(pairs, measure_pairs(&bench, pairs), &cost);
	if (rc < 0)
		return err_set(err, rc,
			       "the machine is too busy to measure the cost of an interrupt");
	*ret_cost = cost;
	return 0;
}
