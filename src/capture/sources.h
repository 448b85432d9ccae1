/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.h - the perf events of a capture, and the rings they write into
 *
 * There is one struct source per CPU. It has two rings. The first ring receives the samples of all
 * sampled events. The second ring receives process events (mmap, comm, fork, exit, ksymbol) from a
 * dummy event. They are separate so that a flood of samples never displaces the process events that
 * explain them. All events of a CPU share its ring (PERF_EVENT_IOC_SET_OUTPUT), even the events of
 * many threads in per-task mode.
 *
 * struct event_plan (event_plan.h) says which events are opened, and how.
 */
#ifndef ASSAY_CAPTURE_SOURCES_H
#define ASSAY_CAPTURE_SOURCES_H

#include "base/u64map.h"
#include "capture/event_plan.h"
#include "capture/stream.h"
#include "intake/ticks.h"

struct source {
	uint32_t cpu;
	/* Owned; the leader of each event, followed by the event's counters; -1: not open */
	VEC(int) sample_fds;
	VEC(int) sideband_fds;
	struct stream samples, sideband;
	struct ticks ticks[SAMPLED_EVENTS_MAX];
	/* Duration for which the event for process events had been enabled when it was last read */
	uint64_t enabled_ns;
	bool offline;				/* the CPU of the source was found to be offline */
};

/*
 * Opens all events of one CPU. Only the event for process events is enabled. Adds perf's id of each
 * event to *ids, with the event's index in the plan. Returns -ENODEV if the CPU is offline.
 */
int source_open(struct event_plan *plan, uint32_t cpu, struct u64map *ids,
		struct source **ret_source, struct err *err);
void source_free(struct source *source);

int source_enable(const struct source *source);
void source_disable(const struct source *source);

/*
 * Changes all events that are sampled at a rate to @rate_hz. Clocks are restarted and lose about
 * one tick, so call this at most once a second, and only after capture_drain() (see
 * ticks_change()). Returns 0 or the first negative errno. The remaining events are changed even
 * after an error.
 */
int source_set_rate(struct source *source, const struct event_plan *plan, uint64_t rate_hz);

/*
 * Adds the losses of both rings to @losses. LOST records and PERF_FORMAT_LOST count the same
 * losses, so the larger of the two counts is used: LOST records arrive late, and older kernels do
 * not have PERF_FORMAT_LOST.
 */
void source_count_lost(const struct source *source, struct losses *losses);

/*
 * Returns true if the source has counted since the last call. When a CPU goes offline, the kernel
 * stops its events for good, even if the CPU is online again by the time of this call.
 */
bool source_is_running(struct source *source);

#endif
