/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_spans.h - a stopwatch that runs during a recording (model/span.h)
 *
 * Its single spans are sent to the capture, so that it is known which samples fell into them.
 */
#ifndef ASSAY_SESSION_RECORD_SPANS_H
#define ASSAY_SESSION_RECORD_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "readers/readers.h"
#include "session/listener.h"
#include "sampler/irq_time.h"
#include "stopwatch/point.h"
#include "stopwatch/span_times.h"

/* All strings and arrays are borrowed. */
struct record_spans_options {
	struct span_points what;	/* nothing: no stopwatch */
	const char *program_dirs;	/* where programs are found: $PATH */
	bool return_probes;		/* see stopwatch/stopwatch.h */
	bool every;			/* send all single spans, not only the interesting ones */
	const char *counters;		/* events to count in calls: see span_counters.h; or NULL */
	bool interrupts;		/* how long these took in calls */
	/* A value of calls that is recorded besides their time. SPAN_TIME: none. */
	enum span_measure measure;
	const char *value;		/* its name */
	/*
	 * Which spans are slow: those that take at least slow_ns, or more than a @slow_share (such
	 * as 0.99) of all spans at the same points. Both 0: none.
	 */
	uint64_t slow_ns;
	double slow_share;
	/* the probes are removed if they take more of the machine's CPU time; 0: no limit */
	double max_overhead_percent;
};

struct record_spans;

static inline bool record_spans_are_wanted(const struct record_spans_options *options)
{
	return options->what.point_count || options->what.join_count || options->what.run_queue;
}

/* What the stopwatch is for. The model and the options must live longer. */
struct record_spans_parts {
	const struct record_spans_options *options;
	const struct capture_options *capture_options;
	struct capture *capture;
	struct model *model;
	struct readers *readers;
	const struct kallsyms *kallsyms;
	uint64_t tick_ns;		/* what a sampling interrupt takes; 0: unknown */
	const struct irq_time *irq_time;	/* NULL: interrupts are not timed */
};

/* Finds the points, and attaches the probes. Adds the events of the spans to the model. */
int record_spans_new(const struct record_spans_parts *parts, struct record_spans **ret_spans,
		     struct err *err);

/* Tells how many points there are, and what their probes cost. NULL is allowed. */
void record_spans_say(const struct record_spans *spans, const struct session_listener *listener);

/* NULL is allowed in these: nothing is measured. */
void record_spans_free(struct record_spans *spans);
void record_spans_enable(struct record_spans *spans);
void record_spans_disable(struct record_spans *spans);

/* Writes the totals so far to the model. */
void record_spans_read(struct record_spans *spans);

/* Returns when record_spans_judge() is due, on CLOCK_MONOTONIC; 0: never. */
uint64_t record_spans_due_ns(const struct record_spans *spans);

/*
 * If this is due, finds out anew from which duration on spans are slow, and removes the probes if
 * they take too much, which the listener is told.
 */
void record_spans_judge(struct record_spans *spans, uint64_t now_ns,
			const struct session_listener *listener);

#endif
