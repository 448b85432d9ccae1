/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.h - the perf events of a capture, and the rings they write into
 *
 * One struct source per CPU.  It has two rings: samples of all sampled events, and process
 * events (mmap, comm, fork, exit, ksymbol) of a dummy event.  They are apart so that a flood of
 * samples never evicts the record that explains them.  Events of a CPU share its ring by
 * PERF_EVENT_IOC_SET_OUTPUT, also those of many threads in per-task mode.
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
	/* Owned; each leader is followed by its counters; -1: no event */
	VEC(int) sample_fds;
	VEC(int) sideband_fds;
	struct stream samples, sideband;
	struct ticks ticks[SAMPLED_EVENTS_MAX];
	/* Time for which the process-event source was enabled, as last read */
	uint64_t enabled_ns;
	bool offline;				/* its CPU was found to be offline */
};

/*
 * Opens all events of one CPU. All are disabled except the one for process events. *ids maps perf's
 * event ids to event indices that are the same for all sources. Returns -ENODEV if the CPU is
 * offline.
 */
int source_open(struct event_plan *plan, uint32_t cpu, struct u64map *ids,
		struct source **ret_source, struct err *err);
void source_free(struct source *source);

int source_enable(const struct source *source);
void source_disable(const struct source *source);

/*
 * Changes the rate of every event that has one to @rate_hz. Clocks are restarted and lose about one
 * tick, so call this at most once a second, and only after capture_drain() (see ticks_change()).
 * Returns 0 or the first negative errno; the remaining events are changed even after an error.
 */
int source_set_rate(struct source *source, const struct event_plan *plan, uint64_t rate_hz);

/*
 * Adds the losses of both rings. LOST records and PERF_FORMAT_LOST count the same losses, so the
 * larger count is used: LOST records come late, and older kernels do not have PERF_FORMAT_LOST.
 */
void source_count_lost(const struct source *source, struct losses *losses);

/*
 * Returns true if the source has been counting since the last call. When a CPU goes offline, its
 * events stop for good, even if the CPU comes back before anyone checks.
 */
bool source_is_running(struct source *source);

#endif
