/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.h - the perf events of a capture, and the rings they write into
 *
 * There is one struct source per CPU. It has two rings. The first ring receives the samples of all
 * sampled events. The second ring receives process events (mmap, comm, fork, exit, ksymbol) from a
 * dummy event. The rings are separate so that a flood of samples never displaces process events,
 * which are needed to explain the samples. All sampled events of a CPU share the first ring
 * (PERF_EVENT_IOC_SET_OUTPUT), even the events of many threads in per-task mode.
 *
 * struct event_plan (event_plan.h) defines which events are opened, and with which attributes.
 */
#ifndef ASSAY_CAPTURE_SOURCES_H
#define ASSAY_CAPTURE_SOURCES_H

#include "base/u64map.h"
#include "capture/due_ticks.h"
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
	struct due_ticks due;
	/*
	 * Total time for which the dummy event for process events had been enabled, at the last
	 * read
	 */
	uint64_t enabled_ns;
	bool offline;				/* the CPU of the source was found to be offline */
};

/*
 * Opens all events of one CPU. The dummy event for process events is enabled at once, and the
 * sampled events stay disabled. Adds to *ids the perf event id of each sampled event, with the
 * event's index in the plan. Returns -ENODEV if the CPU is offline.
 */
int source_open(struct event_plan *plan, uint32_t cpu, struct u64map *ids,
		struct source **ret_source, struct err *err);
void source_free(struct source *source);

int source_enable(const struct source *source);
void source_disable(const struct source *source);

/*
 * Changes the rate of all events that have a rate to @rate_hz. Clocks are restarted and lose about
 * one tick, so call this function at most once a second, and only after capture_drain() (see
 * ticks_change()). If an event cannot be changed, continues with the other events. Returns 0 or the
 * first negative errno.
 */
int source_set_rate(struct source *source, const struct event_plan *plan, uint64_t rate_hz);

/*
 * Stores what became of the ticks that were due (due_ticks.h), and returns how many are lost.
 * @threads is the number of threads that had events of their own. For a source that was disabled.
 */
uint64_t source_store_ticks(struct source *source, const struct event_plan *plan, uint64_t threads,
			    struct model *model);

/*
 * Adds the losses of both rings to @losses. The kernel reports the same losses in two ways: in LOST
 * records, which arrive late, and as PERF_FORMAT_LOST, which older kernels do not have. The larger
 * of the two counts is used.
 */
void source_count_lost(const struct source *source, struct losses *losses);

/*
 * Returns true if the events of the source have been running at any time since the last call. When
 * a CPU goes offline, the kernel stops its events permanently, even if the CPU comes online again
 * before this call. False therefore means that the CPU went offline.
 */
bool source_is_running(struct source *source);

#endif
