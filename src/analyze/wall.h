/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wall.h - what threads did with all of their time, running or not
 *
 * The wall time of a thread is how long it lived within the recording; that of a process is the
 * sum over its threads.  Each nanosecond of it is in one part: it ran (as far as samples tell),
 * an interrupt ran in its place, it could have run but others did, or it was blocked, and by what
 * (model/wait.h).  What is in none is `unobserved`: without waits in the recording that is all but
 * the running part.  It is signed, as the sampled part can be too large by chance.
 *
 * Running and interrupts are sampled: their shares have intervals, from the number of ticks that
 * the wall time holds.  Waits are measured one by one, or as exact sums.
 *
 * A thread begins with its process's program, and ends with its last sample where waits were
 * recorded (each thread has a last one, see model/wait.h).  Where they were not, exits are not
 * known: a thread is taken to live until the recording ends, or until its number has another name.
 * The idle task is no thread here.
 *
 *	wall_begin(&making, model, filter);
 *	wall_batch(&making, batch);	... in time order
 *	wall_end(&making, by, &wall);
 */
#ifndef ASSAY_ANALYZE_WALL_H
#define ASSAY_ANALYZE_WALL_H

#include "analyze/group.h"
#include "analyze/match.h"
#include "model/wait.h"
#include "store/recording.h"

enum wall_group {
	WALL_RUNNING,
	WALL_INTERRUPTED,
	WALL_WAITING,
	WALL_SLEEPING,
	WALL_REST,
	WALL_GROUP_COUNT
};

enum wall_part {
	WALL_USER,
	WALL_SYSTEM,
	WALL_INTERRUPT,
	WALL_WOKEN,			/* awake, but others ran */
	WALL_PREEMPTED,
	WALL_SHORT_RUNNABLE,
	WALL_ASLEEP,
	WALL_IO,
	WALL_UNINTERRUPTIBLE,
	WALL_STOPPED,
	WALL_SHORT_BLOCKED,
	WALL_UNOBSERVED,
	WALL_PART_COUNT
};

#define WALL_SAMPLED_COUNT (WALL_INTERRUPT + 1)	/* the first parts; the others are measured */

struct wall_row {
	uint32_t id;			/* process or thread; 0: all together */
	uint32_t threads;
	uint64_t wall_ns;
	int64_t ns[WALL_PART_COUNT];	/* their sum is wall_ns */
	/* Of a sampled part its samples; of the others the waits in it. Of a sum of short waits,
	   which have either part or both, all stand under WALL_SHORT_BLOCKED. */
	uint64_t count[WALL_PART_COUNT];
};

struct wall {
	enum dimension by;		/* BY_PROCESS or BY_THREAD */
	VEC(struct wall_row) rows;	/* most time on or waiting for a CPU first */
	struct wall_row total;
	uint64_t min_ns;		/* waits below are in the sums; 0: no waits were recorded */
	uint64_t period_ns;		/* of the clock; 0: not fixed */
	const char *missing;		/* what is not in the recording and how to get it; NULL */
};

struct wall_making {
	const struct model *model;
	struct match match;
	int kinds[256];			/* by event: enum wait_kind, or -1 */
	uint32_t clock;			/* what running time is taken from */
	struct wall_thread *threads;	/* by id */
	uint64_t first_ns, last_ns;	/* of all samples */
};

/* 0 or -ENOMEM; wall_making_fini() after any of the three. */
int wall_begin(struct wall_making *making, const struct model *model, const struct filter *filter);
void wall_batch(struct wall_making *making, const struct sample_batch *batch);
int wall_end(struct wall_making *making, enum dimension by, struct wall *ret_wall);
void wall_making_fini(struct wall_making *making);
void wall_fini(struct wall *wall);

/* The three over a whole recording; wall_fini() in any case. */
int wall_read(struct recording *recording, struct model *model, const struct filter *filter,
	      enum dimension by, struct wall *ret_wall, struct err *err);

/* -EINVAL, with why, for conditions that choose anything but threads. */
int wall_check_filter(const struct filter *filter, struct err *err);

const char *wall_part_name(enum wall_part part);
const char *wall_group_name(enum wall_group group);
enum wall_group wall_part_group(enum wall_part part);

int64_t wall_group_ns(const struct wall_row *row, enum wall_group group);
uint64_t wall_group_count(const struct wall_row *row, enum wall_group group);

/* Of the row's wall time, in [0, 1] but for the unobserved; 0 of nothing. */
double wall_share(const struct wall_row *row, int64_t ns);
/* Of a sampled part or group with @count samples. */
struct interval wall_interval(const struct wall *wall, const struct wall_row *row, uint64_t count);

#endif
