/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.h - the perf events of a capture, and the rings they write into
 *
 * One struct source per CPU.  It has two rings: samples of all sampled events, and process
 * events (mmap, comm, fork, exit, ksymbol) of a dummy event.  They are apart so that a flood of
 * samples never evicts the record that explains them.  Events of a CPU share its ring by
 * PERF_EVENT_IOC_SET_OUTPUT, also those of many threads in per-task mode.
 *
 * What is opened is decided once, in struct event_plan; CPUs that appear later get the same.
 */
#ifndef ASSAY_CAPTURE_SOURCES_H
#define ASSAY_CAPTURE_SOURCES_H

#include "base/u64map.h"
#include "capture/capture.h"
#include "capture/event_spec.h"
#include "capture/perf_open.h"
#include "capture/stream.h"
#include "capture/ticks.h"

#define SAMPLED_EVENTS_MAX WIRE_EVENTS_MAX	/* as many as the in-kernel sampler tells apart */

struct event_plan {
	struct event_spec sampled[SAMPLED_EVENTS_MAX];
	size_t sampled_count;
	struct event_spec counters[RECORD_COUNTERS_MAX];	/* group members of each of them */
	size_t counter_count;
	struct perf_event_attr sideband;
	struct record_layout sample_layout;
	struct record_layout sideband_layout;
	struct perf_features features;		/* what this kernel was found to refuse */
	bool by_rate;				/* -F; with -c periods stay as they are */
	bool per_task;
	bool in_kernel;				/* sampled there: no samples in perf's rings */
	bool user_only;				/* the kernel's own code may not be sampled */
	VEC(uint32_t) tids;			/* per_task: whom to open the events for */
	int cgroup_fd;				/* -1: none */
	size_t sample_ring_bytes, sideband_ring_bytes;
	char event_why[160];			/* which default event and why; "": was named */
};

struct source {
	uint32_t cpu;
	VEC(int) sample_fds;			/* owned; leaders and their counters; -1: none */
	VEC(int) sideband_fds;
	struct stream samples, sideband;
	struct ticks ticks[SAMPLED_EVENTS_MAX];
	uint64_t enabled_ns;			/* of the sideband event, as last read */
};

/*
 * Fills the plan: parses the events, decides about scope and kernel access by trying.  Errors
 * name the event and what would allow it.
 */
int event_plan_make(struct event_plan *plan, const struct capture_options *options,
		    struct err *err);
void event_plan_fini(struct event_plan *plan);

/* Events that carry the in-kernel sampler from now on, and nothing for perf to write. */
void event_plan_go_in_kernel(struct event_plan *plan);

/*
 * Is it a tracepoint?  The in-kernel sampler needs no event on each CPU for these, and sources then
 * have none.
 */
bool event_plan_is_point(const struct event_plan *plan, size_t event);
bool event_plan_has_points(const struct event_plan *plan);

/* Is it sampled at a rate, which may be changed? Tracepoints and -c have none. */
bool event_plan_has_rate(const struct event_plan *plan, size_t event);

/* The event whose ticks have a phase: a CPU-wide clock. */
bool event_plan_has_ticks(const struct event_plan *plan, size_t event);

/*
 * Opens everything of one CPU, disabled but for the sideband; *ids maps perf's event id to
 * source-independent event indices.  -ENODEV: the CPU is offline.
 */
int source_open(struct event_plan *plan, uint32_t cpu, struct u64map *ids,
		struct source **ret_source, struct err *err);
void source_free(struct source *source);

int source_enable(const struct source *source);
void source_disable(const struct source *source);

/*
 * Lets every sampled event that goes by a rate sample at @rate_hz from now on.  Clocks start anew
 * and drop about a tick, so not more than once a second, and after capture_drain(): see
 * ticks_change().  0 or the first negative errno; the others are changed all the same.
 */
int source_set_rate(struct source *source, const struct event_plan *plan, uint64_t rate_hz);

/*
 * What a sample stands for: of a clock the period in force, which its record need not say; else
 * what the record says or, where it says nothing, what was asked for.
 */
uint64_t source_weight(struct source *source, const struct event_plan *plan, size_t event,
		       const struct perf_record *record);

/*
 * Adds what both rings had no room for.  LOST records and PERF_FORMAT_LOST count the same
 * losses, the first late and the second not at all on older kernels: the larger is taken.
 */
void source_count_lost(const struct source *source, struct losses *losses);

/*
 * Has the source been counting since this was last asked?  A CPU that goes offline takes its
 * events with it for good, also when it is back before anyone looks.
 */
bool source_is_running(struct source *source);

#endif
