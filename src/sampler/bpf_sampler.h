/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_sampler.h - the in-kernel sampler (bpf/sampler.bpf.c): loading it, attaching it, and
 * providing its data
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
 * The sampler writes to one BPF ring buffer per CPU (bpf_ring.h, wire_record.h). The collector,
 * which is the part in user space that reads these rings, provides the data about the processes
 * that the sampler may unwind (bpf/wire.h). The data is in arrays in kernel memory that are mapped
 * into the collector. A sample in progress may read any entry of these arrays. Before an entry is
 * changed, all references to it must therefore be removed, and then bpf_sampler_wait() must be
 * called.
 *
 * Some ticks never reach the sampler (kernel/bpf/syscall.c: bpf_disable_instrumentation();
 * bpf_prog_active):
 *
 * - ticks on a CPU whose current task is inside bpf(2), reading or changing a map element, or was
 *   preempted there
 * - ticks during a BPF program of a kprobe or tracepoint
 *
 * On a machine that often runs such code, the code's share of the samples is therefore too small.
 * For clocks, the missing ticks are counted (bpf_sampler_clocks()); for other events their number
 * is unknown. The functions here that are called while sampling avoid such bpf(2) calls for the
 * same reason: arrays are read and written in place, and hash entries are added by BPF programs
 * that are run through bpf(2) (bpf/lives.h). The kernel skips no tick while such a program runs.
 *
 * A child of a target is a target from its first moment on, and a child of a process that may be
 * unwound may be unwound from its first moment on (bpf/lives.h). This does not work if the
 * collector runs in a pid namespace other than the initial one. The sampler then does not know the
 * targets and samples every process.
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
#include "bpf/wire_line.h"
#include "perf/cpus.h"
#include "unwind/rule.h"

struct bpf_sampler;

/* Zero selects the default for each option, except for cgroup_fd. */
struct bpf_sampler_options {
	/* size of each CPU's ring, rounded up to 2^n; default 2 to 8 MiB, by the number of CPUs */
	size_t ring_bytes;
	uint32_t processes_max;		/* maximum number of unwound processes; default 16384 */
	uint32_t mappings_max;		/* for all processes; default 131072 (5 MiB) */
	uint32_t tables_max;		/* maximum number of unwind tables; default 4096 */
	uint32_t rules_max;		/* for all unwind tables; default 262144 (4 MiB) */
	/* sample only processes added with bpf_sampler_add_target() */
	bool only_targets;
	bool leave_out_self;
	bool only_user;			/* sample only tasks of the user `uid` */
	uint32_t uid;
	bool keep_idle;			/* false: ticks of idle CPUs are counted but not sent */
	bool no_user_stacks;
	/* first address of the kernel code that runs on an idle CPU */
	uint64_t idle_start_addr;
	/* end of that code (exclusive); equal to idle_start_addr: unknown, so all ticks are sent */
	uint64_t idle_end_addr;
	/* cgroup directory: sample only tasks in or below it; -1: all tasks */
	int cgroup_fd;
	bool points;			/* allow bpf_sampler_attach_point(); needs Linux 5.19 */
	/* also send waits (periods in which a task did not run); needs Linux 5.19 */
	bool off_cpu;
	bool off_cpu_wakers;		/* ... and the waker of each wait */
	/* end waits with the method for kernels before 6.16 (for tests): bpf/off_cpu.h */
	bool off_cpu_late;
	uint64_t off_cpu_min_ns;	/* shorter waits are only sent as sums; default 1 ms */
	/* bit mask of the events that are CPU-wide clocks and count both user and kernel mode */
	uint32_t clock_events;
	/* bit mask of those clock_events that exclude the idle task */
	uint32_t clocks_leave_idle;
};

/*
 * Loads the program. Returns 0, -EPERM if the caller lacks the privilege, -EOPNOTSUPP if the kernel
 * lacks a feature, or another negative errno. @err has a message, for some errors the verifier's
 * last line.
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
 * Returns the ring's descriptor for bpf_ring_map() and poll(), or -1 if @cpu has no ring. poll()
 * reports it as readable when the ring holds enough data to wake the collector (set_thresholds() in
 * bpf_load.c).
 */
int bpf_sampler_ring_fd(const struct bpf_sampler *sampler, int cpu);
size_t bpf_sampler_ring_bytes(const struct bpf_sampler *sampler);

/*
 * Attaches the sampler to a perf event. Its samples have @event in wire_sample.event; @event must
 * be less than WIRE_EVENTS_MAX.
 */
int bpf_sampler_attach(struct bpf_sampler *sampler, int event_fd, uint32_t event, struct err *err);

/*
 * Attaches the sampler to a tracepoint; needs the option `points`. @event_fd is a disabled perf
 * event of the tracepoint on any CPU; it may be closed afterwards. While tracepoints are enabled,
 * each hit on a CPU with a ring counts as a tick. Hits of tasks that are to be sampled are counted
 * on each CPU, and every @point->period-th becomes a sample, whose weight is that period. Returns
 * -EINVAL if the event is a probe, which needs another type of program.
 */
int bpf_sampler_attach_point(struct bpf_sampler *sampler, int event_fd, uint32_t event,
			     const struct wire_point *point, struct err *err);
/*
 * Enables or disables all attached tracepoints at once. If @on is false, also waits until no hit is
 * being processed any more.
 */
void bpf_sampler_enable_points(struct bpf_sampler *sampler, bool on);
/*
 * Returns the number of hits, by any task, for which the kernel skipped the sampler because a BPF
 * program on a perf event or tracepoint was already running on that CPU. Hits are counted only
 * while tracepoints are enabled. Returns 0 on kernels before 6.7, which do not count such hits.
 */
uint64_t bpf_sampler_points_missed(const struct bpf_sampler *sampler);

/*
 * Starts sending the waits that end from now on, if the option off_cpu is set. Tasks that are
 * already waiting are treated as if their wait began now.
 */
int bpf_sampler_start_waits(struct bpf_sampler *sampler, struct err *err);
/*
 * Sends the waits that have not ended yet, and the remaining sums of short waits. Must be called
 * once, at the end.
 */
int bpf_sampler_close_waits(struct bpf_sampler *sampler, struct err *err);

/*
 * bpf_sampler_counters() reads the counters of one event on all CPUs, and bpf_sampler_cpu_count()
 * returns the number of CPUs. Waits are counted under the event WIRE_EVENT_WAITS.
 */
/*
 * The array @ret_by_cpu has bpf_sampler_cpu_count() entries. Entries of CPUs that do not exist are
 * zero.
 */
int bpf_sampler_cpu_count(const struct bpf_sampler *sampler);
void bpf_sampler_counters(const struct bpf_sampler *sampler, uint32_t event,
			  struct wire_counters *ret_by_cpu);

/*
 * Reads the tick counts of the timers of clock_events on each CPU (bpf/tick_clock.h). The array is
 * indexed as for bpf_sampler_counters(). Call this function before bpf_sampler_counters(): then
 * ticks that happen between the two calls never look like skipped ticks. Returns -EOPNOTSUPP if
 * this kernel does not show its timers.
 */
int bpf_sampler_clocks(const struct bpf_sampler *sampler, struct tick_clocks *ret_by_cpu);
/*
 * Returns "on" if the timers of clock_events are watched, the reason if they are not, or NULL if
 * there are no clock_events.
 */
const char *bpf_sampler_tick_watch(const struct bpf_sampler *sampler);
/*
 * Sets the period of a clock event, from now on. Must be called before the perf events of the clock
 * are enabled. If @period_ns is 0, the period is unknown: pass 0 while the period is being changed.
 */
void bpf_sampler_set_period(struct bpf_sampler *sampler, uint32_t event, uint64_t period_ns);

/*
 * Returns the number of children of targets that are not sampled because there are already
 * processes_max targets.
 */
uint64_t bpf_sampler_children_lost(const struct bpf_sampler *sampler);

/*
 * Makes the sampler send all stacks again from the returned time on. The caller may forget all
 * stacks in records from before the returned time after it has processed these records.
 */
uint64_t bpf_sampler_forget_stacks(struct bpf_sampler *sampler);

/* ---- which processes to sample, if the option only_targets is set ---- */

/*
 * Returns true if the sampler follows the children of targets. Only then can the sampler filter:
 * with the option only_targets, it sends samples of targets only.
 */
bool bpf_sampler_filters(const struct bpf_sampler *sampler);

int bpf_sampler_add_target(struct bpf_sampler *sampler, uint32_t tgid);

/* ---- data for unwinding ---- */

/*
 * These functions return the sampler's arrays. Their sizes are in the options (mappings_max,
 * rules_max).
 */
struct wire_mapping *bpf_sampler_mappings(const struct bpf_sampler *sampler);
struct unwind_rule *bpf_sampler_rules(const struct bpf_sampler *sampler);

/*
 * From now on, the sampler unwinds the process @tgid with the data in @process, which replaces
 * earlier data. Returns -E2BIG if there are too many processes.
 */
int bpf_sampler_set_process(struct bpf_sampler *sampler, uint32_t tgid,
			    const struct wire_process *process);
/* From now on, samples of @tgid are raw: they contain a copy of the stack's memory. */
int bpf_sampler_remove_process(struct bpf_sampler *sampler, uint32_t tgid);

/*
 * Allocates kernel memory for a table of @line_count lines, all zero. The caller fills *@ret_lines,
 * which remains mapped until bpf_sampler_unmap_table(). Returns the descriptor of the table or a
 * negative errno.
 */
int bpf_sampler_make_table(size_t line_count, struct wire_line **ret_lines, struct err *err);
void bpf_sampler_unmap_table(struct wire_line *lines, size_t line_count);

/*
 * Stores the tables @fds in @slots. If fds[i] is -1, slots[i] is freed. Waits once for samples in
 * progress, like bpf_sampler_wait().
 */
int bpf_sampler_set_tables(struct bpf_sampler *sampler, const uint32_t *slots, const int *fds,
			   size_t count, struct err *err);

/* Waits until all samples that began before this call are finished. */
int bpf_sampler_wait(struct bpf_sampler *sampler);

#endif
