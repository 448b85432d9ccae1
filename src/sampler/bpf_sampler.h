/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_sampler.h - the in-kernel sampler (bpf/sampler.bpf.c): loading, attaching and feeding it
 *
 * One BPF program serves all events and CPUs. It is attached to perf events that the caller has
 * opened, and runs instead of perf's own sampling. The attachment's cookie tells the program which
 * event it runs for. (A separate program per event would have to be verified and JIT-compiled again
 * for each event; PERF_EVENT_IOC_SET_BPF supports no cookie.) The caller enables, disables and
 * closes the events.
 *
 * Tracepoint events are an exception (bpf/points.h): one attachment serves all CPUs, and the
 * sampler itself counts and filters the hits.
 *
 * The sampler writes one BPF ring buffer per CPU (bpf_ring.h, wire_record.h). The collector tells
 * it which processes it may unwind, and how (bpf/wire.h). The arrays for this are kernel memory
 * that is mapped here. A sample in progress may read any entry, so an entry may be changed only
 * when nothing refers to it any more and bpf_sampler_wait() has been called since.
 *
 * Some ticks never reach the sampler (kernel/bpf/syscall.c: bpf_disable_instrumentation();
 * bpf_prog_active):
 *
 * - ticks on a CPU whose current task is inside bpf(2), reading or changing a map element, or was
 *   preempted there
 * - ticks during a BPF program of a kprobe or tracepoint
 *
 * So on a machine that is busy with other BPF programs, their share of the samples is too small.
 * For clocks, the missing ticks are counted (bpf_sampler_clocks()); for other events their number
 * is unknown. For this reason, the functions here that are called while sampling avoid such bpf(2)
 * calls: arrays are read and written in place, and hash entries are added by BPF programs that are
 * run through bpf(2) (bpf/lives.h), during which no tick is skipped.
 *
 * A child of a target is a target from its first moment on, and a child of a process that may be
 * unwound may be unwound from its first moment on (bpf/lives.h). This does not work if the
 * collector runs in a pid namespace other than the initial one. The sampler then does not know the
 * targets and samples every process.
 *
 * Needs CAP_BPF and CAP_PERFMON, the kernel's BTF, and bpf_loop() (Linux 5.17). If something is
 * missing, the error of bpf_sampler_new() names it, so that the caller can say why it falls back.
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
#include "bpf/wire_line.h"
#include "perf/cpus.h"
#include "unwind/rule.h"

struct bpf_sampler;

/* Zero selects the default, except for cgroup_fd. */
struct bpf_sampler_options {
	/*
	 * of each CPU, rounded up to a power of two; default 2 MiB, or up to 8 MiB with fewer than
	 * 32 CPUs
	 */
	size_t ring_bytes;
	uint32_t processes_max;		/* processes that may be unwound at once; default 16384 */
	/* mappings of all processes together; default 131072 (5 MiB) */
	uint32_t mappings_max;
	uint32_t tables_max;		/* default 4096 */
	uint32_t rules_max;		/* rules of all tables together; default 262144 (4 MiB) */
	/* sample only processes added with bpf_sampler_add_target() */
	bool only_targets;
	bool leave_out_self;
	bool only_user;			/* sample only tasks of user uid */
	uint32_t uid;
	bool keep_idle;			/* if false, ticks of idle CPUs are only counted */
	bool no_user_stacks;
	/*
	 * range of the kernel code that runs on an idle CPU; if both are equal, the range is
	 * unknown,
	 */
	uint64_t idle_start_addr;
	uint64_t idle_end_addr;		/* and all ticks are sent */
	/* cgroup directory: sample only tasks below it; -1: all tasks */
	int cgroup_fd;
	bool points;			/* allow bpf_sampler_attach_point(); needs Linux 5.19 */
	bool off_cpu;			/* send waits, too; needs Linux 5.19 */
	bool off_cpu_wakers;		/* ... and the waker of each wait */
	/* end waits as on kernels before 6.16 (for tests): bpf/off_cpu.h */
	bool off_cpu_late;
	uint64_t off_cpu_min_ns;	/* shorter waits are only summed up; default 1 ms */
	/* bit mask of the events that are CPU-wide clocks of both user and kernel mode, */
	uint32_t clock_events;
	uint32_t clocks_leave_idle;	/* ... and of those among them that exclude the idle task */
};

/*
 * Loads the program. Returns 0, -EPERM without the privilege, -EOPNOTSUPP if the kernel lacks a
 * feature, or another negative errno with the verifier's last line in @err.
 */
int bpf_sampler_new(const struct bpf_sampler_options *options, struct bpf_sampler **ret_sampler,
		    struct err *err);
void bpf_sampler_free(struct bpf_sampler *sampler);	/* NULL is allowed */

/* Returns the options that were passed to bpf_sampler_new(), with the defaults filled in. */
const struct bpf_sampler_options *bpf_sampler_options(const struct bpf_sampler *sampler);

/*
 * Creates the rings of @cpus, all at once. CPUs that already have a ring keep it. Ticks on a CPU
 * without a ring are counted as ring-missing.
 */
int bpf_sampler_add_rings(struct bpf_sampler *sampler, const struct cpus *cpus, struct err *err);
/*
 * Returns the ring's descriptor for bpf_ring_map() and poll(), or -1 if @cpu has no ring. It
 * becomes readable when the ring holds a wakeup threshold's worth of data (bpf_load.c).
 */
int bpf_sampler_ring_fd(const struct bpf_sampler *sampler, int cpu);
size_t bpf_sampler_ring_bytes(const struct bpf_sampler *sampler);

/*
 * Attaches the sampler to a perf event. @event must be less than WIRE_EVENTS_MAX; wire_sample.event
 * will hold it.
 */
int bpf_sampler_attach(struct bpf_sampler *sampler, int event_fd, uint32_t event, struct err *err);

/*
 * Attaches the sampler to a tracepoint; needs the option `points`. @event_fd is a disabled perf
 * event of the tracepoint on any CPU; it may be closed afterwards. While points are enabled, each
 * hit on a CPU with a ring counts as a tick. On each CPU, one of every @point->period hits of tasks
 * that are to be sampled becomes a sample, whose weight is that period. Returns -EINVAL if the
 * event is a probe, which needs another type of program.
 */
int bpf_sampler_attach_point(struct bpf_sampler *sampler, int event_fd, uint32_t event,
			     const struct wire_point *point, struct err *err);
/*
 * Enables or disables all attached tracepoints at once. When the function has disabled them and
 * returns, no hit is being processed any more.
 */
void bpf_sampler_enable_points(struct bpf_sampler *sampler, bool on);
/*
 * Returns the number of hits, by any task, for which the kernel did not call the sampler because a
 * BPF program on a perf event or tracepoint was already running on that CPU. Counted only while
 * points are enabled. Returns 0 on kernels before 6.7, which do not count such hits.
 */
uint64_t bpf_sampler_points_missed(const struct bpf_sampler *sampler);

/*
 * Starts sending the waits that end from now on, if the option off_cpu is set. Tasks that are
 * already waiting are treated as if their wait began now.
 */
int bpf_sampler_start_waits(struct bpf_sampler *sampler, struct err *err);
/*
 * Sends the waits that have not ended yet, and the remaining sums of short waits. To be called
 * once, at the end.
 */
int bpf_sampler_close_waits(struct bpf_sampler *sampler, struct err *err);

/*
 * bpf_sampler_counters() reads the counters of one event for all CPUs. Waits are counted as the
 * event WIRE_EVENT_WAITS.
 */
/* @ret_by_cpu has bpf_sampler_cpu_count() entries. CPUs that do not exist have zeros. */
int bpf_sampler_cpu_count(const struct bpf_sampler *sampler);
void bpf_sampler_counters(const struct bpf_sampler *sampler, uint32_t event,
			  struct wire_counters *ret_by_cpu);

/*
 * Reads what the timers of clock_events did on each CPU (bpf/tick_clock.h), in an array as above.
 * If this is called before bpf_sampler_counters(), the difference never shows ticks that were not
 * actually skipped. Returns -EOPNOTSUPP if this kernel does not show its timers.
 */
int bpf_sampler_clocks(const struct bpf_sampler *sampler, struct tick_clocks *ret_by_cpu);
/*
 * Returns "on" if the timers of clock events are counted, the reason if they are not, or NULL if
 * there are no clock_events.
 */
const char *bpf_sampler_tick_watch(const struct bpf_sampler *sampler);
/*
 * Sets the period of a clock event from now on. To be called before its perf events are enabled.
 * @period_ns 0: not known, to be used while the period is being changed.
 */
void bpf_sampler_set_period(struct bpf_sampler *sampler, uint32_t event, uint64_t period_ns);

/*
 * Returns the number of children of targets that are not sampled because there are already
 * processes_max targets.
 */
uint64_t bpf_sampler_children_lost(const struct bpf_sampler *sampler);

/*
 * Makes the sampler send all stacks again from the returned time on. Once the caller has processed
 * all records from before that time, it may forget the stacks that came in them.
 */
uint64_t bpf_sampler_forget_stacks(struct bpf_sampler *sampler);

/* ---- which processes to sample, with only_targets ---- */

/*
 * Returns true if the sampler follows the children of targets, so that with only_targets it sends
 * only samples of targets.
 */
bool bpf_sampler_filters(const struct bpf_sampler *sampler);

int bpf_sampler_add_target(struct bpf_sampler *sampler, uint32_t tgid);

/* ---- how to unwind ---- */

/* The sampler's arrays, which have as many entries as the options say. */
struct wire_mapping *bpf_sampler_mappings(const struct bpf_sampler *sampler);
struct unwind_rule *bpf_sampler_rules(const struct bpf_sampler *sampler);

/*
 * Makes the sampler unwind process @tgid from now on, or changes how it does so. Returns -E2BIG if
 * there is no room for the process.
 */
int bpf_sampler_set_process(struct bpf_sampler *sampler, uint32_t tgid,
			    const struct wire_process *process);
/* Makes the samples of @tgid come raw from now on. */
int bpf_sampler_remove_process(struct bpf_sampler *sampler, uint32_t tgid);

/*
 * Allocates kernel memory for a table of @line_count lines, all zero. The caller fills *@ret_lines,
 * which stays mapped until bpf_sampler_unmap_table(). Returns the descriptor of the table or a
 * negative errno.
 */
int bpf_sampler_make_table(size_t line_count, struct wire_line **ret_lines, struct err *err);
void bpf_sampler_unmap_table(struct wire_line *lines, size_t line_count);

/*
 * Puts the tables @fds into @slots. If fds[i] is -1, the slot is freed. Waits once for running
 * samples, like bpf_sampler_wait().
 */
int bpf_sampler_set_tables(struct bpf_sampler *sampler, const uint32_t *slots, const int *fds,
			   size_t count, struct err *err);

/* Waits until all samples that began before this call are finished. */
int bpf_sampler_wait(struct bpf_sampler *sampler);

#endif
