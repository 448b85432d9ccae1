/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit.h - names for the generated code of the processes that are being recorded
 *
 * JIT compilers reuse addresses, so the name of an address depends on the time. Every process that
 * is sampled in an IMAGE_JIT is watched: its perf map (perf_map.h) and the jitdump that it maps
 * (jit_dump.h) are opened and kept open. Both are read at each flush, before the samples of that
 * flush are written. The perf map is also read between flushes.
 *	jit_settle()	reads what is new in the files, and looks up for each sample which code
 *			was at its addresses at the sample's time. If the code has changed since
 *			the locations of its stack were made, the sample gets a stack with other
 *			locations (jit_history.h).
 *	jit_name()	names the locations, once all samples are known
 *	jit_name_now()	names the locations provisionally
 * So a location in generated code means an address during the time in which one function was there.
 * Several locations of a model may have the same image and address.
 *
 * A location whose name is uncertain is left unnamed, and its samples are counted in
 * LOSS_JIT_UNSURE. A process is no longer watched, and its locations are named, when the process
 * has exited, its jitdump has been read, and it was not sampled during JIT_QUIET_SETTLES calls of
 * jit_settle(). The bytes of all jitdumps that one jit_settle() reads are limited, so the jitdumps
 * take turns. Records that are still unread at the end are counted in LOSS_JITDUMP_UNREAD. At most
 * JIT_WATCHED_MAX processes are watched at once, fewer if the limit on open files is low
 * (LOSS_JIT_UNWATCHED).
 *
 * If a process has both files, the jitdump is used and the perf map is not read.
 */
#ifndef ASSAY_SYMBOLIZE_JIT_H
#define ASSAY_SYMBOLIZE_JIT_H

#include "model/code.h"
#include "model/model.h"

#define JIT_WATCHED_MAX 256
#define JIT_QUIET_SETTLES 5
#define JIT_LOOK_NS (UINT64_C(100) * 1000000)	/* minimum time between looks at perf maps */
#define JIT_PENDING_MAX 64		/* jitdumps of processes that were not sampled yet */
#define JIT_PLACES_MAX 1000000		/* locations added because code changed */
#define JIT_NODES_MAX 4000000		/* stack nodes added because code changed */
#define JIT_SETTLE_BYTES (UINT64_C(64) << 20)	/* bytes of jitdumps read per jit_settle() */
#define JIT_NAME_BYTES (UINT64_C(256) << 20)	/* bytes of jitdumps read in jit_name() */
#define JIT_PAST_BYTES (UINT64_C(1) << 30)	/* bytes of jitdumps per jit_settle() if is_past */
#define JIT_CODE_BYTES_MAX (16u << 20)	/* bytes of code kept until the end */

struct jit;

struct jit_options {
	const char *sysroot;	/* prefix for /tmp and /proc, borrowed; or NULL */
	/*
	 * Returns whether @process still exists. The perf maps of other processes are not read.
	 * NULL: all processes exist now or existed a moment ago.
	 */
	bool (*is_there)(const struct process *process);
	/*
	 * The samples come from an earlier recording. So the code does not check whether processes
	 * have exited, expects no further writes to the files, and does not read perf maps, because
	 * they have no times.
	 */
	bool is_past;
};

/* A jitdump that was opened when a process mapped it. */
struct jit_seen_dump {
	uint32_t tgid;
	uint32_t named_pid;	/* pid in the file's name: its creator, in its pid namespace */
	uint64_t start_ns, exec_ns;	/* as in the process's row; start_ns is 0 if unknown */
	int fd;			/* if is_past: the caller has checked the owner of the file */
};

int jit_new(struct model *model, const struct jit_options *options, struct jit **ret_jit);
void jit_free(struct jit *jit);		/* accepts NULL */

/* Takes ownership of seen->fd. */
void jit_take_dump(struct jit *jit, const struct jit_seen_dump *seen);

/*
 * Opens the files of new images quickly, before their processes exit. Also reads the perf maps
 * again if JIT_LOOK_NS have passed. Call this often.
 */
void jit_watch(struct jit *jit);

/*
 * Reads what is new in the files. May replace the stacks of the samples in @batch, so call this
 * before they are written.
 */
void jit_settle(struct jit *jit, struct sample_batch *batch);

/*
 * Names all locations that can be named. If a recording was cut short, some locations have samples
 * that this code never saw. Such a location is named only if its address had just one name during
 * the whole recording.
 */
void jit_name(struct jit *jit);

/*
 * Names locations provisionally, for a live view. Call this after jit_settle(). Later records may
 * remove such a name or replace it with another.
 */
void jit_name_now(struct jit *jit);

/* Returns the code of a function that was named here, or NULL if its code was not kept. */
const struct code *jit_code(const struct jit *jit, const struct function *function);

#endif
