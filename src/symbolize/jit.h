/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit.h - generated code of the processes that are being recorded: what it is called
 *
 * Run-time compilers give an address to one function after the other, so the name of an address is
 * a matter of time.  Everybody who hits an IMAGE_JIT is watched: its perf map (perf_map.h) and the
 * jitdump that it maps (jit_dump.h) are held open from then on and read at each flush, the map also
 * in between, before the samples of that flush are written:
 *	jit_settle()	takes what is new in the files, looks up for each sample what was at its
 *			addresses then, and gives it a stack of other locations where the code has
 *			changed since those were made (jit_history.h)
 *	jit_name()	names the locations, once all samples are known
 *	jit_name_now()	names them for the moment
 * So a location of generated code is an address while one function was there, and several
 * locations of a model may have the same image and address.
 *
 * What cannot be told is left without name and counted in LOSS_JIT_UNSURE.  A process's watch ends
 * when it is gone, its jitdump was read and it was not sampled for JIT_QUIET_SETTLES; its locations
 * are named then.  Jitdumps take turns in the bytes that are read at one jit_settle(); what is
 * still unread at the end is LOSS_JITDUMP_UNREAD.  At most
 * JIT_WATCHED_MAX are watched at once, fewer where few files may be open (LOSS_JIT_UNWATCHED).
 *
 * A jitdump that is there is better than a perf map, which then is not read.
 */
#ifndef ASSAY_SYMBOLIZE_JIT_H
#define ASSAY_SYMBOLIZE_JIT_H

#include "model/code.h"
#include "model/model.h"

/* Why the last jitdump that was refused, damaged or not read to its end was so. */
#define JIT_FACT_REFUSED "jitdump_refused"

#define JIT_WATCHED_MAX 256
#define JIT_QUIET_SETTLES 5
#define JIT_LOOK_NS (UINT64_C(100) * 1000000)	/* between looks at perf maps, at the least */
#define JIT_PENDING_MAX 64		/* dumps of processes that were not sampled yet */
#define JIT_PLACES_MAX 1000000		/* locations, */
#define JIT_NODES_MAX 4000000		/* and nodes of stacks, made because code changed */
#define JIT_SETTLE_BYTES (UINT64_C(64) << 20)	/* of all jitdumps, read at one jit_settle(), */
#define JIT_NAME_BYTES (UINT64_C(256) << 20)	/* at the end, */
#define JIT_PAST_BYTES (UINT64_C(1) << 30)	/* and at one that is_past */
#define JIT_CODE_BYTES_MAX (16u << 20)	/* of code that is kept until the end */

struct jit;

struct jit_options {
	const char *sysroot;	/* NULL, or what stands before /tmp and /proc; borrowed */
	/* NULL: all are, or were just now; else maps of others are not read. */
	bool (*is_there)(const struct process *process);
	/*
	 * The samples were taken before: nobody is asked whether he lives, nothing is still to be
	 * written, and perf maps, which have no times, are not read.
	 */
	bool is_past;
};

/* A jitdump, opened when a process mapped it. */
struct jit_seen_dump {
	uint32_t tgid;
	uint32_t named_pid;	/* in the file's name: of who began it, in his pid namespace */
	uint64_t start_ns, exec_ns;	/* of the process, as in its row; start 0: not known */
	int fd;			/* is_past: of a file whose owner was looked at */
};

int jit_new(struct model *model, const struct jit_options *options, struct jit **ret_jit);
void jit_free(struct jit *jit);		/* NULL is fine */

/* Takes seen->fd over. */
void jit_take_dump(struct jit *jit, const struct jit_seen_dump *seen);

/*
 * Opens what belongs to images that are new: soon, before their processes are gone.  To be called
 * often: looks at the perf maps, too, when it is time to.
 */
void jit_watch(struct jit *jit);

/* @samples, which are not written yet, may get other stacks. */
void jit_settle(struct jit *jit, struct sample_batch *batch);

/*
 * Names what can be named.  Locations whose samples were never seen here (of a recording that was
 * cut short) are named where nothing else was ever said of their address.
 */
void jit_name(struct jit *jit);

/*
 * Names locations by what is known up to now, for somebody who looks on: behind a jit_settle().
 * What comes later may take a name back, or tell another.
 */
void jit_name_now(struct jit *jit);

/* The code of a function that was named here; NULL where it is not kept. */
const struct code *jit_code(const struct jit *jit, const struct function *function);

#endif
