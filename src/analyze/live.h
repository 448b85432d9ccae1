/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - sums up the last seconds of a running recording
 *
 * Used by `assay top`. Stores the samples of the last seconds, which are called the window.
 * live_look() computes one table from all samples in the window. The caller's question selects the
 * dimension, the process and the names of the rows. Because each call of live_look() adds up the
 * samples again, all shares refer to the same interval of time and have confidence intervals.
 * Decaying averages would not have these properties. Some figures are not sampled: losses,
 * interrupt time, the profiler's own CPU time. Their sums are stored at points in time, and the
 * report shows the difference between the two ends of the window.
 *
 *	live_init(&live, 5 * NS_PER_SEC);
 *	live_begin(&live, model, own_cpu_ns, now_ns);
 *	live_add(&live, model, batch, own_cpu_ns, now_ns);	... at each flush
 *	live_look(&live, model, &question, &frame);		... as often as needed
 *	live_frame_fini(&frame);
 *	live_fini(&live);
 *
 * Memory: the samples of the window, at most LIVE_SAMPLES_MAX. If there are more, the oldest are
 * dropped and the window is shorter than requested; live_frame.span_ns is its actual length.
 * Errors: -ENOMEM. Not thread-safe.
 */
#ifndef ASSAY_ANALYZE_LIVE_H
#define ASSAY_ANALYZE_LIVE_H

#include <regex.h>

#include "analyze/group.h"

#define LIVE_SAMPLES_MAX 2000000u

/* One point in time, with sums since the start of the recording. */
struct live_point {
	uint64_t time_ns;
	/* sums over all CPUs, from /proc/stat; 0 if it was not read */
	uint64_t cpu_ns, idle_ns, steal_ns;
	uint64_t hardirq_ns, softirq_ns;	/* measured time; 0 if interrupts are not timed */
	uint64_t own_cpu_ns;			/* CPU time of the recorder */
	struct losses losses;
};

struct live {
	uint64_t window_ns;
	/* samples of the window; the batch's counters are not stored */
	struct sample_batch samples;
	/* the points inside the window, and the newest point that is older than the window */
	VEC(struct live_point) points;
};

enum live_order {
	LIVE_BY_SHARE,
	LIVE_BY_NAME,
	LIVE_BY_LATE,	/* by number of late samples (profile.h), highest first */
};

struct live_question {
	enum dimension by;
	uint8_t event;
	enum live_order order;
	bool reverse;
	uint32_t process;	/* id in the model; 0: all */
	const regex_t *names;	/* keep only rows whose label matches; NULL: keep all */
};

struct live_frame {
	struct profile profile;
	/* sorted rows whose label matches @names; the total includes all other rows too */
	struct group_table table;
	/* by context: number of samples of the event, over all processes */
	uint64_t contexts[CONTEXT_COUNT];
	/* growth of each sum during the window; time_ns is the end of the window */
	struct live_point since;
	uint64_t span_ns;		/* duration of the window */
};

void live_init(struct live *live, uint64_t window_ns);
void live_fini(struct live *live);

/*
 * Starts a new window at @now_ns and drops all earlier samples. @own_cpu_ns is the CPU time that
 * the recorder had used by then. The sums of the window are differences from @own_cpu_ns and from
 * the sums that @model has now. If @model is NULL, they are differences from 0 instead of from the
 * sums in a model.
 */
int live_begin(struct live *live, const struct model *model, uint64_t own_cpu_ns, uint64_t now_ns);

/*
 * Adds the samples in @batch, which were taken since the last call and are in time order. Also adds
 * a point with the current sums.
 */
int live_add(struct live *live, const struct model *model, const struct sample_batch *batch,
	     uint64_t own_cpu_ns, uint64_t now_ns);

/*
 * Drops all samples and all points but the newest, because the model is about to release what the
 * samples refer to.
 */
void live_forget(struct live *live);

/* Call live_frame_fini() after success and failure. @model must outlive the frame. */
int live_look(const struct live *live, struct model *model, const struct live_question *question,
	      struct live_frame *ret_frame);
void live_frame_fini(struct live_frame *frame);

/*
 * Returns the number of losses in the window. Writes the most frequent reason to *ret_most, or
 * LOSS_COUNT if there were no losses.
 */
uint64_t live_lost(const struct live_frame *frame, enum loss *ret_most);

#endif
