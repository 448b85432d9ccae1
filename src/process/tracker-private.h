/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracker-private.h - shared by the files of the tracker
 *
 *	tracker.c	applies records to the state
 *	tracker_live.c	the tables of processes and threads, and when their entries are freed
 *	tracker_scan.c	reads the same state from /proc
 *	tracker_who.c	finds the process of a sample when records may be missing
 *	tracker_rows.c	makes rows in the model for what was sampled
 *	tracker_dumps.c	opens the jitdump files that processes map
 */
#ifndef ASSAY_PROCESS_TRACKER_PRIVATE_H
#define ASSAY_PROCESS_TRACKER_PRIVATE_H

#include "base/u64map.h"
#include "process/tracker.h"

struct tracker {
	struct model *model;
	struct pins *pins;
	struct tracker_options options;
	struct u64map processes;		/* tgid -> struct live_process, owned */
	struct u64map threads;		/* tid -> struct live_thread, owned by its process */
	size_t thread_count;
	/* Exited threads in their grace period, oldest first */
	struct live_thread *first_exited, *last_exited;
	struct space_clock clock;
	/* Maps names to applications; used for lookups that do not add */
	struct intern application_index;
	uint32_t others;			/* the application "[others]"; 0 until needed */
	uint32_t sweeps;			/* number of pin sweeps so far */
	struct jit_dumps dumps;			/* opened, but not taken by the caller yet */
	/* In a pid namespace: tid 0 may be any task outside it */
	bool in_namespace;
	/* Offset of the start times in /proc, from our time namespace */
	int64_t boot_shift_ns;
	/* Latest time at which records were lost; 0: never */
	uint64_t lost_until_ns;
	bool vanished_due;			/* EXIT records may have been lost */
	/* Record time of the last search for processes that have exited */
	uint64_t vanished_ns;
};

/* ---- tracker_live.c ---- */

/*
 * Adds a process without threads. It replaces any process that had its tgid. Returns NULL if out of
 * memory.
 */
struct live_process *live_process_add(struct tracker *tracker, uint32_t tgid, uint64_t time_ns);
/* @process must not have threads. */
void live_process_free(struct tracker *tracker, struct live_process *process);
struct live_process *live_process_get(const struct tracker *tracker, uint32_t tgid);

struct live_thread *live_thread_add(struct tracker *tracker, struct live_process *process,
				    uint32_t tid, uint64_t time_ns);
struct live_thread *live_thread_get(const struct tracker *tracker, uint32_t tid);
void live_thread_rename(struct live_thread *thread, const char *comm);

/* Starts the grace period of the thread. */
void live_thread_exit(struct tracker *tracker, struct live_thread *thread, uint64_t time_ns);
void live_exit_others(struct tracker *tracker, const struct live_process *process,
		      const struct live_thread *but, uint64_t time_ns);

/* Removes the threads of the process from the index by tid. */
void live_process_hide(struct tracker *tracker, const struct live_process *process);

/*
 * Advances to record time @time_ns. Frees threads whose grace period is over, and each process
 * whose last thread was freed. After a loss of records, starts the grace period of processes whose
 * tgid is no longer in use. If there are many pins, drops those that no process uses.
 */
void live_advance(struct tracker *tracker, uint64_t time_ns);
void live_free_all(struct tracker *tracker);

/* Returns the comm of the process's leader or of any of its threads, or "" if there is none. */
const char *live_process_comm(const struct live_process *process);

/* ---- tracker_dumps.c ---- */

/*
 * Opens the file that a process maps, if the file has the name of that process's own jitdump and
 * the process may be sampled. Only the first jitdump of each program is opened.
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
 * Reads a process from /proc, with its threads and mappings. If @wanted is not NULL, the process is
 * accepted only if /proc shows this identity before and after reading. If @wanted is NULL, any
 * process is accepted; then records must report changes made while reading. Returns 0, -ENOMEM, or
 * the error of reading. After an error, the process that had the tgid may have been replaced by an
 * unknown one.
 */
int tracker_read_process(struct tracker *tracker, uint32_t tgid, const struct identity *wanted);

/*
 * Reads the mappings of a process, if /proc still shows the same process and program. Returns 0 or
 * a negative errno.
 */
int tracker_read_maps(struct tracker *tracker, struct live_process *process);

/*
 * Reads the names and threads again of a process that /proc was found to still show. Returns 0 or
 * -ENOMEM.
 */
int tracker_read_again(struct tracker *tracker, struct live_process *process,
		       const struct proc_task *leader, uint64_t time_ns);

/* ---- tracker_who.c ---- */

/*
 * Compares the process with the one that has its tgid in /proc now. Sets *ret_leader unless it
 * returns IDENTITY_NOBODY.
 */
enum identity_match tracker_ask(const struct live_process *process, struct proc_task *ret_leader);

/* Returns true if records may be missing that would say which process has the tgid at @time_ns. */
bool tracker_is_in_doubt(const struct live_process *process, uint64_t time_ns);

/*
 * Settles that doubt. Returns the process itself, or an unknown one that replaces it (the old
 * process is freed after its grace period). Returns NULL if out of memory.
 */
struct live_process *tracker_verify(struct tracker *tracker, struct live_process *process,
				    uint64_t time_ns);

/*
 * Returns the process of a sighting: the process with its tgid, or an unknown one that replaces it.
 * Returns NULL if out of memory.
 */
struct live_process *tracker_identify(struct tracker *tracker, const struct sighting *sighting);

/* Returns true if no process had the tgid when /proc was last read. */
static inline bool tracker_has_vanished(const struct live_process *process)
{
	return process->seen_ns && !process->seen.start_ticks;
}

/* Records that the state of the process is complete as of @time_ns. */
void tracker_trust(const struct tracker *tracker, struct live_process *process, uint64_t time_ns);

/* ---- tracker.c ---- */

/*
 * Returns the thread that a record describes. An unknown process or thread is added with its ids
 * only. Returns NULL if out of memory.
 */
struct live_thread *tracker_thread_bare(struct tracker *tracker, uint32_t tgid, uint32_t tid);

/* Starts a new program in the process, which keeps its tgid and start time. */
void tracker_begin_program(struct tracker *tracker, struct live_process *process, uint64_t time_ns);

/* ---- tracker_rows.c ---- */

/* Counts the process's program as an instance of its application, unless that was done already. */
void tracker_decide_application(struct tracker *tracker, struct live_process *process);

/*
 * Sets the uid and cgroup of @child, as far as a forked child is certain to have them from its
 * parent.
 */
void tracker_inherit_owner(const struct live_process *parent, struct live_process *child);

/* Counts the process as one more instance of an existing application. */
void tracker_add_instance(struct tracker *tracker, struct live_process *process,
			  uint32_t application);

/*
 * Returns true for the idle task, for tasks outside the pid namespace, and for the one entry of all
 * tasks whose ids are gone.
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
 * Returns the process whose view of the file system is used to open files. Returns none if /proc is
 * not used, because the ids may then belong to another process on this machine.
 */
static inline struct pin_user live_pin_user(const struct tracker *tracker,
					    const struct live_process *process)
{
	if (!tracker->options.read_proc)
		return (struct pin_user){ 0 };
	return (struct pin_user){ .tgid = process->tgid, .parent_tgid = process->parent_tgid };
}

#endif
