/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - the last seconds of a recording that goes on, totalled anew for each look at it
 *
 * What `assay top` shows.  A look is a question (by which dimension, of which process, what
 * names) to the samples of a window that moves along; so its shares are those of one stretch of
 * time with their intervals, not averages that forget slowly and have none.  What is not sampled
 * (losses, time of interrupts, our own CPU time) is kept as points in time and told as the
 * difference between the ends of the window.
 *
 *	live_init(&live, 5 * NS_PER_SEC);
 *	live_begin(&live, model, own_cpu_ns, now_ns);
 *	live_add(&live, model, batch, own_cpu_ns, now_ns);	... at each flush
 *	live_look(&live, model, &question, &frame);		... as often as wanted
 *	live_frame_fini(&frame);
 *	live_fini(&live);
 *
 * Memory: the samples of the window, at most LIVE_SAMPLES_MAX of them; what comes on top drives out
 * the oldest, and the window is shorter than asked for: live_frame.span_ns says how long it is.
 * Errors: -ENOMEM.  One thread.
 */
#ifndef ASSAY_ANALYZE_LIVE_H
#define ASSAY_ANALYZE_LIVE_H

#include <regex.h>

#include "analyze/group.h"

#define LIVE_SAMPLES_MAX 2000000u

/* Sums since the start of the recording. */
struct live_point {
	uint64_t time_ns;
	uint64_t cpu_ns, idle_ns, steal_ns;	/* of all CPUs, by /proc/stat; 0 without it */
	uint64_t hardirq_ns, softirq_ns;	/* measured; 0 where they are not timed */
	uint64_t own_cpu_ns;			/* of the recorder */
	struct losses losses;
};

struct live {
	uint64_t window_ns;
	struct sample_batch samples;	/* without counters */
	VEC(struct live_point) points;	/* the last before the window, and those inside it */
};

enum live_order {
	LIVE_BY_SHARE,
	LIVE_BY_NAME,
	LIVE_BY_LATE,	/* samples that interrupts-off code held up */
};

struct live_question {
	enum dimension by;
	uint8_t event;
	enum live_order order;
	bool reverse;
	uint32_t process;	/* of the model; 0: all */
	const regex_t *names;	/* rows whose label matches; NULL: all */
};

struct live_frame {
	struct profile profile;
	struct group_table table;	/* sorted; its total is of all rows, also those whose
					   name was not asked for */
	uint64_t contexts[CONTEXT_COUNT];	/* samples of the event, of all processes */
	struct live_point since;	/* what came in the window; time_ns: when it ends */
	uint64_t span_ns;		/* how long the window is */
};

void live_init(struct live *live, uint64_t window_ns);
void live_fini(struct live *live);

/*
 * From here on (again): what was added before is forgotten, and the sums of the window count from
 * @now_ns, when the recorder had taken @own_cpu_ns and the other sums were those of @model; NULL:
 * nothing had happened yet.
 */
int live_begin(struct live *live, const struct model *model, uint64_t own_cpu_ns, uint64_t now_ns);

/* What was sampled since the last call, in time order, and where the sums stand now. */
int live_add(struct live *live, const struct model *model, const struct sample_batch *batch,
	     uint64_t own_cpu_ns, uint64_t now_ns);

/* live_frame_fini() after success and failure. @model must outlive the frame. */
int live_look(const struct live *live, struct model *model, const struct live_question *question,
	      struct live_frame *ret_frame);
void live_frame_fini(struct live_frame *frame);

/* How many losses there were in the window, of which reason most (LOSS_COUNT: none). */
uint64_t live_lost(const struct live_frame *frame, enum loss *ret_most);

#endif
