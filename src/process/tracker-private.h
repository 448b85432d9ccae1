/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracker-private.h - shared by the files of the tracker
 *
 *	tracker.c	applies records to the state
 *	tracker_live.c	keeps the tables of processes and threads, and frees their entries
 *	tracker_scan.c	reads the same state from /proc
 *	tracker_who.c	finds the process of a sample when records may be missing
 *	tracker_rows.c	adds rows to the model for processes, threads and mappings that were sampled
 *	tracker_guess.c	finds execs in records that do not tell them
 *	tracker_dumps.c	opens the jitdump files that processes map
 */
#ifndef ASSAY_PROCESS_TRACKER_PRIVATE_H
#define ASSAY_PROCESS_TRACKER_PRIVATE_H

#include "base/u64map.h"
#include "base/vec.h"
#include "process/program_name.h"
#include "process/tracker.h"

struct tracker {
	struct model *model;
	struct pins *pins;
	struct tracker_options options;
	struct u64map processes;		/* tgid -> struct live_process, owned */
	struct u64map threads;		/* tid -> struct live_thread, owned by its process */
	size_t thread_count;
	/* List of exited threads in their grace period, in the order in which they exited */
	struct live_thread *first_exited, *last_exited;
	struct space_clock clock;
	/* Finds an application of the model by its name, without adding the name to the model */
	struct intern application_index;
	/* id of the application "[others]" in the model; 0 until needed */
	uint32_t others;
	uint32_t sweeps;			/* number of pin sweeps so far */
	/* processes that became targets because of their names, and were not taken yet */
	VEC(uint32_t) new_targets;
	struct program_reader programs;
	/* opened jitdumps that the session has not taken yet */
	struct jit_dumps dumps;
	/* assay runs in a pid namespace, so tid 0 may be any task outside of it */
	bool in_namespace;
	/* Offset of our time namespace, which is contained in the start times that /proc shows */
	int64_t boot_shift_ns;
	/*
	 * Record time at which the latest loss of records ended. UINT64_MAX: a loss is still going
	 * on; 0: no records were lost
	 */
	uint64_t lost_until_ns;
	/* EXIT records may be lost, so we must check soon which processes still exist */
	bool vanished_due;
	/* Record time of the latest check for processes that have exited */
	uint64_t vanished_ns;
};

/* ---- tracker_live.c ---- */

/*
 * Adds a process without threads. If another process still has this tgid in the index, the new
 * process takes its place, and the threads of the old process begin their grace period. Returns
 * NULL if out of memory.
 */
struct live_process *live_process_add(struct tracker *tracker, uint32_t tgid, uint64_t time_ns);
/* @process must not have threads. */
void live_process_free(struct tracker *tracker, struct live_process *process);
struct live_process *live_process_get(const struct tracker *tracker, uint32_t tgid);

struct live_thread *live_thread_add(struct tracker *tracker, struct live_process *process,
				    uint32_t tid, uint64_t time_ns);
struct live_thread *live_thread_get(const struct tracker *tracker, uint32_t tid);
void live_thread_rename(struct live_thread *thread, const char *comm);

/* Starts the thread's grace period: the thread has exited, but late samples may still arrive. */
void live_thread_exit(struct tracker *tracker, struct live_thread *thread, uint64_t time_ns);
void live_exit_others(struct tracker *tracker, const struct live_process *process,
		      const struct live_thread *but, uint64_t time_ns);

/*
 * Removes the threads of the process from tracker.threads, so that they can no longer be found by
 * tid. They are not freed.
 */
void live_process_hide(struct tracker *tracker, const struct live_process *process);

/*
 * Advances the tracker to record time @time_ns:
 *
 * - Frees threads whose grace period is over, and each process whose last thread was freed.
 * - After a loss of records, checks which tgids are no longer in use. The threads of these
 *   processes begin their grace period.
 * - If there are many pins, sweeps the pins that no process uses (pins_sweep()).
 */
void live_advance(struct tracker *tracker, uint64_t time_ns);
void live_free_all(struct tracker *tracker);

/* Returns the comm of the process's leader or of any of its threads, or "" if there is none. */
const char *live_process_comm(const struct live_process *process);

/* ---- tracker_dumps.c ---- */

/*
 * Called for each file that a process maps. If the process is a target and the file is, by its
 * name, the process's own jitdump, opens it. Only the first jitdump of each program is opened.
 */
void tracker_see_dump(struct tracker *tracker, struct live_process *process,
		      const struct record_mmap *mmap);

/*
 * Looks for a jitdump among the mappings of a process that became a target after its mappings were
 * read.
 */
void tracker_find_dump(struct tracker *tracker, struct live_process *process);

/* ---- tracker_scan.c ---- */

/*
 * Reads a process with its threads and mappings from /proc. If @wanted is not NULL, the process is
 * accepted only if /proc shows this identity both before and after the reading. If @wanted is NULL,
 * any process is accepted. Perf's process events must then be enabled already, so that they report
 * changes made during the reading. Returns 0, -ENOMEM, or the error of the reading. After an error,
 * there may be no process with this tgid in the index, or an unknown one.
 */
int tracker_read_process(struct tracker *tracker, uint32_t tgid, const struct identity *wanted);

/*
 * If /proc still shows the same process and program, reads the mappings of the process. Otherwise
 * returns -ESRCH. Returns 0 or a negative errno.
 */
int tracker_read_maps(struct tracker *tracker, struct live_process *process);

/*
 * Reads the names and threads of a process from /proc again. The caller has checked that /proc
 * still shows this process. @leader is the thread group leader as /proc showed it. Returns 0 or
 * -ENOMEM.
 */
int tracker_read_again(struct tracker *tracker, struct live_process *process,
		       const struct proc_task *leader, uint64_t time_ns);

/* ---- tracker_who.c ---- */

/*
 * Compares @process with the process that has the same tgid in /proc at present. Sets *ret_leader
 * unless the result is IDENTITY_NOBODY.
 */
enum identity_match tracker_ask(const struct live_process *process, struct proc_task *ret_leader);

/*
 * Returns true if, because of lost records, it is not certain that the tgid still belonged to this
 * process and program at @time_ns. Returns false for an unknown process.
 */
bool tracker_is_in_doubt(const struct live_process *process, uint64_t time_ns);

/*
 * Reads /proc to decide a case in which tracker_is_in_doubt() returned true. If /proc still shows
 * the same process and program, returns @process. Otherwise replaces @process in the index by an
 * unknown process and returns that; @process is freed after its grace period. Returns NULL if out
 * of memory.
 */
struct live_process *tracker_verify(struct tracker *tracker, struct live_process *process,
				    uint64_t time_ns);

/*
 * Returns the process of a sighting (a task named by a sample, see tracker.h). If the process that
 * is known under the sighting's tgid cannot be the right one, replaces it by another process,
 * usually an unknown one, and returns that. Returns NULL if out of memory.
 */
struct live_process *tracker_identify(struct tracker *tracker, const struct sighting *sighting);

/* Returns true if /proc showed no process with this tgid when it was last read. */
static inline bool tracker_has_vanished(const struct live_process *process)
{
	return process->seen_ns && !process->seen.start_ticks;
}

/* Records that the state of the process includes all changes up to @time_ns. */
void tracker_trust(const struct tracker *tracker, struct live_process *process, uint64_t time_ns);

/* ---- tracker.c ---- */

/*
 * Returns the thread with these ids. If the process or the thread is not known, adds it. An added
 * process is unknown, and an added thread gets the comm of its process. Returns NULL if out of
 * memory.
 */
struct live_thread *tracker_thread_bare(struct tracker *tracker, uint32_t tgid, uint32_t tid);

/* Applies a COMM record of exec. Returns 0 or -ENOMEM. */
int tracker_apply_exec(struct tracker *tracker, const struct perf_record *record);

/* Remembers the pin of the process's first mapped file, which is the program's. */
void tracker_see_program(struct tracker *tracker, struct live_process *process, uint32_t pin);

/* Starts a new program in the process, which keeps its tgid and start time. */
void tracker_begin_program(struct tracker *tracker, struct live_process *process, uint64_t time_ns);

/* ---- tracker_rows.c ---- */

/*
 * Finds the application of the program that the process runs, and counts this run as one more
 * instance of the application. Does nothing if this was already done.
 */
void tracker_decide_application(struct tracker *tracker, struct live_process *process);

/* Adds the program's file to the row of a process sampled between exec's name and first mapping. */
void tracker_complete_row(struct tracker *tracker, struct live_process *process);

/*
 * Makes the process a target if it has one of the names in the options. Must be called after
 * tracker_decide_application().
 */
void tracker_choose(struct tracker *tracker, struct live_process *process);

/*
 * Copies the parent's uid and cgroup to a forked child, but only values that the child is certain
 * to have.
 */
void tracker_inherit_owner(const struct live_process *parent, struct live_process *child);

/* Counts the process as one more instance of an existing application. */
void tracker_add_instance(struct tracker *tracker, struct live_process *process,
			  uint32_t application);

/*
 * Returns true if the ids are those of the idle task, of a task outside the pid namespace, or of a
 * task whose ids were already released. There is one entry for each of these kinds, not one for
 * each task.
 */
static inline bool live_is_special(uint32_t tgid, uint32_t tid)
{
	return tid == 0 || tid == LIVE_ID_GONE || tgid == LIVE_ID_GONE;
}

static inline bool live_may_reread(const struct live_process *process, uint64_t time_ns)
{
	return process->reread_ns == 0 || time_ns > process->reread_ns + TRACKER_REREAD_NS;
}

/*
 * Returns the ids under which pins.c opens files through /proc. If /proc must not be read (for
 * recorded files, whose ids may belong to other processes on this machine), returns zeros.
 */
static inline struct pin_user live_pin_user(const struct tracker *tracker,
					    const struct live_process *process)
{
	if (!tracker->options.read_proc)
		return (struct pin_user){ 0 };
	return (struct pin_user){ .tgid = process->tgid, .parent_tgid = process->parent_tgid };
}

#endif
