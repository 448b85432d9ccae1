/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracker.h - the live processes and what they have mapped
 *
 * The tracker reads /proc once and then follows perf's process events in time order. When a sample
 * is processed, the tracker's state is therefore that of the machine at the time of the sample. The
 * tracker forgets a process when the last thread of the process has exited. Only processes, threads
 * and mappings that were sampled are kept for good, as rows of the model (the recorded data). The
 * tracker adds these rows at the first sample of a thread or mapping. A forked process shares its
 * parent's address space until one of the two changes it, so each fork costs only a reference
 * count.
 *
 * The contents of /proc are under the control of other processes: they may exit between two reads,
 * and their names may contain any bytes. It is not an error if a process has exited. When /proc is
 * read, it shows a later state than the one that the records being applied describe. So a record is
 * skipped if it is older than the /proc data that it would change.
 *
 * The kernel samples a task until it is switched away for the last time. That is shortly after its
 * EXIT record, or long after it if much memory must be freed. So an exited thread has a grace
 * period. The tracker forgets it when no sample of it has arrived for TRACKER_GRACE_NS of record
 * time, or when another thread gets its tid.
 *
 * Records can be lost. After tracker_distrust(), a process must be verified at its next sample:
 * /proc is read and compared with the known identity of the process (identity.h). There are two
 * cases:
 *
 * - /proc shows the same process running the same program. Then this was also true at the time of
 *   the sample. The process continues with the names, threads and mappings that /proc shows now.
 *   These are read at most once per TRACKER_REREAD_NS. If losses follow each other faster, names
 *   and threads stay as they were, and mappings are unknown until the next read. If only the
 *   mappings could show that the program is the same, it is then treated as another program.
 * - /proc shows something else. It is then unknown since when this has been the case, so the
 *   samples are assigned to a process without name and mappings (LOSS_PROCESS_UNVERIFIED). This
 *   lasts until two readings of /proc agree and a sample lies between them. From then on the
 *   process is the one that these readings show.
 *
 * Processes of which only the ids are known are handled like the second case
 * (LOSS_PROCESS_UNKNOWN). If /proc must not be read (recorded files), a COMM or MMAP record makes
 * such a process known. Every process then lives until its EXIT record, even if no FORK record
 * shows its start: perf before 3.12 writes none for processes that exist already.
 *
 * The in-kernel sampler gives a number to each program that a process runs. One program run by one
 * process is called a life (bpf/wire.h). If a sample contains the number of its life, it is never
 * assigned to another life, whatever the records say (tracker_meet()).
 *
 * In a pid namespace, the kernel writes id 0 for every task outside the namespace, and also for the
 * idle task. In this case tid 0 is shown as "[outside]".
 *
 * Applications (programs of the same name) and instances (runs of an application, see
 * model/process.h) are counted for every program that was seen, sampled or not. A fork counts as
 * one more instance of its parent's application, and an exec as an instance of the new program's
 * application.
 */
#ifndef ASSAY_PROCESS_TRACKER_H
#define ASSAY_PROCESS_TRACKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/identity.h"
#include "process/jit_dumps.h"
#include "process/live.h"
#include "process/pins.h"
#include "perf/record.h"
#include "model/model.h"

#define TRACKER_GRACE_NS (UINT64_C(100) * 1000000)

/* Minimum time between two reads of /proc for the same process, in record time. */
#define TRACKER_REREAD_NS (UINT64_C(500) * 1000000)

/*
 * Maximum number of applications in the model. When it is reached, runs of new programs are counted
 * as instances of "[others]" until they are sampled.
 */
#define TRACKER_APPLICATIONS_MAX 4096

struct tracker_options {
	bool all_are_targets;		/* -a: every process is to be sampled */
	/* false in tests and for recorded files: /proc must not be read */
	bool read_proc;
	bool command_lines;		/* keep the command lines of sampled processes */
	/*
	 * the COMM records do not tell execs (recorded files of kernels before 3.16), so mappings
	 * decide which of them were execs. Ends at the first COMM that tells one.
	 */
	bool guess_execs;
	/*
	 * names of programs whose processes are to be sampled, also those that start later;
	 * borrowed. See tracker_take_target().
	 */
	const char *const *names;
	size_t name_count;
};

struct tracker;

int tracker_new(struct model *model, struct pins *pins, const struct tracker_options *options,
		struct tracker **ret_tracker);
void tracker_free(struct tracker *tracker);	/* accepts NULL */

/*
 * Reads every process in /proc, or only @tgid if that is not 0. Processes that exit meanwhile are
 * skipped.
 */
int tracker_scan(struct tracker *tracker, uint32_t tgid, struct err *err);

/*
 * Marks a live process with all its threads as a target (to be sampled). Returns false if the
 * process is not known.
 */
bool tracker_mark_target(struct tracker *tracker, uint32_t tgid);

/*
 * Takes the tgid of the next process that became a target because of its name. A process is called
 * by a name of the options if that is the name of its application, such as "python3 app.py", its
 * first word or the name of its file. Returns false if there is none.
 */
bool tracker_take_target(struct tracker *tracker, uint32_t *ret_tgid);

/* Applies a MMAP, COMM, FORK or EXIT record; other kinds are ignored. Returns 0 or -ENOMEM. */
int tracker_apply(struct tracker *tracker, const struct perf_record *record);

/*
 * Adds a process, or a thread of a known process, that was already running when an imported file
 * begins. @record is a FORK record with was_there set. Later records contain the name and the
 * mappings of the process. If @kernel_thread is true, the process has no mappings. Returns 0 or
 * -ENOMEM.
 */
int tracker_enter(struct tracker *tracker, const struct perf_record *record, bool kernel_thread);

/*
 * Reports that process events were lost that had been written after @from_ns and not later than
 * @until_ns. UINT64_MAX as @until_ns means that the loss is still going on. Report losses in time
 * order, and only after applying all records up to @from_ns.
 */
void tracker_distrust(struct tracker *tracker, uint64_t from_ns, uint64_t until_ns);

/* Reports that a loss that was still going on ended at @until_ns. */
void tracker_end_distrust(struct tracker *tracker, uint64_t until_ns);

/* A task that is named in a sample or in a stack from the in-kernel sampler. */
struct sighting {
	uint32_t tgid, tid;
	uint64_t time_ns;
	/* number of the life (one program run by one process, see bpf/wire.h); 0: unknown */
	uint64_t life;
	/* facts about the process from the in-kernel sampler; NULL: unknown */
	const struct record_owner *owner;
};

/*
 * Tells the tracker to which life (one program run by one process) a record of the in-kernel
 * sampler belongs. Must be called for each stack and for each sample with a copied stack, before
 * tracker_thread_of(). If the process known under the tgid has another life than @sighting,
 * replaces it by a new process. If /proc shows exactly the process and program of @sighting, the
 * new process is read from /proc. Otherwise the new process has no mappings, and the comm is its
 * only name. Returns 0 or -ENOMEM.
 */
int tracker_meet(struct tracker *tracker, const struct sighting *sighting);

/*
 * Returns the thread that a sample names. If the thread is not known, adds it to its process, with
 * the comm of the process. If the process is not known either, adds an unknown process without name
 * and mappings. Later samples can cause the tracker to read that process from /proc (see above).
 * tid 0 is the idle task (one entry for all CPUs) or, in a pid namespace, any task outside the
 * namespace. Returns NULL only if out of memory. The result is valid until the next record is
 * applied.
 *
 * A sample in user mode with tid 0 proves that assay runs in a pid namespace. @life is the number
 * of the life that the sample belongs to, or 0 if unknown.
 */
struct live_thread *tracker_thread_of(struct tracker *tracker, const struct perf_record *sample,
				      uint64_t life);

/*
 * Sets the uid and cgroup of a process, unless they were already determined. The tracker then does
 * not read them from /proc. If @cgroup is 0, only the uid is set, and the tracker still reads the
 * cgroup.
 */
void tracker_tell_owner(struct tracker *tracker, uint32_t tgid, uint32_t uid, uint32_t cgroup);

/* Returns the process if any of its threads is still running, otherwise NULL. */
struct live_process *tracker_process(struct tracker *tracker, uint32_t tgid);

bool tracker_is_idle(const struct live_thread *thread);

/*
 * Returns the id of the thread's row in the model, or 0 if out of memory. The first call for a
 * thread adds the row, and that of its process. Must be called exactly once per sample, because
 * each call for an unknown process counts one loss (LOSS_PROCESS_UNKNOWN or
 * LOSS_PROCESS_UNVERIFIED).
 */
uint32_t tracker_model_thread(struct tracker *tracker, struct live_thread *thread);

/*
 * Both functions return the mapping that contains @addr, or NULL. When an address in a mapping is
 * looked up for the first time (a hit), the mapping becomes a row of the model. A mapping shared by
 * forked processes becomes a row only for the process that hit it first.
 *
 * tracker_mapping() is for addresses that are certainly code: sampled addresses, not return
 * addresses found on a stack. If no mapping contains the address, the mappings of the process are
 * read again, because mremap and munmap write no record. This happens at most once per
 * TRACKER_REREAD_NS for each process.
 *
 * tracker_mapping_of_caller() is for return addresses, and each process has a budget of new
 * mappings for them. Without a budget, a program could keep mapping files and put an address in
 * each of them on its stack, without ever running there. Each such mapping would become a row, with
 * a path of up to 4 KiB. The budget is 4096 new mappings at once, then 50 per second. The largest
 * programs have only some hundred libraries, and no program loads plugins faster than that. If the
 * budget is used up and the mapping had no hit before, tracker_mapping_of_caller() returns NULL and
 * sets *ret_over_budget. tracker_mapping() is never limited.
 */
const struct live_mapping *tracker_mapping(struct tracker *tracker, struct live_process *process,
					   uint64_t addr, uint64_t time_ns);
const struct live_mapping *tracker_mapping_of_caller(struct tracker *tracker,
						     struct live_process *process, uint64_t addr,
						     uint64_t time_ns, bool *ret_over_budget);

/*
 * Returns a number that identifies the contents of the process's address space. The number changes
 * whenever the mappings change. Processes with the same number have the same images at the same
 * addresses. Returns 0 if no mappings are known.
 */
uint64_t tracker_space_stamp(const struct live_process *process);

/* Takes the next jitdump, as jit_dumps_take() does. */
bool tracker_take_jit_dump(struct tracker *tracker, struct jit_mapped_dump *ret_dump);

/* Returns the number of known threads, including those in their grace period. */
size_t tracker_thread_count(const struct tracker *tracker);

#endif
