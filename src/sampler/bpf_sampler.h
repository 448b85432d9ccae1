/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_sampler.h - the in-kernel sampler (bpf/sampler.bpf.c): loading it, attaching it, and
 * providing its data
 *
 * One BPF program serves all events and CPUs. It is attached to perf events that the caller has
 * opened, and runs instead of perf's own sampling. The attachment's cookie tells the program which
 * event triggered it. (A separate program per event would have to be verified and JIT-compiled
 * again for each event; PERF_EVENT_IOC_SET_BPF supports no cookie.) The caller enables, disables
 * and closes the events.
 *
 * Tracepoint events are an exception (bpf/points.h): one attachment serves all CPUs, and the
 * sampler itself counts and filters the hits.
 *
 * The sampler writes to one BPF ring buffer per CPU (bpf_ring.h, wire_record.h). The collector is
 * the code in user space that reads these rings. It also provides the data about the processes that
 * the sampler may unwind (bpf/wire_feed.h). This data is in arrays in kernel memory, which are
 * mapped into the collector's address space. A sample in progress may read any entry of these
 * arrays. Before the collector changes an entry, it must therefore remove all references to the
 * entry and then call bpf_sampler_wait().
 *
 * The kernel skips the sampler at some ticks (kernel/bpf/syscall.c: bpf_disable_instrumentation();
 * bpf_prog_active):
 *
 * - ticks on a CPU while a task is reading or changing a map element with bpf(2), including the
 *   time during which that task is preempted inside the call
 * - ticks during a BPF program of a kprobe or tracepoint
 *
 * On a machine that often runs such code, this code's share of the samples is therefore too small.
 * For clocks, the missing ticks are counted (bpf_sampler_clocks()); for other events, their number
 * is unknown. For the same reason, the functions that are called while sampling do not use bpf(2)
 * to read or change map elements. They read and write arrays in place. They add hash entries by
 * running small BPF programs through bpf(2) (bpf/lives.h); the kernel skips no tick while such a
 * program runs.
 *
 * A child of a target is itself a target from its first moment on. If the sampler may unwind a
 * process, it may also unwind the children of that process from their first moment on
 * (bpf/lives.h). Neither works if the collector runs in a pid namespace other than the initial one.
 * The sampler then does not know the targets, and samples every process.
 *
 * Needs CAP_BPF and CAP_PERFMON, the kernel's BTF, and bpf_loop() (Linux 5.17). If something is
 * missing, the error of bpf_sampler_new() names it, so that the caller can say why it falls back to
 * perf's own sampling.
 *
 * Not thread-safe. Loading replaces libbpf's print function while it runs.
 */
#ifndef ASSAY_SAMPLER_BPF_SAMPLER_H
#define ASSAY_SAMPLER_BPF_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bpf/wire.h"
#include "bpf/tick_clock.h"
#include "perf/cpus.h"

struct bpf_sampler;

/* defaults of the options below */
#define BPF_SAMPLER_PROCESSES 16384u
#define BPF_SAMPLER_MAPPINGS 131072u	/* 6 MiB */
#define BPF_SAMPLER_RULES 262144u	/* 4 MiB */

/* Zero selects the default for each option, except for cgroup_fd. */
struct bpf_sampler_options {
	/*
	 * size of each CPU's ring; rounded up to 2^n; default: 8 MiB, but 2 MiB is enough for few
	 * samples
	 */
	size_t ring_bytes;
	/* limit on all rings together, if ring_bytes is 0; default: 64 MiB */
	size_t rings_bytes;
	uint64_t rate_hz;		/* samples per second of a busy CPU; 0: unknown */
	/* maximum number of processes that can be unwound, and of targets */
	uint32_t processes_max;
	/* maximum number of mappings of all processes together */
	uint32_t mappings_max;
	uint32_t tables_max;		/* maximum number of unwind tables; default 4096 */
	/* maximum number of rules of all tables together */
	uint32_t rules_max;
	/* sample only processes added with bpf_sampler_add_target() */
	bool only_targets;
	bool leave_out_self;
	bool only_user;			/* sample only tasks of the user `uid` */
	uint32_t uid;
	bool keep_idle;			/* false: ticks of idle CPUs are counted but not sent */
	bool no_user_stacks;
	/* first address of the kernel code that runs on an idle CPU */
	uint64_t idle_start_addr;
	/*
	 * end of the idle code (exclusive). If equal to idle_start_addr, the idle code is unknown,
	 * and the ticks of idle CPUs are sent, too.
	 */
	uint64_t idle_end_addr;
	/*
	 * descriptor of a cgroup directory: sample only tasks in that cgroup or below it; -1: all
	 * tasks
	 */
	int cgroup_fd;
	bool points;			/* allow bpf_sampler_attach_point(); needs Linux 5.19 */
	/* also send waits (periods in which a task did not run); needs Linux 5.19 */
	bool off_cpu;
	bool off_cpu_wakers;		/* with off_cpu: also send the waker of each wait */
	/*
	 * for tests: detect the ends of waits with the method for kernels before 6.16
	 * (bpf/off_cpu.h)
	 */
	bool off_cpu_late;
	uint64_t off_cpu_min_ns;	/* shorter waits are only sent as sums; default 1 ms */
	/* bit mask of the events that are CPU-wide clocks and count both user and kernel mode */
	uint32_t clock_events;
	/* bit mask of those clock_events that exclude the idle task */
	uint32_t clocks_leave_idle;
};

/*
 * Loads the BPF programs. Returns 0, -EPERM if the caller lacks the privilege, -EOPNOTSUPP if the
 * kernel lacks a feature, or another negative errno. Each error has a message in @err. If the
 * verifier refused a program, the message contains the last line of the verifier's log.
 */
int bpf_sampler_new(const struct bpf_sampler_options *options, struct bpf_sampler **ret_sampler,
		    struct err *err);
void bpf_sampler_free(struct bpf_sampler *sampler);	/* NULL is allowed */

/* Returns the options that were passed to bpf_sampler_new(), with the defaults filled in. */
const struct bpf_sampler_options *bpf_sampler_options(const struct bpf_sampler *sampler);

/*
 * Creates rings for @cpus, and installs them all at once. CPUs that already have a ring keep it.
 * Ticks on a CPU without a ring are not sent but counted as ring-missing.
 */
int bpf_sampler_add_rings(struct bpf_sampler *sampler, const struct cpus *cpus, struct err *err);
/*
 * Returns the descriptor of the CPU's ring for bpf_ring_map() and poll(), or -1 if @cpu has no
 * ring. The sampler wakes poll() when the ring holds enough data (set_thresholds() in bpf_load.c).
 * It also wakes poll() when it sends a raw sample, but at most every 25 ms for this reason.
 */
int bpf_sampler_ring_fd(const struct bpf_sampler *sampler, int cpu);
size_t bpf_sampler_ring_bytes(const struct bpf_sampler *sampler);

/*
 * Attaches the sampler to a perf event. In samples that this perf event triggers, wire_sample.event
 * is @event, which must be less than WIRE_EVENTS_MAX.
 */
int bpf_sampler_attach(struct bpf_sampler *sampler, int event_fd, uint32_t event, struct err *err);

/*
 * Attaches the sampler to a tracepoint. Needs the option `points`. @event_fd is a disabled perf
 * event of the tracepoint on any CPU; the caller may close it afterwards.
 *
 * While tracepoints are enabled, each hit on a CPU with a ring is a tick. Each CPU counts the hits
 * of tasks that are to be sampled. Every @point->period-th of these hits becomes a sample, and the
 * weight of the sample is that period. Returns -EINVAL if the event is a probe, which needs another
 * type of BPF program.
 */
int bpf_sampler_attach_point(struct bpf_sampler *sampler, int event_fd, uint32_t event,
			     const struct wire_point *point, struct err *err);
/*
 * Enables or disables all attached tracepoints at once. If @on is false, also waits until no hit is
 * being processed any more.
 */
void bpf_sampler_enable_points(struct bpf_sampler *sampler, bool on);
/*
 * Returns the number of hits of tracepoints, by any task, for which the kernel skipped the sampler.
 * The kernel does so if a BPF program on a perf event or tracepoint is already running on that CPU.
 * The number includes only hits while tracepoints are enabled. Returns 0 on kernels before 6.7,
 * which do not count such hits.
 */
uint64_t bpf_sampler_points_missed(const struct bpf_sampler *sampler);

/*
 * If the option off_cpu is set, starts recording waits: the sampler sends each wait that ends from
 * now on. If a task is already waiting, its wait is treated as if it began now.
 */
int bpf_sampler_start_waits(struct bpf_sampler *sampler, struct err *err);
/*
 * Stops recording waits. Sends the waits that have not ended yet, and the remaining sums of short
 * waits. Must be called once, at the end.
 */
int bpf_sampler_close_waits(struct bpf_sampler *sampler, struct err *err);

/*
 * bpf_sampler_counters() reads the counters of one event on all CPUs. bpf_sampler_cpu_count()
 * returns the number of possible CPUs. Waits have counters of their own, under the event number
 * WIRE_EVENT_WAITS.
 */
/*
 * The array @ret_by_cpu has bpf_sampler_cpu_count() entries. Entries of CPUs that do not exist are
 * zero.
 */
int bpf_sampler_cpu_count(const struct bpf_sampler *sampler);
void bpf_sampler_counters(const struct bpf_sampler *sampler, uint32_t event,
			  struct wire_counters *ret_by_cpu);

/*
 * Returns the map of struct wire_counters, WIRE_COUNTERS_COUNT for each CPU, for other BPF programs
 * that ask whether the sampler has ticked. Owned by the sampler.
 */
int bpf_sampler_counters_fd(const struct bpf_sampler *sampler);

/*
 * For each CPU, reads the tick counts of the timers of clock_events (bpf/tick_clock.h). The array
 * is indexed as for bpf_sampler_counters(). Call this function before bpf_sampler_counters(). In
 * the opposite order, ticks between the two calls would look like skipped ticks. Returns
 * -EOPNOTSUPP if this kernel does not show its timers.
 */
int bpf_sampler_clocks(const struct bpf_sampler *sampler, struct tick_clocks *ret_by_cpu);
/*
 * Returns "on" if the timers of clock_events are watched, the reason if they are not, or NULL if
 * there are no clock_events.
 */
const char *bpf_sampler_tick_watch(const struct bpf_sampler *sampler);
/*
 * Tells the sampler the period of a clock event, as of now. Must be called before the perf events
 * of the clock are first enabled. To change the period later, call this function twice: with
 * @period_ns 0, which means unknown, before the change, and with the new period after it.
 */
void bpf_sampler_set_period(struct bpf_sampler *sampler, uint32_t event, uint64_t period_ns);

/*
 * Returns the number of children of targets that are not sampled because there are already
 * processes_max targets.
 */
uint64_t bpf_sampler_children_lost(const struct bpf_sampler *sampler);

/*
 * Makes the sampler send all stacks again. Returns the time from which on the sampler does so; the
 * time is in the near future. After the caller has processed all records from before that time, it
 * may forget the stacks in these records.
 */
uint64_t bpf_sampler_forget_stacks(struct bpf_sampler *sampler);

/* ---- which processes to sample, if the option only_targets is set ---- */

/*
 * Returns true if the sampler follows the children of targets. In that case, if the option
 * only_targets is set, it sends only samples of targets. Otherwise it sends the samples of all
 * processes, and the caller must filter them.
 */
bool bpf_sampler_filters(const struct bpf_sampler *sampler);

int bpf_sampler_add_target(struct bpf_sampler *sampler, uint32_t tgid);

/* From now on, samples of @tgid are raw: they contain a copy of the stack's memory. */
int bpf_sampler_remove_process(struct bpf_sampler *sampler, uint32_t tgid);

#endif
