/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wall.h - what threads did with all of their time, running or not
 *
 * The wall time of a thread is the part of the recording during which the thread existed. The wall
 * time of a process is the sum over its threads. Each nanosecond of wall time belongs to one part:
 * the thread ran, an interrupt ran in its place, the thread was ready to run but other threads ran,
 * or the thread was blocked (one part for each reason in model/wait.h). The remaining time is
 * `unobserved`. If no waits were recorded, everything except running time and interrupts is
 * unobserved. The unobserved part is signed, because the sampled parts can be too large by chance.
 *
 * Running time and interrupts are estimated from samples. Their shares have intervals, computed
 * from the number of ticks that fit into the wall time. Waits are measured: long waits one by one,
 * short waits as exact sums.
 *
 * A thread of the model is one tid with one name, in one program (model/process.h). Its wall time
 * begins when the recording, the thread and the program have started and the previous name of the
 * tid has ended. If waits were recorded, the wall time ends with the thread's last sample (each
 * thread has a last sample, see model/wait.h). If waits were not recorded, exits are unknown. Then
 * the wall time of a tid's last name ends with the recording, and that of an earlier name ends with
 * the last sample of that name. The idle task is not counted as a thread.
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
	WALL_WOKEN,			/* ready to run after a wakeup, but others ran */
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

/* number of parts that are estimated from samples; they come first */
#define WALL_SAMPLED_COUNT (WALL_INTERRUPT + 1)

struct wall_row {
	uint32_t id;			/* id of a process or thread; 0: sum of all rows */
	uint32_t threads;
	uint64_t wall_ns;
	int64_t ns[WALL_PART_COUNT];	/* the sum of all parts is wall_ns */
	/*
	 * Number of samples if the part is sampled, otherwise number of waits. The recording has
	 * only one number of short waits, for both parts with short waits together. It is stored
	 * under WALL_SHORT_BLOCKED.
	 */
	uint64_t count[WALL_PART_COUNT];
};

struct wall {
	enum dimension by;		/* BY_PROCESS or BY_THREAD */
	/*
	 * sorted by the time in which threads ran, were interrupted or waited for a CPU, longest
	 * first
	 */
	VEC(struct wall_row) rows;
	struct wall_row total;
	/* waits shorter than this are recorded only as sums; 0: no waits were recorded */
	uint64_t min_ns;
	uint64_t period_ns;		/* period of the clock; 0: not fixed */
	/* sentences that say what data is missing and how to record it; NULL: nothing is missing */
	const char *missing;
};

struct wall_making {
	const struct model *model;
	struct match match;
	int kinds[256];			/* enum wait_kind of each event, or -1 */
	uint32_t clock;			/* event from which running time is computed */
	struct wall_thread *threads;	/* by id */
	struct run *runs;		/* by process id */
	uint64_t first_ns, last_ns;	/* timestamps of the first and last of all samples */
};

/*
 * wall_begin() and wall_end() return 0 or -ENOMEM. Call wall_making_fini() after success and
 * failure.
 */
int wall_begin(struct wall_making *making, const struct model *model, const struct filter *filter);
void wall_batch(struct wall_making *making, const struct sample_batch *batch);
int wall_end(struct wall_making *making, enum dimension by, struct wall *ret_wall);
void wall_making_fini(struct wall_making *making);
void wall_fini(struct wall *wall);

/*
 * Calls wall_begin(), wall_batch() and wall_end() for a whole recording. Returns 0, -ENOMEM, or the
 * error of recording_each_block(). Call wall_fini() in all cases.
 */
int wall_read(struct recording *recording, struct model *model, const struct filter *filter,
	      enum dimension by, struct wall *ret_wall, struct err *err);

/*
 * Returns -EINVAL, with the reason in @err, if @filter has conditions on anything other than
 * threads.
 */
int wall_check_filter(const struct filter *filter, struct err *err);

const char *wall_part_name(enum wall_part part);
const char *wall_group_name(enum wall_group group);
enum wall_group wall_part_group(enum wall_part part);

int64_t wall_group_ns(const struct wall_row *row, enum wall_group group);
uint64_t wall_group_count(const struct wall_row *row, enum wall_group group);

/*
 * Returns @ns as a share of the row's wall time, or 0 if the wall time is 0. By chance, the share
 * of sampled time can be above 1, and that of unobserved time below 0.
 */
double wall_share(const struct wall_row *row, int64_t ns);
/*
 * Returns the 95 % interval of the share of a sampled part, or of a group of sampled parts, that
 * has @count samples.
 */
struct interval wall_interval(const struct wall *wall, const struct wall_row *row, uint64_t count);

#endif
