/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit.h - names for the generated code of the processes that are being recorded
 *
 * JIT compilers reuse addresses, so the name of an address depends on the time. This code watches
 * every process that has samples in generated code (an image of kind IMAGE_JIT). It opens the
 * process's perf map (perf_map.h). The caller opens the jitdump that the process maps (jit_dump.h),
 * and passes the descriptor to jit_take_dump(). Both files stay open. They are read at each flush,
 * before the samples of that flush are written. The perf map is also read between flushes.
 *	jit_settle()	reads new data from the files, and finds for each sample the code that
 *			was at the sample's addresses when the sample was taken. If the code has
 *			changed since the locations of the sample's stack were created, the
 *			sample gets a different stack with new locations (jit_history.h).
 *	jit_name()	names the locations, once all samples are known
 *	jit_name_now()	names the locations provisionally
 * So a location in generated code stands for an address and a period in which one function occupied
 * that address. Several locations of a model may have the same image and address.
 *
 * A location whose name is uncertain is left unnamed, and its samples are counted in
 * LOSS_JIT_UNSURE.
 *
 * A process is no longer watched, and its locations get their final names, when all of these are
 * true:
 * - the process has exited or runs another program
 * - the jitdump of the process has been read
 * - the process had no samples in generated code during JIT_QUIET_SETTLES calls of jit_settle()
 *
 * Each call of jit_settle() reads a limited number of bytes from all jitdumps together, so the
 * jitdumps take turns. Records that are still unread at the end of the recording are counted in
 * LOSS_JITDUMP_UNREAD. At most JIT_WATCHED_MAX processes are watched at the same time, fewer if the
 * limit on open files is low. Further processes are counted in LOSS_JIT_UNWATCHED.
 *
 * If a process has both files, only the jitdump is used: once it is accepted, the perf map is no
 * longer read, and the data from the perf map are dropped.
 */
#ifndef ASSAY_SYMBOLIZE_JIT_H
#define ASSAY_SYMBOLIZE_JIT_H

#include "elf/file_opener.h"
#include "model/code.h"
#include "model/model.h"

#define JIT_WATCHED_MAX 256
#define JIT_QUIET_SETTLES 5
#define JIT_LOOK_NS (UINT64_C(100) * 1000000)	/* minimum time between checks of the perf maps */
/* maximum number of jitdumps that belong to no watched process yet */
#define JIT_PENDING_MAX 64
#define JIT_PLACES_MAX 1000000		/* limit on locations added because code changed */
#define JIT_NODES_MAX 4000000		/* limit on stack nodes added because code changed */
#define JIT_SETTLE_BYTES (UINT64_C(64) << 20)	/* limit on jitdump bytes read per jit_settle() */
#define JIT_NAME_BYTES (UINT64_C(256) << 20)	/* limit on jitdump bytes read in jit_name() */
#define JIT_PAST_BYTES (UINT64_C(1) << 30)	/* replaces JIT_SETTLE_BYTES if is_past */
#define JIT_CODE_BYTES_MAX (16u << 20)	/* limit on bytes of code kept until the end */

struct jit;

struct jit_options {
	const char *sysroot;	/* prefix for paths in /tmp and /proc, borrowed; or NULL */
	/* tells which file systems answer, and opened the jitdumps, borrowed; NULL: all do */
	struct file_opener *opener;
	size_t bytes_max;	/* for what the files say, of all processes; 0: JIT_BYTES_MAX */
	struct readers *readers;	/* read jitdumps that may not answer, borrowed; or NULL */
	/*
	 * Returns true if @process still exists. If the result is false, the perf map of the
	 * process is not read. The pointer may be NULL if every process still exists or has exited
	 * only a moment ago.
	 */
	bool (*is_there)(const struct process *process);
	/*
	 * The samples come from an earlier recording. So this code assumes that the files no longer
	 * grow, and does not check whether processes have exited. It does not read perf maps,
	 * because the lines of a perf map have no timestamps.
	 */
	bool is_past;
};

/* A jitdump that was opened when a process mapped it. */
struct jit_seen_dump {
	uint32_t tgid;
	/* pid in the file's name: the pid of its creator, in the creator's pid namespace */
	uint32_t named_pid;
	/* copied from the model's entry for the process; start_ns is 0 if unknown */
	uint64_t start_ns, exec_ns;
	/* owned; if options.is_past is set, the caller has already checked the owner of the file */
	int fd;
};

int jit_new(struct model *model, const struct jit_options *options, struct jit **ret_jit);
void jit_free(struct jit *jit);		/* accepts NULL */

/* Takes ownership of seen->fd. */
void jit_take_dump(struct jit *jit, const struct jit_seen_dump *seen);

/*
 * Begins to watch processes that have their first samples in generated code: opens their perf maps
 * and assigns their jitdumps to them. This must be done before the processes exit, so call this
 * function often. Also reads the perf maps again if JIT_LOOK_NS have passed since the last time.
 */
void jit_watch(struct jit *jit);

/*
 * Reads new data from the files. May change the stacks of samples in @batch, so call this before
 * the batch is written.
 */
void jit_settle(struct jit *jit, struct sample_batch *batch);

/*
 * Gives all locations their final names where possible. If a recording ended early, some locations
 * have samples that jit_settle() never received. Such a location gets a name only if its address
 * had the same name during the whole recording.
 */
void jit_name(struct jit *jit);

/*
 * Names locations provisionally, for a live view. Call this after jit_settle(). Records read later
 * may remove or replace such a name.
 */
void jit_name_now(struct jit *jit);

/*
 * Returns the code of @function, or NULL if the code was not kept. jit_name() must have named
 * @function.
 */
const struct code *jit_code(const struct jit *jit, const struct function *function);

#endif
