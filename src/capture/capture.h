/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h - the collector: from the kernel's records to the model and its samples
 *
 * Life of a sample: ring_peek() -> record_decode() -> merge in time order with the sideband ->
 * tracker_thread() says who -> chain_stack() turns addresses into a stack of the model and
 * context_of_chain() says on whose behalf -> ticks_late() how far behind its tick -> appended to
 * the batch, which the caller writes and clears at every flush.
 *
 * CPU-wide or per task.  Where the kernel allows it, one event per CPU samples everything and
 * samples of other processes are dropped on arrival, also for a command or for -p and -t:
 * per-task clocks restart their period with each new task, so a child that lives shorter than
 * one period is never seen (a fork storm profiled that way looks idle), and their ticks have no
 * phase to measure lateness against.  Users without the privilege get per-task events.
 *
 * Not thread-safe; one thread calls everything.
 */
#ifndef ASSAY_CAPTURE_CAPTURE_H
#define ASSAY_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "elf/image_file.h"
#include "elf/kallsyms.h"
#include "model/model.h"

enum target_kind {
	TARGET_SYSTEM,
	TARGET_COMMAND,
	TARGET_PROCESSES,
	TARGET_THREADS,
	TARGET_CGROUP,
	TARGET_USER		/* all tasks of a uid: the in-kernel sampler alone can tell */
};
enum collector_kind {
	COLLECTOR_BEST,		/* the first of these that this machine and user can have */
	COLLECTOR_BPF,		/* the in-kernel sampler: capture/bpf_collector.c */
	COLLECTOR_RING		/* perf's own samples, through its rings */
};
enum callgraph {
	CALLGRAPH_BEST,		/* inside the kernel by the images' tables, with the ring FP */
	CALLGRAPH_FP,		/* the kernel follows frame pointers */
	CALLGRAPH_DWARF,	/* the stack is copied and walked here: intake/stack_walk.h */
	CALLGRAPH_NONE
};

#define STACK_BYTES_DEFAULT 16384u
#define STACK_BYTES_MAX 65528u		/* what a record has room for, and perf's own limit */

struct capture_options {
	enum target_kind target;
	const uint32_t *ids;		/* TARGET_PROCESSES: tgids; TARGET_THREADS: tids */
	size_t id_count;
	uint32_t command_tgid;		/* TARGET_COMMAND: the waiting child (session/workload.h) */
	const char *cgroup;		/* path below the cgroup mount, or absolute */
	uint32_t uid;			/* TARGET_USER */
	const char *cpus;		/* "0-3,8"; NULL: all */
	bool leave_out_self;		/* no samples of this process */

	const char *events;		/* perf syntax, with commas; NULL: cycles or cpu-clock */
	const char *counters;		/* NULL, or events read with each sample */
	uint64_t frequency_hz;		/* one of the two is 0 */
	uint64_t period;
	enum collector_kind collector;
	size_t table_bytes;		/* of unwind tables in the kernel; 0: the default */
	enum callgraph callgraph;	/* FP and DWARF are the ring's */
	uint32_t stack_bytes;		/* CALLGRAPH_DWARF: to copy; a multiple of 8 */
	const char *cache_dir;		/* of unwind tables; NULL: none */
	bool start_disabled;		/* -D: until capture_enable() */
	bool off_cpu;			/* also why threads do not run */
	bool off_cpu_wakers;		/* ... and who ends their waits */
	uint64_t off_cpu_min_ns;	/* shorter waits are only added up; 1 at least */

	size_t sample_ring_bytes;	/* 0: the default, 512 KiB each */
	size_t sideband_ring_bytes;
	const struct kallsyms *kallsyms;	/* for capture_new() only; may be empty */
};

struct capture;

/* Opens everything; errors name the sysctl or capability that would help. */
int capture_new(struct model *model, const struct capture_options *options,
		struct capture **ret_capture, struct err *err);
void capture_free(struct capture *capture);	/* NULL is fine */

/* One line for the user: which clock or counter and why, CPU-wide or per task and why. */
const char *capture_describe(const struct capture *capture);

/* False where only user mode may be sampled: names of the kernel are then of no use. */
bool capture_sees_kernel(const struct capture *capture);

/*
 * Readable when a ring passed its watermark, and when a process is sampled that the sampler inside
 * the kernel cannot walk yet.
 */
int capture_poll_fd(const struct capture *capture);

/*
 * Now that it is readable: is it worth a drain?  Not where most who could not be walked were gone
 * each time that we came; then a tenth of a second is left to them, unless a ring fills up.
 */
bool capture_drain_is_due(const struct capture *capture);

int capture_enable(struct capture *capture, struct err *err);
int capture_disable(struct capture *capture);

/*
 * Takes what the rings hold up to a moment ago (all of it when @all, after capture_disable())
 * into the model and *batch. Looks after CPUs that came or went. 0 or a negative errno.
 */
int capture_drain(struct capture *capture, struct sample_batch *batch, bool all, struct err *err);

/* A jitdump that a process mapped, the caller's to close; false when there is none. */
struct jit_mapped_dump;
bool capture_take_jit_dump(struct capture *capture, struct jit_mapped_dump *ret_dump);

/* No target process lives any more (never true for TARGET_SYSTEM and TARGET_CGROUP). */
bool capture_targets_gone(const struct capture *capture);

/* Brings up to date what each flush writes: PERF_FORMAT_LOST counts, /proc/stat, image health. */
void capture_account(struct capture *capture);

/* For symbolize, while the capture lives: matches image_file_fn. */
const struct image_file *capture_image_file(void *capture, uint32_t image);

#endif
