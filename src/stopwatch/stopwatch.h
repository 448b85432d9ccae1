/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stopwatch.h - measures spans with BPF programs (bpf/stopwatch.bpf.c)
 *
 *	stopwatch_find()	finds what the user's points mean, and what probes there will cost
 *	stopwatch_load()	loads the programs and attaches them
 *	stopwatch_enable()	starts measuring
 *	stopwatch_read()	the durations so far
 *	stopwatch_disable()	stops measuring: spans that end later no longer count. Removing the
 *				probes can take seconds
 *
 * The kernel sums up; nothing is sent for a single span. The sums are read from mapped memory. When
 * this process ends, however it ends, the kernel removes the probes.
 *
 * Needs CAP_BPF and CAP_PERFMON, and Linux 6.6 for functions (uprobe_multi), 5.15 for tracepoints
 * and functions of the kernel, 5.11 for system calls.
 */
#ifndef ASSAY_STOPWATCH_STOPWATCH_H
#define ASSAY_STOPWATCH_STOPWATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "elf/kallsyms.h"
#include "readers/readers.h"
#include "sampler/irq_time.h"
#include "stopwatch/point.h"
#include "stopwatch/probe_entry.h"
#include "stopwatch/span_times.h"

#define STOPWATCH_SPANS_MAX 16384u

struct stopwatch;

/* Events that are counted on each CPU. All arrays are borrowed. */
struct stopwatch_counters {
	size_t count;		/* at most SPAN_EVENTS; 0: none */
	const int *cpus;
	size_t cpu_count;
	/*
	 * Of all events on the first CPU, then on the second and so on. The first one of a CPU
	 * leads the others, and if there are any, it reads all (PERF_FORMAT_GROUP, both times).
	 */
	const int *fds;
};

/* What probes count, by kind of cost and counter. */
struct probe_counts {
	uint64_t at[PROBE_COSTS][SPAN_COUNTERS];
};

/*
 * Single spans for a recording: calls in which the sampler ticked or the task waited, and spans
 * that are slow (stopwatch_send_above()).
 */
struct stopwatch_records {
	size_t ring_bytes;		/* a power of two; 0: no single spans */
	int ticks_fd;			/* bpf_sampler_counters_fd(); borrowed until loaded */
	uint32_t event_count;		/* sampled events: at most SPAN_SAMPLED_EVENTS */
	uint64_t tick_ns;		/* what a sample takes: subtracted from calls */
	uint64_t wait_ns;		/* calls that waited less are sent only for other reasons */
};

struct stopwatch_options {
	struct span_points what;
	/* Only these processes are measured, and their children from now on; none: all. */
	const uint32_t *tgids;
	size_t tgid_count;
	const char *program_dirs;	/* see image_search.h */
	/*
	 * The kernel catches returns: it replaces return addresses on the user's stack. That is
	 * fast, but whoever walks this stack fails: C++ exceptions and pthread_cancel(3) then abort
	 * the program. Otherwise each instruction that returns has a probe.
	 */
	bool return_probes;
	struct readers *readers;	/* read the images; NULL: this process does */
	/* Needed for functions of the kernel, until stopwatch_free(). */
	const struct kallsyms *kallsyms;
	const uint64_t *probe_ns;	/* what a call with probes takes longer; NULL: not known */
	const struct probe_counts *probe_counts;	/* as probe_ns; NULL: not known */
	bool waits;			/* how long calls were not on a CPU */
	struct stopwatch_counters counters;	/* in calls */
	const struct irq_time *interrupts;	/* how long these took in calls; NULL: unknown */
	struct stopwatch_records records;
	enum span_measure measure;
	enum span_by by;		/* SPAN_BY_CALLER needs Linux 5.17 */
	const char *by_value;		/* for SPAN_BY_VALUE and SPAN_BY_RESULT: see join_key.h */
	const char *by_second;		/* another value, for SPAN_BY_VALUE; NULL: none */
	const char *argument;		/* for SPAN_ARGUMENT: its name, or arg0 and so on */
};

/* One span. The names are owned by the stopwatch. */
struct stopwatch_span {
	enum span_kind kind;
	const char *image;		/* path, "[kernel]", a module; otherwise "" */
	const char *name;
	enum probe_cost cost;
};

/*
 * Finds all spans before anything is attached. Functions that cannot be decoded are left out.
 * *@options is borrowed until stopwatch_load() has returned. If a point means nothing that can be
 * measured, returns a negative errno and a message that says why.
 */
int stopwatch_find(const struct stopwatch_options *options, struct stopwatch **ret_stopwatch,
		   struct err *err);
void stopwatch_free(struct stopwatch *stopwatch);	/* NULL is fine */

/*
 * Calls @see for each name of the static probes that @point means, by provider and name. Returns 0,
 * or a negative errno with a message: -ENOENT if there is none.
 */
typedef void (*stopwatch_usdt_fn)(void *context, const char *provider, const char *name);
int stopwatch_list_usdt(const struct stopwatch_options *options, const struct point *point,
			stopwatch_usdt_fn see, void *context, struct err *err);

size_t stopwatch_span_count(const struct stopwatch *stopwatch);
size_t stopwatch_left_out(const struct stopwatch *stopwatch);	/* functions */
struct stopwatch_span stopwatch_span(const struct stopwatch *stopwatch, size_t i);

int stopwatch_load(struct stopwatch *stopwatch, struct err *err);

/* Adds a process, and its children from now on, to those that are measured. */
int stopwatch_add_process(struct stopwatch *stopwatch, uint32_t tgid, struct err *err);

void stopwatch_enable(struct stopwatch *stopwatch);
void stopwatch_disable(struct stopwatch *stopwatch);

/* Returns the ring of single spans (struct wire_span), owned by the stopwatch; -1: none. */
int stopwatch_records_fd(const struct stopwatch *stopwatch);

/* From now on, single spans @i that take at least this long are sent; UINT64_MAX: none. */
void stopwatch_send_above(struct stopwatch *stopwatch, size_t i, uint64_t ns);

/*
 * Returns how often the kernel skipped a program, for example because its CPU was in another BPF
 * program. It is not known which spans are missing.
 */
uint64_t stopwatch_skipped(const struct stopwatch *stopwatch);

/*
 * The durations of span @i so far, of all CPUs, with the cost of the probes in them. If spans are
 * grouped, these are only what came when there was no room for another group.
 */
void stopwatch_read(const struct stopwatch *stopwatch, size_t i, struct span_times *ret_times);

/* Adds up the calls so far by what their probes cost. Spans between other points are left out. */
void stopwatch_count_calls(const struct stopwatch *stopwatch, uint64_t ret_calls[PROBE_COSTS]);

/* The groups so far. Later there may be more; those that are there keep their numbers. */
size_t stopwatch_group_count(const struct stopwatch *stopwatch);
int stopwatch_group(const struct stopwatch *stopwatch, size_t i, struct span_group *ret_group);
void stopwatch_read_group(const struct stopwatch *stopwatch, size_t i,
			  struct span_times *ret_times);

#endif
