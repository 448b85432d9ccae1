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
	VEC(int) sample_fds;			/* owned; leaders and their counters; -1: none */
	VEC(int) sideband_fds;
	struct stream samples, sideband;
	struct ticks ticks[SAMPLED_EVENTS_MAX];
	uint64_t enabled_ns;			/* of the sideband event, as last read */
	bool offline;				/* its CPU was found to be offline */
};

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
