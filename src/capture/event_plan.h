/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_plan.h - the events of a capture, and how to open them
 *
 * The plan is made once, when the capture is created. Trial opens of events show what the kernel
 * and the user's privileges allow. CPUs that come online later use the same plan.
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
	/* Counters opened as group members of every sampled event */
	struct event_spec counters[RECORD_COUNTERS_MAX];
	size_t counter_count;
	/* Fields that samples have (enum sample_field) */
	uint8_t fields[FIELD_COUNT];
	size_t field_count;
	struct perf_event_attr sideband;
	struct record_layout sample_layout;
	struct record_layout sideband_layout;
	/* Perf features that this kernel was found to refuse */
	struct perf_features features;
	/* true: sampling at a rate (-F); false: at a fixed period (-c), which never changes */
	bool by_rate;
	bool per_task;
	bool has_small_rings;			/* the user may not lock memory for larger ones */
	/* The in-kernel sampler takes the samples; perf writes none into its rings */
	bool in_kernel;
	bool user_only;				/* true: the user may not sample kernel code */
	VEC(uint32_t) tids;			/* threads to open the events for, if per_task */
	/* descriptor of the control group's directory; -1: no control group */
	int cgroup_fd;
	size_t cpu_count;			/* number of online CPUs */
	size_t sample_ring_bytes, sideband_ring_bytes;
	/* stack bytes that the kernel copies with each sample; 0: none are copied */
	uint32_t stack_bytes;
	/* Which default event was chosen and why; "": the user named the event */
	char event_why[160];
};

/*
 * Fills the plan. Parses the events, and opens events on trial to find out whether they may be
 * CPU-wide and whether they may include the kernel. Error messages name the event and the setting
 * or privilege that would permit it. Returns 0 or a negative errno.
 */
int event_plan_make(struct event_plan *plan, const struct capture_options *options,
		    struct err *err);
void event_plan_fini(struct event_plan *plan);

/*
 * Changes the plan so that perf's events only trigger the in-kernel sampler. perf itself then
 * writes no samples.
 */
void event_plan_go_in_kernel(struct event_plan *plan);

/*
 * Returns true if @event is a tracepoint. The in-kernel sampler needs only one attachment for a
 * tracepoint, which serves all CPUs. If this sampler is used, sources therefore do not open
 * tracepoints.
 */
bool event_plan_is_point(const struct event_plan *plan, size_t event);
bool event_plan_has_points(const struct event_plan *plan);

/*
 * Returns true if @event is sampled at a rate, and the rate can be changed. Tracepoints and events
 * opened with -c have no rate.
 */
bool event_plan_has_rate(const struct event_plan *plan, size_t event);

/*
 * Returns true if the ticks of @event have a constant phase, so that it can be measured how late a
 * sample is. Only CPU-wide clocks with a fixed period that are not limited to a control group have
 * a constant phase.
 */
bool event_plan_has_ticks(const struct event_plan *plan, size_t event);

/*
 * Returns the properties of @event that intake needs. One of them is the period, so call this
 * function again after the rate has changed.
 */
struct intake_event event_plan_intake_event(const struct event_plan *plan, size_t event);

#endif
