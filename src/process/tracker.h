/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracker.h - the processes that live now, and what they have mapped
 *
 * Fed once from /proc and from then on by perf's sideband records in time order, so that at
 * any sample its state is the machine's state at that moment.  It forgets a process when its
 * last thread has exited: only what was sampled is kept, as rows of the model, which are made
 * here at the first sample of a thread.  A fork shares its parent's address space until one of
 * the two changes it, so that a storm of forks costs a reference count each.
 *
 * What /proc says of a process is read by somebody else's leave: processes vanish between two
 * reads, names contain anything.  Vanished is normal, not an error.  /proc shows a later moment
 * than the records that are being applied: a record older than the reading it would change is
 * passed over.
 *
 * The kernel samples a task until it is switched away for the last time, a little after its
 * EXIT record, or long after it where much memory is to be given back: who exited stays known
 * until it was not sampled for TRACKER_GRACE_NS of record time, or its tid is given to somebody
 * else.
 *
 * Records can be lost.  From tracker_distrust() on nobody is taken for who he was before /proc was
 * asked, at his next sample: whoever still is the same process and runs the same program
 * (identity.h) was so all the time, and goes on, with names, threads and mappings as they are now.
 * They are read at most once in TRACKER_REREAD_NS: where losses follow each other faster, names
 * and threads stay as they were known, and mappings are unknown until then; where only mappings can
 * tell which program it is, it is taken for somebody else.
 * Of everybody else it is unknown when he became what /proc shows, so his samples are those of a
 * process without name and mappings (LOSS_PROCESS_UNVERIFIED); when one of them lies between two
 * readings that agree, the process is what they show from then on.  So it is with processes
 * that only their ids are known of (LOSS_PROCESS_UNKNOWN).
 *
 * The in-kernel sampler says itself whose a stack is, by the number of a life (bpf/wire.h): with it
 * a sample is never given to another life, whatever records say (tracker_meet()).
 *
 * In a pid namespace the kernel writes 0 for every task outside of it, as it does for the idle
 * task: there tid 0 is "[outside]".
 *
 * Applications and instances (model/process.h) are counted for every program that was seen, a
 * fork as one more of its parent's application, an exec as one of the new program's.
 */
#ifndef ASSAY_PROCESS_TRACKER_H
#define ASSAY_PROCESS_TRACKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/address_space.h"
#include "process/budget.h"
#include "process/identity.h"
#include "process/jit_dumps.h"
#include "process/pins.h"
#include "perf/record.h"
#include "model/model.h"

#define TRACKER_GRACE_NS (UINT64_C(100) * 1000000)

/* How often /proc is asked again about one process, in record time. */
#define TRACKER_REREAD_NS (UINT64_C(500) * 1000000)

/* Applications that were never sampled; past that many names they are counted as "[others]". */
#define TRACKER_APPLICATIONS_MAX 4096

#define LIVE_COMM_MAX 16	/* TASK_COMM_LEN */

/* tgid and tid that perf writes for a task whose ids are gone already. */
#define LIVE_ID_GONE UINT32_MAX

struct live_process {
	uint32_t tgid, parent_tgid;
	uint64_t start_ns, exec_ns;
	uint32_t application, instance;	/* application 0: not known yet */
	uint32_t main_pin;		/* the program's file, 0: not known */
	uint32_t exe;			/* as in struct process */
	uint32_t cgroup, uid;		/* its own, or what it was forked with; 0, UINT32_MAX:
					   not known for sure */
	uint32_t inner_tgid;		/* in its own pid namespace; tgid until was_read */
	uint32_t model_process;		/* 0 until sampled; 0 again after exec */
	uint32_t thread_count;		/* including those in their grace */
	bool kernel_thread;
	bool is_target;			/* of the command, -p or -t: inherited by fork */
	bool maps_known;		/* scanned or built from fork/exec records; else space is
					   not looked into before it was read */
	bool was_read;			/* cgroup and uid are its own, from /proc */
	bool uid_told;			/* and so is uid, from the in-kernel sampler */
	bool unknown;			/* nothing but ids was seen of it */
	bool unverified;		/* ... because records are missing */
	bool distrusted;		/* records about it may be missing, */
	uint64_t verified_ns;		/* but not of what came until then */
	bool gone;			/* what /proc shows is somebody else, or nobody */
	uint64_t start_ticks;		/* as in struct identity; 0: not known */
	uint64_t start_code, start_stack;
	uint64_t seen_ns;		/* unknown: when /proc was asked last, 0: never, */
	struct proc_task seen;		/* and what it said of the leader */
	uint64_t scanned_ns;		/* when /proc was read for the whole of it, 0: never */
	uint64_t maps_ns;		/* and for its maps */
	uint64_t reread_ns;		/* record time of the last reading for a sample */
	struct address_space *space;	/* NULL: nothing mapped */
	struct budget new_callers;	/* see chain.h */
	struct budget new_nodes;	/* of stacks, see chain.h */
	struct budget new_mappings;	/* see tracker_mapping_of_caller() */
	struct live_thread *threads;	/* list by next_sibling */
	bool dump_was_seen;		/* a jitdump, by the program that */
	uint64_t dump_exec_ns;		/* began then */
	uint32_t nowhere_count;		/* see capture/bpf_collector.c */
	uint64_t life;			/* of capture/bpf_collector.h: what the sampler calls it, */
	uint64_t walked_stamp;		/* and as of which stamp it is walked; 0: not (known), */
	uint64_t walked_tables;		/* and image_tables_made() */
};

struct live_thread {
	uint32_t tid;
	uint32_t model_thread;		/* 0 until sampled under this comm */
	char comm[LIVE_COMM_MAX];
	uint64_t start_ns;
	uint64_t exit_ns;		/* 0 while it lives; */
	uint64_t sampled_ns;		/* since then, 0: not */
	uint64_t scanned_ns;		/* when /proc was read for it, 0: never */
	struct live_process *process;
	struct live_thread *next_sibling, *previous_sibling;
	struct live_thread *next_exited;
};

struct tracker_options {
	bool all_are_targets;		/* -a: is_target is always true */
	bool read_proc;			/* false in tests and for files: then /proc is not
					   looked into for anything */
};

struct tracker;

int tracker_new(struct model *model, struct pins *pins, const struct tracker_options *options,
		struct tracker **ret_tracker);
void tracker_free(struct tracker *tracker);	/* NULL is fine */

/* Every process of /proc (@tgid 0) or one. Entries that vanish are passed over. */
int tracker_scan(struct tracker *tracker, uint32_t tgid, struct err *err);

/* Marks a live process (all its threads) as target. False when it is not known. */
bool tracker_mark_target(struct tracker *tracker, uint32_t tgid);

/* MMAP, COMM, FORK, EXIT; other kinds are ignored. 0 or -ENOMEM. */
int tracker_apply(struct tracker *tracker, const struct perf_record *record);

/*
 * Of a file that lists who lived when it was begun: a FORK with was_there, for a process or one
 * more thread of it.  What the process has mapped, and its name, come in records behind it; with
 * @kernel_thread it has none.  0 or -ENOMEM.
 */
int tracker_enter(struct tracker *tracker, const struct perf_record *record, bool kernel_thread);

/*
 * Records about processes were lost that were written after @from_ns and not after @until_ns,
 * UINT64_MAX: it goes on.  To be called in time order, at @from_ns.
 */
void tracker_distrust(struct tracker *tracker, uint64_t from_ns, uint64_t until_ns);

/* What still went on does so no longer: nothing was lost after @until_ns. */
void tracker_end_distrust(struct tracker *tracker, uint64_t until_ns);

/* A task, as a sample or its stack has it. */
struct sighting {
	uint32_t tgid, tid;
	uint64_t time_ns;
	uint64_t life;			/* bpf/wire.h; 0: not known */
	const struct record_owner *owner;	/* NULL: not known */
};

/*
 * A stack of the in-kernel sampler.  When its life is not that of the process that has the tgid
 * here, another begins: read from /proc where that shows this very life, else without mappings and
 * with no other name than the comm.  0 or -ENOMEM.
 */
int tracker_meet(struct tracker *tracker, const struct sighting *sighting);

/*
 * The thread a sample names; an unknown one is read from /proc or, when it is gone, entered
 * as a process without mappings.  tid 0 is the idle task, one for all CPUs, or in a pid
 * namespace whoever is outside.  NULL only when out of memory.  Valid until the next record is
 * applied.
 */
struct live_thread *tracker_thread(struct tracker *tracker, uint32_t tgid, uint32_t tid,
				   uint64_t time_ns);

/*
 * The same for a sample; one in user mode with tid 0 proves that we are in a pid namespace.
 * @life: whose it is, where that was said; 0: not.
 */
struct live_thread *tracker_thread_of(struct tracker *tracker, const struct perf_record *sample,
				      uint64_t life);

/*
 * Says whose a process is, before it gets a row: then /proc need not be asked, or for its cgroup
 * alone, where @cgroup is 0.
 */
void tracker_tell_owner(struct tracker *tracker, uint32_t tgid, uint32_t uid, uint32_t cgroup);

/* The process if any of its threads still runs, or NULL. */
struct live_process *tracker_process(struct tracker *tracker, uint32_t tgid);

bool tracker_is_idle(const struct live_thread *thread);

/*
 * The model's row for the thread, made with its process on first use; 0: out of memory.  To be
 * called once for each sample: those of unknown processes are counted (LOSS_PROCESS_UNKNOWN).
 */
uint32_t tracker_model_thread(struct tracker *tracker, struct live_thread *thread);

/*
 * The mapping that holds @addr, or NULL.  When an address that is surely code (the sampled one,
 * not a return address found on a stack) is in none, the maps of the process are read again
 * (mremap and munmap give no record), at most once in TRACKER_REREAD_NS for each process.  A
 * mapping that is hit for the first time is entered into the model; one that forked processes
 * share, only for the process that hit it first.
 *
 * A program can map and unmap for ever and name each mapping as a caller without ever running
 * in it, and each would be a row, with a file's path of up to 4 KiB.  So a process gets a budget
 * of them: 4096 at once, several times what the largest programs have (some hundred libraries),
 * then 50 a second, faster than anybody loads plugins.  Past that a caller in a mapping that was
 * not hit before has none: NULL with *ret_over_budget.  The sampled address always gets its own.
 */
const struct live_mapping *tracker_mapping(struct tracker *tracker, struct live_process *process,
					   uint64_t addr, uint64_t time_ns);
const struct live_mapping *tracker_mapping_of_caller(struct tracker *tracker,
						     struct live_process *process, uint64_t addr,
						     uint64_t time_ns, bool *ret_over_budget);

/*
 * Identity of the process's address space that changes whenever its mappings do. Processes
 * with the same stamp have the same images at the same addresses.  0: none that is known.
 */
uint64_t tracker_space_stamp(const struct live_process *process);

/* As jit_dumps_take(). */
bool tracker_take_jit_dump(struct tracker *tracker, struct jit_mapped_dump *ret_dump);

/* How many processes and threads are known now, those in their grace included. */
size_t tracker_thread_count(const struct tracker *tracker);

#endif
