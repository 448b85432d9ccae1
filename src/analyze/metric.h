/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metric.h - what a profile adds up: one event, the sum of several events, or wall time
 *
 * A recording has samples of several events. A profile, a call tree or a flame graph shows one
 * amount. The metric says which samples are part of it, and changes each of them to what it counts
 * as:
 *
 *	METRIC_SUM	the events that the filter selects, added up. Waits can be added to waits,
 *			tracepoints to tracepoints, and an event to the same event with other
 *			modifiers ("cycles:u" and "cycles:k"). Any other selection of several events
 *			is refused. If the filter selects no events, each event stays by itself.
 *	METRIC_WALL	wall time: the time in which threads existed. The waits of a thread were
 *			measured, so the rest of its wall time is the time in which it ran. This
 *			running time is divided equally among the samples of the thread's clock.
 *
 * The sum of waits shorter than the least duration (model/wait.h) counts as "off-cpu:blocked" or
 * "off-cpu:runnable", with a stack of one frame, "[short waits]". The running time of a thread
 * without samples is one more sample, with the frame "[not sampled]".
 *
 * With metric_options.states, a sample of a wait gets one more innermost frame that tells the state
 * of the thread, such as "[blocked]". So a call tree of wall time shows waiting and running in one
 * function apart.
 *
 * The metric adds rows to the model: one event, and the frames above.
 *
 *	metric_make(recording, &model, &options, &metric, &err);
 *	metric_begin(&metric);			before each pass over the recording
 *	metric_take(&metric, &sample);		for each sample
 *	metric_rest(&metric);			after the last sample
 *	metric_fini(&metric);
 */
#ifndef ASSAY_ANALYZE_METRIC_H
#define ASSAY_ANALYZE_METRIC_H

#include "analyze/filter.h"
#include "analyze/profile.h"
#include "base/u64map.h"
#include "model/model.h"
#include "model/wait.h"
#include "store/recording.h"

enum metric_kind { METRIC_SUM, METRIC_WALL };

struct metric_options {
	const struct filter *filter;	/* NULL: everything; filter->wall selects METRIC_WALL */
	bool states;			/* METRIC_WALL only */
};

struct metric {
	const struct model *model;
	enum metric_kind kind;
	bool takes[256];		/* by event: its samples are part of the metric */
	uint8_t counts_as[256];		/* by event */
	int wait_kinds[256];		/* by event: enum wait_kind, or -1 */
	uint32_t short_stacks[WAIT_KIND_COUNT];	/* by kind of short waits; 0: unchanged */

	/* for wall time */
	struct metric_thread *threads;	/* by thread id */
	struct u64map states;		/* from a stack and a kind of wait to the stack to show */
	struct sample_batch rest;	/* time in which threads ran without a sample */
};

/*
 * Returns 0, -ENOMEM or the error of reading the recording. Returns -EINVAL if the selected events
 * cannot be added, or if the filter selects a part of the wall time by time or event. Returns
 * -ENODATA if wall time is asked for and no waits were recorded. Call metric_fini() in all cases.
 */
int metric_make(struct recording *recording, struct model *model,
		const struct metric_options *options, struct metric *ret_metric, struct err *err);
void metric_fini(struct metric *metric);

void metric_begin(struct metric *metric);

/*
 * Returns false if @sample is not part of the metric. Otherwise changes its event, its weight and
 * its stack. All ids in @sample must exist in the model; see sample_make_safe().
 */
bool metric_take(struct metric *metric, struct sample *sample);

/*
 * Returns the state that the frame of a call tree (call_frame.h) tells, such as THREAD_BLOCKED for
 * "[blocked]", or THREAD_RUNNING for all frames that metric_options.states did not add.
 */
enum thread_state metric_state_of_frame(const struct profile *profile, uint64_t frame);

/* Returns the image of these frames, or METRIC_NO_IMAGE if there are none. */
uint32_t metric_state_image(const struct model *model);
#define METRIC_NO_IMAGE UINT32_MAX

/* Returns the samples that the recording does not contain. They need no metric_take(). */
static inline const struct sample_batch *metric_rest(const struct metric *metric)
{
	return &metric->rest;
}

#endif
