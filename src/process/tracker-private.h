/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracker-private.h - what the files of the tracker share
 *
 *	tracker.c	records -> changes of state
 *	tracker_live.c	the tables of processes and threads, and when they are forgotten
 *	tracker_scan.c	/proc -> the same state
 *	tracker_who.c	whose a sample is, where records may be missing
 *	tracker_rows.c	what was sampled -> rows of the model
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
	struct live_thread *first_exited, *last_exited;	/* in their grace, oldest first */
	struct space_clock clock;
	struct intern application_index;	/* name -> application: asks without adding */
	uint32_t others;			/* application "[others]", 0 until needed */
	uint32_t sweeps;			/* of pins, so far */
	struct jit_dumps dumps;			/* that nobody took yet */
	bool in_namespace;			/* tid 0 may be anybody outside */
	int64_t boot_shift_ns;			/* what starts are shown later in /proc */
	uint64_t lost_until_ns;			/* records were lost, the last of them by then */
	bool vanished_due;			/* EXIT records may be lost */
	uint64_t vanished_ns;			/* record time of the last search for those gone */
};

/* ---- tracker_live.c ---- */

/* A process that has no threads yet, in the place of any that had its tgid. NULL: no memory. */
struct live_process *live_process_add(struct tracker *tracker, uint32_t tgid, uint64_t time_ns);
void live_process_free(struct tracker *tracker, struct live_process *process);	/* has no threads */
struct live_process *live_process_get(const struct tracker *tracker, uint32_t tgid);

struct live_thread *live_thread_add(struct tracker *tracker, struct live_process *process,
				    uint32_t tid, uint64_t time_ns);
struct live_thread *live_thread_get(const struct tracker *tracker, uint32_t tid);
void live_thread_rename(struct live_thread *thread, const char *comm);

/* Begins the thread's grace. */
void live_thread_exit(struct tracker *tracker, struct live_thread *thread, uint64_t time_ns);
void live_exit_others(struct tracker *tracker, const struct live_process *process,
		      const struct live_thread *but, uint64_t time_ns);

/* Nobody finds its threads by their tids any more. */
void live_process_hide(struct tracker *tracker, const struct live_process *process);

/*
 * It is @time_ns now: frees the threads, and with them the processes, whose grace is over;
 * after a loss begins the grace of processes whose tgid is nobody's any more; and has pins
 * forgotten that no process shows.
 */
void live_advance(struct tracker *tracker, uint64_t time_ns);
void live_free_all(struct tracker *tracker);

/* The comm of the process's leader or of any of its threads; "" when it has none. */
const char *live_process_comm(const struct live_process *process);

/* ---- tracker_dumps.c ---- */

/*
 * Opens what a process maps if it is called as its own jitdump is, and the process may be sampled:
 * the first of each program.
 */
void tracker_see_dump(struct tracker *tracker, struct live_process *process,
		      const struct record_mmap *mmap);

/* Looks for one among the mappings of who became a target after they were read. */
void tracker_find_dump(struct tracker *tracker, struct live_process *process);

/* ---- tracker_scan.c ---- */

/*
 * Reads a process with its threads and maps; @wanted: only if /proc shows that one, before and
 * after, NULL: anybody, when records tell what changes meanwhile.  0, -ENOMEM, or why it could not
 * be read; a process that had the tgid before may be gone then, and be an unknown one.
 */
int tracker_read_process(struct tracker *tracker, uint32_t tgid, const struct identity *wanted);

/* Its maps, if /proc still shows this process with this program; else a negative errno. */
int tracker_read_maps(struct tracker *tracker, struct live_process *process);

/* Names and threads of a process that /proc was found to show. 0 or -ENOMEM. */
int tracker_read_again(struct tracker *tracker, struct live_process *process,
		       const struct proc_task *leader, uint64_t time_ns);

/* ---- tracker_who.c ---- */

/* Who has the tgid now; *ret_leader is set unless nobody. */
enum identity_match tracker_ask(const struct live_process *process, struct proc_task *ret_leader);

/* Are records missing that could say who has its tgid at @time_ns? */
bool tracker_is_in_doubt(const struct live_process *process, uint64_t time_ns);

/*
 * Settles that: the process, or an unknown one in its place (the other one is freed after its
 * grace).  NULL: out of memory.
 */
struct live_process *tracker_verify(struct tracker *tracker, struct live_process *process,
				    uint64_t time_ns);

/*
 * Whose the sighting is: the process of its tgid, or an unknown one in its place.  NULL: out of
 * memory.
 */
struct live_process *tracker_identify(struct tracker *tracker, const struct sighting *sighting);

/* Nobody had the tgid when /proc was asked last. */
static inline bool tracker_has_vanished(const struct live_process *process)
{
	return process->seen_ns && !process->seen.start_ticks;
}

/* All is known of the process as of @time_ns. */
void tracker_trust(const struct tracker *tracker, struct live_process *process, uint64_t time_ns);

/* ---- tracker.c ---- */

/* The process and thread that a record is about; entered bare where they were not known. */
struct live_thread *tracker_thread_bare(struct tracker *tracker, uint32_t tgid, uint32_t tid);

/* The tgid and its start stay, the program is another one. */
void tracker_begin_program(struct tracker *tracker, struct live_process *process, uint64_t time_ns);

/* ---- tracker_rows.c ---- */

/* Counts the process's program as one more instance, if that was not done yet. */
void tracker_decide_application(struct tracker *tracker, struct live_process *process);

/* What a fork is sure to have of its parent's uid and cgroup. */
void tracker_inherit_owner(const struct live_process *parent, struct live_process *child);

/* One more instance of an application that is known. */
void tracker_add_instance(struct tracker *tracker, struct live_process *process,
			  uint32_t application);

/* The idle task or who is outside, and the one entry for all whose ids are gone. */
static inline bool live_is_special(uint32_t tgid, uint32_t tid)
{
	return tid == 0 || tid == LIVE_ID_GONE || tgid == LIVE_ID_GONE;
}

static inline bool live_may_reread(const struct live_process *process, uint64_t time_ns)
{
	return process->reread_ns == 0 || time_ns > process->reread_ns + TRACKER_REREAD_NS;
}

/* Whose view of the files is asked; nobody's, where who has those ids here is somebody else. */
static inline struct pin_user live_pin_user(const struct tracker *tracker,
					    const struct live_process *process)
{
	if (!tracker->options.read_proc)
		return (struct pin_user){ 0 };
	return (struct pin_user){ .tgid = process->tgid, .parent_tgid = process->parent_tgid };
}

#endif
