/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_plan.h - the events of a capture, and how to open them
 *
 * The plan is made once, by trying what the kernel and the user's privileges allow. CPUs that come
 * online later are opened by the same plan.
 */
#ifndef ASSAY_CAPTURE_EVENT_PLAN_H
#define ASSAY_CAPTURE_EVENT_PLAN_H

#include "base/vec.h"
#include "capture/capture.h"
#include "intake/intake.h"
#include "perf/event_spec.h"
#include "perf/perf_open.h"
#include "perf/record.h"

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

/* The event as intake needs to know it; its period changes with the rate. */
struct intake_event event_plan_intake_event(const struct event_plan *plan, size_t event);

#endif
