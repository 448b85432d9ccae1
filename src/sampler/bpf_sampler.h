/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf_sampler.h - the in-kernel sampler (bpf/sampler.bpf.c): loading it, attaching it, feeding it
 *
 * One program for all events and CPUs: attached to a perf event that the caller opened, it runs
 * instead of perf's own sampling, and the attachment's cookie tells it which event it is.  (A
 * program per event would be verified and JITed again for each; PERF_EVENT_IOC_SET_BPF has no
 * cookie.)  The events are the caller's to enable, disable and close.
 *
 * Events of tracepoints are the exception (bpf/points.h): one attachment serves all CPUs, and the
 * sampler itself counts and filters the hits.
 *
 * What it writes: one BPF ring buffer for each CPU (bpf_ring.h, wire_record.h).  What it is told:
 * which processes may be walked and how (bpf/wire.h).  The arrays are the kernel's memory, mapped
 * here; a sample in progress may read any of it, so an entry is changed only when nothing names
 * it any more and bpf_sampler_wait() has been called since.
 *
 * Ticks do not reach it on a CPU whose current task is inside bpf(2) at that moment, reading or
 * changing an element of a map, or was preempted there; nor in a program of a kprobe or tracepoint
 * (kernel/bpf/syscall.c: bpf_disable_instrumentation(); bpf_prog_active): on a machine that is busy
 * with other BPF programs its share is too small.  Of clocks they are counted
 * (bpf_sampler_clocks()); of other events nobody knows how many.  So nothing here that is called
 * while sampling does that: arrays are read and written in place, and what must go into a hash
 * is put there by programs that bpf(2) runs for us (bpf/lives.h), which no tick is passed over for.
 *
 * Children of a process that is a target, or may be walked, are so from their first moment on
 * (bpf/lives.h), but for a collector in a pid namespace other than the first.  There targets are
 * not known to the sampler: everybody is one.
 *
 * Needs: CAP_BPF and CAP_PERFMON, BTF of the kernel, bpf_loop() (Linux 5.17).  What is missing is
 * named by the error of bpf_sampler_new(), so that the caller can say why it falls back.
 *
 * Not thread-safe; loading replaces libbpf's print function for its duration.
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

/* Zeros are the defaults, but for cgroup_fd. */
struct bpf_sampler_options {
	size_t ring_bytes;		/* of each CPU, rounded up to a power of two; 0: 2 MiB, up
					   to 8 where there are less than 32 CPUs */
	uint32_t processes_max;		/* that may be walked at once: 16384 */
	uint32_t mappings_max;		/* of them all together: 131072 (5 MiB) */
	uint32_t tables_max;		/* 4096 */
	uint32_t rules_max;		/* of all tables together: 262144 (4 MiB) */
	bool only_targets;		/* those of bpf_sampler_add_target() */
	bool leave_out_self;
	bool only_user;			/* tasks of uid */
	uint32_t uid;
	bool keep_idle;			/* else ticks of idle CPUs are only counted */
	bool no_user_stacks;
	uint64_t idle_start_addr;	/* kernel code in which a CPU idles; equal: not known, */
	uint64_t idle_end_addr;		/* and all is sent */
	int cgroup_fd;			/* its directory: only tasks below it; -1: all */
	bool points;			/* bpf_sampler_attach_point() will be called; Linux 5.19 */
	bool off_cpu;			/* send waits, too; needs Linux 5.19 */
	bool off_cpu_wakers;		/* ... and who ended them */
	bool off_cpu_late;		/* as on kernels before 6.16 (for tests): bpf/off_cpu.h */
	uint64_t off_cpu_min_ns;	/* shorter waits are only added up: 1 ms */
	uint32_t clock_events;		/* bits: events that are CPU-wide clocks of all modes, */
	uint32_t clocks_leave_idle;	/* ... and those that leave out the idle task */
};

/*
 * Loads the program. -EPERM: no privilege; -EOPNOTSUPP: the kernel cannot; others: what the
 * verifier said last.
 */
int bpf_sampler_new(const struct bpf_sampler_options *options, struct bpf_sampler **ret_sampler,
		    struct err *err);
void bpf_sampler_free(struct bpf_sampler *sampler);	/* NULL is fine */

/* As given, with the defaults put in. */
const struct bpf_sampler_options *bpf_sampler_options(const struct bpf_sampler *sampler);

/*
 * Makes the rings of @cpus, all at once; ticks of a CPU without one are counted as ring-missing.
 * CPUs that have a ring already keep it.
 */
int bpf_sampler_add_rings(struct bpf_sampler *sampler, const struct cpus *cpus, struct err *err);
/* For bpf_ring_map() and poll(); -1: none. Readable when much has come (bpf_load.c). */
int bpf_sampler_ring_fd(const struct bpf_sampler *sampler, int cpu);
size_t bpf_sampler_ring_bytes(const struct bpf_sampler *sampler);

/* @event below WIRE_EVENTS_MAX is what wire_sample.event will say. */
int bpf_sampler_attach(struct bpf_sampler *sampler, int event_fd, uint32_t event, struct err *err);

/*
 * With points: @event_fd is of the tracepoint, on any CPU, disabled, and may be closed afterwards.
 * Each hit on a CPU that has a ring is a tick, while points are enabled; every period-th of those
 * wanted on a CPU is a sample of that weight.  -EINVAL: of a probe, which takes another program.
 */
int bpf_sampler_attach_point(struct bpf_sampler *sampler, int event_fd, uint32_t event,
			     const struct wire_point *point, struct err *err);
/* Of all of them at once. Off: no hit is still being taken when it returns. */
void bpf_sampler_enable_points(struct bpf_sampler *sampler, bool on);
/*
 * Hits of anybody, while enabled, that the kernel did not call the sampler for, because a program
 * of this kind was just running on that CPU.  0 on kernels before 6.7, which do not count them.
 */
uint64_t bpf_sampler_points_missed(const struct bpf_sampler *sampler);

/*
 * With off_cpu: sends the waits that end from now on.  Those of tasks that wait already are taken
 * to begin now.
 */
int bpf_sampler_start_waits(struct bpf_sampler *sampler, struct err *err);
/* Once, at the end: sends the waits that have not ended, and what is left of the sums. */
int bpf_sampler_close_waits(struct bpf_sampler *sampler, struct err *err);

/* Waits are counted as event WIRE_EVENT_WAITS. */
/* ret_by_cpu[0 .. bpf_sampler_cpu_count()): also of CPUs that are not there (zeros). */
int bpf_sampler_cpu_count(const struct bpf_sampler *sampler);
void bpf_sampler_counters(const struct bpf_sampler *sampler, uint32_t event,
			  struct wire_counters *ret_by_cpu);

/*
 * What the timers of clock_events did, likewise by CPU (bpf/tick_clock.h).  Read before the
 * counters, it never shows ticks that were not skipped.  -EOPNOTSUPP: this kernel cannot tell.
 */
int bpf_sampler_clocks(const struct bpf_sampler *sampler, struct tick_clocks *ret_by_cpu);
/* "on" where there is such a count, or why there is none; NULL: there are no clock_events. */
const char *bpf_sampler_tick_watch(const struct bpf_sampler *sampler);
/*
 * How long the periods of a clock are from now on, before its events are enabled; 0: not known,
 * while they change.
 */
void bpf_sampler_set_period(struct bpf_sampler *sampler, uint32_t event, uint64_t period_ns);

/* Children of targets that are not sampled, because there are processes_max of them. */
uint64_t bpf_sampler_children_lost(const struct bpf_sampler *sampler);

/*
 * All stacks will be sent again from the returned time on.  The caller may forget those that came
 * in records before that time, once it has taken all records before it.
 */
uint64_t bpf_sampler_forget_stacks(struct bpf_sampler *sampler);

/* ---- whom to sample, with only_targets ---- */

/* Whether it knows the targets' children, so that with only_targets nobody else is sent. */
bool bpf_sampler_filters(const struct bpf_sampler *sampler);

int bpf_sampler_add_target(struct bpf_sampler *sampler, uint32_t tgid);

/* ---- how to walk ---- */

/* Entries of the arrays, as many as the options said. */
struct wire_mapping *bpf_sampler_mappings(const struct bpf_sampler *sampler);
struct unwind_rule *bpf_sampler_rules(const struct bpf_sampler *sampler);

/* From now on the process is walked, or walked another way. -E2BIG: no room for it. */
int bpf_sampler_set_process(struct bpf_sampler *sampler, uint32_t tgid,
			    const struct wire_process *process);
/* From now on its samples come raw. */
int bpf_sampler_remove_process(struct bpf_sampler *sampler, uint32_t tgid);

/*
 * Memory of a table of @line_count lines, zeros, for the caller to fill: *ret_lines is mapped until
 * bpf_sampler_unmap_table().  The descriptor, or a negative errno.
 */
int bpf_sampler_make_table(size_t line_count, struct wire_line **ret_lines, struct err *err);
void bpf_sampler_unmap_table(struct wire_line *lines, size_t line_count);

/* Puts tables into their slots, or frees the slots where fds[i] is -1; waits as below, once. */
int bpf_sampler_set_tables(struct bpf_sampler *sampler, const uint32_t *slots, const int *fds,
			   size_t count, struct err *err);

/* Until no sample that began before this call is still being taken. */
int bpf_sampler_wait(struct bpf_sampler *sampler);

#endif
